import type { Playbook } from '../../record/codec/playbook.ts';
import type { LearningStore } from '../../storage/ports/learning/playbooks.ts';
import type { RefinementStore } from '../../storage/ports/learning/refinements.ts';
import type { JudgedOutcome, PlaybookVersion } from '../../storage/types/learning/playbooks.ts';
import { heuristic, modeOf, WINDOW } from '../heuristic.ts';
import { readPlaybook } from '../read-playbook.ts';
import { witnessesOf } from './audience.ts';
import type { ToolWorld } from './candidate.ts';
import { type Example, effectKey, examplesIn } from './examples.ts';
import { LEAST_GAIN, LEAST_SCENARIOS } from './judge.ts';
import { type PlayedRun, play } from './play.ts';
import { type Score, scoreOf } from './score.ts';

/** What is to be made better. */
export interface RefineSubject {
  readonly kind: string;
  /** The version in force; null: there is none yet. */
  readonly parent: PlaybookVersion | null;
  readonly isPinned: boolean;
  /** What the parent says; empty where there is none, or where it cannot be loaded. */
  readonly playbook: Playbook;
  /** Newest first, without those that newer ones contradict. */
  readonly examples: readonly Example[];
  readonly score: Score;
  /** How its runs went, newest first. */
  readonly outcomes: readonly JudgedOutcome[];
  /** Since when it is known that a way of working is over, Unix ms; null: none is. */
  readonly changedAt: number | null;
  /** Why the last attempt was refused; null: it was not. */
  readonly refused: string | null;
}

export const emptyPlaybook = (kind: string): Playbook => ({
  meta: { kind, capabilities: [], version: 1 },
  advice: '',
  steps: [],
  narrow: { deny: [] },
  defaults: {},
  requires: [],
  stop: [],
  answer: '',
});

/** The first version of a kind, so that there is always one to go back to. `now`: Unix ms. */
export const emptyVersion = (
  kind: string,
  { id, now }: { readonly id: string; readonly now: number },
): PlaybookVersion => ({
  id,
  kind,
  number: 1,
  parent_id: null,
  playbook_json: JSON.stringify(emptyPlaybook(kind)),
  origin: 'empty',
  tainted: 0,
  score: 0,
  created_at: now,
});

export async function subjectOf(
  kind: string,
  store: Pick<LearningStore & RefinementStore, 'playbookInForce' | 'playbookScenarios' | 'refinements'>,
  world: ToolWorld,
): Promise<RefineSubject> {
  const inForce = await store.playbookInForce(kind, WINDOW);
  const read = inForce ? readPlaybook(inForce.version.playbook_json, kind, world.ceiling) : null;
  const playbook = read?.ok ? read.playbook : emptyPlaybook(kind);
  const [last] = await store.refinements(kind, 1);
  const rows = await store.playbookScenarios(kind);
  const { examples, knownBy } = stillHolding(playbook, examplesIn(rows));
  return {
    kind,
    playbook,
    examples,
    parent: inForce?.version ?? null,
    isPinned: inForce?.pinned ?? false,
    score: scoreOf(playbook, examples, world.changes),
    outcomes: inForce?.outcomes ?? [],
    changedAt: rows.find(({ id }) => id === knownBy?.id)?.created_at ?? null,
    refused: last?.accepted === 0 ? [last.reason, last.detail].filter(Boolean).join(': ') : null,
  };
}

/**
 * Runs of a kind between two attempts that runs ask for; twice as many after each that was refused, up to 80. What was
 * refused before it was known that a way of working is over says nothing of attempts after that.
 */
const REST = 5;
const MOST_REFUSED = 4;
/** Good examples without which nothing can be proved. */
const LEAST_GOOD = 2;

/**
 * Whether an attempt that runs ask for is worth its calls: there are enough examples, there is something to gain, some runs
 * have gone by since the last, and no owner has chosen the version.
 */
export async function isWorthIt(
  subject: RefineSubject,
  store: Pick<LearningStore & RefinementStore, 'playbookOutcomes' | 'refinements'>,
  now: number,
): Promise<boolean> {
  const { kind, examples, score, isPinned, changedAt } = subject;
  const good = examples.filter(({ verdict }) => verdict === 'good').length;
  if (isPinned || examples.length < LEAST_SCENARIOS || good < LEAST_GOOD) return false;
  if (score.score + LEAST_GAIN > 1 || doesWell(subject, now)) return false;
  const all = await store.refinements(kind, MOST_REFUSED);
  const before = all.filter(({ at }) => changedAt === null || at > changedAt);
  const accepted = before.findIndex(({ accepted }) => accepted === 1);
  const refused = accepted < 0 ? before.length : accepted;
  const rest = REST * 2 ** refused;
  const newest = await store.playbookOutcomes({ kind }, rest);
  const since = before[0]?.at ?? Number.NEGATIVE_INFINITY;
  // What there was before the first attempt counts, too.
  return before.length === 0 ? newest.length >= REST : newest.filter(({ at }) => at > since).length === rest;
}

/** It works by itself, and does nothing that is known to be wrong. */
function doesWell({ outcomes, score }: RefineSubject, now: number): boolean {
  const h = heuristic(outcomes, now);
  return modeOf(h, null).mode === 'policy' && !score.examples.some(({ isForbidden }) => isForbidden);
}

interface Seen {
  readonly example: Example;
  readonly played: PlayedRun;
}

interface Holding {
  readonly examples: readonly Example[];
  /** The example by which it was known that others do not hold any more; null: all do. */
  readonly knownBy: Example | null;
}

/**
 * Examples without those that newer ones contradict: of a step that was right once, two good runs found that its call comes
 * to nothing and made another with that tool, and none since the first of them made it as the step does. Neither what
 * somebody calls bad nor a run that found no other way is such a word. `examples`: newest first. Pure.
 */
export function stillHolding(playbook: Playbook, examples: readonly Example[]): Holding {
  const seen = examples.map((example): Seen => ({ example, played: play(playbook, example) }));
  const witness = witnessesOf(
    examples.filter(({ verdict }) => verdict === 'good'),
    playbook.meta.kind,
  );
  const over = new Set<Example>();
  let knownBy: Example | null = null;
  for (let step = 1; step <= playbook.steps.length; step += 1) {
    const against = seen.filter((one) => contradicts(one, step)).map(({ example }) => example);
    const oldest = against.at(-1);
    const proof = against.findLast((one) => oldest !== undefined && witness(one) !== witness(oldest));
    if (oldest === undefined || proof === undefined) continue;
    const first = examples.indexOf(oldest);
    if (seen.slice(0, first).some((one) => bearsOut(one, step))) continue;
    const before = seen.slice(first + 1).filter((one) => bearsOut(one, step));
    for (const { example } of before) over.add(example);
    if (before.length > 0) knownBy ??= proof;
  }
  return { examples: examples.filter((one) => !over.has(one)), knownBy };
}

const bearsOut = ({ example, played }: Seen, step: number): boolean =>
  example.verdict === 'good' && played.calls.some((call) => call.step === step && call.isKnown);

function contradicts({ example, played }: Seen, step: number): boolean {
  const call = played.calls.find((one) => one.step === step && !one.isKnown);
  if (call === undefined || example.verdict !== 'good') return false;
  const isWrong = example.forbidden.some((one) => effectKey(one) === effectKey(call));
  return isWrong && example.expected.some(({ tool }) => tool === call.tool);
}
