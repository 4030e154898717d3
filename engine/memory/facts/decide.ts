import { canonicalJson } from '../../lib/canonical-json.ts';
import { sha256 } from '../../lib/ids.ts';
import { folded } from '../../storage/search/fold.ts';
import {
  ABOUT_PERSONA,
  type Fact,
  type FactChange,
  type FactKind,
  type FactVisibility,
} from '../../storage/types/facts.ts';
import type { Tier } from '../../storage/types/mail.ts';
import { freshFrom, refreshed } from './freshness.ts';
import { similarity } from './similarity.ts';
import { addressesAreSaid, numbersAreSaid } from './values-said.ts';
import { isTakenFrom, stretchOf } from './verbatim.ts';

// What becomes of something that a model wants to remember. Pure: a model proposes, and nothing that it says is believed
// but the place where it stands in the mail.

export const MAX_TEXT = 300;
export const MAX_QUOTE = 500;
/** Without a model that compares them, claims more alike than this are one. */
const SAME = 0.9;

/** The mail that a claim is said to stand in, as it was taken in. */
export interface FactSource {
  /** Its row. */
  readonly message: string;
  readonly messageId: string;
  readonly threadId: string;
  readonly sentBy: string;
  readonly tier: Tier;
  /** Without what it quotes or forwards. */
  readonly newText: string;
  /** When it came in; what its sender dated it is the sender's choice. */
  readonly at: number;
  /** What we wrote in its thread lately: our own words are evidence of nothing. */
  readonly ownWords: readonly string[];
  /** What others wrote there, or somebody unproven under its author's address: mail programs repeat it without marks. */
  readonly othersWords: readonly string[];
  /** Whom the mail or its thread names, in lower case: about these an owner may say something. */
  readonly people: ReadonlySet<string>;
}

/** What a model wants to remember of it. */
export interface Proposal {
  readonly text: string;
  readonly quote: string;
  readonly kind: FactKind;
  /** `author`, `persona`, or an address. */
  readonly subject: string;
  /** It is meant for whoever writes, not for its author alone. */
  readonly everyone: boolean;
  /** Whoever wrote the mail asked for it to be kept. */
  readonly asked: boolean;
}

/** A proposal that its mail bears out. */
export interface Claim {
  readonly text: string;
  readonly quote: string;
  readonly kind: FactKind;
  readonly subject: string;
  readonly visibility: FactVisibility;
  readonly asked: boolean;
  readonly hash: string;
  readonly phrase: string;
  readonly source: FactSource;
}

export type Refused =
  | 'not_authenticated'
  | 'no_text'
  | 'subject_not_allowed'
  | 'not_verbatim'
  | 'own_words'
  | 'others_words'
  | 'address_not_said'
  | 'number_not_said';

export type Checked = { readonly ok: true; readonly claim: Claim } | { readonly ok: false; readonly reason: Refused };

const refuse = (reason: Refused): Checked => ({ ok: false, reason });

/** Whether the mail says it, and whoever wrote it may say so of whom it is about. */
export function checkProposal(proposal: Proposal, source: FactSource): Checked {
  const { tier, sentBy } = source;
  if ((tier !== 'owner' && tier !== 'member') || sentBy === '') return refuse('not_authenticated');
  const text = oneLine(proposal.text);
  if (text === '' || text.length > MAX_TEXT || proposal.quote.length > MAX_QUOTE) return refuse('no_text');
  const subject = subjectOf(proposal, source);
  if (subject === null) return refuse('subject_not_allowed');
  const quote = stretchOf(source.newText, proposal.quote);
  if (quote === null) return refuse('not_verbatim');
  if (source.ownWords.some((own) => isTakenFrom(own, quote))) return refuse('own_words');
  if (source.othersWords.some((other) => isTakenFrom(other, quote))) return refuse('others_words');
  if (!addressesAreSaid(text, source.newText)) return refuse('address_not_said');
  if (!numbersAreSaid(text, source.newText, source.at)) return refuse('number_not_said');
  const visibility = visibilityOf(subject, proposal, tier);
  const { kind, asked } = proposal;
  const hash = hashOf({ subject, kind, text });
  const phrase = phraseOf(quote);
  return { ok: true, claim: { text, quote, kind, subject, visibility, asked, hash, phrase, source } };
}

export const hashOf = ({ subject, kind, text }: Pick<Fact, 'subject' | 'kind' | 'text'>): string =>
  sha256(canonicalJson([subject, kind, oneLine(folded(text))]));

/** Of its words alone: a full stop makes no other phrase. */
export const phraseOf = (quote: string): string =>
  sha256((folded(quote).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' '));

