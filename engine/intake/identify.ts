import type { PersonaEntry } from '../config/types.ts';
import { isLogInMessageId } from '../lib/ids.ts';
import { countedAs } from '../lib/ip-address.ts';
import type { Peer } from '../lib/workers/pool.ts';
import { standingOf } from '../mail/access.ts';
import { findToken } from '../mail/approval/approval-answer.ts';
import { readOwnerCommand } from '../mail/approval/owner-command.ts';
import { unproven } from '../mail/identity/judge-sender.ts';
import { provenPart } from '../mail/identity/proven-part.ts';
import { addressKey, domainOf, normaliseAddress, stripPlusTag } from '../mail/mime/address.ts';
import { verifyRecursion } from '../mail/mime/recursion.ts';
import type { Identity, ParsedMail, SilenceCode } from '../mail/mime/types.ts';
import { headless, parseHead } from '../mail/reading/head.ts';
import { isAutomaticSubject } from '../mail/text/subject.ts';
import type { ReaderDeps } from './deps.ts';
import type { MailFacts } from './facts.ts';
import type { IncomingMail, Unreadable } from './incoming.ts';
import { type Admission, admit, identityFor, type Screened, silenceOf } from './rules/admit.ts';

/** Who wrote a mail, for all of its addressees. */
export interface Author {
  readonly identity: Identity;
  readonly screened: Screened;
  /** By persona: why the mail is never answered, whoever wrote it. */
  readonly silences: ReadonlyMap<string, SilenceCode | null>;
  readonly proof: MailFacts['proof'];
}

/** Whether somebody is proven to have written the mail. What is never answered, whoever wrote it, costs no look-up. */
export async function identify(
  deps: ReaderDeps,
  incoming: IncomingMail,
  { mail, addressees, unreadable }: UnderstoodMail,
): Promise<Author> {
  const screened: Screened = {
    mail,
    returnPath: incoming.envelope.returnPath,
    recursion: recursionOf(deps, mail, addressees),
    isOfLogIn: [mail.messageId, ...mail.inReplyTo, ...mail.references].some((id) =>
      isLogInMessageId(id, deps.recursionSecret),
    ),
    isOwnAddress: deps.isOwnAddress,
  };
  const silences = new Map(
    addressees.map((addressee) => [addressee.entry.id, silenceWhoeverWroteIt(deps, screened, addressee)]),
  );
  const isSettled =
    (unreadable?.code === 'too_many_attachments' && incoming.place === null) ||
    addressees.every((addressee) =>
      isAllTheSame(silences.get(addressee.entry.id) ?? null, mayBeMember(deps, screened, addressee)),
    );
  const identity = isSettled ? NOBODY : await authenticate(deps, incoming, screened);
  return { identity, screened, silences, proof: await proofOf(deps, identity, incoming) };
}

const NOBODY = unproven(null, 'not looked at');

/** Whoever no rule names can be no member, so that his bulk mail costs no look-up either. */
const silenceWhoeverWroteIt = (deps: ReaderDeps, screened: Screened, addressee: Addressee): SilenceCode | null =>
  silenceOf(screened, { lists: listsOf(addressee), provenMember: mayBeMember(deps, screened, addressee) });

function mayBeMember(deps: ReaderDeps, { mail: { from } }: Screened, { entry }: Addressee): boolean {
  if (from.kind !== 'one' || entry.state !== 'ready') return false;
  const standing = standingOf(from.mailbox.address, entry.persona, deps.configs().security.gateway_access);
  return standing === 'owner' || standing === 'member';
}

/**
 * Whether the sender need not be identified, since the mail is never answered. Two kinds of such mail need their sender: an
 * answer to an invitation is recorded under them; and a member's signature has to be used up, or whoever has the mail could
 * send it again without the header that says it is never answered.
 */
const isAllTheSame = (silence: SilenceCode | null, isMember: boolean): boolean =>
  silence === 'own_message' || (silence !== null && silence !== 'calendar_reply' && !isMember);

const listsOf = ({ entry }: Addressee): readonly string[] =>
  entry.state === 'ready' ? entry.persona.access.lists : [];

/** Believed only for personas that our mail names: whoever got a copy could hand it to any other. */
function recursionOf(deps: ReaderDeps, mail: ParsedMail, addressees: readonly Addressee[]): number | null {
  const named = new Set([...mail.to, ...mail.cc].map(({ address }) => deps.findByAddress(address)?.id));
  return addressees.every(({ entry }) => named.has(entry.id)) ? verifyRecursion(mail, deps.recursionSecret) : null;
}

