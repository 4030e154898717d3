import { AsyncLocalStorage } from 'node:async_hooks';
import { statSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  AT_HAND,
  CAPABILITY_NAMES,
  EngineError,
  type HarnessProviderAdapter,
  HOOK_CAPABILITY_NAMES,
  HOOK_EVENT_NAMES,
  type HookDefinition,
  type JsonObject,
  type ProviderDefinition,
  RESOLVER_CAPABILITY_NAMES,
  type ResolverDefinition,
  type ToolDefinition,
} from '#contract';
import type { ExtensionKind } from '../../config/types.ts';
import { RISKS } from '../../lib/risks.ts';
import { hideSecrets } from '../../lib/secrets/secrets.ts';

/** The extension that the code belongs to. */
export interface ExtensionCode {
  readonly kind: ExtensionKind;
  readonly name: string;
  /** Source of the code: a workspace's provider with an `adapter` runs bundled code. */
  readonly source: 'bundled' | 'workspace';
  /** Absolute; what throws from below it is this extension's. */
  readonly folder: string;
  /** The entry, as problems name it. */
  readonly file: string;
}

export interface Guard {
  readonly code: ExtensionCode;
  /** Why it is switched off; null while it is not. */
  failure(): string | null;
  /** Why a hook hears of no event any more; null while it does. What else it does goes on. */
  silenced(): string | null;
  silence(why: string): void;
  /** Runs `work` as this extension: whatever it leaves behind in timers, promises and sockets is known to be its. */
  within<Result>(work: () => Result): Result;
  /** The same for a call. Throws when it is switched off, and rejects as soon as it is: nobody waits for what failed. */
  call<Result>(work: () => Promise<Result> | Result): Promise<Result>;
  /** Takes what it threw where nobody could catch it. Says whether this is news. */
  fail(what: string, error: unknown): boolean;
}

/**
 * Whose code runs now. One for the process, as its timers and promises are: Node carries it along with each of them,
 * also into its handlers of what nobody caught.
 */
const running = new AsyncLocalStorage<Guard | null>();

/** The extension whose code runs, or left behind what runs now; null for the engine's own. */
export const runningExtension = (): Guard | null => running.getStore() ?? null;

/**
 * What an extension is handed works as the engine: a timer or a connection that is made in there may serve others. A
 * promise that comes back is the extension's again, which has to catch it.
 */
export function asEngine<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const result: unknown = running.run(null, () => Reflect.apply(value, target, args));
        return result instanceof Promise ? result.then((settled: unknown) => settled) : result;
      };
    },
  });
}

/** `onFailure` is called once, when it is switched off. What is bundled is the engine's own code and stays on. */
export function createGuard(code: ExtensionCode, onFailure: (guard: Guard, error: unknown) => void): Guard {
  const state: { failure: string | null; silenced: string | null } = { failure: null, silenced: null };
  /** Rejects the calls under way. */
  const waiting = new Set<(error: EngineError) => void>();
  const guard: Guard = {
    code,
    failure: () => state.failure,
    silenced: () => state.silenced,
    silence(why) {
      if (state.failure !== null || state.silenced !== null) return;
      state.silenced = why;
      running.run(null, onFailure, guard, why);
    },
    within: (work) => running.run(guard, work),
    call<Result>(work: () => Promise<Result> | Result) {
      if (state.failure !== null) return Promise.reject(switchedOff(code, state.failure));
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.add(reject);
      const ended = (settle: () => void) => {
        waiting.delete(reject);
        settle();
      };
      const failed = (error: unknown) => ended(() => reject(error));
      try {
        // Not `async` in there: what it throws at once is thrown as itself.
        const begun = Promise.resolve(running.run(guard, work));
        begun.then((result) => ended(() => resolve(result)), failed);
      } catch (error) {
        failed(error);
      }
      return promise;
    },
    fail(what, error) {
      if (code.source === 'bundled' || state.failure !== null) return false;
      // To read what was thrown may run the extension's code once more.
      state.failure = `${what}: ${guard.within(() => inOneLine(error))}`;
      for (const reject of waiting) reject(switchedOff(code, state.failure));
      waiting.clear();
      // Runs as the engine: work that starts here would otherwise count as the extension's.
      running.run(null, onFailure, guard, error);
      return true;
    },
  };
  return Object.freeze(guard);
}

/** To those who wait for a model it is a provider that cannot be reached; of all else it is the call that failed. */
function switchedOff({ kind, name }: ExtensionCode, failure: string): EngineError {
  const message = `the ${kind} ${name} failed and is switched off (${failure})`;
  if (kind === 'provider') return new EngineError('unavailable', message, { retry: { afterMs: 0 } });
  return new EngineError(kind === 'tool' ? 'tool_failed' : 'extension_invalid', message);
}

/** Anything may be thrown, also what throws again when it is printed. */
function inOneLine(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error);
    return hideSecrets(text.replace(/\s+/g, ' ').slice(0, 500));
  } catch {
    return 'something that cannot be printed';
  }
}

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

/** An extension that failed where nobody could catch it. */
export interface ExtensionFailure {
  /** Identifies this code with these settings. */
  readonly id: string;
  readonly guard: Guard;
  readonly error: unknown;
}

