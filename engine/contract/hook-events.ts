import type { JsonObject } from './json.ts';

export const HOOK_EVENT_NAMES = ['run_ended'] as const;
export type HookEventName = (typeof HOOK_EVENT_NAMES)[number];

export interface HookEvent<Name extends HookEventName = HookEventName> {
  readonly name: Name;
  readonly persona: string;
  readonly runId: string;
  readonly data: JsonObject;
}