/** By the domain that all our ids end with: a relay may have changed what stands before it. */
function namesMailOf(domain: string, { inReplyTo, references }: ParsedMail): boolean {
  const suffix = `@${domain}>`.toLowerCase();
  return [...inReplyTo, ...references].some((id) => id.toLowerCase().endsWith(suffix));
}

async function authenticate(
  deps: ReaderDeps,
  incoming: IncomingMail,
  { mail, recursion }: Screened,
): Promise<Identity> {
  if (recursion !== null && mail.from.kind === 'one' && deps.isOwnAddress(mail.from.mailbox.address)) {
    const address = addressKey(mail.from.mailbox.address);
    const detail = 'sealed by this gateway';
    return { address, authenticated: true, method: 'seal', covers: null, signatures: [], detail, temporary: false };
  }
  const arrivedAt = incoming.arrivedAt ?? deps.clock.now();
  const { arrival, account = null } = incoming;
  const checks = { arrival, arrivedAt, account, peer: checkPeerOf(incoming, mail) };
  return deps.authenticator().authenticate(incoming.raw, mail, checks);
}

/** A mailbox has mail of everybody: a domain whose name servers are silent must not hold up the others. */
function checkPeerOf(incoming: IncomingMail, { from }: ParsedMail) {
  const peer = queuePeerOf(incoming);
  if (incoming.arrival.door !== 'imap' || from.kind !== 'one') return peer;
  return { ...peer, key: `${peer.key} ${domainOf(from.mailbox.address)}` };
}

/** A sending server gives up by itself; in a mailbox, mail of a domain without working DNS would stay for ever. */
const DNS_PATIENCE_MS = 24 * 3_600_000;

async function proofOf({ gateway, clock }: ReaderDeps, identity: Identity, { place }: IncomingMail) {
  if (!identity.temporary || place === null) return { mayCome: identity.temporary, since: null };
  const since = await gateway.deferredSince(place, 'auth_failed');
  return { mayCome: since === null || clock.now() - since < DNS_PATIENCE_MS, since };
}

/** An owner puts a mail of somebody whom no rule names to a persona: it is a stranger's, whatever the default is. */
function onceFor({ fate }: IncomingMail, personaId: string, admission: Admission): Admission {
  const isPut = typeof fate === 'object' && fate.once === personaId;
  return isPut && admission.verdict === 'unlisted' ? { ...admission, byDefault: 'allow' } : admission;
}

/** The mail as one persona sees it: what of it is proven, who wrote it, and what its access rules say of them. */
export function factsFor(
  deps: Pick<ReaderDeps, 'configs' | 'clock'>,
  received: { readonly incoming: IncomingMail; readonly understood: UnderstoodMail; readonly author: Author },
  addressee: Addressee & { readonly entry: { readonly state: 'ready' } },
): MailFacts {
  const { incoming, understood, author } = received;
  const { persona } = addressee.entry;
  const { screened, silences, proof } = author;
  const mail = provenPart(understood.mail, author.identity);
  const named = [...mail.to, ...mail.cc];
  const written = named.map(({ address }) => address);
  const sure = named.filter(({ isUnsure }) => !isUnsure).map(({ address }) => address);
  const identity = identityFor(author.identity, { persona, written: sure });
  const { security, inference } = deps.configs();
  const admission = onceFor(incoming, persona.id, admit({ from: mail.from, identity, persona, security }));
  const isMember = identity.authenticated && admission.verdict === 'admit';
  const isOwner = isMember && admission.tier === 'owner';
  const isAsked = typeof incoming.fate === 'object' && incoming.fate.asked === persona.id;
  const silence =
    silences.get(persona.id) ??
    (isMember ? null : silenceOf(screened, { lists: persona.access.lists, provenMember: false }));
  // A copy to the plain address beside the tagged one must not hide the tag.
  const envelope = identity.covers === null ? [addressee.address, ...(incoming.envelope.recipients ?? [])] : [];
  return {
    persona,
    recipient: addressee.address,
    raw: incoming.raw,
    mail,
    unreadable: understood.unreadable,
    identity,
    admission,
    silence: isAsked && silence === 'hop_limit' ? null : silence,
    automatic: isAutomaticSubject(mail.subject)
      ? { namesOurs: namesMailOf(deps.configs().gateway.domain, mail) }
      : null,
    proof,
    command: isOwner ? readOwnerCommand(mail) : null,
    token: findToken(mail, [...envelope, ...written]),
    mayAnswer: isOwner && !screened.isOwnAddress(identity.address ?? ''),
    recursion: screened.recursion === null ? inference.recursion_depth : screened.recursion - 1,
    loopGuard: security.loop_guard,
    isAsked,
    askedBy: askerOf(incoming, persona.id),
    now: deps.clock.now(),
  };
}

