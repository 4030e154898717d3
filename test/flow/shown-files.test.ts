import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Turn } from '../fakes/model-script.ts';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { OWNER } from './governance-rig.ts';

// A file that stood whole in the request is a source by its id, without a call and beside calls about it, also where it came
// with an earlier mail of the thread.

const ORDERS = [
  'order,customer,labour,parts',
  'R-541,Iris,"24,00","18,50"',
  'R-542,Conrad,"55,00","132,90"',
  'R-543,Iris,"8,00","4,20"',
].join('\n');
const VISITS = 'animal,owner,due\nBen,Olga,2026-12-04\nKim,Carol,2026-12-11\n';

/** The id of the file that was shown last. */
const fileIn = (told: string): string => [...told.matchAll(/All of \[attachment (att_\w+)\]/g)].at(-1)?.[1] ?? '';

function says(results: number, mail: string, told: string): Turn {
  const id = fileIn(told);
  const answer = (text: string, more: object): Turn => ({
    calls: [{ name: 'answer', arguments: { text, ...more } as never }],
  });
  if (mail.includes('Who is due'))
    return answer('Ben on 4 December, Kim on 11 December.', {
      claims: [{ text: 'Due: Ben on 4 December 2026, Kim on 11 December 2026.', evidence: [id], confidence: 'high' }],
    });
  if (!mail.includes('How much')) return { text: 'I have them.' };
  if (results === 0)
    return {
      calls: [
        { name: 'query_table', arguments: { source: id, select: ['sum(labour + parts)'], group_by: ['customer'] } },
        { name: 'calculate', arguments: { expression: '24 + 55 + 8' } },
      ],
    };
  return answer('R-541 was 42.50 [1], and all labour 87.00 [2].', {
    figures: [
      { shown: '42.50', from: id, formula: 'C2 + D2' },
      { shown: '87.00', from: 't2' },
    ],
  });
}

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;
beforeAll(async () => {
  rig.made = await openModelled((_turn, mail, results, heard) =>
    says(results.length, mail, JSON.stringify(heard.body)),
  );
});
afterAll(() => rig.made?.close());

async function lastRun() {
  const [run] = (await made().office.cli('runs', 'list')).json.runs;
  return { run, replayed: (await made().office.cli('runs', 'replay', run.id)).json.replay.identical };
}

it('of the mail itself bears out a claim without a call', async () => {
  await made().office.post({
    subject: 'Visits',
    text: 'Who is due in December?',
    attachments: [{ filename: 'visits.csv', content: VISITS }],
  });
  const { mail } = await made().office.arrival('reply', OWNER);
  expect(mail.text).toContain('Ben on 4 December');
  expect(mail.text).not.toContain('not confirmed');
  expect(await lastRun()).toMatchObject({ run: { outcome: 'final', model_calls: 1 }, replayed: true });
});

it('of an earlier mail has cells of its own beside a question over it, bears out a calculation and has its name', async () => {
  const { office } = made();
  await office.post({
    subject: 'Orders',
    text: 'Keep these, please.',
    attachments: [{ filename: 'orders.csv', content: ORDERS }],
  });
  const { mail: kept } = await office.arrival('reply', OWNER, 2);
  await office.post({
    subject: 'Re: Orders',
    text: 'How much was R-541, and how much labour is it in all?',
    inReplyTo: kept.messageId ?? '',
    references: [kept.messageId ?? ''],
  });
  const { mail } = await office.arrival('reply', OWNER, 3);
  expect(mail.text).toContain('R-541 was 42.50 [1], and all labour 87.00 [2].');
  expect(mail.text).toContain('[1] orders.csv');
  expect(mail.text).not.toMatch(/not confirmed|the source says/);
  expect(await lastRun()).toMatchObject({ run: { outcome: 'final', model_calls: 2 }, replayed: true });
});

it('stands there once where it is sent again in its thread', async () => {
  const { office, model } = made();
  const content = ['stop,fare', ...Array.from({ length: 30 }, (_, n) => `Stop ${n},${n}.50`)].join('\n');
  const sent = { text: 'Keep these, please.', attachments: [{ filename: 'fares.csv', content }] };
  await office.post({ subject: 'Fares', ...sent });
  const { mail: kept } = await office.arrival('reply', OWNER, 4);
  const answers = { inReplyTo: kept.messageId ?? '', references: [kept.messageId ?? ''] };
  await office.post({ subject: 'Re: Fares', ...sent, ...answers });
  await office.arrival('reply', OWNER, 5);
  const asked = JSON.stringify(model.requests.at(-1)?.body);
  const [, first, again] =
    /All of \[attachment (att_\w+)\].*\[attachment (att_\w+)\] has the same words as \[attachment \1\] above\./s.exec(
      asked,
    ) ?? [];
  expect(asked.split('Stop 29,29.50')).toHaveLength(2);
  expect([first, again]).toEqual([expect.any(String), expect.any(String)]);
  expect(again).not.toBe(first);
  expect(await lastRun()).toMatchObject({ run: { outcome: 'final' }, replayed: true });
});
