import type { CheckedAnswer, Log, Risk, Scope, Whose } from '#contract';
import type { InferenceConfig, Persona } from '../../config/types.ts';
import { type MailScope, scopeOfMail } from '../../learning/places.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { atFirstUse } from '../../lib/kept-value.ts';
import type { Models } from '../../models/models.ts';
import type { FailedCall } from '../../models/whose.ts';
import type { Executable } from '../../policy/call.ts';
import type { Prompt } from '../../policy/prompt.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { PinnedSettings, Target } from '../../record/settings.ts';
import type { LoopState } from '../../record/state.ts';
import { triggerFacts } from '../../record/trigger.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import type { BudgetLimits } from '../../storage/types/budget.ts';
import type { DecidedQuestion } from '../../storage/types/runs.ts';
import type { Packet, Suspension } from '../../storage/types/suspensions.ts';
import type { CallMaker } from '../../tools/execute.ts';
import type { HookChecks } from '../evidence/checks.ts';
import type { Evidence } from '../evidence/evidence.ts';

/** Everything the loop works with, for one run. */
export interface LoopRun extends CallMaker {
  readonly state: LoopState;
  readonly settings: PinnedSettings;
  readonly prompt: Prompt;
  readonly recorder: Recorder;
  readonly store: Pick<Store, 'reserveBudget'>;
  readonly models: Omit<Models, 'mayBeUnpriced'>;
  /** A model has answered: whoever waits for one may go on. */
  answered(target: Target): void;
  /** It was refused for its own sake: whoever waits for a model may find out for themselves. */
  refused(): void;
  /** Whose a failure is, as far as what other mails met tells. */
  judge(call: Omit<FailedCall, 'run'>): Whose;
  /** One other mail has failed, and nobody knows whose fault that is: to fail once tells it. */
  isInDoubt(): boolean;
  /** A tool's declared risk; null for one that has left the registry. */
  riskOf(tool: string): Risk | null;
  /** What a tool is for; null for one that has left the registry, and for one that only asks. */
  scopeOf(tool: string): Scope | null;
  /** Call ids of results whose source says something else by now. */
  driftedSources(evidence: readonly Evidence[]): Promise<ReadonlySet<string>>;
  /** What the run was told to wait and was decided since, in words for the model. */
  settledSince(): Promise<readonly string[]>;
  /** What hooks have against an answer of the model's; null: none looks at answers. */
  checkByHooks(answer: Omit<CheckedAnswer, 'run'>): Promise<HookChecks | null>;
  readonly artifacts: Blobs;
  readonly prices: InferenceConfig['prices'];
  readonly allowUnpriced: boolean;
  readonly budget: BudgetLimits;
  /** Of it and all runs that it, or what began it, has begun; null where it neither began one nor may. */
  readonly treeBudget: BudgetLimits | null;
  /** The day that costs are booked on, in the persona's zone. */
  readonly day: string;
  readonly crashes: number;
  /** What owners were asked about in this run. */
  readonly approvals: readonly Approval[];
  /** What its calls wait, or have waited, for that nobody is asked about. */
  readonly suspensions: readonly Suspension[];
  /** Later mails of the same sender. */
  readonly further: {
    /** Whether there are any that are answered with the run's own. */
    hasCome(): Promise<boolean>;
    /** The end that is about to be staged is only written where there are none by then. */
    endsUnless(): void;
  };
  /** Calls of this turn that are to be put before an owner, by call id. */
  readonly held: Map<string, Executable>;
  /** It only carries out what was decided about calls of another run, which had answered before. */
  readonly decided: DecidedQuestion | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly pass: PassCrashPoint;
  readonly log: Log;
  /** What a playbook may look at of the mail. */
  mailScope(): MailScope;
  /** Names of the files of its mail, by their ids. */
  readonly attachments: ReadonlyMap<string, string>;
  /** Nobody waits for an answer, so an empty one is one. */
  readonly maySayNothing: boolean;
  /** Its mail may need no answer. */
  readonly mayLeaveUnanswered: boolean;
}

/** What the loop knows of the mail, or of whatever else began the run. */
export function mailOfLoop(
  loaded: LoadedRun,
): Pick<LoopRun, 'mailScope' | 'attachments' | 'maySayNothing' | 'mayLeaveUnanswered' | 'decided'> {
  const { maySayNothing, mayLeaveUnanswered } = triggerFacts(loaded);
  const attachments = new Map(loaded.attachments.map(({ id, name }) => [id, name]));
  const mailScope = atFirstUse(() => scopeOfMail(loaded));
  return { mailScope, attachments, maySayNothing, mayLeaveUnanswered, decided: loaded.decided };
}

/** What a run may spend, and what it and all runs around it may spend together. */
export function budgetsOf(
  { budget, delegation }: Pick<Persona, 'budget' | 'delegation'>,
  packet: Packet | null,
): { readonly budget: BudgetLimits; readonly treeBudget: BudgetLimits | null } {
  const treeBudget = packet !== null || delegation.enabled ? budget : null;
  if (packet === null) return { budget, treeBudget };
  const own = {
    ...budget,
    usd_per_run: leastOf(budget.usd_per_run, packet.usd),
    tokens_per_run: leastOf(budget.tokens_per_run, packet.tokens),
  };
  return { budget: own, treeBudget };
}

const leastOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
