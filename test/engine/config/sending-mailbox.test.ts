import { describe, expect, it } from 'vitest';
import { draftsMailbox } from '../../../engine/config/mailboxes/drafts-mailbox.ts';
import {
  mailboxesToSendBy,
  mailboxToSendBy,
  plusAddress,
  receiving,
} from '../../../engine/config/mailboxes/sending-mailbox.ts';
import type { MailboxConfig } from '../../../engine/config/types.ts';
import { senderSettings } from '../../../engine/config/writing/settings.ts';

const box = (id: string, user: string, sides: readonly ('imap' | 'smtp')[] = ['imap', 'smtp']) =>
  ({ id, ...Object.fromEntries(sides.map((side) => [side, { user }])) }) as unknown as MailboxConfig;
const sender = (address: string, more: { aliases?: string[]; mailbox?: string } = {}) => ({
  address,
  aliases: [],
  mailbox: null,
  ...more,
});

describe('the mailbox by which a persona sends', () => {
  const main = box('main', 'agent@lab.test');
  const support = box('support', 'support@lab.test');
  const other = box('other', 'agent@other.test');
  const relay = box('relay', 'apikey', ['smtp']);

  it.each([
    ['the one that has its address', sender('Agent@lab.test'), ['main']],
    ['the one that has it without its tag', sender('support+ada@lab.test'), ['support']],
    ['the one that has an alias of it', sender('ada@elsewhere.test', { aliases: ['agent@other.test'] }), ['other']],
    ['the only one of its domain', sender('ada@other.test'), ['other']],
    ['the one that it names, whatever receives it', sender('agent@lab.test', { mailbox: 'other' }), ['other']],
    ['none, where it names one that there is not', sender('agent@lab.test', { mailbox: 'gone' }), []],
    ['nobody knows which of those of its domain', sender('ada@lab.test'), ['main', 'support']],
    ['nobody knows which', sender('ada@elsewhere.test'), ['main', 'support', 'other']],
  ])('is %s, in whatever order they stand', (_, persona, expected) => {
    const orders = [
      [main, support, other],
      [other, support, main],
      [support, main, other],
    ];
    for (const boxes of orders) expect(mailboxesToSendBy(boxes, persona).toSorted()).toEqual(expected.toSorted());
  });

  it('is the only one that sends', () => {
    expect(mailboxToSendBy([box('in', 'agent@lab.test', ['imap']), relay], sender('agent@lab.test'))).toBe('relay');
    expect(mailboxToSendBy([box('in', 'agent@lab.test', ['imap'])], sender('agent@lab.test'))).toBeNull();
    expect(mailboxToSendBy([], sender('agent@lab.test'))).toBeNull();
  });

  it('is written down where two could be, as the one that it was', () => {
    const ada = { id: 'ada', file: sender('ada@elsewhere.test') };
    const named = (to: string) => [{ file: 'personas/ada/persona.json', path: ['mailbox'], to }];
    expect(senderSettings([ada], { before: [main], after: [other, main] })).toEqual(named('main'));
    // So far the first one was it.
    expect(senderSettings([ada], { before: [other, main], after: [other, main] })).toEqual(named('other'));
    expect(senderSettings([ada], { before: [main, other], after: [main] })).toEqual([]);
    const own = { id: 'ada', file: sender('agent@other.test') };
    expect(senderSettings([own], { before: [main], after: [main, other] })).toEqual([]);
  });

  it('has the drafts of the persona, or the one does that receives it', () => {
    expect(draftsMailbox([other, main], sender('agent@lab.test'))?.id).toBe('main');
    expect(draftsMailbox([relay, box('in', 'agent@lab.test', ['imap'])], sender('agent@lab.test'))?.id).toBe('in');
    expect(draftsMailbox([relay, main], sender('agent@lab.test', { mailbox: 'relay' }))).toBeNull();
  });
});

describe('what a login says of an address', () => {
  it.each([
    ['agent@lab.test', 'AGENT@LAB.test', 'exact'],
    ['agent@lab.test', 'agent+ada@lab.test', 'tag'],
    ['agent@lab.test', 'ada@lab.test', 'maybe'],
    ['agent@lab.test', 'agent@other.test', 'no'],
    ['u12345', 'anybody@lab.test', 'maybe'],
    ['agent@münchen.test', 'agent@xn--mnchen-3ya.test', 'exact'],
  ])('%s of %s: %s', (user, address, expected) => {
    expect(receiving({ imap: { user } }, address)).toBe(expected);
  });

  it('has a tag put behind it', () => {
    expect(plusAddress('agent@lab.test', 'ada')).toBe('agent+ada@lab.test');
  });
});
