import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recipientsOf, replyRecipients, withReaders } from '../../../../engine/harness/respond/recipients.ts';
import type { RunLog } from '../../../../engine/record/run-log.ts';
import type { LoadedRun } from '../../../../engine/storage/ports/runs.ts';

const REPLY = { mode: 'send' as const, recipients: 'known' as const, receipt: 'effects' as const, rules: [] };
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

  it('to no one who was put on the thread after the run had begun', async () => {
    const known = new Set(['bob@friend.example']);
    const given = {
      persona: { owners: ['eve@evil.example'], reply: REPLY },
      store: { knownParticipants: async () => known },
      isOwnAddress: mail.isOwnAddress,
    };
    const message = { from_address: mail.sender, reply_to: null, to: mail.to, cc: [...mail.cc, 'zoe@friend.example'] };
    const loaded = { run: { tier: 'member' }, message, trigger: { kind: 'mail' } } as unknown as LoadedRun;
    const log = { last: (): unknown => undefined } as unknown as RunLog;
    const begun = await withReaders({ ...given, loaded, log });
    expect(begun.run.readers).toEqual(['bob@friend.example']);
    known.add('zoe@friend.example').add('eve@evil.example');
    // Owners may be told everything.
    const sent = ['bob@friend.example', 'eve@evil.example'];
    expect((await recipientsOf({ ...given, loaded: begun })).cc.toSorted()).toEqual(sent);
    const record = { last: () => ({ data: { also_read: [] } }) } as unknown as RunLog;
    const again = await withReaders({ ...given, loaded, log: record });
    expect((await recipientsOf({ ...given, loaded: again })).cc).toEqual(['eve@evil.example']);
  });
});
