import type { Log } from '#contract';
import type { Configs, Persona, PersonaEntry } from '../config/types.ts';
import type { Authenticator } from '../mail/identity/authenticate.ts';
import { unproven } from '../mail/identity/judge-sender.ts';
import { provenPart } from '../mail/identity/proven-part.ts';
import { addressKey, domainOf } from '../mail/mime/address.ts';
import { verifyRecursion } from '../mail/mime/recursion.ts';
import type { Arrival, Identity, ParsedMail, SilenceCode } from '../mail/mime/types.ts';
import { headless, parseHead } from '../mail/reading/head.ts';
import type { MailParserPool } from '../mail/reading/parse.ts';
import { candidateAddresses } from '../mail/route.ts';
import type { Waiting } from '../storage/ports/waiting.ts';
import type { MailPlace } from '../storage/types/gateway.ts';

import {
  type AcceptDeps,
  type AnswerDeps,
  type Arrived,
  acceptMail,
  recordSilence,
  takeApprovalAnswer,
  takeOwnerCommand,
} from './accept.ts';
import { admit, identityFor } from './admit.ts';
import { queuePeerOf } from './queue-peer.ts';
import { type RecipientResult, type ResultWithDetail, result, writeSeen } from './results.ts';
import { replyAddress, silenceOf } from './silence.ts';
import { keepUnreadable, type Unreadable } from './unreadable.ts';

export type { RecipientResult } from './results.ts';

export type Place = MailPlace;

export interface Incoming {
  readonly raw: Uint8Array;
  readonly arrival: Arrival;
  /** MAIL FROM; null when the door knows none, empty for `<>`. */
  readonly returnPath: string | null;
  /** RCPT TO; null when the mail's own headers have to say. */
  readonly recipients: readonly string[] | null;
  readonly place: Place | null;
  /** The account whose mailbox it lies in, for mail without an envelope. */
  readonly account?: string | null;
  /** When it came into that mailbox, ms; absent: now. */
  readonly arrivedAt?: number;
  /** The door has only the beginning of it, and why. */
  readonly unreadable?: Unreadable;
}

export interface Received {
  readonly messageId: string;
  readonly results: readonly RecipientResult[];
}

export interface ReceiveDeps extends AcceptDeps, AnswerDeps {
  readonly parser: MailParserPool;
  authenticator(): Authenticator;
  configs(): Configs;
  findByAddress(address: string): PersonaEntry | undefined;
  /** Since the persona is paused or stopped: its mail is taken in all the same, and waits. */
  waitingFor(persona: Persona): Promise<Waiting | null>;
  readonly recursionSecret: string;
  readonly quarantineFolder: string;
  readonly log: Log;
}

export type Receive = (incoming: Incoming) => Promise<Received>;

/**
 * The one door for mail, whatever it came through: understand it, prove who sent it, decide per persona, make it
 * durable, write down what was seen. Returns when all that is committed; throws when something could not be
 * stored, and then nobody may acknowledge the mail.
 */
export function createReceive(deps: ReceiveDeps): Receive {
  return async (incoming) => {
    const peer = queuePeerOf(incoming);
    const outcome = incoming.unreadable ?? (await deps.parser.parse(incoming.raw, { peer }));
    // Who wrote what cannot be read is asked as of any mail: else strangers could have their bytes kept by breaking them.
    const mail = outcome.ok
      ? outcome.mail
      : ((await parseHead(deps.parser, incoming.raw, { peer })) ?? headless(incoming.raw));
    const unreadable = outcome.ok ? null : outcome;
    const targets = addresseesOf(deps, mail, incoming);
    const results =
      targets.length === 0
        ? [result({ decision: 'refused', code: 'unknown_recipient' })]
        : await receiveForEach(deps, incoming, { mail, unreadable }, targets);
    await writeSeen(deps, incoming, mail, results);
    deps.pass('accept.seen');
    return { messageId: mail.messageId, results };
  };
}

export type Target = { readonly address: string; readonly entry: PersonaEntry };

/**
 * The personas a mail is for. All mail in a shared mailbox was delivered to its account, so that address alone says
 * nothing while another persona is named: its owner would answer everybody's mail.
 */
