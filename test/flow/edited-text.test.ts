import { afterAll, beforeAll, expect, it } from 'vitest';
import { CARL, mailTo, type Office, OWNER, openOffice } from './governance-rig.ts';

// F20: how a letter closes was cut from a text that its owner had edited, as if it were the owner's own signature.

const rig: { office?: Office } = {};
beforeAll(async () => {
  rig.office = await openOffice();
});
afterAll(() => rig.office?.close());

it('a text that an owner edits keeps its closing, and is sent without the owner’s own', async () => {
  const office = rig.office as Office;
  const closing = 'Kind regards\nThe Lind office';
  await office.ask(mailTo(CARL, 'Offer', { body: `Dear Carl,\n\nhere is our offer.\n\n${closing}` }));
  const asked = await office.arrival('approval', OWNER);
  const body = `Dear Carl,\n\nhere is our new offer.\n\n${closing}`;
  await office.answer(asked, `edit 1\nbody: ${body}\n\nBest regards\nMaria Keller\n+49 40 1234567`);
  const again = await office.arrival('approval', OWNER, 2);
  expect(again.mail.text).not.toContain('Keller');
  await office.answer(again, 'yes');
  const { mail } = await office.arrival('reply', CARL);
  expect(mail.text).toContain(body);
  expect(mail.text).not.toContain('Keller');
});
