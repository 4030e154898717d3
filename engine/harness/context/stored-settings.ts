import { isDeepStrictEqual } from 'node:util';
import type { ToolSpec } from '#contract';
import type { Configs, Persona } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';
import type { PinnedSettings, StoredSettings, Target } from '../../record/settings.ts';

/** The settings of a run as its artifact holds them. */
export interface SettingsBytes {
  readonly settings: StoredSettings;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  /** Of the part of a prompt that stays the same from mail to mail. */
  readonly prefixSha256: string;
}

const MAX_KEPT = 64;
const newest = new Map<string, SettingsBytes>();

/**
 * The bytes of these settings and their hashes. Those of a persona's newest run are kept and handed out again while the
 * settings are the same, which is from mail to mail: to write and hash them took longer than to compare them.
 */
export function settingsBytes(personaId: string, settings: StoredSettings): SettingsBytes {
  const before = newest.get(personaId);
  if (before && isDeepStrictEqual(before.settings, settings)) return before;
  const bytes = Buffer.from(JSON.stringify(settings));
  const prefixSha256 = sha256(JSON.stringify([settings.system, settings.tools]));
  const made = { settings, bytes, sha256: sha256(bytes), prefixSha256 };
  newest.delete(personaId);
  newest.set(personaId, made);
  const [oldest] = newest.keys();
  if (newest.size > MAX_KEPT && oldest !== undefined) newest.delete(oldest);
  return made;
}

const lists: (readonly ToolSpec[])[] = [];

/** These tools by name, as the same list whenever they are the same tools: what is known of a list is found out once. */
export function sortedTools(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  const known = lists.find((list) => list.length === sorted.length && list.every((tool, at) => tool === sorted[at]));
  if (known) return known;
  if (lists.push(sorted) > MAX_KEPT) lists.shift();
  return sorted;
}

/** What holds for the whole run. */
export function settingsOf(
  options: {
    readonly configs: Pick<Configs, 'inference'>;
    readonly persona: Pick<Persona, 'inference'>;
    readonly surface: readonly ToolSpec[];
    readonly onlyReads: boolean;
    readonly targets: readonly Target[];
  },
  system: readonly string[],
): PinnedSettings {
  const { configs, persona, surface, onlyReads, targets } = options;
  const { inference } = configs;
  const own = persona.inference;
  return {
    system,
    tools: sortedTools(surface),
    targets,
    temperature: own.temperature ?? inference.temperature,
    maxOutputTokens: own.max_output_tokens ?? inference.max_output_tokens,
    limits: {
      max_tool_turns: inference.max_tool_turns,
      max_tool_steps: onlyReads ? inference.step_caps.read : inference.step_caps.mutate,
      tells_near: true,
      goes_on: true,
      by_turns: true,
      max_tool_calls: inference.max_tool_calls,
      max_calls_per_turn: inference.max_calls_per_turn,
      max_consecutive_failures: inference.max_consecutive_failures,
      run_timeout_s: inference.run_timeout_s,
      model_timeout_s: inference.model_timeout_s,
      tool_timeout_s: inference.tool_timeout_s,
    },
  };
}