/** Members speak for themselves alone; an owner also for the persona, and of whom the mail names. */
function subjectOf({ subject, everyone }: Proposal, { tier, sentBy, people }: FactSource): string | null {
  const author = sentBy.toLowerCase();
  const wanted = subject.trim().toLowerCase();
  if (everyone || wanted === ABOUT_PERSONA) return tier === 'owner' ? ABOUT_PERSONA : null;
  if (wanted === 'author' || wanted === author) return author;
  return tier === 'owner' && people.has(wanted) ? wanted : null;
}

/** What owners say is for owners, unless they say that it is for everybody. */
function visibilityOf(subject: string, { everyone }: Proposal, tier: Tier): FactVisibility {
  if (tier !== 'owner') return 'subject';
  return subject === ABOUT_PERSONA && everyone ? 'persona' : 'owner';
}

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** What a model says of a claim beside a row; `of` has to be one of the rows that it was shown. */
export interface Verdict {
  readonly relation: 'new' | 'update' | 'duplicate' | 'dispute';
  readonly of: string | null;
}

export type FactDecision =
  | { readonly decision: 'new'; readonly of: null; readonly status: 'candidate' | 'kept' }
  | { readonly decision: 'update'; readonly of: Fact; readonly status: 'candidate' | 'kept' }
  | { readonly decision: 'duplicate'; readonly of: Fact; readonly status: Fact['status'] }
  | { readonly decision: 'disputed'; readonly of: Fact; readonly status: 'disputed' };

const RANK: Readonly<Record<Tier, number>> = { owner: 2, member: 1, known: 0, stranger: 0, unauthenticated: 0 };

/**
 * What a claim is beside what is remembered already. `near`: live rows about the same. Without a verdict, what says
 * nearly the same is the same, and all else is new.
 */
export function compareClaim(claim: Claim, near: readonly Fact[], verdict: Verdict | null): FactDecision {
  const added = { decision: 'new', of: null, status: claim.asked ? 'kept' : 'candidate' } as const;
  // What others may not be shown stands for nothing that they said themselves.
  const alike = near.filter(({ visibility }) => visibility === claim.visibility);
  const same = alike.find(({ hash }) => hash === claim.hash) ?? nearlySame(claim, alike);
  if (same) return again(claim, same);
  const of = verdict === null ? undefined : near.find(({ id }) => id === verdict.of);
  if (!of || verdict?.relation === 'new') return added;
  if (verdict?.relation === 'duplicate') return alike.includes(of) ? again(claim, of) : added;
  const isLower = RANK[claim.source.tier] < RANK[of.source_tier];
  if (isLower || verdict?.relation === 'dispute') return { decision: 'disputed', of, status: 'disputed' };
  return { decision: 'update', of, status: isBorneOut(claim, of) ? 'kept' : 'candidate' };
}

/** Of whichever kind: a model that calls it another one has found nothing new. */
const nearlySame = ({ text }: Claim, near: readonly Fact[]): Fact | undefined =>
  near.find((fact) => similarity(fact.text, text) > SAME);

/** Somebody asked for it, or two mails speak of it. */
const isBorneOut = ({ asked, source }: Claim, { status, source_message }: Fact): boolean =>
  asked || status !== 'candidate' || source_message !== source.message;

function again(claim: Claim, of: Fact): FactDecision {
  const status = of.status === 'candidate' && isBorneOut(claim, of) ? 'kept' : of.status;
  return { decision: 'duplicate', of, status };
}

/** The rows that a decision comes to; empty where it changes nothing. */
export function changesFor(
  claim: Claim,
  decided: FactDecision,
  { id, now }: { readonly id: string; readonly now: number },
): readonly FactChange[] {
  const { source } = claim;
  if (decided.decision === 'duplicate') {
    const { of, status } = decided;
    // The same mail again says nothing that it had not said before.
    if (of.source_message === source.message && status === of.status) return [];
    return [
      {
        change: 'refresh',
        id: of.id,
        ...refreshed(of, { at: source.at, asked: claim.asked }),
        keep: status !== of.status,
      },
    ];
  }
  const { decision, of, status } = decided;
  const { text, quote, kind, subject, visibility, hash, phrase } = claim;
  const fact: Fact = {
    ...{ id, subject, kind, text, quote, visibility, status, hash, phrase },
    source_message: source.message,
    source_message_id: source.messageId,
    source_tier: source.tier,
    thread_id: source.threadId,
    said_by: source.sentBy.toLowerCase(),
    valid_from: source.at,
    valid_to: null,
    recorded_at: now,
    ...freshFrom(kind, source.at, { status, asked: claim.asked }),
    superseded_by: null,
    disputes: decision === 'disputed' ? of.id : null,
  };
  return [{ change: 'add', fact, replaces: decision === 'update' ? of.id : null }];
}
