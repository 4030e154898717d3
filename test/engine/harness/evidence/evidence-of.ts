import type { Json } from '#contract';
import { type Evidence, evidenceOf } from '../../../../engine/harness/evidence/evidence.ts';

export const AT = Date.parse('2026-11-21T12:00:00Z');

/** Results as the observer writes them, of reading tools. */
export const resultsOf = (
  results: Readonly<Record<string, { readonly tool?: string; readonly result: Json; readonly more?: object }>>,
): readonly Evidence[] =>
  evidenceOf(
    [
      {
        role: 'tool',
        results: Object.entries(results).map(([callId, { tool = 'read_file', result, more }]) => ({
          callId,
          name: tool,
          content: JSON.stringify({
            ok: true,
            result,
            ...more,
            source: { tool, path: Reflect.get(Object(result), 'path') },
            observed_at: '2026-11-21T12:00:00Z',
          }),
          isError: false,
        })),
      },
    ],
    () => 'read',
  );
