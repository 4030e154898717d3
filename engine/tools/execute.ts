import { EngineError, type Json, type ToolContext } from '#contract';
import { isShallow } from '#contract/http';
import type { RegisteredTool } from '../extensions/types.ts';
import { withDeadline } from '../lib/deadline.ts';
import { messageOf } from '../lib/error-message.ts';
import { anyJson, parseJson } from '../lib/json.ts';
import type { CallError, Executable } from '../policy/call.ts';
import type { ResultFacts } from '../record/result-facts.ts';
import { waitIn } from '../suspensions/kinds.ts';
import type { Outcome, Wait } from '../suspensions/outside.ts';
import type { MadeCall } from './context.ts';
import { declaredFacts } from './declared-facts.ts';
import type { Executed } from './observe/executed.ts';

/** Codes a tool may throw that mean something to the engine; all else it throws is its own failure. */
const OWN_CODES = new Set([
  'not_found',
  'invalid_arguments',
  'unsupported_runtime_action',
  'outbound_transport_not_configured',
  'tool_timeout',
  'cancelled',
]);

const timeoutOf = ({ manifest }: RegisteredTool): number | null =>
  manifest.timeout_s === undefined ? null : manifest.timeout_s * 1000;

/** Runs one prepared call under its deadline. Whatever the tool does, a result comes back. */
export async function executeCall(
  prepared: Pick<Executable, 'tool' | 'args'> & Partial<Pick<Executable, 'call' | 'approved'>>,
  options: {
    contextFor(tool: RegisteredTool, signal: AbortSignal, made?: MadeCall | null): ToolContext;
    defaultTimeoutMs: number;
    signal: AbortSignal;
    now(): number;
  },
  /** What is run in place of the call itself. */
  run = (context: ToolContext): Promise<Json> => prepared.tool.call(prepared.args, context),
): Promise<Executed> {
  const { tool, call, approved } = prepared;
  const made = call ? { call, ...(approved && { approved }) } : null;
  const started = options.now();
  const ended = () => {
    const at = options.now();
    return { ms: at - started, at };
  };
  try {
    const result = await withDeadline((signal) => run(options.contextFor(tool, signal, made)), {
      ms: timeoutOf(tool) ?? options.defaultTimeoutMs,
      code: 'tool_timeout',
      what: tool.name,
      parent: options.signal,
    });
    return { ...checkResult(tool, result, options.now), ...ended() };
  } catch (error) {
    const code = error instanceof EngineError && OWN_CODES.has(error.code) ? error.code : 'tool_failed';
    const isStale = error instanceof EngineError && error.code === 'approval_stale';
    const message = withoutHostPaths(messageOf(error)).slice(0, 1000);
    return { ok: false, error: { code, message }, ...(isStale ? { isStale } : {}), ...ended() };
  }
}

/** A folder of this machine, as Node's own errors name it; a path inside a URL or a persona's files does not begin so. */
const HOST_PATH = /(?<![\w:/.<>-])\/(?:[^\s'"`(),:;/<>]+\/)+[^\s'"`(),:;/<>]*/g;

/** What a tool throws goes to a model, and in its words to whoever wrote: neither needs to know how this disk is laid out. */
const withoutHostPaths = (message: string): string => message.slice(0, 4000).replaceAll(HOST_PATH, '<path>');

/** Of what was brought from elsewhere for a call that was made before. */
export function broughtFor(tool: RegisteredTool, result: unknown): Outcome {
  const checked = checkResult(tool, result, () => 0);
  if (checked.ok && checked.wait)
    return { ok: false, error: { code: 'invalid_result', message: 'it is no result yet' } };
  if (!checked.ok) return { ok: false, error: { code: checked.error.code, message: checked.error.message } };
  return { ok: true, result: checked.result, ...(checked.facts && { facts: checked.facts }) };
}

const beginsOf = ({ definition, manifest }: RegisteredTool) => ({
  hasCheck: definition.check !== undefined,
  delegates: manifest.capabilities.includes('delegation'),
});

/** What was done is done; a result that cannot be stored cannot be shown to a model either. */
function checkResult(
  tool: RegisteredTool,
  result: unknown,
  now: () => number,
): { ok: true; result: Json; facts?: ResultFacts; wait?: Wait } | { ok: false; error: CallError } {
  const invalid = (message: string) => ({ ok: false, error: { code: 'invalid_result', message } }) as const;
  try {
    const json = JSON.stringify(result ?? null);
    if (json === undefined) return invalid('the result is no JSON');
    const plain = parseJson(anyJson, json);
    // Everything after this walks the result by recursion.
    if (!isShallow(plain)) return invalid(`the result is nested more than 200 levels deep`);
    const wait = waitIn(plain, beginsOf(tool), now());
    if (wait) return { ok: true, result: plain, wait };
    const checked = tool.validateOutput(plain);
    if (!checked.ok) return invalid(checked.message);
    const facts = declaredFacts(tool.definition, plain);
    return { ok: true, result: plain, ...(facts && { facts }) };
  } catch (error) {
    return invalid(messageOf(error).slice(0, 1000));
  }
}
