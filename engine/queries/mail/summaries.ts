import { iso } from '../../lib/clock.ts';
import type { Closing } from '../../storage/ports/memory/closings.ts';
import type { Sections, ThreadMemory } from '../../storage/ports/memory/summaries.ts';
import { findAcross } from '../find-across.ts';
import type { Page } from '../list-across.ts';
import type { QueryPorts } from '../ports.ts';
import { type FactsPage, listFacts } from './facts.ts';

/** What is summarised of a thread, as commands tell of it. */
interface SummaryShape {
  readonly thread_id: string;
  readonly persona: string;
  /** Mails that it was made of. */
  readonly mails: number;
  readonly sections: Sections;
  readonly updated_at: string;
}

const summaryShape = (persona: string, { threadId, items, sections, updatedAt }: ThreadMemory): SummaryShape => ({
  thread_id: threadId,
  persona,
  mails: items,
  sections,
  updated_at: iso(updatedAt),
});

/** A page of facts; where nothing was chosen of them, with the summaries of threads. */
export async function listRemembered(
  ports: QueryPorts,
  page: Page,
  wanted: Parameters<typeof listFacts>[2],
): Promise<FactsPage & { readonly summaries: readonly SummaryShape[] }> {
  const isWhole = wanted.subject === undefined && page.after === undefined && page.status === undefined;
  return { ...(await listFacts(ports, page, wanted)), summaries: isWhole ? await listSummaries(ports, page) : [] };
}

/** Of one persona or of all, newest first in each. */
async function listSummaries(
  { live, stores }: QueryPorts,
  { persona, limit }: Pick<Page, 'persona' | 'limit'>,
): Promise<readonly SummaryShape[]> {
  const found: SummaryShape[] = [];
  for (const { id } of live.personas().all()) {
    if ((persona !== undefined && persona !== id) || !stores.exists(id) || found.length >= limit) continue;
    const memories = await stores.use(id, (store) => store.threadMemories(limit - found.length));
    found.push(...memories.map((memory) => summaryShape(id, memory)));
  }
  return found;
}

/** Of the thread of this id; undefined where there is none. */
export async function summaryOf(ports: QueryPorts, threadId: string): Promise<SummaryShape | undefined> {
  const found = await findAcross(ports, (store) => store.threadMemory(threadId, null));
  return found && summaryShape(found.persona, found.row);
}

/** What was written down of a thread when it was over, as commands tell of it. */
export interface ClosingShape {
  readonly thread_id: string;
  readonly mails: number;
  readonly text: string;
  readonly tags: readonly string[];
  readonly keywords: readonly string[];
  readonly closed_at: string;
}

export const closingShape = ({ threadId, items, text, tags, keywords, closedAt }: Closing): ClosingShape => ({
  thread_id: threadId,
  mails: items,
  text,
  tags,
  keywords,
  closed_at: iso(closedAt),
});

/** Of the thread of this id; undefined where there is none. */
export async function closingShown(ports: QueryPorts, threadId: string): Promise<ClosingShape | undefined> {
  const found = await findAcross(ports, (store) => store.closingOf(threadId));
  return found && found.row.text !== '' ? closingShape(found.row) : undefined;
}

/** As it stands in a list of facts. */
export const summaryRow = ({ thread_id: id, persona, mails, sections, updated_at }: SummaryShape) => ({
  id,
  persona,
  subject: `${mails} mails of a thread`,
  kind: 'summary',
  text: sections.objective,
  valid_from: updated_at,
});
