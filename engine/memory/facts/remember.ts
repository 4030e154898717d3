import type { Ids } from '../../lib/ids.ts';
import type { CallStage, StageReply } from '../../models/stage.ts';
import type { PayloadOf } from '../../record/events.ts';
import type { FactStore } from '../../storage/ports/facts.ts';
import { factWords } from '../../storage/search/fact-words.ts';
import type { Fact, FactChange } from '../../storage/types/facts.ts';
import { compareRequest, proposeRequest, readProposals, readVerdicts } from './ask.ts';
import {
  type Claim,
  changesFor,
  checkProposal,
  compareClaim,
  type FactDecision,
  type FactSource,
  type Proposal,
} from './decide.ts';

/** With so many rows a claim is compared. */
export const NEAREST = 5;
/** Live rows about one person; beyond them nothing is added, and an owner may look what is worth its place. */
export const MOST_FACTS = 500;

export interface Learned {
  readonly changes: readonly FactChange[];
  readonly event: PayloadOf<'memory_written'>;
  /** Contradictions that owners have to settle. */
  readonly disputed: readonly { readonly fact: Fact; readonly of: Fact }[];
}

interface Deps {
  readonly store: Pick<FactStore, 'nearestFacts' | 'factsByIds' | 'countFacts' | 'countSayers'>;
  readonly ids: Ids;
  readonly now: number;
}

/** What the stage keeps of one mail: a model proposes, the mail bears it out or not, and rows decide what it becomes. */
export async function learnFrom(source: FactSource, call: CallStage, deps: Deps): Promise<Learned> {
  const reply = await call(proposeRequest(source.newText, source.at));
  if (reply.text === null) return nothing(reply, reply.code ?? 'failed');
  const proposals = readProposals(reply.text);
  if (proposals === null) return nothing(reply, 'unparsable');
  const refused: { reason: string }[] = [];
  const pairs: { claim: Claim; near: readonly Fact[] }[] = [];
  for (const proposal of proposals) {
    const checked = checkProposal(proposal, source);
    if (!checked.ok) refused.push({ reason: checked.reason });
    else if (await isCommonplace(checked.claim, deps)) refused.push({ reason: 'commonplace' });
    else pairs.push({ claim: checked.claim, near: await nearTo(checked.claim, deps) });
  }
  const { compared, verdicts } = await verdictsOn(pairs, call);
  const learned = await decideAll(
    pairs,
    (claim, near) => {
      const number = compared.findIndex((pair) => pair.claim === claim);
      return compareClaim(claim, near, verdicts.map.get(number) ?? null);
    },
    deps,
  );
  const calls = [...reply.calls, ...verdicts.calls];
  return {
    ...learned,
    event: {
      stage: 'remember',
      code: null,
      calls,
      written: learned.written,
      refused: [...refused, ...learned.refused],
    },
  };
}

/** What somebody asked for to be kept, decided without a model: `replaces` is the row that it takes the place of. */
export async function keepAsked(
  proposal: Proposal,
  source: FactSource,
  replaces: string | null,
  deps: Deps,
): Promise<{ readonly refused: string } | { readonly decided: FactDecision; readonly changes: readonly FactChange[] }> {
  const checked = checkProposal(proposal, source);
  if (!checked.ok) return { refused: checked.reason };
  const { claim } = checked;
  const named = replaces === null ? null : await namedFact(replaces, claim, deps);
  if (replaces !== null && named === null) return { refused: 'replaces_not_found' };
  const near = await nearTo(claim, deps);
  const decided = named
    ? compareClaim(claim, [named], { relation: 'update', of: named.id })
    : compareClaim(claim, near, null);
  if (decided.decision !== 'duplicate' && (await isFull(claim, deps))) return { refused: 'full' };
  return { decided, changes: changesFor(claim, decided, { id: newId(deps), now: deps.now }) };
}

const nearTo = ({ subject, text }: Claim, { store, now }: Deps): Promise<readonly Fact[]> =>
  store.nearestFacts(subject, { words: factWords(text), now, limit: NEAREST });

/** A row that is named to be replaced: of the same person, and still in force or in dispute. */
async function namedFact(id: string, { subject }: Claim, { store, now }: Deps): Promise<Fact | null> {
  const [fact] = await store.factsByIds([id]);
  if (!fact || fact.subject !== subject || fact.status === 'forgotten' || fact.superseded_by !== null) return null;
  return fact.expires_at === null || fact.expires_at > now ? fact : null;
}

/** Short, since a model is shown it and has to say it again. */
const newId = ({ ids }: Deps): string => `f${ids.random(5)}`;

const isFull = async ({ subject }: Claim, { store, now }: Deps): Promise<boolean> =>
  (await store.countFacts(subject, now)) >= MOST_FACTS;

/** So many others who say the very same make a phrase of it. */
const COMMON = 2;

/** What anybody says (`Thanks, that works for me`) says nothing of anybody. */
const isCommonplace = async ({ phrase, subject }: Claim, { store }: Deps): Promise<boolean> =>
  (await store.countSayers(phrase, subject, COMMON)) >= COMMON;

/** Asked only about claims that rows alone do not settle. */
async function verdictsOn(pairs: readonly { claim: Claim; near: readonly Fact[] }[], call: CallStage) {
  const compared = pairs.filter(
    ({ claim, near }) => near.length > 0 && compareClaim(claim, near, null).decision !== 'duplicate',
  );
  const none: Pick<StageReply, 'text' | 'calls'> = { text: null, calls: [] };
  const { text, calls } = compared.length === 0 ? none : await call(compareRequest(compared));
  return { compared, verdicts: { map: readVerdicts(text ?? ''), calls } };
}

async function decideAll(
  pairs: readonly { claim: Claim; near: readonly Fact[] }[],
  decide: (claim: Claim, near: readonly Fact[]) => FactDecision,
  deps: Deps,
) {
  const changes: FactChange[] = [];
  const written: PayloadOf<'memory_written'>['written'][number][] = [];
  const refused: { reason: string }[] = [];
  const disputed: { fact: Fact; of: Fact }[] = [];
  const added: Fact[] = [];
  for (const { claim, near } of pairs) {
    // What the same mail has brought a moment ago is remembered by now, too.
    const sameMail = added.filter(({ subject }) => subject === claim.subject);
    const decided = decide(claim, [...sameMail, ...near]);
    if (decided.decision !== 'duplicate' && (await isFull(claim, deps))) {
      refused.push({ reason: 'full' });
      continue;
    }
    const [change] = changesFor(claim, decided, { id: newId(deps), now: deps.now });
    if (!change) continue;
    changes.push(change);
    if (change.change === 'add') added.push(change.fact);
    if (change.change === 'add' && decided.decision === 'disputed')
      disputed.push({ fact: change.fact, of: decided.of });
    const fact = change.change === 'add' ? change.fact.id : change.id;
    written.push({ fact, decision: decided.decision, of: decided.of?.id ?? null, status: decided.status });
  }
  return { changes, written, refused, disputed };
}

const nothing = ({ calls }: StageReply, code: NonNullable<PayloadOf<'memory_written'>['code']>): Learned => ({
  changes: [],
  disputed: [],
  event: { stage: 'remember', code, calls, written: [], refused: [] },
});
