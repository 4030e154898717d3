import {
  type CallReason,
  EngineError,
  type Json,
  type KeptFact,
  type MemoryCapability,
  type RulesCapability,
  type WantedFact,
  type WantedRule,
} from '#contract';
import type { Clock } from '../../lib/clock.ts';
import { type Ids, sha256 } from '../../lib/ids.ts';
import { hasRoomFor } from '../../memory/active/keep.ts';
import type { FactDecision, FactSource } from '../../memory/facts/decide.ts';
import { inTrustedWords } from '../../memory/facts/in-trusted-words.ts';
import { keepAsked, namedFact } from '../../memory/facts/remember.ts';
import { isOwnWord, mayForget, readerOf } from '../../memory/facts/shown.ts';
import { isWrittenWhole, sourceOf } from '../../memory/facts/source.ts';
import type { WrongAnswer } from '../../storage/ports/facts.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Fact, FactChange } from '../../storage/types/facts.ts';
import type { StoredRun } from '../../storage/types/runs.ts';

interface Options {
  readonly store: Pick<
    Store,
    | 'messageById'
    | 'getThread'
    | 'threadMessages'
    | 'knownParticipants'
    | 'nearestFacts'
    | 'factsByIds'
    | 'countFacts'
    | 'countSayers'
    | 'isForgottenSource'
    | 'activeState'
    | 'factsForEverybody'
    | 'answersWith'
  >;
  readonly run: StoredRun;
  isTainted(): boolean;
  /** What is to be done from now on is kept as a rule. */
  readonly rules: Pick<RulesCapability, 'asks' | 'keep'>;
  /** Takes what is to be committed with the call's result. */
  stage(change: FactChange): void;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What a model is told whose quotation does not count. */
export const WHY_NOT_QUOTED = {
  not_verbatim: 'the quote does not stand in what the sender wrote now; copy it exactly',
  own_words: 'these are your own words of an earlier mail; quote what the sender wrote',
  others_words: 'somebody else wrote these words in this thread; quote what the sender wrote',
};

/** What people read of it in their own language; absent: that it was not possible in this form. */
export const REASON_OF: Readonly<Record<string, CallReason>> = {
  not_verbatim: 'not_said',
  own_words: 'own_words',
  others_words: 'others_words',
  not_authenticated: 'sender',
  subject_not_allowed: 'sender',
  only_owners: 'sender',
  not_theirs: 'sender',
  address_not_said: 'not_named',
  number_not_said: 'not_named',
  not_named: 'not_named',
  replaces_not_found: 'not_found',
  not_there: 'not_found',
  not_a_day: 'not_a_day',
  full: 'full',
};

/** What a model is told that wanted to keep something. */
const WHY: Readonly<Record<string, string>> = {
  not_authenticated: 'nobody has proven that the sender wrote this, or they are not one who can ask for it',
  no_text: 'the text is empty or too long',
  subject_not_allowed: 'only an owner can say so for everybody',
  ...WHY_NOT_QUOTED,
  address_not_said: 'the text has an address or a link that the sender did not write',
  number_not_said: 'the text has a number that does not stand in the mail; write it as the sender did',
  replaces_not_found: 'nothing that can be replaced has that id',
  full: 'too much is remembered of this sender already; something has to be forgotten first',
};

const IN_THEIR_WORDS =
  "words of others were read in this run, so the sender's own words are kept in the place of your sentence; where they say more than is to be kept, call this again with `replaces` and quote only what is";

const NO_ROOM =
  'what everybody is told has no room for it any more: shorten it, let it replace something, or have something forgotten first';

/** Whether what is for everybody has its place in what everybody is told. */
async function isTold(store: Options['store'], changes: readonly FactChange[], now: number): Promise<boolean> {
  for (const change of changes) {
    if (change.change === 'add' && !(await hasRoomFor(store, change.fact, { ...change, now }))) return false;
  }
  return true;
}

interface Kept {
  readonly decided: FactDecision;
  readonly changes: readonly FactChange[];
}

/** Who else got such an answer, for owners alone: to whom others write is not everybody's to know. */
function toldWrongly(
  wrong: readonly WrongAnswer[],
  { tier, sender }: Pick<StoredRun, 'tier' | 'sender'>,
): Pick<KeptFact, 'wrongly_told'> {
  const others = wrong.flatMap(({ recipients }) => recipients).filter((one) => one !== sender?.toLowerCase());
  return tier !== 'owner' || others.length === 0 ? {} : { wrongly_told: [...new Set(others)] };
}

/** Instructions of an earlier build's runs, and of models that call them facts. */
const ruleOf = ({ quote, everyone }: Pick<WantedFact, 'quote' | 'everyone'>): WantedRule => ({
  effect: 'words',
  quote,
  for: everyone ? 'everybody' : 'me',
  tools: [],
  whom: [],
  until: null,
  replaces: null,
});

export function createMemory(options: Options): MemoryCapability {
  const { store, run, ids, clock, signal } = options;
  const open = async (id: string): Promise<Fact> => {
    const [fact] = await store.factsByIds([id]);
    if (!fact || !mayForget(fact, readerOf(run))) throw new EngineError('not_found', `nothing is remembered as ${id}`);
    return fact;
  };
  /** Owners correct what is kept of anybody, for whom it is kept; what everybody is told they say for everybody once more. */
  const corrected = async (id: string | null): Promise<Pick<Fact, 'subject' | 'visibility'> | null> => {
    const [old] = id === null || run.tier !== 'owner' ? [] : await store.factsByIds([id]);
    if (!old || old.status === 'forgotten' || old.visibility === 'persona') return null;
    return old.subject === run.sender?.toLowerCase() ? null : { subject: old.subject, visibility: old.visibility };
  };
  const keepAsRule = async (wanted: Pick<WantedFact, 'quote' | 'everyone'>): Promise<KeptFact> => {
    const { id, text, result } = await options.rules.keep(ruleOf(wanted));
    return { id, text, result: result === 'again' ? 'duplicate' : 'new' };
  };
  /** Hands the change over; what was answered with what was known before is marked with the very change that takes its place. */
  async function staged({ decided, changes }: Kept, text: string): Promise<KeptFact> {
    const wrong = decided.decision === 'update' ? await store.answersWith(decided.of.id) : [];
    const corrects = wrong.map(({ message }) => message);
    for (const change of changes) options.stage(change.change === 'add' ? { ...change, corrects } : change);
    const [change] = changes;
    const fact = change?.change === 'add' ? change.fact : decided.of;
    return { id: fact?.id ?? '', text: fact?.text ?? text, result: decided.decision, ...toldWrongly(wrong, run) };
  }
  /** What takes the place of a row of theirs, or of one that an owner corrects, may say again what that says. */
  async function inOwnWords(wanted: Pick<WantedFact, 'text' | 'quote'>, replaces: string | null, source: FactSource) {
    const row = replaces === null ? null : await namedFact(replaces, { store, now: clock.now() });
    const isTheirs = row !== null && (run.tier === 'owner' || row.subject === source.sentBy.toLowerCase());
    return inTrustedWords(wanted, { written: source.newText, old: isTheirs ? row : null });
  }
  const keepAsFact: MemoryCapability['remember'] = async ({ replaces, ...wanted }) => {
    if ((await store.getThread(run.thread_id))?.private_since != null) {
      throw new EngineError('invalid_arguments', 'this thread is private: nothing of it is remembered', {
        reason: 'private',
      });
    }
    const source = await sourceOf(run, store);
    if (source === null) throw new EngineError('not_found', 'there is no mail to quote');
    const old = await corrected(replaces);
    // A page can tell a model what to say of the sender; only what the sender said themselves is safe from it.
    const text = options.isTainted() ? await inOwnWords(wanted, replaces, source) : wanted.text;
    const proposal = { ...wanted, text, subject: 'author', asked: true, ...old };
    // Whom an owner corrects something about they have named by that.
    const people = old === null ? source.people : new Set([...source.people, old.subject]);
    const kept = await keepAsked(proposal, { ...source, people }, replaces, { store, ids, now: clock.now() });
    if ('refused' in kept)
      throw new EngineError('invalid_arguments', WHY[kept.refused] ?? kept.refused, {
        reason: REASON_OF[kept.refused],
      });
    if (!(await isTold(store, kept.changes, clock.now())))
      throw new EngineError('invalid_arguments', NO_ROOM, { reason: 'full' });
    signal.throwIfAborted();
    return { ...(await staged(kept, text)), ...(text === wanted.text ? {} : { note: IN_THEIR_WORDS }) };
  };
  return {
    remember: (wanted) => (wanted.kind === 'instruction' ? keepAsRule(wanted) : keepAsFact(wanted)),
    async waits({ quote, everyone, kind }) {
      if (kind === 'instruction') return options.rules.asks(ruleOf({ quote, everyone }));
      const message = everyone ? await store.messageById(run.message) : undefined;
      return message !== undefined && !isWrittenWhole(message, quote);
    },
    async preview(id) {
      const { text, quote, said_by: by, valid_from: from, hash } = await open(id);
      const day = new Date(from).toISOString().slice(0, 10);
      return { text: `${text}\n${by}, ${day}: “${quote}”`, basis: sha256(`${id} ${hash}`) };
    },
    async forget(id) {
      await open(id);
      signal.throwIfAborted();
      options.stage({ change: 'forget', id });
      return { id };
    },
  };
}

/**
 * Whether a call of `forget` erases only what the sender of the run's own mail has told of themselves. A task and a child run have no
 * sender, so for them nothing is.
 */
export async function forgetsOwn(
  args: Json,
  { store, run }: { readonly store: Pick<Store, 'factsByIds'>; readonly run: StoredRun },
): Promise<boolean> {
  const id = typeof args === 'object' && args !== null && 'id' in args ? args.id : null;
  const [fact] = typeof id === 'string' ? await store.factsByIds([id]) : [];
  return fact !== undefined && isOwnWord(fact, readerOf(run));
}
