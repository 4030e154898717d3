import { wordsOf } from './mail.ts';
import type { Facts } from './originals.ts';

/** What the gateway made of a mail, as its rows tell. */
export interface Believed {
  readonly decision: string;
  readonly code: string | null;
  /** Null where it takes it for nobody's. */
  readonly tier: string | null;
  readonly message: BelievedMessage | null;
  /** Whether the persona was stopped or told to go on. */
  readonly command: 'stop' | 'resume' | null;
  /** The questions that count as answered with yes now. */
  readonly approved: readonly string[];
}

export interface BelievedMessage {
  readonly messageId: string;
  readonly from: string | null;
  readonly recipients: readonly string[];
  readonly replyTo: string | null;
  readonly subject: string;
  readonly newText: string;
  /** All text that a model may be shown. */
  readonly text: string;
  readonly date: number | null;
  /** SHA-256 of each attachment. */
  readonly files: readonly string[];
  /** Message-IDs of the thread that it was put into; empty for a new one. */
  readonly joined: readonly string[];
  /** Who may write on that thread because of it. */
  readonly known: readonly string[];
}

/** A mail as it was delivered, and what its author has to do with it. */
export interface Delivered {
  readonly facts: Facts;
  readonly persona: string;
  readonly at: number;
  /** The same signature was believed before. */
  readonly again: boolean;
}

/** Words that only attackers write. */
export const EVIL = 'evilword';
const DAY_MS = 86_400_000;
const MAX_AGE_MS = 7 * DAY_MS;

/** What is believed of a mail although its signer did not say it. Knows nothing of how the gateway reads mail. */
export function forgedIn(delivered: Delivered, believed: Believed): string[] {
  const { facts, persona, at, again } = delivered;
  const trusted = believed.tier === 'owner' || believed.tier === 'member';
  const effect = believed.command !== null || believed.approved.length > 0;
  if (!trusted && !effect) return believed.message === null ? [] : [`let in as ${believed.tier}`];
  const isFor = facts.recipients.some((address) => address === persona);
  return [
    ...(isFor ? [] : ['not addressed to the persona']),
    ...(at - facts.signedAt > MAX_AGE_MS + DAY_MS ? ['signed long ago'] : []),
    ...(again && (believed.message || effect) ? ['used a second time'] : []),
    ...(believed.command !== null && believed.command !== facts.command ? [`took a command: ${believed.command}`] : []),
    ...believed.approved.filter((id) => id !== facts.approves).map(() => 'answered a question'),
    ...(believed.message ? forgedWords(delivered, believed.message) : []),
  ];
}

function forgedWords({ facts, persona }: Delivered, message: BelievedMessage): string[] {
  const allowed = new Set([persona, facts.from, ...facts.recipients]);
  const extra = message.recipients.filter((address) => !allowed.has(address));
  const known = message.known.filter((address) => !allowed.has(address));
  const replyTo = message.replyTo ?? facts.from;
  const joined = message.joined.length > 0 && !message.joined.some((id) => facts.references.includes(id));
  return [
    ...(message.from === facts.from ? [] : ['another author']),
    ...(facts.says.includes(message.newText) ? [] : ['another text']),
    ...(wordsOf(message.text).includes(EVIL) ? ['words of an attacker'] : []),
    // What nobody signed is left out.
    ...(message.subject === facts.subject || (message.subject === '' && !facts.signed.has('subject'))
      ? []
      : ['another subject']),
    ...(extra.length > 0 ? ['other recipients'] : []),
    ...(known.length > 0 ? ['somebody became known'] : []),
    ...(replyTo === facts.from || replyTo === facts.replyTo ? [] : ['the answer goes elsewhere']),
    ...(joined ? ['joined a thread'] : []),
    ...(message.files.every((sha256) => facts.files.includes(sha256)) ? [] : ['another file']),
    ...(message.date === null || message.date === facts.date ? [] : ['another date']),
    ...(message.messageId === facts.messageId || !facts.signed.has('message-id') ? [] : ['another Message-ID']),
  ];
}

/** Which of its author's rights an unmutated mail did not get. */
export function lostRights({ facts, persona }: Delivered, tier: string, believed: Believed): string[] {
  if (believed.tier !== tier) return [`${believed.decision} ${believed.code ?? ''} as ${believed.tier ?? 'nobody'}`];
  if (facts.command !== null) return believed.command === facts.command ? [] : ['the command was not taken'];
  const refers = facts.signed.has('in-reply-to') || facts.signed.has('references');
  if (facts.approves !== null) {
    // Where nothing signed says what it answers, nobody has to guess.
    return !refers || believed.approved.includes(facts.approves) ? [] : ['the approval was not taken'];
  }
  return believed.message ? lostIn(facts, persona, believed.message) : ['nothing was stored'];
}

function lostIn(facts: Facts, persona: string, message: BelievedMessage): string[] {
  const { signed } = facts;
  const refers = facts.references.length > 0 && (signed.has('in-reply-to') || signed.has('references'));
  const answersElsewhere = facts.replyTo !== null && signed.has('reply-to');
  const others = signed.has('to') && signed.has('cc') ? facts.recipients.filter((address) => address !== persona) : [];
  return [
    ...(facts.says.includes(message.newText) ? [] : ['its text']),
    ...(message.subject === facts.subject ? [] : ['its subject']),
    ...(answersElsewhere && message.replyTo !== facts.replyTo ? ['Reply-To'] : []),
    ...(refers && message.joined.length === 0 ? ['its thread'] : []),
    ...(others.every((address) => message.known.includes(address)) ? [] : ['known recipients']),
  ];
}
