import type { CheckedAnswer } from '#contract';
import type { RegisteredHook, Registry } from '../../extensions/types.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { messageOf } from '../../lib/error-message.ts';
import type { Gap, GapKind, GateVerdict } from '../../record/decisions.ts';
import type { ChangedSource } from './citations.ts';
import type { JudgedStatement } from './claims.ts';
import { type ContractVerdict, gapOf, type Undone, undoneGapOf, wantedGapOf } from './contract.ts';

/** What is known of an answer when it is checked. */
interface Answer {
  readonly contract: ContractVerdict;
  /** What was asked for, or is said to be done, and is not on record. */
  readonly undone?: readonly Undone[];
  readonly claims: readonly JudgedStatement[];
  /** What others have changed since it was looked up. */
  readonly changed?: readonly ChangedSource[];
  /** What was decided since the run was told that it waits. */
  readonly settled?: readonly string[];
  readonly found: HookChecks['found'];
}

/** Looks at one thing of an answer. What it names, the model is told, once; the words of the answer stay as they are. */
interface AnswerCheck {
  readonly name: GapKind;
  readonly gaps: (answer: Answer) => readonly string[];
}

const MAX_CLAIMS = 10;
const MAX_CHANGED = 10;

/** All checks of an answer, in the order in which the model is told of them. Pure. */
export const CHECKS: readonly AnswerCheck[] = [
  {
    name: 'contract',
    gaps: ({ contract: { missing, wanted = [] }, undone }) => [
      ...missing.map(gapOf),
      ...(undone === undefined ? wanted.map(wantedGapOf) : undone.map(undoneGapOf)),
    ],
  },
  {
    name: 'claims',
    gaps: ({ claims }) =>
      claims
        .filter(({ verdict }) => verdict === 'unsupported' || verdict === 'contradicted')
        .slice(0, MAX_CLAIMS)
        .map(({ kind, n, claim, why }) => `${kind} [${n}] "${claim}": ${why}.`),
  },
  {
    name: 'changed',
    gaps: ({ changed = [] }) =>
      changed
        .slice(0, MAX_CHANGED)
        .map(
          ({ source, cite }) =>
            `"${source}"${cite ? ` (${cite})` : ''} has changed since you looked at it. Look at it again, answer by what it says now, and cite the new result.`,
        ),
  },
  { name: 'settled', gaps: ({ settled = [] }) => settled },
  { name: 'hooks', gaps: ({ found }) => found.map(({ text }) => text) },
];

/** What the decision looks at. */
export const verdictOf = (answer: Answer): GateVerdict => ({
  gaps: CHECKS.flatMap(({ name: check, gaps }) => gaps(answer).map((text): Gap => ({ check, text }))),
  isIncomplete: answer.contract.missing.length + answer.contract.not_done.length + answer.found.length > 0,
});

const CHECK_MS = 5000;
const MAX_FINDINGS = 5;
const MAX_CHARACTERS = 500;
const CODE = /^[a-z0-9_]{1,64}$/;

/** What hooks found of an answer, and which of them could not look. */
export interface HookChecks {
  readonly found: readonly { readonly by: string; readonly code: string; readonly text: string }[];
  readonly unchecked: readonly { readonly by: string; readonly reason: string }[];
}

/** Asks every hook that checks answers, side by side; null: there is none. Rejects only when `signal` ends the run. */
export async function checkedByHooks(
  hooks: Pick<Registry<RegisteredHook>, 'all'>,
  answer: CheckedAnswer,
  signal: AbortSignal,
): Promise<HookChecks | null> {
  const asked = hooks.all().filter(({ definition }) => definition.check);
  if (asked.length === 0) return null;
  const all = await Promise.all(asked.map((hook) => checkedBy(hook, answer, signal)));
  return { found: all.flatMap(({ found }) => found), unchecked: all.flatMap(({ unchecked }) => unchecked) };
}

/** The same for the answers of one run. */
export const answerChecker =
  (
    hooks: Pick<Registry<RegisteredHook>, 'all'>,
    { persona, sender, tier }: CheckedAnswer['run'],
    signal: AbortSignal,
  ) =>
  (answer: Omit<CheckedAnswer, 'run'>): Promise<HookChecks | null> =>
    checkedByHooks(hooks, { ...answer, run: { persona, sender, tier } }, signal);

async function checkedBy(hook: RegisteredHook, answer: CheckedAnswer, signal: AbortSignal): Promise<HookChecks> {
  const { name, definition, config, log, failure } = hook;
  const by = `hook ${name}`;
  const cannot = (reason: string): HookChecks => ({ found: [], unchecked: [{ by, reason: short(reason) }] });
  const isOff = failure?.() ?? null;
  if (isOff !== null) return cannot(isOff);
  try {
    const found: unknown = await withDeadline(
      async (own) => (await definition.check?.(answer, { config, log, signal: own })) ?? [],
      { ms: CHECK_MS, code: 'timeout', what: by, parent: signal },
    );
    if (!Array.isArray(found)) return cannot('it answered something else than a list');
    return { found: found.slice(0, MAX_FINDINGS).flatMap((one) => findingOf(by, one)), unchecked: [] };
  } catch (error) {
    signal.throwIfAborted();
    return cannot(`it failed: ${messageOf(error)}`);
  }
}

/** A hook may give back anything; what says nothing is no finding. */
function findingOf(by: string, one: unknown): HookChecks['found'] {
  const given = (key: string): unknown => (typeof one === 'object' && one !== null ? Reflect.get(one, key) : undefined);
  const [code, message] = [given('code'), given('message')];
  if (typeof message !== 'string' || message.trim() === '') return [];
  return [{ by, code: typeof code === 'string' && CODE.test(code) ? code : 'finding', text: short(message.trim()) }];
}

const short = (text: string): string => text.slice(0, MAX_CHARACTERS).toWellFormed();