export interface Guards {
  /**
   * The guard of this code with these settings: the same when it is loaded again, so that what failed stays off until
   * somebody changes it.
   */
  of(code: ExtensionCode, entry: string, settings: JsonObject): Guard;
  /** The guard of the extension whose file an error comes from; null where there is none. */
  byStack(error: unknown): Guard | null;
  failures(): readonly ExtensionFailure[];
  onFailure(listener: (failure: ExtensionFailure) => void): void;
}

export function createGuards(): Guards {
  const guards = new Map<string, Guard>();
  const failures: ExtensionFailure[] = [];
  const listeners: ((failure: ExtensionFailure) => void)[] = [];
  return {
    of(code, entry, settings) {
      const id = JSON.stringify([code.kind, code.name, entry, changedAt(entry), settings]);
      const known = guards.get(id);
      if (known) return known;
      const guard = createGuard(code, (failed, error) => {
        const failure = { id, guard: failed, error };
        failures.push(failure);
        for (const listener of listeners) listener(failure);
      });
      guards.set(id, guard);
      return guard;
    },
    byStack(error) {
      const files = filesOf(error);
      const newestFirst = [...guards.values()].reverse();
      for (const file of files) {
        const found = newestFirst.find(({ code }) => file.startsWith(code.folder + sep));
        if (found) return found;
      }
      return null;
    },
    failures: () => failures,
    onFailure: (listener) => void listeners.push(listener),
  };
}

/** The files of a stack, innermost first. An engine that does not carry the context into a handler still has these. */
function filesOf(error: unknown): string[] {
  const stack = error instanceof Error && typeof error.stack === 'string' ? error.stack.slice(0, 20_000) : '';
  return [...stack.matchAll(/file:\/\/[^\s)?]{1,1000}/g)].flatMap(([place]) => {
    try {
      return [fileURLToPath(place.replace(/(?::\d+){1,2}$/, ''))];
    } catch {
      return [];
    }
  });
}

function changedAt(entry: string): number {
  return statSync(entry, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

// An extension's default export comes from anybody's hand, so its shape is checked once; the original object is used
// afterwards, since a copy would lose `this` of its methods.

const aFunction = z.custom<unknown>((value) => typeof value === 'function', 'a function');
const aZodSchema = z.custom<unknown>((value) => value instanceof z.ZodType, 'a zod schema');
const aSchema = z.custom<unknown>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'a zod schema or a JSON Schema',
);

const tool = z.looseObject({
  description: z.string().min(1).max(4000),
  risk: z.enum(RISKS),
  scope: z
    .string()
    .regex(
      /^(mail|files|web|memory|schedule|shell):(read|create|write|delete)$/,
      'one of mail, files, web, memory, schedule, shell, then a colon and read, create, write or delete',
    ),
  input: aSchema,
  output: aSchema.optional(),
  config: aZodSchema.optional(),
  uses: z.array(z.enum(CAPABILITY_NAMES)).optional(),
  onlyWith: z.enum(AT_HAND).optional(),
  later: z.literal(true).optional(),
  provenance: aFunction.optional(),
  freshness: aFunction.optional(),
  next: aFunction.optional(),
  effect: z.enum(['none', 'idempotent', 'keyed', 'unknown']).optional(),
  effects: aFunction.optional(),
  ready: aFunction.optional(),
  run: aFunction,
});
const provider = z.looseObject({ config: aZodSchema.optional(), create: aFunction });
const resolver = z.looseObject({
  config: aZodSchema.optional(),
  uses: z.array(z.enum(RESOLVER_CAPABILITY_NAMES)).optional(),
  resolve: aFunction,
});
const hook = z
  .looseObject({
    on: z.array(z.enum(HOOK_EVENT_NAMES)).min(1).optional(),
    config: aZodSchema.optional(),
    uses: z.array(z.enum(HOOK_CAPABILITY_NAMES)).optional(),
    handle: aFunction.optional(),
    narrow: aFunction.optional(),
    judge: aFunction.optional(),
    check: aFunction.optional(),
  })
  .refine(({ on, handle }) => (on === undefined) === (handle === undefined), 'on and handle: one needs the other')
  .refine(
    ({ on, narrow, judge, check }) => on ?? narrow ?? judge ?? check,
    'on: is missing, and so are narrow, judge and check',
  );

const is = (shape: z.ZodType, value: unknown): boolean => shape.safeParse(value).success;
const isTool = (value: unknown): value is ToolDefinition => is(tool, value);
const isProvider = (value: unknown): value is ProviderDefinition<unknown> => is(provider, value);
const isResolver = (value: unknown): value is ResolverDefinition => is(resolver, value);
const isHook = (value: unknown): value is HookDefinition => is(hook, value);

/** Each gives the default export back as what it is, or throws `extension_invalid` naming everything that is wrong. */
export const asTool = (value: unknown): ToolDefinition => (isTool(value) ? value : refuse(tool, value));
export const asProvider = (value: unknown): ProviderDefinition<unknown> =>
  isProvider(value) ? value : refuse(provider, value);
export const asResolver = (value: unknown): ResolverDefinition => (isResolver(value) ? value : refuse(resolver, value));
export const asHook = (value: unknown): HookDefinition => (isHook(value) ? value : refuse(hook, value));

function refuse(shape: z.ZodType, value: unknown): never {
  const issues = shape.safeParse(value).error?.issues ?? [];
  const what = issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
  throw new EngineError('extension_invalid', `the default export is wrong: ${what.join('; ')}`);
}
