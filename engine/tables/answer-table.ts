import { z } from 'zod';
import type { TableAnswer } from '#contract';
import { EngineError } from '#contract';
import { besideUrl, inOneShot } from '../lib/workers/one-shot.ts';
import type { AnsweredQuestion, MadeFile, Question } from './answer-in.ts';
import { isSmall } from './source/tables-in.ts';

const MAX_MS = 15_000;
const HEAP_MB = 512;

// Made by our own thread out of values that were checked there.
const answered = z.custom<AnsweredQuestion>((value) => typeof value === 'object' && value !== null && 'ok' in value);

/**
 * Answers a question over the rows of a file, and makes a file of the answer where one is asked for; over more than a
 * little text in a thread of its own. Throws `invalid_arguments` for what cannot be answered as it was asked, with what
 * to ask instead; `tool_failed` where it takes more than 15 seconds.
 */
export async function answerTable(
  question: Question,
  signal: AbortSignal,
): Promise<{ readonly answer: TableAnswer; readonly file: MadeFile | null }> {
  const { source } = question;
  if (isSmall(source)) {
    const { answerIn } = await import('./answer-in.ts');
    return answerOf(await answerIn(question));
  }
  const failed = `${source.name} is too large to be worked out`;
  const file = besideUrl(import.meta.url, 'table-worker');
  const found = answered.parse(await inOneShot({ file, data: question, ms: MAX_MS, heapMb: HEAP_MB, failed, signal }));
  return answerOf(found);
}

function answerOf(found: AnsweredQuestion): Extract<AnsweredQuestion, { readonly ok: true }> {
  if (!found.ok) throw new EngineError('invalid_arguments', found.message);
  return found;
}
