import { domainOf } from '../../mime/address.ts';
import { headerValues } from '../../mime/headers.ts';
import type { Identity } from '../../mime/types.ts';
import { bySignature, type MailToJudge, unproven } from '../judge-sender.ts';
import {
  type BorderVerdict,
  describe,
  domainPart,
  isRelated,
  mayBeAligned,
  type Stamped,
} from './authentication-results.ts';
import { type DkimResult, dkimResults, isNone } from './named-signatures.ts';
import type { MethodResult } from './results-header.ts';
import { readSignatures, type SignatureTags } from './signature-header.ts';

type Said = Extract<BorderVerdict, { kind: 'said' }>;

const METHOD = 'authentication-results';

/**
 * What the border's verdict is worth. A border checks who may speak for From, and does not say what of the mail that
 * covers: its own server does of all of it, a signature of what it signs. `isChecked`: what it covers is found out by our
 * own check afterwards; then the border's policy is enough where it tells of nothing else. Pure.
 */
export function judgeStamp(
  verdict: Said,
  { headers, mailFrom }: Stamped,
  letter: MailToJudge,
  isChecked: boolean,
): Identity {
  const { address } = letter;
  const domain = domainOf(address);
  const refuse = (why: string) => unproven(address, `${verdict.detail}; ${why}`);
  const policy = policyOf(verdict.dmarc, address);
  if (policy === 'against') return unproven(address, verdict.detail);
  if (policy === 'of another') return refuse(`it speaks of another From than ${address}`);
  const signatures = readSignatures(headers);
  if (signatures.some(({ isHostile }) => isHostile))
    return refuse('a signature may have written results of its own, or hides what it says');
  const dkim = dkimResults(verdict.dkim, signatures);
  if (typeof dkim === 'string') return refuse(dkim);
  const detail = policy === 'pass' && verdict.dmarc ? describe(verdict.dmarc) : verdict.detail;
  const senders = [...(mailFrom === null ? [] : [mailFrom]), ...headerValues(headers, 'return-path')].map((sender) =>
    domainPart(sender.trim()),
  );
  const known = signatures.filter((tags) => mayBeAligned(tags.domain, domain));
  const used = known.map(({ sha256 }) => sha256);
  const proven = { address, authenticated: true, method: METHOD, signatures: used, detail, temporary: false } as const;
  if (isOwnServer(verdict.spf, domain, senders)) return { ...proven, covers: null };
  const ground = groundOf({ policy, verdict, dkim, mayRest: isChecked && verdict.greeting === null }, domain);
  if (typeof ground === 'string') return refuse(ground);
  if (signatures.some(({ isPlain }) => !isPlain)) return refuse('a signature could be read in more than one way');
  const isAlone = ground.length === 0 && senders.length > 0 && senders.every((sender) => sender === domain);
  if (isChecked) return { ...proven, covers: isAlone ? null : [] };
  const meant = meantBy(ground, { known, dkim, policy }, domain);
  if (meant.length === 0) return refuse('the signature that it names is not in the mail');
  if (meant.some(({ partial }) => partial))
    return unproven(address, `${detail}; the signature leaves out the end (l=)`);
  const present = new Set(headers.map(({ name }) => name));
  return bySignature(
    {
      covers: [...present].filter((name) => meant.every(({ covers }) => covers.includes(name))),
      signedAt: earliest(meant),
    },
    letter,
    { method: METHOD, signatures: meant.map(({ sha256 }) => sha256), detail },
  );
}

/** Domains of the envelope senders that are known; null where one has none. */
type Senders = readonly (string | null)[];

/**
 * Whether the domain's own server handed the mail over. A border writes the sender down as it reads him, which may be
 * another than the one that it asked SPF about: so every sender that is known has to be of the domain, too. Where none is
 * known, nothing may stand in the result besides.
 */
function isOwnServer(spf: MethodResult | null, domain: string, senders: Senders): boolean {
  if (spf?.result !== 'pass' || domainPart(spf.properties.get('smtp.mailfrom')) !== domain) return false;
  return senders.length === 0 ? spf.properties.size === 1 : senders.every((sender) => sender === domain);
}

/** What DMARC says: that From is proven, that its domain has no record, or that nobody is to be believed. */
type Policy = 'pass' | 'silent' | 'against' | 'of another';

