import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import { digitOf } from '../../lib/text/digits.ts';
import { DAY_MS } from '../../lib/time.ts';
import { folded, indexed } from '../../storage/search/fold.ts';
import {
  ABOUT_PERSONA,
  type Fact,
  type FactChange,
  type FactKind,
  type FactVisibility,
} from '../../storage/types/facts.ts';
import type { Tier } from '../../storage/types/mail.ts';
import { isTakenFrom, stretchOf } from './verbatim.ts';

// What becomes of something that a model wants to remember. Pure: a model proposes, and nothing that it says is believed
// but the place where it stands in the mail.

const MAX_TEXT = 300;
const MAX_QUOTE = 500;
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
  /** For whom that was whose place it takes; absent: by who says it. */
  readonly visibility?: FactVisibility;
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

type Refused =
  | 'not_authenticated'
  | 'no_text'
  | 'subject_not_allowed'
  | 'not_verbatim'
  | 'own_words'
  | 'others_words'
  | 'address_not_said'
  | 'number_not_said';

type Checked = { readonly ok: true; readonly claim: Claim } | { readonly ok: false; readonly reason: Refused };

const refuse = (reason: Refused): Checked => ({ ok: false, reason });

/** Whether the mail says it, and whoever wrote it may say so of whom it is about. */
export function checkProposal(
  proposal: Proposal,
  source: FactSource,
  /** What it takes the place of: a text may say again what stands there. */
  old: Pick<Fact, 'subject' | 'text' | 'quote'> | null = null,
): Checked {
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
  const said = [source.newText, ...(old?.subject === subject ? [old.text, old.quote] : [])].join('\n');
  if (!addressesAreSaid(text, said)) return refuse('address_not_said');
  if (!numbersAreSaid(text, said, source.at)) return refuse('number_not_said');
  const visibility = proposal.visibility ?? visibilityOf(subject, proposal, tier);
  const { kind, asked } = proposal;
  const hash = hashOf({ subject, kind, text });
  const phrase = phraseOf(quote);
  return { ok: true, claim: { text, quote, kind, subject, visibility, asked, hash, phrase, source } };
}

export const hashOf = ({ subject, kind, text }: Pick<Fact, 'subject' | 'kind' | 'text'>): string =>
  sha256(canonicalJson([subject, kind, oneLine(folded(text))]));

