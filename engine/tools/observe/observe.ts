import type { Json } from '#contract';
import { cleanJson, type Findings, noFindings } from '../../lib/clean-text.ts';
import { iso } from '../../lib/clock.ts';
import { sha256 } from '../../lib/ids.ts';
import type { CallError } from '../../policy/call.ts';
import type { Observation } from '../../record/events.ts';
import { factsByFields, type ResultFacts } from '../../record/result-facts.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Executed } from './executed.ts';
import { type Cut, costOf, countLines, MAX_LINES, shrink } from './shrink.ts';

/** About 6,000 tokens: what one result may take of a model's context. The whole is kept as an artifact. */
const MAX_COST = 20_000;
/** For what stands around a result: its source, what is missing, what was done to it. */
const ENVELOPE = 3000;
/** Rows over 32 KB go to artifacts of their own, where nobody can look for what is in them. */
const MAX_ROW_CHARS = 30_000;
/** Shorter results are not worth a reference: it would be as long as they are. */
export const MIN_REFERRED = 500;

export const HOW_TO_READ_ON = 'resolve_ref with this ref reads the whole, page by page';

/**
 * Turns a result into what the model sees: cleaned, limited with the loss disclosed, with its source and the time
 * when it was so; the whole is kept by hash. Deterministic but for `at`: the content is stored, never made again.
 */
export function observe(
  call: { id: string; name: string },
  outcome: Executed | { ok: false; error: CallError },
  artifacts: Blobs,
  at: number,
): Observation {
  const base = { call_id: call.id, tool: call.name };
  const found = noFindings();
  if (!outcome.ok) {
    const content = JSON.stringify({ ok: false, error: cleanJson({ ...outcome.error } as Json, found) });
    return { ...base, ok: false, code: outcome.error.code, content, artifact: null, ref: null };
  }
  const { result, facts } = outcome;
  const whole = JSON.stringify(result);
  const declared = facts ? { facts } : {};
  const around = {
    source: sourceOf(call.name, facts ?? factsByFields(result)),
    observed_at: `${iso(at).slice(0, 19)}Z`,
  };
  const content = wholeOrNull(result, whole, around);
  // Without an artifact, the event's row is where the whole is found again.
  if (content !== null && fitsRow(content)) {
    const ref = content.length > MIN_REFERRED ? sha256(content) : null;
    return { ...base, ok: true, code: null, content, artifact: null, ref, ...declared };
  }
  const artifact = artifacts.put(Buffer.from(whole));
  const shown = content === null ? partOf(result, whole, around, artifact) : withRef(content, artifact);
  return { ...base, ok: true, code: null, content: shown, artifact, ref: artifact, ...declared };
}

/** Escaped, a text is at most twice as long. */
const fitsRow = (content: string): boolean =>
  2 * content.length <= MAX_ROW_CHARS || JSON.stringify(content).length <= MAX_ROW_CHARS;

type Around = { readonly source: Json; readonly observed_at: string };

/** Null when the result is too large to be shown whole. */
function wholeOrNull(result: Json, whole: string, around: Around): string | null {
  if (whole.length > 3 * MAX_COST) return null;
  const found = noFindings();
  const content = JSON.stringify({ ok: true, result: cleanJson(result, found), ...notes(found), ...around });
  if (costOf(content) > MAX_COST) return null;
  return countLines(content, '\\n') > MAX_LINES ? null : content;
}

function partOf(result: Json, whole: string, around: Around, ref: string): string {
  const found = noFindings();
  const { value, cuts } = shrink(result, MAX_COST - ENVELOPE, found);
  return JSON.stringify({
    ok: true,
    result: value,
    ...cutNotes(cuts, whole),
    ...notes(found),
    ...around,
    ref,
    more: HOW_TO_READ_ON,
  });
}

const withRef = (content: string, ref: string): string => `${content.slice(0, -1)},"ref":"${ref}"}`;

/** Lines count in each text alone: several texts of many lines may all have been shown whole. */
const cutNotes = (cuts: readonly Cut[], whole: string) =>
  cuts.length === 0 ? {} : { truncated: true, total_bytes: Buffer.byteLength(whole), cut: cuts };

function notes({ warnings, limitations }: Findings): { warnings?: Json; limitations?: Json } {
  return {
    ...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
    ...(limitations.size > 0 ? { limitations: [...limitations] } : {}),
  };
}

const MAX_SOURCE = 300;

/** Where it comes from, as far as that is known. */
function sourceOf(tool: string, { source }: ResultFacts): Json {
  const named = Object.entries(source ?? {}).map(
    ([name, value]) => [name, cleanJson(value.slice(0, MAX_SOURCE), noFindings())] as const,
  );
  return { tool, ...Object.fromEntries(named) };
}
