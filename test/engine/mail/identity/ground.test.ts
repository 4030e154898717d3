import { describe, expect, it } from 'vitest';
import { judgeSender } from '../../../../engine/mail/identity/judge-sender.ts';
import { byLogin } from '../../../../engine/mail/identity/login-line.ts';
import type { SenderFacts, SignatureFacts } from '../../../../engine/mail/identity/sender-check.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const LETTER = {
  address: 'nora@example.com',
  provable: { fault: null, contentType: true, transferEncoding: true, disposition: true },
  date: NOW,
  arrivedAt: NOW,
  maxAgeMs: 7 * 86_400_000,
} as unknown as Parameters<typeof judgeSender>[1];

const signed = (domain: string): SignatureFacts => ({
  ...{
    passed: true,
    aligned: true,
    testing: false,
    partial: false,
    outOfTime: false,
    domain,
    sha256: 'a',
    signedAt: NOW,
  },
  covered: ['from', 'to', 'cc', 'subject', 'date', 'message-id', 'references', 'in-reply-to', 'content-type'],
});
const facts = (result: string, more: Partial<SenderFacts>): SenderFacts => ({
  ...{ signatures: [], spf: null, arc: null, dnsFailed: false },
  dmarc: { domain: 'example.com', result, spfAligned: more.spf !== undefined },
  ...more,
});
const ground = (given: SenderFacts) => {
  const { authenticated, ground: found = null } = judgeSender(given, LETTER);
  return { authenticated, ground: found };
};

describe('what a proof rests on, where an owner’s mail is to be their yes', () => {
  it('is DMARC, by a signature or by the domain’s own server', () => {
    const signatures = [signed('mail.example.com')];
    expect(ground(facts('pass', { signatures }))).toEqual({ authenticated: true, ground: 'dmarc' });
    expect(ground(facts('pass', { spf: 'example.com' }))).toEqual({ authenticated: true, ground: 'dmarc' });
  });

  it('is a signature of exactly the domain where there is no DMARC, and none of another', () => {
    const own = facts('none', { signatures: [signed('example.com')] });
    expect(ground(own)).toEqual({ authenticated: true, ground: 'signature' });
    const below = facts('none', { signatures: [signed('mail.example.com')] });
    expect(ground(below)).toEqual({ authenticated: false, ground: null });
  });

  it('is not SPF without DMARC, which proves the sender all the same', () =>
    expect(ground(facts('none', { spf: 'example.com' }))).toEqual({ authenticated: true, ground: null }));

  it('is a login at a server that is believed about its logins', () =>
    expect(byLogin('nora@example.com', { host: 'mx.example.com', user: 'nora@example.com' })).toMatchObject({
      authenticated: true,
      ground: 'login',
    }));
});
