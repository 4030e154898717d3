import { EngineError, type Json, type ToolContext } from '#contract';
import type { RegisteredTool } from '../../extensions/types.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { type CallError, messageOf, type Prepared } from './prepare.ts';

export type Executed =
  | { readonly ok: true; readonly result: Json; readonly ms: number }
  | { readonly ok: false; readonly error: CallError; readonly ms: number };

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
  prepared: Extract<Prepared, { verdict: 'run' }>,
  options: {
    contextFor(tool: RegisteredTool, signal: AbortSignal): ToolContext;
    defaultTimeoutMs: number;
    signal: AbortSignal;
    now(): number;
  },
): Promise<Executed> {
  const { tool, args } = prepared;
  const started = options.now();
  const elapsed = () => options.now() - started;
  try {
    const result = await withDeadline(
      async (signal) => await tool.definition.run(args as never, options.contextFor(tool, signal)),
      {
        ms: timeoutOf(tool) ?? options.defaultTimeoutMs,
        code: 'tool_timeout',
        what: tool.name,
        parent: options.signal,
      },
    );
    // Through JSON: what cannot be stored cannot be shown to a model either.
    const json = JSON.stringify(result ?? null);
    const plain = JSON.parse(json) as Json;
    const checked = tool.validateOutput(plain);
    if (!checked.ok) return { ok: false, error: { code: 'invalid_result', message: checked.message }, ms: elapsed() };
    return { ok: true, result: plain, ms: elapsed() };
  } catch (error) {
    const code = error instanceof EngineError && OWN_CODES.has(error.code) ? error.code : 'tool_failed';
    return { ok: false, error: { code, message: messageOf(error).slice(0, 1000) }, ms: elapsed() };
  }
}
