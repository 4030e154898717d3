import { domainOf, normaliseDomain } from '../mime/address.ts';
import type { Identity, ParsedMail, Supposed } from '../mime/types.ts';
import type { SenderFacts, SignatureFacts } from './sender-check.ts';

/** What a judgement needs to know beside the check itself. */
export interface MailToJudge {
  /** Lower-case address of From. */
  readonly address: string;
  readonly provable: ParsedMail['provable'];
  /** The Date header, ms. */
  readonly date: number | null;
  /** When the mail reached us or the mailbox that it lies in, ms. */
  readonly arrivedAt: number;
  readonly maxAgeMs: number;
  /** Whether no signature of another domain counts, whatever the domain's own policy says. */
  readonly byItself?: boolean;
}

/** A signature, or several that nobody can tell apart any more, as the ground of a proof. */
interface Signed {
  /** Lower-case names of the headers that all of them cover. */
  readonly covers: readonly string[];
  readonly signedAt: number | null;
}

/** The headers that give a mail its rights, and those that a body can be misread by. */
const WEIGHTY = ['to', 'cc', 'reply-to', 'references', 'in-reply-to', 'subject', 'message-id', 'date', 'content-type'];

/** How far the clock of a server that signs may be ahead, and that of somebody who writes. */
const AHEAD_MS = { signature: 15 * 60_000, date: 24 * 3_600_000 };
/** Nothing that proves a mail is of a later time. */
export const MOST_AHEAD_MS = Math.max(...Object.values(AHEAD_MS));

/** Headers that few signers cover, and by which a body can be misread. */
const AMBIGUOUS = [
  ['Content-Type', 'contentType'],
  ['Content-Transfer-Encoding', 'transferEncoding'],
  ['Content-Disposition', 'disposition'],
] as const;

export const unproven = (address: string | null, detail: string, temporary = false): Identity => ({
  address,
  authenticated: false,
  method: 'none',
  covers: null,
  signatures: [],
  detail,
  temporary,
});

/** Whether the check of its bytes proves that a mail was written by the address in From. Pure. */
export function judgeSender(facts: SenderFacts, letter: MailToJudge): Identity {
  const { address } = letter;
  const domain = domainOf(address);
  const { dmarc, spf, arc, dnsFailed } = facts;
  // Without a record nobody says that another domain may speak for it.
  const mayBeOther = dmarc?.result !== 'none' && !letter.byItself;
  const isOwn = (of: string) => mayBeOther || normaliseDomain(of) === domain;
  const whole = facts.signatures.filter((each) => isWhole(each) && isOwn(each.domain));
  const signature = strongest(whole);
  const said = [
    `dmarc=${dmarc?.result ?? 'none'}`,
    `dkim=${signature ? `pass (${signature.domain})` : 'none'}`,
    `spf=${spf ? `pass (${spf})` : 'none'}`,
  ].join(' ');
  if (dmarc?.domain !== domain) return unproven(address, `${said}: no single author domain`, dnsFailed);
  const signatures = whole.map(({ sha256 }) => sha256);
  const note = dmarc.result === 'none' ? ': no DMARC record, but an aligned' : '';
  if (isAlignedSpf(facts, domain)) {
    const detail = note === '' ? said : `${said}${note} SPF`;
    const proven = { address, authenticated: true, method: 'dmarc', covers: null, signatures, detail } as const;
    return { ...proven, temporary: false, ...restsOn(dmarc.result, false) };
  }
  if (signature && (dmarc.result === 'pass' || dmarc.result === 'none')) {
    const detail = note === '' ? said : `${said}${note} DKIM signature`;
    return bySignature({ covers: signature.covered, signedAt: signature.signedAt }, letter, {
      method: 'dmarc',
      ...restsOn(dmarc.result, true),
      signatures,
      detail,
    });
  }
  // ARC tells what another server saw. It may explain a failure and proves nobody (RFC 8617 section 7.2).
  const seen = arc === null ? '' : ` arc=${arc}`;
  return unproven(address, said + seen, dnsFailed || dmarc.result === 'temperror');
}

/** Without a record nobody has said that the domain's servers let each write as themselves alone. */
export const restsOn = (dmarc: string, isSigned: boolean): Pick<Identity, 'ground'> =>
  dmarc === 'pass' ? { ground: 'dmarc' } : isSigned ? { ground: 'signature' } : {};