/** Of its words alone: a full stop makes no other phrase. */
const phraseOf = (quote: string): string => sha256((folded(quote).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' '));

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
export interface FactVerdict {
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
export function compareClaim(claim: Claim, near: readonly Fact[], verdict: FactVerdict | null): FactDecision {
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
    id,
    subject,
    kind,
    text,
    quote,
    visibility,
    status,
    hash,
    phrase,
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

/** A row in the words of an owner who wrote it by command: these are its quote. */
export function edited(old: Fact, text: string, { id, now }: { readonly id: string; readonly now: number }): Fact {
  return {
    ...old,
    id,
    text,
    quote: text,
    said_by: 'command',
    source_tier: 'owner',
    status: 'kept',
    source_message: null,
    source_message_id: null,
    superseded_by: null,
    disputes: null,
    valid_from: now,
    valid_to: null,
    recorded_at: now,
    ...freshFrom(old.kind, now, { status: 'kept', asked: true }),
    hash: hashOf({ ...old, text }),
    phrase: phraseOf(text),
  };
}

const MOST_MS = 90 * DAY_MS;
const MOST_GROWTH_MS = 3 * DAY_MS;

/** How long what was said once is fresh, in ms; null: until somebody says otherwise. */
const FRESH_MS: Readonly<Record<FactKind, number | null>> = {
  preference: null,
  instruction: null,
  plan: 90 * DAY_MS,
  state: 30 * DAY_MS,
  identity: 7 * DAY_MS,
  relation: 7 * DAY_MS,
};
/** A candidate that nobody says again within a week was no matter to be remembered. */
const CANDIDATE_MS = 7 * DAY_MS;

interface Asked {
  readonly asked: boolean;
}
type Freshness = Pick<Fact, 'refreshed_at' | 'fresh_ms' | 'expires_at'>;

const keptFor = (kind: FactKind, asked: boolean): number | null =>
  asked && (kind === 'identity' || kind === 'relation') ? MOST_MS : FRESH_MS[kind];

/** `asked`: somebody asked for it to be kept, and counts on that. */
function freshFrom(kind: FactKind, at: number, { status, asked }: Pick<Fact, 'status'> & Asked): Freshness {
  const fresh_ms = status === 'candidate' ? CANDIDATE_MS : keptFor(kind, asked);
  return { refreshed_at: at, fresh_ms, expires_at: fresh_ms === null ? null : at + fresh_ms };
}

/** Said again at `at`: from then on it is fresh for a tenth longer, three days at most, and never for more than 90 days. */
function refreshed(
  fact: Pick<Fact, 'kind' | 'status' | 'fresh_ms' | 'expires_at'>,
  { at, asked }: { readonly at: number } & Asked,
): Freshness {
  if (fact.status === 'candidate') return freshFrom(fact.kind, at, { status: 'kept', asked });
  const { fresh_ms: before } = fact;
  if (before === null) return { refreshed_at: at, fresh_ms: null, expires_at: null };
  const longer = before + Math.min(Math.floor(before / 10), MOST_GROWTH_MS);
  const fresh_ms = Math.min(MOST_MS, Math.max(longer, (asked ? keptFor(fact.kind, asked) : 0) ?? 0));
  // A mail that was long on its way shortens nothing.
  return { refreshed_at: at, fresh_ms, expires_at: Math.max(fact.expires_at ?? 0, at + fresh_ms) };
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const DIGIT = /\p{N}/u;
/** Nothing but its figures differs, and a figure is what a fact is about. */
const OTHER_FIGURES = 0.9;

/**
 * How much two claims say the same, 0 to 1: the share of words that they have in common, each as often as it stands
 * there. Claims with other figures (`at 9`, `at 11`) are never the same.
 */
function similarity(a: string, b: string): number {
  const [left, right] = [countsOf(a), countsOf(b)];
  const total = sum(left) + sum(right);
  if (total === 0) return 0;
  let common = 0;
  for (const [word, count] of left) common += Math.min(count, right.get(word) ?? 0);
  const share = (2 * common) / total;
  return figures(left) === figures(right) ? share : Math.min(share, OTHER_FIGURES);
}

function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of indexed(text.slice(0, 2000)).match(WORD) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0);

const figures = (counts: ReadonlyMap<string, number>): string =>
  [...counts.keys()]
    .filter((word) => DIGIT.test(word))
    .sort()
    .join(' ');

// Values in what a model wants to remember that its author has to have written. No word of a sentence is judged: a value
// is looked for in the mail, as the digits or the address that it is.
const isPlace = (token: string): boolean => token.includes('@') || token.includes('://') || token.startsWith('www.');
const AROUND = new Set('<>()[]"\'.,;:!?');
function bare(token: string): string {
  let [from, end] = [0, token.length];
  while (from < end && AROUND.has(token[from] ?? '')) from += 1;
  while (end > from && AROUND.has(token[end - 1] ?? '')) end -= 1;
  return token.slice(from, end).toLowerCase();
}

/** Where mail or people could be led to by what is remembered, its author has to have written it. */
function addressesAreSaid(text: string, newText: string): boolean {
  const places = text.split(/\s+/).filter(isPlace).map(bare);
  if (places.length === 0) return true;
  const said = new Set(newText.split(/\s+/).map(bare));
  return places.every((place) => said.has(place));
}

/** In a text of the model: digits with the marks that group them, or part their decimals. */
const NUMBER = /\d+(?:[.,'’\u00a0\u202f ]\d+)*/g;
/** In the mail, where accounts and telephone numbers are grouped by more. */
const ROW = /\d+(?:[^\p{L}\p{N}\n]{1,2}\d+)*/gu;
const GROUPS = /\d+/g;
const DATE = /(?<!\d)(?:(\d{4})-\d\d-\d\d|\d{1,2}\. ?\d{1,2}\. ?(\d{4})|(\d{4}))(?!\d)/g;
/** Shorter ones count things, days and hours, which mail says in words as well. */
const SHORTEST = 3;
/** A date that a model has found for `tomorrow` is no further from the mail. */
const YEARS = 2;
/** So many groups make one number; an account has nine at most. */
const MOST_GROUPS = 10;

/**
 * Amounts, accounts, telephone and order numbers have to stand in the mail digit by digit, however either groups them:
 * nobody would see of a wrong one that it was never said. `at`: when the mail came, Unix ms; a model is asked to write
 * dates for words such as tomorrow, so those around that time need not stand there.
 */
export function numbersAreSaid(text: string, newText: string, at: number): boolean {
  const year = new Date(at).getUTCFullYear();
  const isNear = (written: string | undefined) => written !== undefined && Math.abs(Number(written) - year) <= YEARS;
  const undated = inDigits(text).replaceAll(DATE, (date, iso, dotted, alone) =>
    isNear(iso ?? dotted ?? alone) ? ' ; ' : date,
  );
  const wanted = [...undated.matchAll(NUMBER)]
    .map(([one]) => one.match(GROUPS) ?? [])
    .filter((groups) => groups.join('').length >= SHORTEST);
  if (wanted.length === 0) return true;
  const said = numbersOf(newText);
  return wanted.every(
    (groups) =>
      said.has(groups.join('')) ||
      // Decimals that are none, and numbers that merely stand side by side.
      (/^0+$/.test(groups.at(-1) ?? '') && said.has(groups.slice(0, -1).join(''))) ||
      groups.every((group) => group.length < SHORTEST || said.has(group)),
  );
}

/** All that the digits of a mail can be read as: each group, and those that stand in a row as one. */
function numbersOf(text: string): ReadonlySet<string> {
  const said = new Set<string>();
  for (const [row] of inDigits(text).matchAll(ROW)) {
    const groups = row.match(GROUPS) ?? [];
    for (let from = 0; from < groups.length; from += 1)
      for (let many = 1; many <= MOST_GROUPS && from + many <= groups.length; many += 1)
        said.add(groups.slice(from, from + many).join(''));
  }
  return said;
}

/** With the digits of every script as ASCII digits. */
const inDigits = (text: string): string =>
  text.normalize('NFKC').replaceAll(/(?![0-9])\p{Nd}/gu, (digit) => String(digitOf(digit)));
