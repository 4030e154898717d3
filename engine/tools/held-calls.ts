import type { CapabilityName, ToolCall } from '#contract';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { type Executable, isExecutable, type Prepared, type RefusedCall } from '../policy/call.ts';
import { refusedByQuota } from '../policy/refusal.ts';
import { HELD } from '../storage/types/runs.ts';
import type { CallMaker } from './execute.ts';

// Calls of a test: what would become of them is found out, and none is made that could leave a trace or lead outside.

/** By what a tool of ours looks at what the persona has here, and at nothing else. */
const OWN: ReadonlySet<CapabilityName> = new Set<CapabilityName>(['mail', 'files', 'artifacts', 'tables', 'knowledge']);

/** What a tool of somebody else does is not known by what it says of itself. */
const isOwnRead = ({ verdict, risk, tool }: Executable): boolean =>
  verdict === 'run' &&
  risk === 'read' &&
  tool.source.isBundled === true &&
  tool.manifest.capabilities.every((name) => OWN.has(name));

/** The same calls, of which only reads of what is the persona's own are made. No limit is used up by them. */
export function holdingCalls({ prepareCall, executeCall, useTool }: CallMaker): CallMaker {
  const asked: CallMaker['useTool'] = (call) => useTool(call, false);
  return {
    useTool: asked,
    async prepareCall(call, previewing) {
      const prepared = await prepareCall(call, previewing);
      if (!isExecutable(prepared) || isOwnRead(prepared)) return prepared;
      const quota = await asked(prepared.call, false);
      return quota === null ? held(prepared) : refusedByQuota(prepared, quota);
    },
    async executeCall(next) {
      if (!isOwnRead(next)) throw new Error(`${next.call.name} was about to be made in a test`);
      return executeCall(next);
    },
  };
}

const BY_VERDICT = {
  run: 'By the rules it would be made.',
  needs_approval: 'By the rules an owner would be asked about it first.',
} as const;

function held({ call, permission, verdict }: Executable): RefusedCall {
  const message = `this is a test: ${call.name} was held, so nothing was done and nobody was asked. ${BY_VERDICT[verdict]}`;
  const hint = 'write the answer that you would write, and say what you would have done';
  return { verdict: 'skipped', call, error: { code: HELD, message, hint, retryable: false }, permission };
}

export const isHeld = (next: Prepared): boolean => !isExecutable(next) && next.error.code === HELD;

/** The tools by which calls are judged: code of others that says what a call would do is not run for that either. */
export const judgedAlone = (tools: Pick<Registry<RegisteredTool>, 'get'>): Pick<Registry<RegisteredTool>, 'get'> => ({
  get: (name: ToolCall['name']) => withoutOwnCode(tools.get(name)),
});

function withoutOwnCode(tool: RegisteredTool | undefined): RegisteredTool | undefined {
  if (tool === undefined || tool.source.isBundled === true) return tool;
  // What is behind a guard has no fields of its own that could be copied.
  const none = { value: undefined };
  const definition: RegisteredTool['definition'] = Object.create(tool.definition, { effects: none, preview: none });
  return { ...tool, definition };
}
