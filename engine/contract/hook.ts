import type { z } from 'zod';
import type { MailCapability } from './capabilities.ts';
import type { CheckedAnswer, Finding } from './check.ts';
import type { HookEvent, HookEventName } from './hook-events.ts';
import type { Json } from './json.ts';
import type { Log } from './log.ts';
import type { RestrictedCall, RestrictedRun, RestrictedTool, Restriction } from './restrict.ts';

/** What a hook may ask for besides its config, its log and its signal. The one list of these names. */
export const HOOK_CAPABILITY_NAMES = ['search'] as const;

export type HookCapabilityName = (typeof HOOK_CAPABILITY_NAMES)[number];

export interface HookCapabilities extends Record<HookCapabilityName, unknown> {
  /** Mail of the event's persona: for an event of a run, as far as the sender of its mail may see; else all of it. */
  search: MailCapability['search'];
}

export type HookContext<Config = Json, Uses extends HookCapabilityName = never> = {
  /** The manifest's `config`, merged with extensions.json and validated by the definition's `config`. */
  readonly config: Config;
  /** By the manifest's `secrets` keys; a key whose environment variable is unset is absent. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly log: Log;
  readonly signal: AbortSignal;
} & Pick<HookCapabilities, Uses>;

/**
 * A hook hears of what is on record already and can change nothing of it: `on` and `handle`. It hears at least once: a
 * gateway that dies while a hook works tells it again. It has a minute for each event.
 *
 * It can also restrict what runs do, and never allows more than the gateway does: `narrow` and `judge`. Where one of these
 * throws, is late or was switched off, the tool is left out and the call is denied.
 *
 * And it can check answers (`check`): it adds to what is wrong with one, and takes nothing away. Where it throws, is late or
 * was switched off, the trace says that it did not look, and the answer leaves.
 */
export interface HookDefinition<
  On extends HookEventName = HookEventName,
  Config = Json,
  Uses extends HookCapabilityName = HookCapabilityName,
> {
  readonly on?: readonly On[];
  readonly config?: z.ZodType<Config>;
  /** The same names as the manifest's `capabilities`, or the hook is refused; only these are handed over. */
  readonly uses?: readonly Uses[];
  handle?(event: HookEvent<On>, context: HookContext<Config, Uses>): Promise<void> | void;
  /** Why a run is not offered this tool; null: nothing speaks against it. Pure: it is asked again before each call. */
  narrow?(tool: RestrictedTool, run: RestrictedRun, context: { readonly config: Config }): string | null;
  /** What speaks against one call; null: nothing. It has five seconds. A call is judged again after each wait. */
  judge?(
    call: RestrictedCall,
    context: Pick<HookContext<Config>, 'config' | 'log' | 'signal'>,
  ): Promise<Restriction | null> | Restriction | null;
  /** What is missing from an answer or wrong in it; empty: nothing. It has five seconds, each time it is asked. */
  check?(
    answer: CheckedAnswer,
    context: Pick<HookContext<Config>, 'config' | 'log' | 'signal'>,
  ): Promise<readonly Finding[]> | readonly Finding[];
}

/**
 * A hook, as an extension's entry exports it by default.
 *
 * @example
 * export default defineHook({
 *   on: ['run_ended', 'delivery_failed'],
 *   handle(event, { log }) {
 *     if (event.name === 'run_ended') log.info({ outcome: event.data.outcome }, 'answered');
 *     else log.warn({ to: event.data.to, error: event.data.error }, 'not delivered');
 *   },
 * });
 */
export const defineHook = <
  const On extends HookEventName,
  Config = Json,
  const Uses extends HookCapabilityName = never,
>(
  definition: HookDefinition<On, Config, Uses>,
): HookDefinition<On, Config, Uses> => definition;
