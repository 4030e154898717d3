import { describe, expect, it } from 'vitest';
import { keptOf } from '../../../engine/intake/results.ts';
import { readHeaders } from '../../../engine/mail/mime/headers.ts';
import type { Arrival } from '../../../engine/mail/mime/types.ts';
import { headless } from '../../../engine/mail/reading/head.ts';

const REFUSED = [{ decision: 'refused', code: 'auth_failed' }] as const;
const stopped = (code: string) => [{ decision: 'recorded', code }] as const;
const UNPROVEN = { address: 'eve@made-up.test', authenticated: false };

const keyOf = (
  arrival: Arrival,
  received: readonly string[],
  identity = UNPROVEN,
  results: Parameters<typeof keptOf>[2] = REFUSED,
) => {
  const raw = Buffer.from([...received.map((line) => `Received: ${line}`), 'Subject: x', '', ''].join('\r\n'));
  const mail = { ...headless(raw), headers: readHeaders(raw).lines };
  const place = arrival.door === 'imap' ? { mailbox: 'main', uidvalidity: '7', uid: 1 } : null;
  const envelope = { returnPath: null, recipients: null };
  return keptOf({ raw, arrival, envelope, place }, { mail, unreadable: null }, results, identity)?.counted_as;
};

const IMAP: Arrival = { door: 'imap', authservId: null };
const stranger = (ip: string): Arrival => ({ door: 'stranger', ip, helo: 'x', mailFrom: 'a@b.test' });

describe('whose mail a refused one counts as', () => {
  it('is the proven domain, whatever stands before it', () => {
    const identity = { address: 'a@mail7.evil.co.uk', authenticated: true };
    expect(keyOf(stranger('192.0.2.1'), [], identity)).toBe('proven evil.co.uk');
  });

  it('is the address that connected, where nothing is proven; of IPv6 its network', () => {
    expect(keyOf(stranger('192.0.2.1'), [])).toBe('address 192.0.2.1');
    expect(keyOf(stranger('2001:db8:1:2::3'), [])).toBe('address 2001:db8:1:2::/64');
  });

  it('is the address that the mailbox was handed it by, behind the servers of its house', () => {
    const own = 'from mx.lab.test (mx.lab.test [10.0.0.2]) by box.lab.test; Mon, 23 Nov 2026 10:00:00 +0000';
    const border = 'from evil (evil [198.51.100.7]) by mx.lab.test; Mon, 23 Nov 2026 09:59:00 +0000';
    const forged = 'from x ([203.0.113.9]) by y; Mon, 23 Nov 2026 09:58:00 +0000';
    expect(keyOf(IMAP, [own, border, forged])).toBe('mailbox main address 198.51.100.7');
    expect(keyOf(IMAP, [])).toBe('mailbox main');
  });

  it('is that of mail which was taken in, where a limit has stopped it and who wrote it is proven', () => {
    const proven = { address: 'mia@member.test', authenticated: true };
    const submission: Arrival = { door: 'submission' };
    for (const code of ['loop_limit', 'sender_rate_limited', 'hop_limit'])
      expect(keyOf(submission, [], proven, stopped(code))).toBe('taken proven member.test');
    expect(keyOf(stranger('192.0.2.1'), [], UNPROVEN, stopped('loop_limit'))).toBe('address 192.0.2.1');
    expect(keyOf(stranger('192.0.2.1'), [], UNPROVEN, stopped('hop_limit'))).toBeUndefined();
    expect(keyOf(submission, [], proven, stopped('bulk'))).toBeUndefined();
  });
});
