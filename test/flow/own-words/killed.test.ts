import { afterAll, beforeAll, expect, it } from 'vitest';
import { mailCall, type OwnWordsOffice, openOwnWords, TIM } from './rig.ts';

// Ten acts within an hour are ten, also where the process dies between the count and the act. The model gives its calls other
// ids each time that it is asked.

let office: OwnWordsOffice;
beforeAll(async () => {
  office = await openOwnWords();
});
afterAll(() => office.close());

const LABELS = [
  'run.model_replied',
  'run.event.model_call_ended',
  'run.event.decision',
  'run.event.permission',
  'run.event.tool_call_intended',
  'run.step_intended',
  'run.tool_executed',
  'run.event.tool_call_ended',
];

const HOUR_MS = 3_600_000;
const BEGIN = Date.parse('2026-11-28T08:00:00Z');
const mails = (subject: string, count: number) =>
  Array.from({ length: count }, (_, n) => mailCall(TIM, { subject: `${subject}, mail ${n}` }));
const madeIn = ({ verdicts }: Awaited<ReturnType<OwnWordsOffice['told']>>) =>
  verdicts.filter(({ verdict }) => verdict === 'allow').length;

it.each(LABELS.map((label, at) => [label, at] as const))(
  'they are ten where it dies at %s',
  async (label, at) => {
    const clock = { NODE_ENV: 'test', EPISTLE_TEST_NOW: new Date(BEGIN + at * 3 * HOUR_MS).toISOString() };
    await office.restart(clock);
    const text = `Please tell ${TIM}.`;
    const before = await office.told(`Six before ${label}`, text, mails(`Before ${at}`, 6));
    expect([before.run.status, madeIn(before)]).toEqual(['done', 6]);
    const dying = await office.launch({ ...clock, EPISTLE_CRASH_AT: label });
    office.script(`Killed at ${label}`, mails(`At ${at}`, 6));
    const id = await office.post({ subject: `Killed at ${label}`, text });
    await dying.death();
    await office.restart(clock);
    const settled = await office.settled(id);
    expect(settled.run.status).toBe('waiting_approval');
    for (let n = 0; n < 6; n += 1)
      expect([n, await office.reached(TIM, `At ${at}, mail ${n}`)]).toEqual([n, n < 4 ? 1 : 0]);
  },
  240_000,
);
