import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { someOf } from '../../size.ts';
import { type Office, openOffice } from '../governance-rig.ts';
import { openPersonaDb, type RunView } from '../persona-db.ts';
import { onceRecorded } from '../record.ts';
import { STEADY } from '../workspace.ts';
import { REFUSALS, startRefusingServer } from './refusing-server.ts';

const ANSWER = 'Here is your answer.';
const NAMES = ['ada', 'ben', 'cleo'] as const;
const MAILS = 20;
const ways = Object.keys(REFUSALS);

type Timed = RunView & { readonly created_at: number; readonly ended_at: number | null };

let server: Awaited<ReturnType<typeof startRefusingServer>>;
let office: Office;
beforeAll(async () => {
  server = await startRefusingServer(ANSWER);
  const providers = ['calm', ...ways];
  // Each way has a provider and personas of its own, so that none inherits what another has left.
  const personas = providers.flatMap((way) => NAMES.map((name) => ({ id: `${name}-${way}`, provider: way })));
  office = await openOffice({
    'extensions/extensions.json': {
      providers: providers.map((name) => ({ name, config: { base_url: `${server.baseUrl}/v1` } })),
    },
    ...Object.fromEntries(
      providers.map((name) => [
        `extensions/providers/${name}/manifest.json`,
        { ...STEADY['extensions/providers/steady/manifest.json'], name },
      ]),
    ),
    ...Object.fromEntries(
      personas.map(({ id, provider }) => [
        `personas/${id}/persona.json`,
        {
          name: id,
          address: `${id}@agents.localhost`,
          access: { allow: ['*@member.example'] },
          inference: { provider, model: 'm' },
        },
      ]),
    ),
    ...Object.fromEntries(personas.map(({ id }) => [`personas/${id}/PERSONA.md`, 'You answer.\n'])),
  });
});
afterAll(async () => {
  await office?.close();
  await server?.stop();
});

function runsOf(persona: string): Timed[] {
  const db = openPersonaDb(office.root, persona);
  try {
    return db.runs() as Timed[];
  } finally {
    db.close();
  }
}

const post = (persona: string, number: number, text: string) =>
  office.post({
    from: `m${number}@member.example`,
    to: `${persona}@agents.localhost`,
    subject: `Question ${number}`,
    messageId: `<${persona}-${number}@member.example>`,
    text,
  });

/** Twenty mails to three personas; how long each took from its arrival to its answer, in ms. */
async function answerAll(way: string): Promise<number[]> {
  const persona = (number: number) => `${NAMES[number % NAMES.length]}-${way}`;
  for (let number = 1; number <= MAILS; number += 1) await post(persona(number), number, `What is ${number}?`);
  return onceRecorded(office.root, () => {
    const runs = NAMES.flatMap((name) => runsOf(`${name}-${way}`)).filter(({ message_id: id }) => !id.includes('-0@'));
    expect(runs.map(({ status, outcome }) => `${status} ${outcome}`)).toEqual(
      Array.from({ length: MAILS }, () => 'done final'),
    );
    return runs.map(({ created_at, ended_at }) => (ended_at ?? 0) - created_at);
  });
}

const medianOf = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
/** A busy machine takes longer for one thing than for the same thing a moment before. */
const NOISE_MS = 400;

/** Without any mail that is refused; measured once. */
const calm: { median: number | null } = { median: null };
async function calmly(): Promise<number> {
  calm.median ??= medianOf(await answerAll('calm'));
  return calm.median;
}

describe('one mail that its vendor always refuses', () => {
  it.each(someOf(ways, 4))('%s: holds up no other mail, and status says whose fault it is', async (way) => {
    const usual = await calmly();
    await post(`ada-${way}`, 0, `Look at this, refuse:${way}`);
    await onceRecorded(office.root, () => expect(server.refused).toContain(way));
    const took = await answerAll(way);
    expect(medianOf(took)).toBeLessThan(usual * 1.5 + NOISE_MS);
    // No mail waits for the next try of another: that is 30 seconds away.
    expect(Math.max(...took)).toBeLessThan(15_000);
    const bad = await onceRecorded(office.root, () => {
      const [run] = runsOf(`ada-${way}`).filter(({ message_id: id }) => id.includes('-0@'));
      expect([run?.outcome, run?.deferred_code]).toSatisfy(
        ([outcome, code]: (string | null)[]) => outcome !== null || code === 'request_failed',
      );
      return run;
    });
    const status = (await office.cli('status')).json;
    const mine = status.deferred.filter(({ persona }: { persona: string }) => persona === `ada-${way}`);
    if (bad?.outcome === null)
      expect(mine).toMatchObject([{ code: 'request_failed', whose: 'request', provider: way }]);
    else expect(mine).toEqual([]);
    expect(status.cooldowns).toEqual([]);
  });
});
