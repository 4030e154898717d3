import type { Json } from '#contract';
import type { Blobs } from '../../storage/blobs.ts';
import type { Observation } from '../loop/fold.ts';
import type { Executed } from '../tools/execute.ts';
import type { CallError } from '../tools/prepare.ts';

/** About 6,000 tokens: what one result may take of a model's context. The whole is kept as an artifact. */
const MAX_CONTENT_CHARS = 20_000;

/** Turns a result into what the model sees: cleaned, limited with the loss disclosed, the whole kept by hash. */
export function observe(
  call: { id: string; name: string },
  outcome: Executed | { ok: false; error: CallError },
  artifacts: Blobs,
): Observation {
  const base = { call_id: call.id, tool: call.name };
  if (!outcome.ok) {
    const content = JSON.stringify({ ok: false, error: cleanJson({ ...outcome.error } as Json) });
    return { ...base, ok: false, code: outcome.error.code, content, artifact: null };
  }
  const whole = JSON.stringify(outcome.result);
  const content = JSON.stringify({ ok: true, result: cleanJson(outcome.result) });
  if (content.length <= MAX_CONTENT_CHARS) return { ...base, ok: true, code: null, content, artifact: null };
  const artifact = artifacts.put(Buffer.from(whole));
  const shown = content.slice(0, MAX_CONTENT_CHARS);
  const cut = JSON.stringify({
    ok: true,
    truncated: true,
    shown_chars: shown.length,
    total_chars: content.length,
    text: shown,
  });
  return { ...base, ok: true, code: null, content: cut, artifact };
}

/**
 * Control and bidi characters carry nothing but tricks into a prompt. Line breaks and tabs stay, and so do the
 * joiners U+200C and U+200D: emoji and Persian text are spelt with them.
 */
const UNWANTED = /(?![\n\r\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

function cleanJson(value: Json): Json {
  if (typeof value === 'string') return value.replaceAll(UNWANTED, '');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanJson);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanJson(inner)]));
}
