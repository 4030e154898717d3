import type { Asks } from '#contract';
import type { Approval, ApprovalKind } from '../storage/types/approvals.ts';
import type { AskedKind } from './kind.ts';
import { answer } from './kinds/answer.ts';
import { call } from './kinds/call.ts';
import { plan } from './kinds/plan.ts';

/** Everything that owners can be asked. Whoever treats one otherwise than another asks this table. */
export const ASKED: { readonly [Kind in ApprovalKind]: AskedKind } = { call, answer, plan };

export const askedKind = ({ kind }: Pick<Approval, 'kind'>): AskedKind => ASKED[kind];

/** What owners are asked about the calls of a tool, by what it declares. */
export const kindOfTool = ({ asks }: { readonly asks?: Asks }): ApprovalKind => asks ?? 'call';

/** What a tool of that kind declares; absent where its calls are made. */
export const declaredAs = (kind: ApprovalKind): { readonly asks?: Asks } => (kind === 'call' ? {} : { asks: kind });
