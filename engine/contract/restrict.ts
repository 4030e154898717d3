import type { Json } from './json.ts';
import type { Risk, Scope } from './tool.ts';

/** A tool as a hook sees it that restricts. */
export interface RestrictedTool {
  readonly name: string;
  /** As declared; of a call, raised by what its arguments would touch. */
  readonly risk: Risk;
  readonly scope: Scope;
  /** `folders`, or the server that it is of, as `mcp:<name>`. */
  readonly source: string;
}

/** Whose tools they are, and for whom they would work. */
export interface RestrictedRun {
  readonly persona: string;
  /** Who wrote the mail; null for a task and where nobody did. */
  readonly sender: string | null;
  /** What that gives them: `owner`, `member`, `known`, `unauthenticated` or `stranger`. */
  readonly tier: string;
}

/** One call that the gateway's own judges would let run, or put before an owner. */
export interface RestrictedCall {
  readonly tool: RestrictedTool;
  readonly arguments: Json;
  readonly run: RestrictedRun;
  /** The run has read what somebody else wrote. */
  readonly tainted: boolean;
}

/** `ask`: an owner has to say yes. `deny`: it is not made. The reason stands in the trace, and is mailed to nobody. */
export interface Restriction {
  readonly verdict: 'ask' | 'deny';
  readonly reason: string;
}
