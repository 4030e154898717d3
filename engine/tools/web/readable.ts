import { z } from 'zod';
import type { ReadablePage } from '#contract';
import { besideUrl, inOneShot } from '../../lib/workers/one-shot.ts';

const answer = z.object({ title: z.string().nullable(), text: z.string(), cut: z.boolean() });

/** What a person would read of an HTML page. Throws `tool_failed` when that takes more than four seconds. */
export async function readableText(html: string, signal: AbortSignal): Promise<ReadablePage> {
  const failed = 'the page is too complicated to be read as text';
  const file = besideUrl(import.meta.url, 'page-worker');
  return answer.parse(await inOneShot({ file, data: html, ms: 4_000, heapMb: 256, failed, signal }));
}
