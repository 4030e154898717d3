import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Office, OWNER, openOffice } from './governance-rig.ts';

// F20: the 31st mail of an owner within the hour, in one thread, was stopped as a loop of programs would be.

const MAILS = 33;

const rig: { office?: Office } = {};
beforeAll(async () => {
  rig.office = await openOffice();
});
afterAll(() => rig.office?.close());

it('an owner who writes more than thirty mails of one thread within the hour is answered each time', async () => {
  const office = rig.office as Office;
  const ids: string[] = [];
  for (let number = 1; number <= MAILS; number += 1) {
    const before = ids.at(-1);
    const goesOn = before === undefined ? {} : { inReplyTo: before, references: ids.slice(-20) };
    ids.push(await office.post({ subject: 'The day', text: `And what about point ${number}?`, ...goesOn }));
  }
  await office.arrival('reply', OWNER, MAILS);
  expect(await office.left('notice')).toEqual([]);
  expect((await office.cli('threads', 'list')).json.threads).toHaveLength(1);
});
