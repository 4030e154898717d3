import type { CorpusCase } from '../corpus/cases.ts';
import type { Zone } from '../fakes/dns-server.ts';
import { createSigner } from '../fakes/signer.ts';

/** The three ways to the listener: each writes to a persona of its own, so that no mail is another's duplicate. */
export type Door = 'stranger' | 'submission' | 'relay';

export const OWNER = 'owner@example.org';
export const BORDER = 'mx.example.com';

export interface Route {
  readonly door: Door;
  readonly persona: string;
  /** Loopback addresses differ, so that one of them can be a relay. */
  readonly peer: string;
}

export const ROUTES: readonly Route[] = [
  { door: 'stranger', persona: 'ada', peer: '127.0.0.2' },
  { door: 'submission', persona: 'ben', peer: '127.0.0.1' },
  { door: 'relay', persona: 'cleo', peer: '127.0.0.3' },
];

export interface Verdict {
  readonly decision: 'accepted' | 'recorded' | 'refused' | 'dead_letter';
  readonly code: string | null;
}

const recorded = (code: string): Verdict => ({ decision: 'recorded', code });
const refused = (code: string): Verdict => ({ decision: 'refused', code });
const ACCEPTED: Verdict = { decision: 'accepted', code: null };

const TOO_MUCH: ReadonlySet<string> = new Set(['header-one-megabyte', 'references-bomb']);

const isForged = ({ name }: CorpusCase): boolean => name.startsWith('forged-');

/** What must become of it, by what the design says of such a mail and such a door. */
export function verdictOf(each: CorpusCase, door: Door): Verdict {
  const { outcome, silence, from } = each.expect;
  if (outcome === 'too_many_attachments') return refused('too_many_attachments');
  if (outcome !== 'ok') return unreadable(each, door);
  const machine = machineCode(each, door, silence ?? null);
  if (machine !== null) return recorded(machine);
  // The border's own line is one more.
  if (door === 'relay' && each.name === 'silence-received-50') return recorded('hop_limit');
  if (from === 'missing') return refused('from_missing');
  if (from === 'ambiguous') return refused('from_ambiguous');
  // From is claimed by all and proven by none; a relay's claims about the owner are not its own.
  // A border's word is checked, and a header of such a size is not.
  const isTooMuch = door === 'relay' && TOO_MUCH.has(each.name);
  const isUnproven = each.expect.fault === true || isForged(each) || isTooMuch;
  if (door === 'stranger' || (door === 'relay' && isUnproven)) return refused('auth_failed');
  return ACCEPTED;
}

/** Of a mail that cannot be read, its head says who claims to have written it. */
function unreadable({ expect, raw }: CorpusCase, door: Door): Verdict {
  if (expect.outcome === 'ok') return ACCEPTED;
  const head = raw.subarray(0, 4000).toString('latin1');
  if (!/^from:/im.test(head)) return refused('from_missing');
  return door === 'submission' ? { decision: 'dead_letter', code: expect.outcome } : refused('auth_failed');
}

function machineCode({ name }: CorpusCase, door: Door, silence: string | null): string | null {
  // The mail room's cases know one Message-ID of ours by name; real ones have a shape that this one lacks.
  if (name === 'own-message-id') return null;
  // Exchange sets it for people too: a proven member who wrote something is answered.
  // So do those for whom a CRM writes.
  if (ASKING.has(name) && door !== 'stranger') return null;
  return silence;
}

const ASKING: ReadonlySet<string> = new Set([
  'silence-x-auto-response-suppress',
  'silence-list-unsubscribe',
  'silence-feedback-id',
]);

/** Of the domain that the border says it came from. */
export function returnPathOf({ name, expect }: CorpusCase): string {
  if (name === 'silence-return-path-null') return '';
  return name === 'from-punycode' ? `sender@${domainOf(expect.address ?? '')}` : 'sender@example.com';
}

/** To whom the answer to an accepted mail goes; null where no mail server would take the address. */
export function answeredTo({ name, expect }: CorpusCase): string | null {
  // The owner is allowed by himself, so a Reply-To to him is followed.
  if (isForged({ name, expect, raw: Buffer.alloc(0) }) || name === 'reply-to-elsewhere') return OWNER;
  if (expect.address?.startsWith('"')) return null;
  return (expect.address ?? NAMED[name] ?? 'sender@example.com').toLowerCase();
}

const NAMED: Readonly<Record<string, string>> = {
  'headers-without-end': 'a@example.com',
  'silence-from-notreply-person': 'rebounce@example.com',
};

/** As the door would bring it: the border stamps what it has seen, and never what a forger wants. */
export function asBrought(each: CorpusCase, door: Door): Buffer {
  if (door !== 'relay' || isForged(each) || each.expect.outcome !== 'ok') return each.raw;
  return Buffer.concat([stamp(each.expect.address ?? 'sender@example.com'), each.raw]);
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** It came straight from the sender's own server. */
function stamp(address: string): Buffer {
  const domain = domainOf(address);
  return Buffer.from(
    [
      `Authentication-Results: ${BORDER}; spf=pass smtp.mailfrom=${domain}; dmarc=pass header.from=${domain}`,
      `Received: from out (out [192.0.2.25]) by ${BORDER} with ESMTPS id 1; Mon, 02 Mar 2026 10:00:00 +0000`,
      '',
    ].join('\r\n'),
  );
}

const signer = createSigner(['member.test']);

/** Domains that can prove their mail; whatever is not here does not exist. */
const ZONE: Zone = {
  ...signer.zone,
  '_dmarc.example.com': 'v=DMARC1; p=reject',
  '_dmarc.example.org': 'v=DMARC1; p=reject',
};

/** With the servers of all senders, which the border's line names. */
export const zoneOf = (cases: readonly CorpusCase[]): Zone => {
  const senders = [MEMBER, ...cases.map(({ expect }) => expect.address ?? 'sender@example.com')];
  return { ...ZONE, ...Object.fromEntries(senders.map((sender) => [domainOf(sender), 'v=spf1 ip4:192.0.2.25 -all'])) };
};

export const MEMBER = 'mia@member.test';

/** A mail as people write it, proven in the way that its door asks for. */
export async function normalMail(door: Door, number: number): Promise<{ id: string; raw: Buffer }> {
  const id = `<normal-${number}-${door}@member.test>`;
  const raw = Buffer.from(
    [
      `From: Mia <${MEMBER}>`,
      'To: ada@agents.localhost',
      `Subject: Normal ${number}`,
      'Date: Mon, 02 Mar 2026 10:00:00 +0100',
      `Message-ID: ${id}`,
      '',
      `This is question number ${number}.`,
      '',
    ].join('\r\n'),
  );
  if (door === 'stranger') return { id, raw: await signer.sign(raw, 'member.test') };
  return { id, raw: door === 'relay' ? Buffer.concat([stamp(MEMBER), raw]) : raw };
}
