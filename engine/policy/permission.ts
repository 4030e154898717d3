import type { PolicyCode, Restriction, Risk } from '#contract';
import type { OwnWords } from '../record/own-words.ts';
import type { ForeignValue } from '../storage/types/approvals.ts';
import type { Tier } from '../storage/types/mail.ts';

import type { Standing } from './standing-rules.ts';
import type { SurfaceRefusal } from './surface.ts';
/** All that the governor was told of one call. Stored with its answer, so that it can be judged again. */
export interface PermissionQuestion {
  /** Why the tool is off the surface. */
  readonly surface: SurfaceRefusal | null;
  readonly risk: Risk;
  readonly tier: Tier;
  /** What the gateway's policy says of the call, the most specific first. */
  readonly layers: readonly Layer[];
  /**
   * To whom mail would go: to owners alone; to them or the one for whom the mail was sent that this run answers; to
   * people known on the thread or named to the run; or to somebody new.
   */
  readonly mail: 'none' | 'owners' | 'asker' | 'known' | 'new';
  /** The mail of somebody who is only known answers one of ours: the run may tell those for whom it was sent. */
  readonly tellsBack?: true;
  /** It erases only what the sender of the run's own mail has told of themselves; absent: it does not. */
  readonly forgetsOwn?: true;
  /** The run has read what somebody else wrote: a web page, a file, other mail. */
  readonly tainted: boolean;
  /** Addresses, URLs, hosts and amounts that stand in no trusted text, once others' words were read; absent: none. */
  readonly values?: readonly ForeignValue[];
  /** The server that the tool is of, as `mcp:<name>`; absent where it is of none. */
  readonly source?: string;
  /** The tool holds a secret; absent where it has none. */
  readonly secrets?: true;
  /** There is somebody who could be asked for approval. */
  readonly canAsk: boolean;
  /** A limit of calls that is used up; absent: none. */
  readonly quota?: QuotaSpent;
  /** Whether the owner's mail that began the run is the yes to it; absent: it was not asked, and is not. */
  readonly ownWords?: OwnWords;
  /** What rules that owners have said have to do with it; absent: nothing. */
  readonly standing?: Standing;
  /** It would let later calls go without a question, or is about rules that contradict each other; absent: it would not. */
  readonly widens?: true;
  /** What hooks of the workspace have against it; absent: nothing. */
  readonly restrictions?: readonly FromHook[];
}

/** A restriction and the hook that it is of, as `hook <name>`. */
export type FromHook = Restriction & { readonly by: string };

export interface Layer {
  readonly decision: 'allow' | 'approve' | 'deny';
  readonly by: string;
  /** The conditions that a rule puts on the arguments. */
  readonly when?: Readonly<Record<string, string>>;
}

/** `asked` is absent where a record does not tell it. */
export type Permission = { readonly risk: Risk; readonly by: string; readonly asked?: PermissionQuestion } & (
  | { readonly verdict: 'allow' | 'approve' }
  | { readonly verdict: 'deny'; readonly code: PolicyCode }
);

/** A limit of calls that is used up. */
export interface QuotaSpent {
  readonly code: 'policy_quota_exceeded' | 'policy_rate_limited';
  readonly limit: 'max_per_run' | 'max_per_day' | 'calls_per_sender_per_hour';
  readonly most: number;
  /** When the next call is possible, and how long that was away; null: never in this run. */
  readonly retry_at: number | null;
  readonly retry_after_ms: number | null;
}
