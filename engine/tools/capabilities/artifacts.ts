import { z } from 'zod';
import { type ArtifactsCapability, EngineError, type Json } from '#contract';
import { anyJson, jsonObject, parseJson } from '../../lib/json.ts';
import { askerOf, hasReaders } from '../../policy/viewer.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { RunInHand } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { pastTheLast } from '../documents/page.ts';

import { type Pages, pagesOf } from '../observe/observe.ts';

const observed = z.object({ content: z.string() });

/**
 * Results of this thread's calls, by reference. Nobody but an owner reads what a call for somebody else brought:
 * a search for the owner goes over all mail, a search for a member only over the member's own.
 */
export function createArtifacts(options: {
  store: Pick<Store, 'findResult'>;
  artifacts: Pick<Blobs, 'get'>;
  run: Pick<RunInHand, 'id' | 'thread_id' | 'sender' | 'tier' | 'readers'>;
  /** What is said of every other reference; null: that there is no such result. */
  denial?: string | null;
}): Pick<ArtifactsCapability, 'readPage'> {
  const { store, artifacts, run, denial = null } = options;
  // What others may not know was looked up for an answer that went to other people.
  const own = hasReaders(run) ? { runId: run.id } : {};
  const notFound = (ref: string, cause?: unknown) => new EngineError('not_found', denial ?? noResult(ref), { cause });
  /** Pages of one result are asked for one after the other; the last one is kept. */
  const divided = new Map<string, Pages>();

  async function pagesFor(ref: string): Promise<Pages> {
    const known = divided.get(ref);
    if (known) return known;
    const pages = pagesOf(await load(ref));
    divided.clear();
    divided.set(ref, pages);
    return pages;
  }

  async function load(ref: string): Promise<Json> {
    const stored = /^[0-9a-f]{16,64}$/.test(ref)
      ? await store.findResult({ threadId: run.thread_id, ref, asker: askerOf(run), ...own })
      : undefined;
    if (!stored) throw notFound(ref);
    if ('observation' in stored) {
      const { content } = parseJson(observed, stored.observation);
      return parseJson(jsonObject, content).result ?? null;
    }
    const bytes = await artifacts.get(stored.artifact).catch((cause: unknown) => {
      throw notFound(ref, cause);
    });
    return parseJson(anyJson, Buffer.from(bytes).toString('utf8'));
  }

  return {
    async readPage({ ref, page }) {
      const { pages, chars } = await pagesFor(ref);
      const text = pages[page - 1];
      if (text === undefined) {
        pastTheLast(page, pages.length);
      }
      return {
        ref,
        page,
        pages: pages.length,
        total_chars: chars,
        text,
        next_page: page < pages.length ? page + 1 : null,
      };
    },
  };
}

const noResult = (ref: string): string => `no result of this thread has the reference ${ref.slice(0, 80)}`;
