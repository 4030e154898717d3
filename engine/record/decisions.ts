/** Why a run ended before it was finished: the codes of a `partial` outcome. */
export type PartialCode =
  | 'max_tool_turns'
  | 'max_tool_calls'
  | 'budget'
  | 'timeout'
  | 'duplicate_calls'
  | 'consecutive_failures'
  | 'repeated_crash'
  | 'provider'
  | 'unparsable'
  | 'contract'
  | 'cut_off';

/** What became of one call of a turn before anything was executed. */
export type CallVerdict =
  | 'run'
  | 'invalid'
  | 'unknown'
  | 'denied'
  | 'skipped'
  | 'act_directly'
  | 'needless'
  | 'needs_approval';

/** What just happened; model output is an event, never a command. */
export type LoopEvent =
  | { readonly type: 'begin' }
  | { readonly type: 'calls'; readonly verdicts: readonly CallVerdict[] }
  | Final
  | { readonly type: 'refusal' }
  /** Calls of an answer that broke off: none of them is made. */
  | { readonly type: 'cut_calls' }
  | Unparsable
  /** The calls of the turn have their results, or there is no money for the next turn: what follows is told by the state alone. */
  | { readonly type: 'observed' }
  | { readonly type: 'provider_exhausted'; readonly code: string }
  | { readonly type: 'terminal'; readonly code: string };

export interface Unparsable {
  readonly type: 'unparsable';
  readonly why?: 'blank' | 'unreadable' | 'markup' | 'repeats';
}

export interface Final {
  readonly type: 'final';
  readonly text: string;
  /** False when the answer broke off, at the limit of output tokens or otherwise. */
  readonly whole: boolean;
  /** The model says of its answer that it only asks the sender something. */
  readonly asks: boolean;
  /** Its vendor calls it whole, and it ends within an open block of code or row of a table. */
  readonly open?: true;
  /** It says that the mail needs no answer, as it was told how to. */
  readonly nothing?: boolean;
  /** What the final gate found. */
  readonly gate?: GateVerdict;
}

/** What the checks (evidence/checks.ts) found of an answer, as far as the decision looks at it. */
export interface GateVerdict {
  /** What the model can mend, in the order of the checks. */
  readonly gaps: readonly Gap[];
  /** What the contract asks for is not all there: nobody tried it or declared it, or it was refused or failed; or a hook finds something. */
  readonly isIncomplete: boolean;
}

/** One thing that a check found wrong, in words for the model. */
export interface Gap {
  readonly check: GapKind;
  readonly text: string;
}

/** The run as it stands, by counts: all that the decision may look at. */
export interface Snapshot {
  readonly cancelled: boolean;
  readonly crashes: number;
  readonly activeMs: number;
  /** Turns with calls; of these, the turns in which at least one call was executed. */
  readonly toolTurns: number;
  readonly toolSteps: number;
  readonly toolCalls: number;
  /** Turns in a row whose calls failed; calls, in runs of older versions. */
  readonly consecutiveFailures: number;
  /** For how many turns in a row the newest calls were all made before, with the same arguments. */
  readonly sameCallStreak: number;
  readonly anySucceeded: boolean;
  readonly repairs: number;
  /** How often the model was asked to go on with an answer that broke off. */
  readonly continued: number;
  /** What the model was told that its answer lacks. */
  readonly gapsNamed: readonly GapKind[];
  /** Set while the one last call without tools is under way, with its reason. */
  readonly lastCall: PartialCode | null;
  /** A budget that the next model call would overrun. */
  readonly budgetSpent: boolean;
  /** Calls that wait: for an owner who was asked, or for a result from elsewhere. */
  readonly unresolved: number;
  /** Calls of this turn that need an owner's word, and that nobody was asked about yet. */
  readonly held: number;
  /** Calls that owners are asked about once the run has answered. */
  readonly waits: number;
  /** It only carries out what was decided about calls of another run. */
  readonly isDecided?: boolean;
  /** All that the contract asks for is done, and no words are wanted. */
  readonly metByState: boolean;
  readonly limits: {
    readonly maxToolTurns: number;
    /** `step_caps`; null where none is set. */
    readonly maxToolSteps: number | null;
    readonly maxToolCalls: number;
    readonly maxConsecutiveFailures: number;
    /** Whether a text that broke off is gone on with. */
    readonly goesOn: boolean;
    /** Failures are counted by turns, and the model has a last word after them; not in runs of older versions. */
    readonly byTurns: boolean;
    readonly runTimeoutMs: number;
  };
}

/**
 * An answer may lack what its contract asks for, declare what is not so, rest on what has changed since, be overtaken by an owner's
 * decision, or be found wanting by a hook. The model is told once of each.
 */
export type GapKind = 'contract' | 'claims' | 'changed' | 'settled' | 'hooks';

/** Why a run ends that only carries out what was decided. */
export const DECIDED = 'decided';
/** Why one waits whose model has ended its turn without a word: for what owners are asked about. */
export const LEFT_WAITING = 'left_waiting';

export type LoopDecision =
  | {
      readonly decision: 'CONTINUE_MODEL_LOOP';
      readonly reason: string;
      readonly lastCall?: PartialCode;
      /** What the model is told about its answer before it is asked again, and of which kind that is. */
      readonly gap?: string;
      readonly about?: readonly GapKind[];
    }
  | { readonly decision: 'EXECUTE_TOOL'; readonly reason: string }
  | { readonly decision: 'WAIT_FOR_APPROVAL'; readonly reason: string }
  | { readonly decision: 'FINAL'; readonly reason: string; readonly outcome: 'final' | 'clarification' | 'refusal' }
  /** `empty`: the model said nothing, which is no answer that could not be read. */
  | { readonly decision: 'FINAL_PARTIAL'; readonly reason: PartialCode; readonly empty?: boolean }
  | { readonly decision: 'FAIL'; readonly reason: string };
