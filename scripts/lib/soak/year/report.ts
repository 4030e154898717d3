import type { Kind } from './kinds.ts';
import type { WorkedRun } from './office.ts';

/** Days of the first month, in which nothing is learned yet. */
export const MONTH = 28;
const FALLS_WITHIN = 10;
/** Of the runs until then: where a step fails, the model is to do the work. */
const RIGHT_UNTIL_THEN = 0.5;
const MODES = ['assisted', 'filter', 'policy'] as const;

/** One mail or due time: how it was worked, what it cost and whether what came of it was right. */
export interface Worked {
  readonly day: number;
  readonly kind: string;
  /** False: it is a due time. */
  readonly isMail: boolean;
  /** Null: it was not counted. */
  readonly run: WorkedRun | null;
  readonly calls: number;
  readonly tokens: number;
  readonly right: boolean;
}

interface Change {
  readonly kinds: readonly string[];
  readonly day: number;
}

/** The figures of a year, and what of them is not as it has to be. Pure. */
export function yearReport(
  worked: readonly Worked[],
  year: {
    readonly kinds: readonly Kind[];
    readonly change: Change;
    readonly maxShare: number;
    readonly by: 'runs' | 'owner';
  },
) {
  const own = (work: string) => worked.filter(({ kind }) => kind === work);
  const kinds = year.kinds.map(({ work }) => figuresOf(work, own(work), year.change));
  const uncounted = worked.filter(({ run }) => run === null).length;
  // A new version is proven over examples where runs brought it, and said by the owner where the owner did.
  const known: readonly string[] = ['outcomes', year.by === 'owner' ? 'owner' : 'examples'];
  const overridden = worked.filter(({ run }) => run !== null && !known.includes(run.by)).length;
  const problems = [
    ...(uncounted > 0 ? [`${uncounted} runs have no outcome`] : []),
    ...(overridden > 0 ? [`${overridden} runs had a mode that was set`] : []),
    ...kinds.flatMap((kind) => problemsOf(kind, worked, year.maxShare)),
  ];
  return { ok: problems.length === 0, problems, runs: worked.length, kinds };
}

interface Mean {
  readonly runs: number;
  readonly calls: number;
  readonly tokens: number;
  /** Share of those of which came what had to come. */
  readonly right: number;
}

interface OfKind {
  readonly kind: string;
  readonly first_month: Mean;
  readonly policy: Mean;
  /** Of runs in `policy` while the steps of its playbook were not the wrong ones. */
  readonly right_by_right_steps: number;
  /** Of the first month, what a run in `policy` costs; null: it cost nothing then. */
  readonly calls_share: number | null;
  readonly tokens_share: number | null;
  /** Day on which a mode was first reached. */
  readonly reached: Readonly<Record<(typeof MODES)[number], number | null>>;
  readonly change: {
    readonly day: number;
    /** Runs in `policy` after the change. */
    readonly fell_after: number | null;
    readonly fell_to: string | null;
    /** Of those; they are the ones that `right_by_right_steps` leaves out. */
    readonly right_until_then: number;
    readonly back_on: number | null;
  } | null;
}

function figuresOf(work: string, own: readonly Worked[], { kinds, day }: Change): OfKind {
  const first = meanOf(own.filter((one) => one.day < MONTH));
  const policy = meanOf(own.filter(({ run }) => run?.mode === 'policy'));
  const change = kinds.includes(work) ? afterChange(own, day) : null;
  const isWrong = ({ day: at }: Worked) =>
    change !== null && at >= day && at < (change.back_on ?? Number.POSITIVE_INFINITY);
  const since = (mode: string) => own.find(({ run }) => run?.mode === mode)?.day ?? null;
  return {
    kind: work,
    first_month: first,
    policy,
    right_by_right_steps: meanOf(own.filter((one) => one.run?.mode === 'policy' && !isWrong(one))).right,
    calls_share: share(policy.calls, first.calls),
    tokens_share: share(policy.tokens, first.tokens),
    reached: { assisted: since('assisted'), filter: since('filter'), policy: since('policy') },
    change,
  };
}

/** How a kind fares whose steps have become wrong: runs in `policy` until it fell, and when it was there again. */
function afterChange(own: readonly Worked[], day: number): NonNullable<OfKind['change']> {
  const later = own.filter((one) => one.day >= day);
  const fall = later.findIndex(({ run }) => run?.mode !== 'policy');
  const back = fall < 0 ? undefined : later.slice(fall).find(({ run }) => run?.mode === 'policy');
  return {
    day,
    fell_after: fall < 0 ? null : fall,
    fell_to: later[fall]?.run?.mode ?? null,
    right_until_then: meanOf(later.slice(0, Math.max(0, fall))).right,
    back_on: back?.day ?? null,
  };
}

function meanOf(own: readonly Worked[]): Mean {
  const mean = (of: (one: Worked) => number) =>
    own.length === 0 ? 0 : Math.round((own.reduce((sum, one) => sum + of(one), 0) / own.length) * 1000) / 1000;
  return {
    runs: own.length,
    calls: mean(({ calls }) => calls),
    tokens: mean(({ tokens }) => tokens),
    right: mean(({ right }) => (right ? 1 : 0)),
  };
}

const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1000) / 1000;

function problemsOf(
  { kind, first_month, right_by_right_steps, calls_share, tokens_share, reached, change }: OfKind,
  worked: readonly Worked[],
  maxShare: number,
) {
  const missing = MODES.filter((mode) => reached[mode] === null);
  const shares = { calls: calls_share, tokens: tokens_share };
  const dear = Object.entries(shares).filter(([, one]) => one === null || one > maxShare);
  const early = worked.find((one) => one.kind === kind && one.day < MONTH && one.run?.mode !== 'none');
  return [
    ...missing.map((mode) => `${kind} never reached ${mode}`),
    ...(early ? [`${kind} was not worked without a playbook on day ${early.day}`] : []),
    ...dear.map(([what, one]) => `${kind} costs ${one} of the ${what} of the first month in policy`),
    ...(right_by_right_steps < first_month.right
      ? [`${kind} is right in ${right_by_right_steps}, and was in ${first_month.right}`]
      : []),
    ...(change && (change.fell_after === null || change.fell_after > FALLS_WITHIN)
      ? [`${kind} fell after ${change.fell_after} runs`]
      : []),
    ...(change?.fell_after && change.right_until_then < RIGHT_UNTIL_THEN
      ? [`${kind} is right in ${change.right_until_then} of what was worked by wrong steps`]
      : []),
    ...(change && change.back_on === null ? [`${kind} never came back`] : []),
  ];
}