/** No record: by their own words Yahoo's, and Microsoft's where it would have passed. */
const SILENT: ReadonlySet<string> = new Set(['none', 'unknown', 'bestguesspass']);

export function policyOf(dmarc: MethodResult | null, address: string): Policy {
  if (dmarc === null) return 'silent';
  const { result, properties } = dmarc;
  if (result !== 'pass' && !SILENT.has(result)) return 'against';
  const from = properties.get('header.from');
  // What is no plain name was asked for as another one.
  if (from !== undefined && /[^\p{L}\p{N}\p{M}@<>.!#$%&'*+/=?^_`{|}~-]/u.test(from)) return 'of another';
  // A border that has read another From than we have judged that one. Some write the whole address.
  const written = from?.replace(/^<|>$/g, '').toLowerCase() ?? '';
  const isOurs = domainPart(from) === domainOf(address) && (!written.includes('@') || written === address);
  if (isOurs) return result === 'pass' ? 'pass' : 'silent';
  return from === undefined && result !== 'pass' ? 'silent' : 'of another';
}

interface Heard {
  readonly policy: Policy;
  readonly verdict: Said;
  readonly dkim: readonly DkimResult[];
  /** Its policy alone may be enough, where it tells of nothing else. */
  readonly mayRest: boolean;
}

/**
 * The results on which the proof rests, none where the border tells of its policy alone; or why there is no proof.
 *
 * SPF of another domain is none, however DMARC aligns it: whoever has a mailbox or a host anywhere below the domain
 * passes it, could write as anybody of the domain, and could hand on what somebody else has signed long ago.
 */
function groundOf({ policy, verdict: { spf }, dkim, mayRest }: Heard, domain: string): readonly DkimResult[] | string {
  const passed = dkim.filter(({ result }) => result === 'pass');
  if (policy !== 'pass') {
    const exact = passed.filter((each) => isExactly(each, domain));
    return exact.length > 0 ? exact : `no signature and no server of ${domain} itself`;
  }
  const aligned = passed.filter((each) => each.domain === null || isRelated(each.domain, domain));
  if (aligned.length > 0 || (spf === null && dkim.length === 0 && mayRest)) return aligned;
  const other = spf?.result === 'pass' ? domainPart(spf.properties.get('smtp.mailfrom')) : null;
  return other === null
    ? `nothing that it saw speaks for ${domain}`
    : `SPF speaks for ${other} and not for ${domain} itself, and no signature does`;
}

/** Without DMARC nobody says that another domain may speak for it. */
function isExactly({ domain: named, isDomainExact, named: signatures }: DkimResult, domain: string): boolean {
  // A signature that is not named is one of those in the mail.
  if (named === null) return signatures.length > 0 && signatures.every((tags) => tags.domain === domain);
  if (isDomainExact || signatures.length === 0) return named === domain;
  // A name below the domain may be that of a neighbour who signed, too.
  return signatures.every((tags) => tags.domain === domain);
}

/**
 * The signatures that count: those that are named, and where one is not found, or none is named, all of a related domain.
 * What all of them cover is covered, whichever of them the border has seen.
 */
function meantBy(
  ground: readonly DkimResult[],
  { known, dkim, policy }: { readonly known: readonly SignatureTags[] } & Pick<Heard, 'dkim' | 'policy'>,
  domain: string,
): readonly SignatureTags[] {
  const told = (tags: SignatureTags) => dkim.filter((each) => !isNone(each) && each.named.includes(tags));
  const mayProve = (tags: SignatureTags) => {
    const isOfDomain = policy === 'pass' ? isRelated(tags.domain, domain) : tags.domain === domain;
    // Of one that failed nobody has seen more than what it claims.
    return isOfDomain && (told(tags).length === 0 || told(tags).some(({ result }) => result === 'pass'));
  };
  const named = ground.flatMap((each) => {
    const found = each.named.filter(({ domain: signer }) => mayBeAligned(signer, domain));
    return found.some(mayProve) ? found : known;
  });
  // DMARC may rest on one that the border does not tell of.
  const untold = policy === 'pass' ? known.filter((tags) => told(tags).length === 0) : [];
  const meant = [...new Set([...named, ...untold])];
  return meant.some(mayProve) ? meant : [];
}

function earliest(meant: readonly SignatureTags[]): number | null {
  const times = meant.map(({ signedAt }) => signedAt);
  return times.some((time) => time === null) ? null : Math.min(...times.map(Number));
}
