import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { OWNER } from './governance-rig.ts';

// F2: figures that are right stood in the mail to a person with "the source says 121.3" below them. A remark is made only
// where one cell alone can be meant.

const TABLE = [
  '| Row | Class | Gross | Tax |',
  '| --- | --- | --- | --- |',
  '| 1 | A | 121.30 | 20.00 |',
  '| 2 | B | 97.50 | 15.00 |',
  '| 3 | C | 60.00 | 10.00 |',
].join('\n');
const BANK = 'date;amount\n2026-11-02;-4001.40\n2026-11-03;1200.00\n';

const query = { name: 'query_table', arguments: { source: 'mail', select: ['Row', 'Class', 'Gross - Tax as Net'] } };
const answer = (text: string, figures: readonly object[]) => ({
  calls: [{ name: 'answer', arguments: { text, figures } as never }],
});

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;
beforeAll(async () => {
  rig.made = await openModelled((turn, mail) => {
    const isBank = mail.includes('bank.csv');
    if (turn === 0) return { calls: [isBank ? { name: 'read_file', arguments: { path: 'bank.csv' } } : query] };
    if (isBank)
      return answer('The rent was 4.001,40 EUR [1], and your limit is 600 EUR [2].', [
        { shown: '4.001,40', from: 'bank.csv', cells: ['B2'] },
        { shown: '600', from: 'bank.csv', cells: [] },
      ]);
    return answer('B costs 97.50 [1], which is 82.50 net [2].', [
      { shown: '97.50', from: 'mail', cells: ['C3'] },
      { shown: '82.50', from: 'mail', formula: 'C3 - D3' },
    ]);
  });
});
afterAll(() => rig.made?.close());

const remarks = /the source says|not confirmed/;

it('of a table in the mail itself, with a query of it between, are sent at once and without a remark', async () => {
  await made().office.ask(`What does B cost, gross and net?\n\n${TABLE}`, OWNER, 'Classes');
  const { mail } = await made().office.arrival('reply', OWNER);
  expect(mail.text).toContain('B costs 97.50 [1], which is 82.50 net [2].');
  expect(mail.text).not.toMatch(remarks);
  const [run] = (await made().office.cli('runs', 'list')).json.runs;
  expect(run).toMatchObject({ outcome: 'final', model_calls: 2 });
});

it('without the sign of an expense, and a number of the mail itself, are neither sent back nor remarked on', async () => {
  made().put('bank.csv', BANK);
  await made().office.ask('How much was the rent in bank.csv? My limit is 600 EUR.', OWNER, 'Rent');
  const { mail } = await made().office.arrival('reply', OWNER, 2);
  expect(mail.text).toContain('The rent was 4.001,40 EUR [1]');
  expect(mail.text).not.toMatch(remarks);
  const [run] = (await made().office.cli('runs', 'list')).json.runs;
  expect(run).toMatchObject({ outcome: 'final', model_calls: 2 });
});
