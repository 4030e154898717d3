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

/**
 * What one tool gets to work with. Of a tool that says what it uses these capabilities are there and no other key. To
 * one that does not say, a capability that its manifest did not ask for is there by name only: touching it throws, so
 * that a manifest is the whole truth about what a tool can do.
 */
export function toolContext(
  tool: RegisteredTool,
  run: { persona: ToolContext['persona']; threadId: string; runId: string; log: Log },
  capabilities: Capabilities,
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
  const granted = <Name extends CapabilityName>(name: Name): Capabilities[Name] => {
    if (tool.manifest.capabilities.includes(name)) return asEngine(capabilities[name]);
    throw new EngineError(
      'unsupported_runtime_action',
      `${tool.name} uses "${name}", which its manifest does not ask for`,
    );
  };
  const names = tool.definition.uses ?? CAPABILITY_NAMES;
  const guarded = names.map((name) => [name, { enumerable: true, get: () => granted(name) }]);
  return Object.defineProperties(context, Object.fromEntries(guarded)) as ToolContext;
}
