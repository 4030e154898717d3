import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CARL, MEMBER, mailTo, type Office, OWNER, openOffice } from './governance-rig.ts';

/** In the mailbox of Ada, as `persona create` proposes it. */
const BEN = 'ada+ben@agents.localhost';

const rig: { office?: Office } = {};
beforeAll(async () => {
  rig.office = await openOffice({
    'personas/ben/persona.json': {
      name: 'Ben',
      address: BEN,
      timezone: 'Europe/Berlin',
      access: { allow: ['*@member.example'] },
    },
  });
});
afterAll(() => rig.office?.close());

describe('a second persona in one mailbox', () => {
  it('has what it asks its owner answered by the mail that asks', async () => {
    const office = rig.office as Office;
    await office.post({ from: MEMBER, to: BEN, subject: 'An offer for Carl', text: mailTo(CARL, 'Offer') });
    const asked = await office.arrival('approval', OWNER);
    expect(asked.mail.replyTo?.value[0]?.address).toMatch(/^ada\+ben\+ok-[0-9a-f]{32}@agents\.localhost$/);
    const answer = await office.answer(asked, 'yes');
    await office.arrival('reply', CARL);
    expect(await office.codeOf(answer)).toBe('approval_answer');
    expect(await office.states()).toEqual(['executed']);
  });
});

describe('a further persona', () => {
  it('lives in the zone of those that are there', async () => {
    const office = rig.office as Office;
    const made = await office.cli(
      'persona',
      'create',
      'carla',
      '--address',
      'ada+carla@agents.localhost',
      '--without-trial',
    );
    expect(made.code).toBe(0);
    expect(JSON.parse(readFileSync(join(office.root, 'personas/carla/persona.json'), 'utf8'))).toMatchObject({
      timezone: 'Europe/Berlin',
    });
  });
});

describe('a Message-ID', () => {
  it('of the domain of the gateway, in the shape of ours, is no mark of a mail that we have sent', async () => {
    const office = rig.office as Office;
    const before = (await office.left('reply', MEMBER)).length;
    const id = '<6c1f2b1e-04ad-7809-9c3e-5b0d3a1f2e77@agents.localhost>';
    await office.post({ from: MEMBER, subject: 'Opening hours', text: 'When are you open?', messageId: id });
    await office.arrival('reply', MEMBER, before + 1);
    expect(await office.codeOf(id)).not.toBe('own_message');
  });

  it('of a mail that the persona has sent is never answered, whoever sends it on', async () => {
    const office = rig.office as Office;
    const sent = (await office.left('reply', MEMBER)).at(-1);
    const id = sent?.mail.messageId ?? '';
    await office.post({ from: MEMBER, subject: 'Sent on', text: 'The same mail.', messageId: id });
    const count = (await office.left('reply', MEMBER)).length;
    const { entries } = (await office.cli('why', id)).json;
    expect(JSON.stringify(entries)).toContain('own_message');
    expect((await office.left('reply', MEMBER)).length).toBe(count);
  });
});
