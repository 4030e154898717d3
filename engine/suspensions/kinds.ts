import type { Asks, Json } from '#contract';
import type { Approval, ApprovalKind } from '../storage/types/approvals.ts';
import type { Suspension } from '../storage/types/suspensions.ts';
import type { AskedKind } from './kind.ts';
import { answer } from './kinds/answer.ts';
import { call } from './kinds/call.ts';
import { delegation } from './kinds/delegation.ts';
import { external } from './kinds/external.ts';
import { plan } from './kinds/plan.ts';
import type { Begins, OutsideKind, Wait } from './outside.ts';

/** Everything that owners can be asked. Whoever treats one otherwise than another asks this table. */
export const ASKED: { readonly [Kind in ApprovalKind]: AskedKind } = { call, answer, plan };

export const askedKind = ({ kind }: Pick<Approval, 'kind'>): AskedKind => ASKED[kind];

/** What owners are asked about the calls of a tool, by what it declares. */
export const kindOfTool = ({ asks }: { readonly asks?: Asks }): ApprovalKind => asks ?? 'call';

/** What a tool of that kind declares; absent where its calls are made. */
export const declaredAs = (kind: ApprovalKind): { readonly asks?: Asks } => (kind === 'call' ? {} : { asks: kind });

/** Everything else that a run can wait for. */
const OUTSIDE: Readonly<Record<string, OutsideKind>> = { external, delegation };

/** Undefined for one that a later version has left. */
export const outsideKind = ({ kind }: Pick<Suspension, 'kind'>): OutsideKind | undefined =>
  Object.hasOwn(OUTSIDE, kind) ? OUTSIDE[kind] : undefined;

/** Whether what a tool gave back says that its call waits for something; null: it is its result. */
export function waitIn(answer: Json, tool: Begins, now: number): Wait | null {
  for (const [kind, { begins }] of Object.entries(OUTSIDE)) {
    const wait = begins(answer, tool, now);
    if (wait) return { kind, ...wait };
  }
  return null;
}
