import {
  CAPABILITY_NAMES,
  type Capabilities,
  type CapabilityName,
  EngineError,
  type Log,
  type ToolContext,
} from '#contract';
import { asEngine } from '../extensions/guard/guard.ts';
import type { RegisteredTool } from '../extensions/types.ts';
import type { Executable } from '../policy/call.ts';

/** The call that a tool works for, as against one that is only prepared or looked after. */
export type MadeCall = Pick<Executable, 'call' | 'approved'>;

/**
 * What one tool gets to work with. Of a tool that says what it uses these capabilities are there and no other key. To
 * one that does not say, a capability that its manifest did not ask for is there by name only: touching it throws, so
 * that a manifest is the whole truth about what a tool can do.
 */
export function toolContext(
  tool: RegisteredTool,
  run: { persona: ToolContext['persona']; threadId: string; runId: string; log: Log },
  capabilities: Partial<Capabilities>,
  signal: AbortSignal,
): ToolContext {
  const log = { ofTool: null as Log | null };
  const context = {
    persona: run.persona,
    threadId: run.threadId,
    runId: run.runId,
    config: tool.config,
    secrets: tool.secrets(),
    signal,
    // Made where a tool writes to it: most never do.
    get log() {
      log.ofTool ??= run.log.child({ tool: tool.name });
      return log.ofTool;
    },
  };
  const { uses = CAPABILITY_NAMES } = tool.definition;
  for (const name of uses) {
    const part = tool.manifest.capabilities.includes(name) ? capabilities[name] : undefined;
    Object.defineProperty(context, name, part ? { enumerable: true, value: asEngine(part) } : deniedTo(tool, name));
  }
  return context as ToolContext;
}

/** One for all calls: V8 makes an object of them in a quarter of the time that it takes for functions of its own. */
const denied = new WeakMap<RegisteredTool, Map<CapabilityName, PropertyDescriptor>>();

function deniedTo(tool: RegisteredTool, name: CapabilityName): PropertyDescriptor {
  const ofTool = denied.get(tool) ?? new Map<CapabilityName, PropertyDescriptor>();
  const known = ofTool.get(name) ?? {
    enumerable: true,
    get() {
      const message = `${tool.name} uses "${name}", which its manifest does not ask for`;
      throw new EngineError('unsupported_runtime_action', message);
    },
  };
  denied.set(tool, ofTool.set(name, known));
  return known;
}
