import type { Json } from '#contract';
import { noFindings } from '../../lib/clean-text.ts';
import { sha256 } from '../../lib/ids.ts';
import { jsonObject, parseJson } from '../../lib/json.ts';
import { HOW_TO_READ_ON, MIN_REFERRED } from './observe.ts';
import { shrink } from './shrink.ts';

/** The tool whose results are pages of others. */
export const PAGES = 'resolve_ref';

const SUMMARY = 500;
const TRACE = 250;

/** A reference and a summary in place of a result that was observed, in the same run. */
export function stubOf(content: string, note: { readonly same_as?: string }): string {
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
