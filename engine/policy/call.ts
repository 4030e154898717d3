import type { Preview, Risk, ToolCall } from '#contract';
import type { RegisteredTool } from '../extensions/types.ts';
import type { CallVerdict } from '../record/decisions.ts';
import type { RunInHand } from '../storage/ports/runs.ts';
import type { Tier, Viewer } from '../storage/types/mail.ts';
import type { Permission } from './permission.ts';

export interface CallError {
  readonly code: string;
  readonly message: string;
  readonly required?: readonly string[];
  /** What may be done in place of a refused call. */
  readonly hint?: string;
  /** It was over a limit, and nothing else was wrong with it. */
  readonly too_many?: true;
  readonly retryable?: boolean;
  readonly retry_after_ms?: number | null;
  /** The same as a time of day, for whoever plans. */
  readonly retry_after?: string;
}

/** One call of a turn after all questions were asked and before anything was done. */
export type Prepared = Executable | Refused;

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

export interface Refused {
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

/** The person for whom a run's calls were made; null: an owner. */
export type Asker = { readonly address: string; readonly tier: Tier } | null;

type Principal = Pick<RunInHand, 'sender' | 'tier' | 'thread_id' | 'readers'>;

/**
 * With whose eyes a run looks at mail. An owner sees all. Anybody else sees what they sent and what was addressed to
 * them; somebody who is only known on a thread, of that thread alone. An address that nobody proved is nobody's eyes:
 * whoever writes under it would read what is its holder's. Where others get the answer as well, it is what all of them
 * may see, also for an owner, who chose them for this mail and not for every other.
 */
export function viewerOf({ sender, tier, thread_id, readers = [] }: Principal): Viewer {
  const [first, ...rest] = readers;
  if (tier === 'owner') return first === undefined ? null : { address: first, threadId: null, also: rest };
  const one = { address: provenSender({ sender, tier }), threadId: tier === 'known' ? thread_id : null };
  return first === undefined ? one : { ...one, also: readers };
}

/** Others than its sender and owners get the answer of the run. */
export const hasReaders = ({ readers = [] }: Pick<RunInHand, 'readers'>): boolean => readers.length > 0;

export const askerOf = (run: Pick<Principal, 'sender' | 'tier'>): Asker =>
  run.tier === 'owner' ? null : { address: provenSender(run), tier: run.tier };

const provenSender = ({ sender, tier }: Pick<Principal, 'sender' | 'tier'>): string =>
  tier === 'unauthenticated' ? '' : (sender ?? '');
