import { shownIn } from '../../record/codec/observation.ts';
import type { CallOutcome } from '../../record/state.ts';
import { DELEGATE } from '../delegated.ts';
import type { ToolFacts } from '../surface.ts';

// What does not taint a run, of all that calls come to. This is the one list of it: whatever does not stand in it does
// taint, whatever kind comes next. For words of mail it is `trusted` of `shown.ts`, and `clean` of our own answers. Not
// tainting never makes a value trusted: an address that stands only there is asked about.

/** Tools of the gateway itself whose result says what the model gave, what was done with it, or what an owner typed. */
const CONFIRMING: ReadonlySet<string> = new Set([
  ...['answer_invitation', 'ask_owner', 'attach', 'delete_file', 'edit_file', 'forget', 'invite', 'propose_plan'],
  ...['propose_playbook', 'remember', 'schedule_task', 'send_email', 'write_file'],
]);

/** Failures of which the engine itself tells, in words of its own. */
const OWN_WORDS: ReadonlySet<string | null> = new Set([
  ...['policy_denied', 'policy_requires_approval', 'policy_rate_limited', 'policy_scope_missing'],
  ...['policy_quota_exceeded', 'skipped', 'side_effect_unknown', 'tool_timeout', 'tool_unknown', 'tool_not_found'],
  ...['outbound_transport_not_configured', 'unsupported_runtime_action', 'storage_failed'],
]);

/** Failures of which the code of a tool tells, also where it is only asked what a call would do. */
const OF_TOOLS: ReadonlySet<string | null> = new Set(['tool_failed', 'invalid_result']);

/** Whether somebody else's words may have come with what a call has come to. `tool`: null where it is not there any more. */
export function taints({ ok, code, made }: CallOutcome, tool: ToolFacts | null): boolean {
  if (!ok && OWN_WORDS.has(code)) return false;
  if (tool?.bundled !== true) return true;
  // Before a call of ours begins only its arguments are looked at.
  if (!ok) return made?.risk !== null || OF_TOOLS.has(code);
  // A child run's answer is as clean as the run was that wrote it.
  if (tool.name === DELEGATE) return !saysClean(made?.content);
  return !CONFIRMING.has(tool.name);
}

function saysClean(content: string | undefined): boolean {
  if (content === undefined) return false;
  const { result } = shownIn(content);
  return typeof result === 'object' && result !== null && Reflect.get(result, 'tainted') === false;
}
