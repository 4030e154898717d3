import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeModel } from '../../../../test/fakes/model-server.ts';
import { type Gateway, startGateway, submit } from '../../../../test/flow/gateway.ts';
import { makeWorkspace, STEADY } from '../../../../test/flow/workspace.ts';
import { LOOP_GUARD_OFF } from '../loop-guard-off.ts';
import { seededRandom } from '../random.ts';
import { countPhase, type Phase, type PhaseCount } from './count.ts';

export interface WaitingReport {
  readonly ok: boolean;
  readonly seed: number;
  readonly phases: Readonly<Record<string, PhaseCount>>;
  readonly kills: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

const OWNER = 'owner@example.com';
const ADA = 'ada@agents.localhost';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SETTLED_MS = 120_000;

/**
 * A model that is dead for half an hour, a STOP of ten minutes and a spent budget, each with mail of several senders
 * meanwhile and kills in between. Time passes at the kills: each life begins where the story wants it.
 */
export async function waitingRun(options: {
  seed: number;
  mails: number;
  senders: number;
  kills: number;
  say(line: string): void;
}): Promise<WaitingReport> {
  const { mails, senders, kills, say } = options;
  const began = performance.now();
  const random = seededRandom(options.seed);
  const mood = { dead: false };
  const model = await startFakeModel('openai', () =>
    mood.dead ? { status: 503, message: 'out of order' } : { text: 'Your answer.' },
  );
  const persona = (budget: object) => ({ name: 'Ada', address: ADA, access: { allow: ['*@member.example'] }, budget });
  const workspace = makeWorkspace({
    'configs/security.json': { owners: [OWNER], loop_guard: LOOP_GUARD_OFF },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    ...STEADY,
    'personas/ada/persona.json': persona({}),
  });
  const { root } = workspace;
  const start = Date.UTC(2026, 10, 23, 9, 0, 0);
  const state: { gateway: Gateway; killed: number; at: number; begun: number } = {
    gateway: await startGateway(root, lifeAt(start)),
    killed: 0,
    at: start,
    begun: Date.now(),
  };
  /** Kills the gateway; the next life begins `laterMs` later. */
  const kill = async (laterMs = 0) => {
    await state.gateway.kill();
    state.killed += 1;
    state.at += Date.now() - state.begun + laterMs;
    state.begun = Date.now();
    state.gateway = await startGateway(root, lifeAt(state.at));
  };
  const post = async (mail: Omit<Parameters<typeof submit>[2], 'to'>) => {
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
  /** Mail of several senders, a thread each, with kills at moments that the seed decides. */
  const send = async (name: string): Promise<Phase> => {
    const ids: Phase['threads'] = Array.from({ length: senders }, () => []);
    const deaths = new Set(Array.from({ length: kills }, () => random.between(1, mails - 1)));
    for (let number = 0; number < mails; number += 1) {
      const thread = ids[number % senders] ?? [];
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
    }
    return { name, threads: ids };
  };
  const settled = async (phase: Phase, notes: number) => {
    const late = Date.now() + SETTLED_MS;
    for (;;) {
      const count = await countPhase(root, phase, notes);
      if (count.problems.length === 0 || Date.now() > late) return count;
      await sleep(200);
    }
  };
  const phases: Record<string, PhaseCount> = {};
  try {
    say('a model that is dead for thirty minutes');
    mood.dead = true;
    const outage = await send('outage');
    await kill(16 * MINUTE_MS);
    await sleep(3000);
    await kill(14 * MINUTE_MS);
    mood.dead = false;
    await kill();
    phases.outage = await settled(outage, senders);

    say('a STOP of ten minutes');
    await post({ from: OWNER, subject: 'STOP' });
    const stop = await send('stop');
    await kill(10 * MINUTE_MS);
    await post({ from: OWNER, subject: 'RESUME' });
    phases.stop = await settled(stop, 0);

    say('a budget that is spent');
    const day = persona({ runs_per_day: mails });
    workspace.write('personas/ada/persona.json', persona({ runs_per_day: 1 }));
    await kill();
    const budget = await send('budget');
    await sleep(3000);
    workspace.write('personas/ada/persona.json', day);
    await kill(DAY_MS);
    phases.budget = await settled(budget, senders);
  } finally {
    await state.gateway.kill();
    await model.stop();
  }
  const problems = Object.values(phases).flatMap((count) => count.problems);
  const ok = problems.length === 0;
  if (ok) workspace.remove();
  else say(`the workspace is kept in ${root}`);
  return {
    ok,
    seed: options.seed,
    phases,
    kills: state.killed,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    problems: problems.slice(0, 20),
  };
}

const lifeAt = (at: number) => ({ NODE_ENV: 'test', EPISTLE_TEST_NOW: new Date(at).toISOString() });
