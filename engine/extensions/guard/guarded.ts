import type { HarnessProviderAdapter, HookDefinition, ResolverDefinition, ToolDefinition } from '#contract';
import type { Guard } from './guard.ts';

// Definitions whose functions run under their extension's guard. Each is called on the object that was exported, which
// may be one that needs its `this`; all that is no function is that object's own.

export const guardedTool = (tool: ToolDefinition, guard: Guard): ToolDefinition =>
  over(tool, {
    ...(tool.effects && { effects: (...given) => guard.call(async () => tool.effects?.(...given) ?? {}) }),
    ...(tool.preview && { preview: (...given) => guard.call(async () => tool.preview?.(...given) ?? null) }),
    ...(tool.undo && { undo: (...given) => guard.call(async () => tool.undo?.(...given) ?? null) }),
    ...(tool.check && { check: (...given) => guard.call(async () => tool.check?.(...given) ?? null) }),
    ...(tool.provenance && { provenance: (result) => guard.within(() => tool.provenance?.(result) ?? null) }),
    ...(tool.freshness && { freshness: (result) => guard.within(() => tool.freshness?.(result) ?? null) }),
    ...(tool.next && { next: (result) => guard.within(() => tool.next?.(result) ?? null) }),
    ...(tool.ready && { ready: (context) => guard.within(() => tool.ready?.(context) ?? null) }),
    run: (...given) => guard.call(() => tool.run(...given)),
  });

export const guardedResolver = (resolver: ResolverDefinition, guard: Guard): ResolverDefinition =>
  over(resolver, { resolve: (...given) => guard.call(() => resolver.resolve(...given)) });

export const guardedHook = (hook: HookDefinition, guard: Guard): HookDefinition =>
  over(hook, {
    ...(hook.handle && { handle: (...given) => guard.call(() => hook.handle?.(...given)) }),
    ...(hook.narrow && { narrow: (...given) => guard.within(() => hook.narrow?.(...given) ?? null) }),
    ...(hook.judge && { judge: (...given) => guard.call(() => hook.judge?.(...given) ?? null) }),
    ...(hook.check && { check: (...given) => guard.call(() => hook.check?.(...given) ?? []) }),
  });

export const guardedAdapter = (adapter: HarnessProviderAdapter, guard: Guard): HarnessProviderAdapter =>
  over(adapter, {
    generate: (...given) => guard.call(() => adapter.generate(...given)),
    ...(adapter.models && { models: (...given) => guard.call(async () => adapter.models?.(...given) ?? []) }),
  });

/** Inherits from what was exported, which may be frozen, so nothing of it is set. */
function over<Definition extends object>(definition: Definition, functions: Partial<Definition>): Definition {
  const own = Object.entries(functions).map(([name, value]) => [name, { value, enumerable: true }] as const);
  return Object.create(definition, Object.fromEntries(own));
}
