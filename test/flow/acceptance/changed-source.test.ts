import { afterEach, expect, it } from 'vitest';
import { CARL, MEMBER, OWNER } from '../governance-rig.ts';
import { recordOf } from './explain-rig.ts';
import { type Modelled, openModelled } from './office-with-model.ts';

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const CALLS = [
  { name: 'read_file', arguments: { path: 'price.txt' } },
  { name: 'send_email', arguments: { to: [CARL], subject: 'Price', body: 'Dear Carl' } },
];
const ANSWER = {
  text: 'The price is 20 EUR [1], and Carl has it.',
  figures: [{ shown: '20 EUR', from: 'price.txt' }],
};

it('A-10: a file of the persona that changes while its run waits is said to have changed, below the answer that rests on it', async () => {
  const made = await openModelled((turn) =>
    turn === 0 ? { calls: CALLS } : { calls: [{ name: 'answer', arguments: ANSWER }] },
  );
  open.made = made;
  made.put('price.txt', 'The price is 20 EUR.\n');
  const asked = await made.office.ask('What is the price? Please write it to Carl.');
  const notice = await made.office.arrival('approval', OWNER);
  made.put('price.txt', 'The price is 25 EUR.\n');
  await made.office.answer(notice, 'approve');
  const reply = await made.office.arrival('reply', MEMBER);
  expect(reply.mail.text).toContain(ANSWER.text);
  expect(reply.mail.text).toMatch(/\[1\] price\.txt.*has changed since it was read/);
  const run = { id: asked.json.results[0].run_id as string };
  const { events } = recordOf(made, run);
  const decided = events.filter(({ type }) => type === 'decision').at(-1);
  expect(decided?.data).toMatchObject({ limitations: [{ kind: 'drifted', source: 'price.txt' }] });
  expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
});