/** The sender's own server handed the mail over: nobody stood between who could have changed or repeated it. */
function isAlignedSpf({ dmarc, spf }: SenderFacts, domain: string): boolean {
  if (spf === null || dmarc === null || normaliseDomain(spf) !== domain) return false;
  // A host below the domain passes as well, however DMARC aligns it, and is not the domain's own.
  return dmarc.result === 'pass' ? dmarc.spfAligned : dmarc.result === 'none';
}

/**
 * A proof by signature alone is as good as what the signature covers: the mail may have been sent to somebody else,
 * long ago, and whoever has it can put headers above those that were signed.
 */
export function bySignature(
  { covers, signedAt }: Signed,
  letter: MailToJudge,
  proof: Pick<Identity, 'method' | 'ground' | 'signatures' | 'detail'>,
): Identity {
  const { address, provable, date, arrivedAt, maxAgeMs } = letter;
  const refuse = (why: string) => unproven(address, `${proof.detail}; ${why}`);
  if (!covers.includes('from')) return refuse('the signature does not cover From');
  const open = openIn(provable, covers);
  if (open !== null) return refuse(open);
  const at = signedAt ?? (covers.includes('date') ? date : null);
  if (at === null) return refuse('the signature does not say when it was made');
  // A clock that goes wrong must not make a signature last for ever, nor longer than it is remembered.
  if (arrivedAt - at > maxAgeMs || at - arrivedAt > AHEAD_MS[signedAt === null ? 'date' : 'signature'])
    return refuse(`the signature is of ${new Date(at).toISOString()}`);
  return { address, authenticated: true, ...proof, covers, temporary: false };
}

/** Why a body may mean something else than it seems to, where nobody signed what it is; null where it may not. */
export function openIn(provable: ParsedMail['provable'], covers: readonly string[]): string | null {
  const [name] = AMBIGUOUS.find(([header, key]) => !covers.includes(header.toLowerCase()) && !provable[key]) ?? [];
  return name === undefined
    ? null
    : `the signature does not cover ${name}, and the body could be read in more than one way`;
}

/** Passed, aligned, and over the whole body: with `l=` anyone may add text below what was signed. */
const isWhole = ({ passed, aligned, testing, partial, outOfTime, covered }: SignatureFacts): boolean =>
  passed && aligned && !testing && !partial && !outOfTime && covered.includes('from');

/** One signature has to cover all that counts: parts that two of them cover may never have stood in one mail. */
function strongest(signatures: readonly SignatureFacts[]): SignatureFacts | undefined {
  const weight = ({ covered }: SignatureFacts) => WEIGHTY.filter((name) => covered.includes(name)).length;
  return signatures.toSorted((left, right) => weight(right) - weight(left))[0];
}

/** Null where the whole of the mail is proven, or nothing. */
export const supposedOf = ({ authenticated, covers }: Pick<Identity, 'authenticated' | 'covers'>): Supposed | null =>
  !authenticated || covers === null
    ? null
    : {
        isReply: !(covers.includes('in-reply-to') && covers.includes('references')),
        isForward: !covers.includes('subject'),
        isPlainFirst: !covers.includes('content-type'),
      };

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

/**
 * The bytes as most signers sign them (RFC 6376 section 3.4.4): of blanks in a row one, and none at the end of a line.
 * Whoever has the mail can put others there.
 */
export function asSigned(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const start = bodyStart(bytes);
  const out = Buffer.allocUnsafe(bytes.length);
  let to = bytes.copy(out, 0, 0, start);
  let isBlank = false;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === SPACE || byte === TAB) {
      isBlank = true;
      continue;
    }
    const isEnd = byte === LF || (byte === CR && bytes[at + 1] === LF);
    if (isBlank && !isEnd) out[to++] = SPACE;
    isBlank = false;
    out[to++] = byte;
  }
  return out.subarray(0, to);
}

/** Behind the first empty line. */
function bodyStart(bytes: Buffer): number {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1] === CR ? at + 2 : at + 1;
    if (bytes[next] === LF) return next + 1;
  }
  return bytes.length;
}
