import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptedCall, Turn } from '../fakes/model-script.ts';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { MEMBER } from './governance-rig.ts';

// Results say by which names an answer may cite them; what is cited so is compared for certain, and is told in words.

const COSTS = 'month;parts\nAugust;41.200,00\nSeptember;37.890,10\n';
const TABLE = '| Room | EUR |\n| --- | --- |\n| Alster | 121.30 |\n| Elbe | 97.50 |';
const read: ScriptedCall = { name: 'read_file', arguments: { path: 'costs.csv' } };
const search: ScriptedCall = { name: 'search_mail', arguments: { query: 'Alster' } };
const net: ScriptedCall = { name: 'query_table', arguments: { source: 'mail', select: ['Room', 'EUR * 2 as Twice'] } };
const answer = (text: string, more: object): Turn => ({
  calls: [{ name: 'answer', arguments: { text, ...more } as never }],
});
const figure = (shown: string, from: string, cells: string) => ({ shown, from, cells: [cells] });

/** By the subject, what the model says turn by turn. */
const SAYS: Readonly<Record<string, readonly Turn[]>> = {
  Costs: [{ calls: [read] }, answer('It was 37,890.10 [1].', { figures: [figure('37,890.10', 't1', 't1.B3')] })],
  'Wrong costs': [
    { calls: [read] },
    ...Array.from({ length: 2 }, () => answer('It was 37,980.10 [1].', { figures: [figure('37,980.10', 't1', 'B3')] })),
  ],
  Rooms: [
    { calls: [net] },
    answer('Elbe is 97.50 [2], twice that is 195 [3].', {
      claims: [{ text: 'The mayor has resigned.', evidence: ['mail'], confidence: 'low' }],
      figures: [figure('97.50', 'mail', 'B3'), figure('195', 't1', 't1.r3.Twice')],
    }),
  ],
  Breakfast: [
    { calls: [read] },
    answer('Limmat wrote that breakfast is included [1].', {
      claims: [{ text: 'Limmat wrote that breakfast is included.', evidence: ['t1'] }],
    }),
  ],
  'Earlier mail': [
    { calls: [search] },
    answer('Alster was 121.30 [1].', { claims: [{ text: 'Alster was 121.30.', evidence: ['m1'] }] }),
  ],
  First: [{ text: 'The zander is 47.11 EUR.' }],
  'Own words': [
    { calls: [{ name: 'search_mail', arguments: { query: 'zander' } }] },
    answer('I had written 47.11 EUR [1].', { claims: [{ text: 'I had written 47.11 EUR.', evidence: ['m1'] }] }),
  ],
};

const rig: { made?: Modelled; said: readonly Turn[] } = { said: [] };
const made = () => rig.made as Modelled;

beforeAll(async () => {
  rig.made = await openModelled((turn) => rig.said[turn] ?? { text: 'Nothing more.' });
  made().put('costs.csv', COSTS);
});
afterAll(() => rig.made?.close());

const asked = { count: 0 };
async function answered(subject: string, text: string) {
  rig.said = SAYS[subject] ?? [];
  asked.count += 1;
  await made().office.ask(text, MEMBER, subject);
  const { mail } = await made().office.arrival('reply', MEMBER, asked.count);
  const [run] = (await made().office.cli('runs', 'list')).json.runs;
  const replayed = (await made().office.cli('runs', 'replay', run.id)).json.replay.identical;
  const { events } = (await made().office.cli('runs', 'show', run.id)).json.run;
  const last = events.findLast(({ type }: { type: string }) => type === 'decision');
  return { text: mail.text, run, replayed, claims: last.data.claims };
}

describe('an answer that cites results by the names that they are shown with', () => {
  it('is told with the row of the file', async () => {
    const { text, replayed } = await answered('Costs', 'What did September cost?');
    expect(made().told()).toContain('{"ok":true,"cite":"t1","result"');
    expect(text).toContain('It was 37,890.10 [1].\n\nSources:\n[1] costs.csv, row 3');
    expect(replayed).toBe(true);
  });

  it('is contradicted by the one cell', async () => {
    const { text, run, replayed } = await answered('Wrong costs', 'And what did it cost again?');
    expect(text).toContain('[1] costs.csv, row 3 – the source says 37.890,10');
    expect(run).toMatchObject({ model_calls: 3, outcome: 'final' });
    expect(replayed).toBe(true);
  });

  it('rests on the mail itself and on what was worked out of it, and prints nothing that was not compared', async () => {
    const { text, run, claims, replayed } = await answered('Rooms', `What is Elbe?\n\n${TABLE}`);
    expect(text).toContain('[2] the mail that this answers, row 3\n[3] the mail that this answers, row 3');
    expect(text).not.toContain('[1]');
    expect(claims[0]).toMatchObject({ verdict: 'unchecked', confidence: 'low' });
    expect(run.model_calls).toBe(2);
    expect(replayed).toBe(true);
  });

  it('has no source for words that could not be compared with one, although it marks them', async () => {
    const { text, run, claims } = await answered('Breakfast', 'Is breakfast included?');
    expect(text).toContain('included [1].\n\nSources:\n[1] not compared with a source');
    expect(text).not.toContain('costs.csv');
    expect(claims[0]).toMatchObject({ verdict: 'unchecked' });
    expect(run.model_calls).toBe(2);
  });

  it('rests on an earlier mail that a search has listed, called by who wrote it and when', async () => {
    const { text, run, replayed } = await answered('Earlier mail', 'What was Alster?');
    expect(made().told()).toMatch(/"cite":"m1","message_id":"</);
    expect(text).toMatch(/\[1\] [^<>@_]*mia@member\.example, \w{3}, \d{1,2} \w{3} \d{4}/);
    expect(text).not.toContain('not confirmed');
    expect(run.model_calls).toBe(2);
    expect(replayed).toBe(true);
  });

  it('says that something stands in what the persona wrote itself, which is no source of it', async () => {
    await answered('First', 'What does the fish cost?');
    const { text, run, claims, replayed } = await answered('Own words', 'What did you write to me?');
    expect(text).toContain('Sources:\n[1] as I wrote before, or as a quotation says; compared with no other source');
    expect(claims[0]).toMatchObject({ verdict: 'unchecked', own: true });
    expect(run.model_calls).toBe(2);
    expect(replayed).toBe(true);
  });
});
