import { afterEach, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { MEMBER, OWNER } from './governance-rig.ts';

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

it.each([
  [15, /"waited":"15 hours: what you were told above of the time, of rules and of what waits was so then/],
  [0, null],
])('a run that goes on %i hours later is told so with the answer of its owner', async (hours, told) => {
  const made = await openModelled((turn) =>
    turn === 0 ? { calls: [{ name: 'ask_owner', arguments: { question: 'Which colour?' } }] } : { text: 'It is blue.' },
  );
  open.made = made;
  const asked = await made.office.ask('Which colour does the bench have?');
  const notice = await made.office.arrival('clarify', OWNER);
  if (hours > 0) await made.office.later(hours);
  await made.office.answer(notice, 'Blue.');
  expect((await made.office.arrival('reply', MEMBER)).mail.text).toContain('It is blue.');
  if (told === null) expect(made.told()).not.toContain('"waited"');
  else expect(made.told()).toMatch(told);
  const run = asked.json.results[0].run_id as string;
  expect((await made.office.cli('runs', 'replay', run)).json.replay).toMatchObject({ identical: true });
});
