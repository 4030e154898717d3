import { z } from 'zod';
import type { TableAnswer, TableQuery } from '#contract';
import { EngineError } from '#contract';
import { besideUrl, inOneShot } from '../lib/workers/one-shot.ts';
import type { Source } from './source/tables-in.ts';

const MAX_MS = 15_000;
const HEAP_MB = 512;

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const names = z.record(z.string(), z.string());
const answered = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    answer: z.object({
      table: z.string(),
      columns: names,
      units: names.optional(),
      total_rows: z.number(),
      matched_rows: z.number(),
      answer_rows: z.number(),
      offset: z.number(),
      rows: z.array(z.record(z.string(), z.union([cell, names]))),
      next_offset: z.number().nullable(),
      notes: z.array(z.string()),
    }),
  }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);

/**
 * Answers a question over the rows of a file, in a thread of its own. Throws `invalid_arguments` for what cannot be
 * answered as it was asked, with what to ask instead; `tool_failed` where it takes more than 15 seconds.
 */
export async function answerTable(source: Source, query: TableQuery, signal: AbortSignal): Promise<TableAnswer> {
  const failed = `${source.name} is too large to be worked out`;
  const file = besideUrl(import.meta.url, 'table-worker');
  const found = answered.parse(
    await inOneShot({ file, data: { source, query }, ms: MAX_MS, heapMb: HEAP_MB, failed, signal }),
  );
  if (!found.ok) throw new EngineError('invalid_arguments', found.message);
  const { units, ...answer } = found.answer;
  return units ? { ...answer, units } : answer;
}
