import type { Json, ToolCall } from '#contract';
import type { FromHook } from '../policy/permission.ts';
import { BY_PLAYBOOK } from '../policy/refusal.ts';
import type { PinnedPlaybook } from '../record/codec/playbook.ts';
import { allHold, type PlaybookScope } from './places.ts';

const RESTRICTING: ReadonlySet<PinnedPlaybook['mode']> = new Set(['filter', 'policy'] as const);

/** What a playbook has against one call; empty: nothing. It denies and never allows. Pure. */
export function restrictionsOf(
  pinned: PinnedPlaybook | undefined,
  call: { readonly tool: string; readonly args: Json },
  scope: PlaybookScope,
): readonly FromHook[] {
  if (!pinned || !RESTRICTING.has(pinned.mode)) return [];
  const { deny } = pinned.playbook.narrow;
  const inScope = { ...scope, arguments: call.args };
  const rule = deny.find(({ tool, when = [] }) => tool === call.tool && allHold(when, inScope));
  return rule ? [{ by: `${BY_PLAYBOOK}${rule.rule}`, verdict: 'deny', reason: rule.reason }] : [];
}

/** The call with the arguments that the playbook has for it and the model has not given. Pure. */
export function withDefaults(pinned: PinnedPlaybook | undefined, call: ToolCall): ToolCall {
  if (!pinned || !RESTRICTING.has(pinned.mode)) return call;
  const own = Object.hasOwn(pinned.playbook.defaults, call.name) ? pinned.playbook.defaults[call.name] : undefined;
  const given = call.arguments ?? (call.rawArguments === undefined ? {} : null);
  if (own === undefined || typeof given !== 'object' || given === null || Array.isArray(given)) return call;
  const added = Object.entries(own).filter(([name]) => !Object.hasOwn(given, name));
  return added.length === 0 ? call : { ...call, arguments: { ...given, ...Object.fromEntries(added) } };
}