export function addresseesOf(
  deps: Pick<ReceiveDeps, 'findByAddress'>,
  mail: ParsedMail,
  { recipients, account = null }: Pick<Incoming, 'recipients' | 'account'>,
): readonly Target[] {
  const named = targetsOf(deps, candidateAddresses(mail, recipients, { without: account }));
  return named.length > 0 ? named : targetsOf(deps, candidateAddresses(mail, recipients));
}

/** Each persona once, however many of its addresses are named. Unknown SMTP recipients were refused at RCPT. */
function targetsOf(deps: Pick<ReceiveDeps, 'findByAddress'>, addresses: readonly string[]): readonly Target[] {
  const byPersona = new Map<string, Target>();
  for (const address of addresses) {
    const entry = deps.findByAddress(address);
    if (entry && !byPersona.has(entry.id)) byPersona.set(entry.id, { address, entry });
  }
  return [...byPersona.values()];
}

async function receiveForEach(
  deps: ReceiveDeps,
  incoming: Incoming,
  { mail, unreadable }: { readonly mail: ParsedMail; readonly unreadable: Unreadable | null },
  targets: readonly Target[],
): Promise<readonly ResultWithDetail[]> {
  if (unreadable?.code === 'too_many_attachments') return targets.map((target) => tooMany(target, unreadable));
  const recursion = recursionOf(deps, mail, targets);
  const screen = {
    mail,
    returnPath: incoming.returnPath,
    recursion,
    isOwnAddress: deps.isOwnAddress,
    isOwnMessageId: ownMessageIds(deps),
  };
  const noisy = new Map(
    targets.map(({ entry }) => [entry.id, silenceOf({ ...screen, lists: listsOf(entry), provenMember: true })]),
  );
  // Identity costs DNS look-ups; mail that is recorded whoever sent it does not get to cause any.
  const identity = [...noisy.values()].every((code) => code !== null)
    ? NOBODY
    : await identify(deps, incoming, mail, recursion);
  const proof = await proofFor(deps, identity, incoming.place);
  const proven = provenPart(mail, identity);
  const written = [...proven.to, ...proven.cc].map((one) => one.address);
  const results: ResultWithDetail[] = [];
  for (const { address, entry } of targets) {
    if (entry.state !== 'ready') {
      const base = { recipient: address, persona: entry.id, detail: identity.detail };
      results.push(result({ ...base, decision: 'deferred', code: 'persona_error' }));
      continue;
    }
    const { persona } = entry;
    const known = identityFor(identity, { persona, written });
    const base = { recipient: address, persona: entry.id, detail: known.detail };
    const admission = admit({ from: mail.from, identity: known, persona, security: deps.configs().security });
    const provenMember = known.authenticated && admission.verdict === 'admit';
    const silence = noisy.get(entry.id) ?? silenceOf({ ...screen, lists: persona.access.lists, provenMember });
    // A copy to the plain address beside the tagged one must not hide the tag.
    const recipients = known.covers === null ? [address, ...(incoming.recipients ?? []), ...written] : written;
    const letter = { persona, raw: incoming.raw, mail: proven, unreadable, identity: known, admission, recipients };
    results.push(result({ ...base, ...(await receiveForOne(deps, { ...letter, proof }, silence, recursion)) }));
  }
  return results;
}

type Letter = Omit<Arrived, 'replyTo' | 'recursion' | 'waiting'> & {
  readonly recipients: readonly string[];
  readonly proof: Proof;
  /** Why `mail` is its head alone. */
  readonly unreadable: Unreadable | null;
};

/** Whether it may still turn out who wrote the mail, and since when that is waited for. */
interface Proof {
  readonly isWorthIt: boolean;
  readonly since: number | null;
}

/** A sender's server gives up by itself; in a mailbox a mail whose sender's domain has no working DNS stays for ever. */
const DNS_PATIENCE_MS = 24 * 3_600_000;

