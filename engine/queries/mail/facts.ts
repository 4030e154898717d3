import { EngineError } from '#contract';
import { iso } from '../../lib/clock.ts';
import type { Fact, FactListing } from '../../storage/types/facts.ts';
import { findAcross } from '../find-across.ts';
import type { Page } from '../list-across.ts';
import type { QueryPorts } from '../ports.ts';

/** What is remembered, as commands tell of it. */
export interface FactShape {
  readonly id: string;
  readonly persona: string;
  readonly subject: string;
  readonly kind: Fact['kind'];
  readonly text: string;
  readonly quote: string;
  readonly status: Fact['status'];
  readonly visibility: Fact['visibility'];
  readonly said_by: string;
  readonly source_tier: Fact['source_tier'];
  readonly source_message_id: string | null;
  readonly valid_from: string;
  readonly valid_to: string | null;
  readonly recorded_at: string;
  readonly expires_at: string | null;
  readonly superseded_by: string | null;
  readonly disputes: string | null;
}

const when = (at: number | null): string | null => (at === null ? null : iso(at));

export const factShape = (persona: string, fact: Fact): FactShape => ({
  id: fact.id,
  persona,
  subject: fact.subject,
  kind: fact.kind,
  text: fact.text,
  quote: fact.quote,
  status: fact.status,
  visibility: fact.visibility,
  said_by: fact.said_by,
  source_tier: fact.source_tier,
  source_message_id: fact.source_message_id,
  valid_from: iso(fact.valid_from),
  valid_to: when(fact.valid_to),
  recorded_at: iso(fact.recorded_at),
  expires_at: when(fact.expires_at),
  superseded_by: fact.superseded_by,
  disputes: fact.disputes,
});

export interface FactsPage {
  readonly facts: readonly FactShape[];
  readonly next: string | null;
}

/** A page of one persona after another, newest first in each. */
export async function listFacts(
  { live, stores }: QueryPorts,
  { persona, after, limit, status }: Page,
  wanted: Pick<FactListing, 'subject' | 'all' | 'now'>,
): Promise<FactsPage> {
  const found: FactShape[] = [];
  let from = after;
  for (const { id } of live.personas().all()) {
    if ((persona !== undefined && persona !== id) || !stores.exists(id) || found.length >= limit) continue;
    const isIn = async (fact: string) => (await stores.use(id, (store) => store.factById(fact))) !== undefined;
    if (from !== undefined && !(await isIn(from))) continue;
    const page = {
      ...wanted,
      ...(from === undefined ? {} : { after: from }),
      ...(isStatus(status) ? { status } : {}),
      limit: limit - found.length,
    };
    for (const fact of await stores.use(id, (store) => store.listFacts(page))) found.push(factShape(id, fact));
    from = undefined;
  }
  return { facts: found, next: found.length < limit ? null : (found.at(-1)?.id ?? null) };
}

export const FACT_STATUSES = ['candidate', 'kept', 'disputed', 'forgotten'] as const;
const isStatus = (status: string | undefined): status is Fact['status'] =>
  FACT_STATUSES.some((known) => known === status);

/** Throws `not_found`. */
export async function factNamed(ports: QueryPorts, id: string): Promise<{ persona: string; fact: Fact }> {
  const found = await findAcross(ports, (store) => store.factById(id));
  if (!found) throw new EngineError('not_found', `nothing is remembered as ${id}; see \`epistle memory list\``);
  return { persona: found.persona, fact: found.row };
}
