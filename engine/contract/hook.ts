import type { z } from 'zod';
import type { Json, JsonObject } from './json.ts';
import type { Log } from './log.ts';

export type HookEventName = 'run_ended';

export interface HookEvent {
  readonly name: HookEventName;
  readonly persona: string;
  readonly runId: string;
  readonly data: JsonObject;
}

/** Observers: a hook runs after the run has ended and can change nothing of it. */
export interface HookDefinition {
  readonly on: readonly HookEventName[];
  readonly config?: z.ZodType;
  handle(
    event: HookEvent,
    context: { readonly config: Json; readonly log: Log; readonly signal: AbortSignal },
  ): Promise<void> | void;
}

export const defineHook = (definition: HookDefinition): HookDefinition => definition;
