import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { CARL, MEMBER, OWNER } from './governance-rig.ts';

// A mail to whoever wrote the mail would reach them twice: the model is told so, nobody is asked, and nothing waits.

const mail = (to: readonly string[], more: object = {}) => ({
  name: 'send_email',
  arguments: { to, subject: 'Offer', body: 'Dear Mia', ...more },
});
const save = { name: 'write_file', arguments: { path: 'offer.txt', content: 'Offer' } };

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;
beforeAll(async () => {
  rig.made = await openModelled((turn, asked) => {
    if (turn > 0) return { text: 'Dear Mia, here is the offer.' };
    if (asked.includes('the owners and Carl')) return { calls: [mail([CARL], { cc: ['owners'] })] };
    if (asked.includes('the owners')) return { calls: [mail(['owners'])] };
    if (asked.includes('and Carl')) return { calls: [mail([MEMBER, CARL])] };
    return { calls: [mail([MEMBER.toUpperCase()], { cc: [MEMBER] }), save] };
  });
});
afterAll(() => rig.made?.close());

const newest = async () => {
  const [run] = (await made().office.cli('runs', 'list')).json.runs;
  expect((await made().office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
  return run;
};

it('is not sent beside the answer: no question, no wait, no word of it, and what comes after it is done', async () => {
  const told = await made().office.ask('Send me the offer by mail.');
  expect(told.code).toBe(0);
  const { mail: reply } = await made().office.arrival('reply', MEMBER);
  expect(reply.text).toContain('Dear Mia, here is the offer.');
  expect(reply.text).not.toMatch(/Not done|mail to/);
  expect(made().told()).toContain('the sender gets your final text anyway');
  expect(made().read('offer.txt')).toBe('Offer');
  expect(await made().office.left('approval', OWNER)).toEqual([]);
  expect(await newest()).toMatchObject({ outcome: 'final', code: null, model_calls: 2 });
});

it('goes out, asked about as ever, where somebody else gets it as well', async () => {
  const told = await made().office.ask('Send the offer to me and Carl.', MEMBER, 'Both');
  expect(told.code).toBe(3);
  await made().office.answer(await made().office.arrival('approval', OWNER), 'yes');
  await made().office.arrival('reply', CARL);
  await made().office.arrival('reply', MEMBER, 3);
  expect(await newest()).toMatchObject({ outcome: 'final' });
});

it('goes to the owners by that word, unasked as to their addresses, which is what a question about it has', async () => {
  const before = (await made().office.left('approval', OWNER)).length;
  expect((await made().office.ask('Tell the owners.', MEMBER, 'Told')).code).toBe(0);
  expect((await made().office.arrival('reply', OWNER)).mail.text).toContain('Dear Mia');
  expect(await made().office.left('approval', OWNER)).toHaveLength(before);

  expect((await made().office.ask('Tell the owners and Carl.', MEMBER, 'Both told')).code).toBe(3);
  const question = await made().office.arrival('approval', OWNER, before + 1);
  expect(question.mail.text).toContain(`Cc: ${OWNER}`);
  await made().office.answer(question, 'yes');
  const { mail: sent } = await made().office.arrival('reply', CARL, 2);
  expect([sent.cc].flat().map((list) => list?.text)).toEqual([OWNER]);
  expect(await newest()).toMatchObject({ outcome: 'final' });
});
