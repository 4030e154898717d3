import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeModel } from '../../../../test/fakes/model-server.ts';
import { launchGateway, type Program, submit } from '../../../../test/flow/gateway.ts';
import { makeWorkspace, STEADY } from '../../../../test/flow/workspace.ts';
import { LOOP_GUARD_OFF } from '../loop-guard-off.ts';
import type { Random } from '../random.ts';
import { countPhase, type Phase, type PhaseCount } from './count.ts';

export const OWNER = 'owner@example.com';
const ADA = 'ada@agents.localhost';

export interface Sending {
  readonly name: string;
  readonly mails: number;
  readonly senders: number;
  readonly kills: number;
  /** Over how long the mails are spread, by the real clock. */
  readonly overMs: number;
}

export type Lives = Awaited<ReturnType<typeof openLives>>;

/** A gateway that is killed and begins again, and people who write to it. `startAt`: when its first life begins. */
export async function openLives({
  random,
  budget,
  startAt,
}: {
  random: Random;
  budget: object;
  startAt: number | null;
}) {
  const mood = { dead: false };
  const model = await startFakeModel('openai', () =>
    mood.dead ? { status: 503, message: 'out of order' } : { text: 'Your answer.' },
  );
  const persona = (limits: object) => ({
    name: 'Ada',
    address: ADA,
    timezone: 'UTC',
    access: { allow: ['*@member.example'] },
    budget: limits,
  });
  const workspace = makeWorkspace({
    'configs/security.json': { owners: [OWNER], loop_guard: LOOP_GUARD_OFF },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    ...STEADY,
    'personas/ada/persona.json': persona(budget),
  });
  const { root } = workspace;
  const state: { gateway: Program; kills: number; at: number | null; begun: number } = {
    gateway: await launchGateway(root, lifeAt(startAt)).ready,
    kills: 0,
    at: startAt,
    begun: Date.now(),
  };
  /** Kills the gateway; the next life begins `laterMs` later, where the story has a clock of its own. */
  const kill = async (laterMs = 0): Promise<void> => {
    await state.gateway.kill();
    state.kills += 1;
    if (state.at !== null) state.at += Date.now() - state.begun + laterMs;
    state.begun = Date.now();
    state.gateway = await launchGateway(root, lifeAt(state.at)).ready;
  };
  const post = async (mail: Omit<Parameters<typeof submit>[2], 'to'>): Promise<string> => {
    for (;;) {
      try {
        return await submit(root, state.gateway.ready, { to: ADA, ...mail });
      } catch (error) {
        // A 5xx is a promise that was broken; all else is tried again, as mail servers do.
        if (/\b5\d\d [5]/.test(String(error))) throw error;
        await sleep(50);
      }
    }
  };
  return {
    root,
    workspace,
    mood,
    kill,
    post,
    kills: () => state.kills,
    setBudget: (limits: object) => workspace.write('personas/ada/persona.json', persona(limits)),
    /** Mail of several senders, a thread each, with kills at moments that the seed decides. */
    async send({ name, mails, senders, kills, overMs }: Sending): Promise<Phase> {
      const threads: Phase['threads'] = Array.from({ length: senders }, () => []);
      const deaths = new Set(Array.from({ length: kills }, () => random.between(1, mails - 1)));
      const began = Date.now();
      for (let number = 0; number < mails; number += 1) {
        const thread = threads[number % senders] ?? [];
        const before = thread.at(-1);
        const messageId = `<${name}-${number}@member.example>`;
        await post({
          from: `${name}-${number % senders}@member.example`,
          subject: `Question ${number}`,
          messageId,
          text: `What about ${number}?`,
          ...(before ? { inReplyTo: before, references: [...thread] } : {}),
        });
        thread.push(messageId);
        if (deaths.has(number)) await kill();
        await sleep(Math.max(0, began + ((number + 1) * overMs) / mails - Date.now()));
      }
      return { name, threads };
    },
    /** Waits until the phase's mail has what it is owed, and says what there is when it does not come. */
    async settled(phase: Phase, notes: number, atMostMs: number): Promise<PhaseCount> {
      const late = Date.now() + atMostMs;
      for (;;) {
        const count = await countPhase(root, phase, notes);
        if (count.problems.length === 0 || Date.now() > late) return count;
        await sleep(atMostMs > 600_000 ? 5000 : 200);
      }
    },
    async close(): Promise<void> {
      await state.gateway.kill();
      await model.stop();
    },
  };
}

const lifeAt = (at: number | null): Record<string, string> =>
  at === null ? {} : { NODE_ENV: 'test', EPISTLE_TEST_NOW: new Date(at).toISOString() };
