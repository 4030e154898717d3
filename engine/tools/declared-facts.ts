import type { Json, ToolDefinition } from '#contract';
import type { ResultFacts } from '../record/result-facts.ts';

/**
 * What a tool declares of its result; null where it declares nothing, and where a declaration throws or says what it may
 * not: then the names of the fields have to do.
 */
export function declaredFacts(
  tool: Pick<ToolDefinition, 'provenance' | 'freshness' | 'next'>,
  result: Json,
): ResultFacts | null {
  if (!tool.provenance && !tool.freshness && !tool.next) return null;
  try {
    const provenance = tool.provenance?.(result) ?? null;
    const freshness = tool.freshness?.(result) ?? null;
    const next = tool.next?.(result) ?? null;
    const { sha256, ...source } = provenance ?? {};
    return {
      source: provenance === null ? null : source,
      hash: sha256 === undefined ? null : { sha256, path: provenance && 'path' in provenance ? provenance.path : null },
      as_of: freshness?.asOf ?? null,
      fresh_for_s: freshness?.forS ?? null,
      part: next && { more: next.more, at: String(next.at ?? ''), share: next.share ?? null },
    };
  } catch {
    return null;
  }
}
