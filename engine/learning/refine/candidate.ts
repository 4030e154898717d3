import type { Persona, SecurityConfig } from '../../config/types.ts';
import type { RegisteredTool, Registry } from '../../extensions/types.ts';
import { canonicalJson } from '../../lib/json.ts';
import { factsOf } from '../../policy/surface.ts';
import type { NotLoaded, Playbook } from '../../record/codec/playbook.ts';
import { type Ceiling, ceilingOf } from '../ceiling.ts';
import { readPlaybook } from '../read-playbook.ts';
import { ADDED_STOPS } from './audience.ts';

/** What a playbook that a model proposes may name, beside what the schema of playbooks lets it hold. */
export interface ToolWorld {
  readonly ceiling: Ceiling;
  /** Whether a call of it changes something; also of a tool that there is not. */
  changes(tool: string): boolean;
  scopeOf(tool: string): string | null;
  readonly names: readonly string[];
}

export type CandidateFault = Extract<NotLoaded, 'syntax' | 'meta_threw' | 'meta_invalid'> | 'unsafe_words';

type Candidate =
  | { readonly ok: true; readonly playbook: Playbook }
  | { readonly ok: false; readonly reason: CandidateFault; readonly detail: string };

/** One that is kept gets some more. */
const MOST_STOPS = 10 - ADDED_STOPS;
/** Each place is filled with up to 20,000 characters. */
const MOST_PLACES = 60;

/** The playbook that a model wrote, if it is one that may be tried at all. Pure; never throws. */
export function readCandidate(text: string, kind: string, world: ToolWorld): Candidate {
  const read = readPlaybook(withoutFence(text), kind, world.ceiling);
  if (!read.ok) return read;
  const { playbook } = read;
  const places = canonicalJson(playbook).split('{{').length - 1;
  if (places > MOST_PLACES) return { ok: false, reason: 'syntax', detail: `it has more than ${MOST_PLACES} places` };
  if (playbook.stop.length > MOST_STOPS)
    return { ok: false, reason: 'syntax', detail: `it stops for more than ${MOST_STOPS} reasons` };
  const rules = playbook.narrow.deny.map(({ rule }) => rule);
  if (new Set(rules).size < rules.length)
    return { ok: false, reason: 'syntax', detail: 'two of its rules have one name' };
  const detail = wordsAgainst(playbook, world.names);
  return detail === null ? { ok: true, playbook } : { ok: false, reason: 'unsafe_words', detail };
}

/** Models put what they write between fences. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('```') || !trimmed.endsWith('```')) return trimmed;
  const begin = trimmed.indexOf('\n');
  return begin < 0 ? trimmed : trimmed.slice(begin + 1, -3);
}

/** Control and format characters: what a person does not see must not reach a model. */
const UNSEEN = /[\p{Cc}\p{Cf}]/u;

/**
 * What no example can prove of its words; null: nothing. Words for a model are held to the way of working: they lead to no
 * address, no page and no tool that the steps do not use.
 */
function wordsAgainst({ advice, steps, narrow }: Playbook, tools: readonly string[]): string | null {
  const words = [advice, ...narrow.deny.map(({ reason }) => reason)].join('\n');
  if (UNSEEN.test(words.replaceAll('\n', ' '))) return 'it holds characters that nobody sees';
  if (/@|:\/\/|www\./i.test(words)) return 'its words name an address or a page';
  const used = new Set([...steps.map(({ tool }) => tool), ...narrow.deny.map(({ tool }) => tool)]);
  const lower = words.toLowerCase();
  const named = tools.find((tool) => !used.has(tool) && tool.includes('_') && lower.includes(tool.toLowerCase()));
  return named === undefined ? null : `its words name ${named}, which none of its steps uses`;
}

/** The tools of a persona as far as a playbook is judged by them. */
export function toolWorldOf(
  persona: Persona,
  policy: SecurityConfig['tool_policy'],
  tools: Pick<Registry<RegisteredTool>, 'get' | 'all'>,
): ToolWorld {
  return {
    ceiling: ceilingOf(persona, policy, tools),
    changes: (tool) => tools.get(tool)?.definition.risk !== 'read',
    scopeOf(name) {
      const tool = tools.get(name);
      return tool === undefined ? null : factsOf(tool).scope;
    },
    names: tools.all().map(({ name }) => name),
  };
}
