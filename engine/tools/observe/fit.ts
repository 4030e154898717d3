import type { Json, ModelInfo, ModelMessage, ToolResult } from '#contract';
import { noFindings } from '../../lib/clean-text.ts';
import { sha256 } from '../../lib/ids.ts';
import { jsonObject, parseJson } from '../../lib/json.ts';
import { HOW_TO_READ_ON, MIN_REFERRED } from './observe.ts';
import { costOf, shrink } from './shrink.ts';

/** Share of the model's context that a run's observations may fill, beside history (as much) and all else. */
const SHARE = 0.4;
const CHARACTERS_PER_TOKEN = 3.5;
/** After the vendor has refused the request as too long, so much is left of that share. */
const RESCUE = 0.25;
/** A shorter result is hardly longer than what would stand for it. */
const MIN_COMPACTED = 1000;

/** What all observations of a run together may cost, in characters. */
export const roomFor = (info: Pick<ModelInfo, 'context_tokens' | 'max_output_tokens'>): number =>
  Math.max(0, Math.floor((info.context_tokens - info.max_output_tokens) * SHARE * CHARACTERS_PER_TOKEN));

interface Fitted {
  readonly messages: readonly ModelMessage[];
  /** Results that are not shown as they were observed. */
  readonly compacted: number;
}

/**
 * The run's own messages with their observations fitted into the room there is: one that repeats an earlier one
 * word for word is a reference to it, and over the budget the largest become a reference and a summary. Pure, and
 * each result once compacted stays so while more are added: the prompt's cache is lost once, not at every step.
 */
export function fitObservations(
  messages: readonly ModelMessage[],
  options: { readonly room: number; readonly rescue: boolean },
): Fitted {
  const shown = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  if (!shown.some(isCompactable)) return { messages, compacted: 0 };
  const room = options.rescue ? options.room * RESCUE : options.room;
  const stubs = stubsOfRepeats(shown);
  const costs = new Map(shown.map((result) => [result, costOf(stubs.get(result) ?? result.content)]));
  let total = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  // A page was asked for to be read: compacted like the rest, it could be asked for again for ever.
  const large = shown
    .filter((result) => isCompactable(result) && !stubs.has(result) && (options.rescue || result.name !== PAGES))
    .sort((a, b) => b.content.length - a.content.length);
  for (const result of large) {
    if (total <= room) break;
    const stub = stubOf(result.content, {});
    stubs.set(result, stub);
    total += costOf(stub) - (costs.get(result) ?? 0);
  }
  if (stubs.size === 0) return { messages, compacted: 0 };
  const fitted = messages.map((message) =>
    message.role === 'tool' && message.results.some((result) => stubs.has(result))
      ? {
          ...message,
          results: message.results.map((result) => ({ ...result, content: stubs.get(result) ?? result.content })),
        }
      : message,
  );
  return { messages: fitted, compacted: stubs.size };
}

const isCompactable = ({ isError, content }: ToolResult): boolean => !isError && content.length > MIN_COMPACTED;

/** The time of observation is all that may differ, and always takes as many characters. */
const OBSERVED_AT = /"observed_at":"[\dT:Z-]+"/;

function stubsOfRepeats(shown: readonly ToolResult[]): Map<ToolResult, string> {
  const results = shown.filter((result) => isCompactable(result) && result.name !== PAGES);
  const stubs = new Map<ToolResult, string>();
  for (const alike of Map.groupBy(results, ({ name, content }) => `${content.length} ${name}`).values()) {
    if (alike.length > 1) addRepeats(alike, stubs);
  }
  return stubs;
}

function addRepeats(alike: readonly ToolResult[], stubs: Map<ToolResult, string>): void {
  const first = new Map<string, string>();
  for (const result of alike) {
    const key = result.content.replace(OBSERVED_AT, '');
    const sameAs = first.get(key);
    if (sameAs === undefined) first.set(key, result.callId);
    else stubs.set(result, stubOf(result.content, { same_as: sameAs }));
  }
}

/** The tool whose results are pages of others. */
const PAGES = 'resolve_ref';

const SUMMARY = 500;
const TRACE = 250;

/** A reference and a summary in place of a result that was observed, in the same run. */
function stubOf(content: string, note: { readonly same_as?: string }): string {
  const seen = parseJson(jsonObject, content);
  const { value, cuts } = shrink(seen.result ?? null, SUMMARY, noFindings());
  const { source = null, observed_at = null, warnings, total_bytes } = seen;
  return JSON.stringify({
    ok: true,
    result: value,
    ...note,
    truncated: true,
    total_bytes: total_bytes ?? Buffer.byteLength(content),
    cut: cuts.slice(0, 1),
    ...(warnings === undefined ? {} : { warnings }),
    source,
    observed_at,
    ref: refOf(seen, content),
    more: HOW_TO_READ_ON,
  });
}

/** What later mails of the thread are shown of a result: enough to know what it was, and to ask for it. */
export function traceOf({ content, isError }: { readonly content: string; readonly isError: boolean }): string {
  if (content.length <= MIN_REFERRED) return content;
  if (isError) return content.slice(0, MIN_REFERRED).toWellFormed();
  const seen = parseJson(jsonObject, content);
  const { value } = shrink(seen.result ?? null, TRACE, noFindings());
  const { observed_at = null } = seen;
  return JSON.stringify({ ok: true, result: value, truncated: true, observed_at, ref: refOf(seen, content) });
}

/** A result that says where the whole is has a reference; any other of some length is found by its own hash. */
function refOf({ ref, source }: { readonly [key: string]: Json }, content: string): Json {
  if (ref !== undefined) return ref;
  return pageRef(source) ?? sha256(content);
}

function pageRef(source: Json | undefined): string | null {
  if (typeof source !== 'object' || source === null || Reflect.get(source, 'tool') !== PAGES) return null;
  const ref: unknown = Reflect.get(source, 'ref');
  return typeof ref === 'string' ? ref : null;
}
