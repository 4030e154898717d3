import { createAuthenticator } from '../../../../engine/mail/identity/authenticate.ts';
import { isRelated } from '../../../../engine/mail/identity/border/authentication-results.ts';
import { readSignatures } from '../../../../engine/mail/identity/border/judge-stamp.ts';
import type { SenderChecks } from '../../../../engine/mail/identity/sender-checks.ts';
import { domainOf } from '../../../../engine/mail/mime/address.ts';
import type { Identity, ParsedMail } from '../../../../engine/mail/mime/types.ts';
import { parsed } from '../fixtures.ts';

export const NOW = Date.parse('2026-11-28T10:00:00Z');
export const DAY_MS = 24 * 3_600_000;
export const COVERS = 'from:to:cc:subject:date:message-id:content-type';

/** A mail as it lies behind a border: what the border wrote, and what came with it. */
export interface Stamped {
  readonly from?: string;
  /** Above all, topmost first, each with its name. */
  readonly above: readonly string[];
  /** In the header of the sender. */
  readonly headers?: readonly string[];
  readonly date?: number;
  readonly to?: string;
  readonly type?: string;
  readonly body?: string;
}

export interface Signature {
  readonly domain?: string;
  readonly selector?: string;
  readonly value?: string;
  readonly covers?: string;
  readonly at?: number | null;
  readonly more?: string;
}

export const VALUE = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/AbCdEfGhIj==';

/** Nobody checks it here: whether it holds is what the border says. */
export function signature(given: Signature = {}): string {
  const { domain = 'owner.test', selector = 'k1', value = VALUE, covers = COVERS, at = NOW - 1000, more = '' } = given;
  const time = at === null ? '' : ` t=${Math.floor(at / 1000)};`;
  return `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domain}; s=${selector};${time} h=${covers};${more} bh=abc=; b=${value}`;
}

export const received = (by: string, greeting = 'out.owner.test (out.owner.test [192.0.2.1])') =>
  `Received: from ${greeting} by ${by} with ESMTPS id 4F1; Sat, 28 Nov 2026 10:00:00 +0000`;

export function stampedMail(given: Stamped): Buffer {
  const {
    from = 'owner@owner.test',
    above,
    headers = [],
    date = NOW - 1000,
    to = 'ada@agents.test',
    body = 'Hello',
  } = given;
  const at = new Date(date).toUTCString().replace('GMT', '+0000');
  const usual = [`From: ${from}`, `To: ${to}`, 'Subject: A question', `Date: ${at}`, 'Message-ID: <m1@owner.test>'];
  const type = given.type === undefined ? [] : [`Content-Type: ${given.type}`];
  return Buffer.from([...above, ...headers, ...usual, ...type, '', body, ''].join('\r\n'));
}

export interface Behind {
  readonly border: string;
  readonly trusted?: readonly string[];
  /** By the listener's relay, with this MAIL FROM; by default out of a mailbox. */
  readonly mailFrom?: string | null;
}

/** Who wrote it, as the gateway judges what this border says. */
export async function identityOf(mail: Stamped, { border, trusted = [], mailFrom }: Behind): Promise<Identity> {
  const raw = stampedMail(mail);
  const read = await parsed(raw);
  const authenticator = createAuthenticator({
    dnsServers: [],
    trustedReceived: trusted,
    hostname: 'gateway.test',
    signatureMaxAgeDays: 7,
    checks: standIn(read),
  });
  const arrival =
    mailFrom === undefined
      ? ({ door: 'imap', authservId: border } as const)
      : ({ door: 'relay', authservId: border, mailFrom } as const);
  return authenticator.authenticate(raw, read, { arrival, arrivedAt: NOW });
}

/**
 * Our own check, of mails that nobody has signed: a signature of `VALUE` holds, the owner's server is 192.0.2.1, and there
 * is a policy where the border says that one passed. The real check is tried in `borders.test.ts`.
 */
const standIn = ({ headers, from }: ParsedMail): SenderChecks => ({
  async check(raw, { peer }) {
    const domain = from.kind === 'one' ? domainOf(from.mailbox.address) : '';
    const signatures = readSignatures(headers).map((tags) => ({
      passed: tags.value === VALUE,
      aligned: isRelated(tags.domain, domain),
      testing: false,
      outOfTime: false,
      partial: tags.partial,
      domain: tags.domain,
      sha256: tags.sha256,
      signedAt: tags.signedAt,
      covered: tags.covers.filter((name) => headers.some((header) => header.name === name)),
    }));
    const spf = peer?.ip === '192.0.2.1' && domain === 'owner.test' ? domain : null;
    const isProven = spf !== null || signatures.some(({ passed, aligned }) => passed && aligned);
    const result = !raw.toString().includes('dmarc=pass') ? 'none' : isProven ? 'pass' : 'fail';
    const dmarc = { domain, result, spfAligned: spf !== null };
    return { ok: true, facts: { signatures, spf, dmarc, arc: null, dnsFailed: false } };
  },
  async close() {},
});
