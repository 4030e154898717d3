import { type CallReason, EngineError, type Preview, type Risk, type ToolCall } from '#contract';
import type { RegisteredTool } from '../extensions/types.ts';
import type { CallVerdict } from '../record/decisions.ts';
import type { Permission } from './permission.ts';

export interface CallError {
  readonly code: string;
  readonly message: string;
  readonly required?: readonly string[];
  /** What may be done in place of a refused call. */
  readonly hint?: string;
  /** It was over a limit, and nothing else was wrong with it. */
  readonly too_many?: true;
  /** What people are told in place of `message`. */
  readonly reason?: CallReason;
  readonly retryable?: boolean;
  readonly retry_after_ms?: number | null;
  /** The same as a time of day, for whoever plans. */
  readonly retry_after?: string;
}

/** Beside the message of what a tool threw. */
export const reasonOf = (error: unknown): Pick<CallError, 'reason'> =>
  error instanceof EngineError && error.reason !== null ? { reason: error.reason } : {};

/** One call of a turn after all questions were asked and before anything was done. */
export type Prepared = Executable | RefusedCall;

/** May run at once, or once an owner has said so. */
export interface Executable {
  readonly verdict: 'run' | 'needs_approval';
  readonly call: ToolCall;
  readonly tool: RegisteredTool;
  readonly args: unknown;
  readonly risk: Risk;
  readonly permission: Permission;
  /** What it would change; null where nobody has to be asked, or where the tool cannot say. */
  readonly preview: Preview | null;
  /** What it touches, as a person would name it. */
  readonly targets: readonly string[];
  /** Everybody whom it goes to; absent where its tool does not say. */
  readonly recipients?: readonly string[];
  /** It waits for no other call of its turn. */
  readonly apart?: true;
  /** The calls of a plan, in order. */
  readonly steps?: readonly Executable[];
  /** The steps are calls of the turn itself, put before the owners as one. */
  readonly joined?: true;
  /** What an owner approved of it; absent for a call that policy let run. */
  readonly approved?: Approved;
}

/**
 * When it is asked what a call would do: where an owner has to decide; also where policy would let it run, since an
 * owner decides or decided about it nevertheless; or never, since it was begun before and may have done it already.
 */
export type Previewing = 'if_asked' | 'always' | 'never';

/** Told apart by what they have, not by their verdict alone: the compiler cannot split a union of unions. */
export const isExecutable = (next: Prepared): next is Executable => 'tool' in next;

export interface RefusedCall {
  readonly verdict: Exclude<CallVerdict, 'run' | 'needs_approval'>;
  readonly call: ToolCall;
  readonly error: CallError;
  readonly permission: Permission | null;
}

/** What an owner said yes to, as far as it is more than the call's arguments. */
export interface Approved {
  /** Hash of the preview that the owner was shown; null where the arguments said all. */
  readonly basis: string | null;
}