async function proofFor({ gateway, clock }: ReceiveDeps, identity: Identity, place: Place | null): Promise<Proof> {
  if (!identity.temporary || place === null) return { isWorthIt: identity.temporary, since: null };
  const since = await gateway.deferredSince(place, 'auth_failed');
  return { isWorthIt: since === null || clock.now() - since < DNS_PATIENCE_MS, since };
}

/** One persona's part: silence first, then what is not proven yet, then its owner's commands, then mail. */
async function receiveForOne(
  deps: ReceiveDeps,
  letter: Letter,
  silence: SilenceCode | null,
  recursion: number | null,
): Promise<Partial<ResultWithDetail> & Pick<RecipientResult, 'decision'>> {
  const { persona, mail, identity, admission, proof } = letter;
  if (silence !== null) {
    await recordSilence(deps, { ...letter, code: silence });
    return { decision: 'recorded', code: silence };
  }
  // Only where proof would have changed something: who is denied by name is denied now.
  if (proof.isWorthIt && admission.verdict === 'refuse' && admission.code === 'auth_failed') {
    return { decision: 'deferred', code: 'auth_failed', since: proof.since };
  }
  const tier = admission.verdict === 'admit' ? admission.tier : null;
  const taken =
    (await takeOwnerCommand(deps, { ...letter, tier })) ?? (await takeApprovalAnswer(deps, { ...letter, tier }));
  if (taken === 'duplicate') return { decision: 'duplicate', code: taken, tier };
  if (taken !== null) {
    await recordSilence(deps, { ...letter, code: taken });
    return { decision: 'recorded', code: taken, tier };
  }
  if (letter.unreadable !== null) return keepUnreadable(deps, letter, letter.unreadable);
  return acceptMail(deps, {
    ...letter,
    replyTo: replyAddress(mail, identity, persona),
    waiting: await deps.waitingFor(persona),
    recursion: recursion === null ? deps.configs().inference.recursion_depth : recursion - 1,
  });
}

const tooMany = ({ address, entry }: Target, { message }: Unreadable): ResultWithDetail =>
  result({ recipient: address, persona: entry.id, decision: 'refused', code: 'too_many_attachments', detail: message });

/** Believed only for personas that our mail names: whoever got a copy could hand it to any other. */
function recursionOf(deps: ReceiveDeps, mail: ParsedMail, targets: readonly Target[]): number | null {
  const named = new Set([...mail.to, ...mail.cc].map(({ address }) => deps.findByAddress(address)?.id));
  return targets.every(({ entry }) => named.has(entry.id)) ? verifyRecursion(mail, deps.recursionSecret) : null;
}

const NOBODY = unproven(null, 'not looked at');

const listsOf = (entry: PersonaEntry): readonly string[] => (entry.state === 'ready' ? entry.persona.access.lists : []);

const ownMessageIds = (deps: ReceiveDeps) => {
  const suffix = `@${deps.configs().gateway.domain.toLowerCase()}>`;
  return (id: string) => id.toLowerCase().endsWith(suffix) && /^<[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id);
};

async function identify(
  deps: ReceiveDeps,
  incoming: Incoming,
  mail: ParsedMail,
  recursion: number | null,
): Promise<Identity> {
  if (recursion !== null && mail.from.kind === 'one' && deps.isOwnAddress(mail.from.mailbox.address)) {
    const address = addressKey(mail.from.mailbox.address);
    const detail = 'sealed by this gateway';
    return { address, authenticated: true, method: 'seal', covers: null, signatures: [], detail, temporary: false };
  }
  const arrivedAt = incoming.arrivedAt ?? deps.clock.now();
  return deps
    .authenticator()
    .authenticate(incoming.raw, mail, { arrival: incoming.arrival, arrivedAt, peer: checkPeerOf(incoming, mail) });
}

/** A mailbox has mail of everybody: a domain whose name servers are silent must not hold up the others. */
function checkPeerOf(incoming: Incoming, { from }: ParsedMail) {
  const peer = queuePeerOf(incoming);
  if (incoming.arrival.door !== 'imap' || from.kind !== 'one') return peer;
  return { ...peer, key: `${peer.key} ${domainOf(from.mailbox.address)}` };
}