/** Who has the mail taken in, where that is asked of this persona. */
function askerOf({ askedBy }: IncomingMail, personaId: string): string | null {
  return askedBy && (askedBy.persona === null || askedBy.persona === personaId) ? askedBy.by : null;
}

/** A persona that the mail is for, and the address that named it. */
export interface Addressee {
  readonly address: string;
  readonly entry: PersonaEntry;
}

export interface UnderstoodMail {
  /** The head alone where the mail is unreadable. */
  readonly mail: ParsedMail;
  readonly unreadable: Unreadable | null;
  readonly addressees: readonly Addressee[];
}

/** Reads the mail, all but small plain letters in a worker thread, and finds the personas it is for. */
export async function understand(deps: ReaderDeps, incoming: IncomingMail): Promise<UnderstoodMail> {
  const peer = queuePeerOf(incoming);
  const outcome = incoming.unreadable ?? (await deps.parser.parse(incoming.raw, { peer }));
  // The sender of an unreadable mail is checked like any other: else strangers could have their bytes kept.
  const mail = outcome.ok
    ? outcome.mail
    : ((await parseHead(deps.parser, incoming.raw, { peer })) ?? headless(incoming.raw));
  return { mail, unreadable: outcome.ok ? null : outcome, addressees: addresseesOf(deps, mail, incoming) };
}

/**
 * The personas a mail is for. Every mail in a shared mailbox was delivered to its account, so the account's address
 * counts only where no other persona is named: else its persona would answer everybody's mail.
 */
export function addresseesOf(
  deps: Pick<ReaderDeps, 'findByAddress'>,
  mail: ParsedMail,
  { envelope: { recipients }, account = null }: Pick<IncomingMail, 'envelope' | 'account'>,
): readonly Addressee[] {
  const named = personasOf(deps, candidateAddresses(mail, recipients, { without: account }));
  return named.length > 0 ? named : personasOf(deps, candidateAddresses(mail, recipients));
}

/** Each persona once, however many of its addresses are named. Unknown SMTP recipients were refused at RCPT. */
function personasOf(
  { findByAddress }: Pick<ReaderDeps, 'findByAddress'>,
  addresses: readonly string[],
): readonly Addressee[] {
  const byPersona = new Map<string, Addressee>();
  for (const address of addresses) {
    const entry = findByAddress(address);
    if (entry && !byPersona.has(entry.id)) byPersona.set(entry.id, { address, entry });
  }
  return [...byPersona.values()];
}

/** On whose account the threads work on a mail: a sender of many waits behind its own, not in front of others. */
export function queuePeerOf({ arrival, place }: Pick<IncomingMail, 'arrival' | 'place'>): Peer {
  if (arrival.door === 'submission') return { key: 'submission', first: true };
  if (arrival.door === 'relay') return { key: `relay ${arrival.authservId}`, first: true };
  if (arrival.door === 'imap') return { key: `mailbox ${place?.mailbox ?? ''}`, first: false };
  return { key: `address ${countedAs(arrival.ip)}`, first: false };
}

const MAX_CANDIDATES = 100;

/**
 * Addresses a mail may be for, best first, without repeats. SMTP tells its recipients and nothing else counts; a
 * mailbox has to go by what its server noted (Delivered-To, X-Original-To) and then by To and Cc.
 */
export function candidateAddresses(
  mail: Pick<ParsedMail, 'deliveredTo' | 'to' | 'cc'>,
  envelopeTo: readonly string[] | null,
  { without = null }: { /** An account that Delivered-To is not to name. */ without?: string | null } = {},
): string[] {
  const noted = mail.deliveredTo.filter((address) => without === null || !isOfAccount(address, without));
  const written = [...noted, ...mail.to.map((box) => box.address), ...mail.cc.map((box) => box.address)];
  const byKey = new Map<string, string>();
  for (const candidate of envelopeTo ?? written) {
    const key = addressKey(candidate);
    const address = normaliseAddress(candidate);
    if (key && address && !byKey.has(key) && byKey.size < MAX_CANDIDATES) byKey.set(key, address);
  }
  return [...byKey.values()];
}

/** Also with a plus-tag; an account may be a bare login name. */
function isOfAccount(address: string, account: string): boolean {
  const plain = stripPlusTag(address).toLowerCase();
  return (account.includes('@') ? plain : plain.slice(0, plain.lastIndexOf('@'))) === account.toLowerCase();
}
