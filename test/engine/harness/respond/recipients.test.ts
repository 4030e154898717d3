import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replyRecipients } from '../../../../engine/harness/respond/recipients.ts';

const mail = {
  unproven: false,
  sender: 'mia@member.example',
  to: ['ada@agents.localhost', 'Bob@friend.example'],
  cc: ['mia@member.example', 'eve@evil.example', 'BOB@friend.example'],
  known: new Set(['bob@friend.example']),
  isOwnAddress: (address: string) => address.endsWith('@agents.localhost'),
};

describe('an answer goes', () => {
  it.each([
    ['sender', []],
    ['known', ['bob@friend.example']],
    ['all', ['bob@friend.example', 'eve@evil.example']],
  ] as const)('with %s to the sender and to %j', (policy, cc) => {
    expect(replyRecipients({ ...mail, policy })).toEqual({ to: ['mia@member.example'], cc });
  });

  it('never to ourselves, to nobody twice, to a hundred copies at most', () => {
    const address = fc.constantFrom('a@x.example', 'A@x.example', 'ada@agents.localhost', 'mia@member.example');
    const addresses = fc.array(fc.oneof(address, fc.emailAddress()), { maxLength: 150 });
    fc.assert(
      fc.property(addresses, addresses, fc.constantFrom('known', 'all'), (to, cc, policy) => {
        const known = new Set(to.map((one) => one.toLowerCase()));
        const sent = replyRecipients({ ...mail, policy, to, cc, known });
        const all = [...sent.to, ...sent.cc];
        expect(new Set(all).size).toBe(all.length);
        expect(all.some(mail.isOwnAddress)).toBe(false);
        expect(sent.cc.length).toBeLessThanOrEqual(100);
        if (policy === 'known') expect(sent.cc.every((one) => known.has(one))).toBe(true);
      }),
    );
  });
});
