import { EngineError } from '#contract';
import type { Persona } from '../../config/types.ts';
import { standingOf } from '../../mail/access.ts';
import { lowerAscii, matchesPattern } from '../../mail/mime/address.ts';
import type { Fact } from '../../storage/types/facts.ts';
import type { SeenOfPerson } from '../../storage/types/gateway.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { personasOf, type TrafficRow, trafficRows } from '../mail/traffic.ts';
import type { QueryPorts } from '../ports.ts';
import type { ConsoleViewer } from '../viewer.ts';

/** What somebody is to a persona, and by which word of which file. */
export interface TierHere {
  readonly tier: 'owner' | 'member' | 'denied' | 'stranger';
  /** `persona`: its own file; `gateway`: that of all. Null: nothing names the address. */
  readonly by: 'persona' | 'gateway' | null;
  /** The entry that fits. */
  readonly entry: string | null;
}

export interface PersonWithPersona extends TierHere {
  readonly persona: string;
  readonly name: string;
  readonly wrote: number;
  readonly taken: number;
  readonly refused: number;
  readonly written: number;
  readonly runs: number;
  readonly cost_usd: number;
  readonly facts: readonly Pick<Fact, 'id' | 'text' | 'said_by' | 'status' | 'recorded_at'>[];
  readonly newestRuns: readonly Pick<StoredRun, 'id' | 'status' | 'cost_usd' | 'created_at'>[];
}

export interface PersonPage {
  readonly address: string;
  readonly personas: readonly PersonWithPersona[];
  /** How many personas had to do with them besides. */
  readonly others: number;
  /** With the personas that are told of. */
  readonly cost_usd: number;
  readonly wrote: number;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** The newest mails, both ways. */
  readonly mails: readonly TrafficRow[];
}

interface People {
  /** The newest mail of each. */
  readonly people: readonly (TrafficRow & { readonly standing: TierHere | null })[];
  readonly next: number | null;
}

/** Who wrote, those who wrote last first. */
export async function peopleOf(
  ports: QueryPorts,
  viewer: ConsoleViewer,
  wanted: {
    readonly limit: number;
    readonly before?: number | undefined;
    readonly who?: string | undefined;
    readonly persona?: string | undefined;
  },
): Promise<People> {
  const { persona, ...rest } = wanted;
  const personas = personasOf(viewer, persona);
  const page = await ports.gateway.lookAtSeen({ ...rest, personas, direction: 'in', newestOfEach: true });
  const people = await trafficRows(ports, page.rows);
  return {
    people: people.map((row) => ({ ...row, standing: standingIn(ports, row.persona, row.who ?? '') })),
    next: page.before,
  };
}

/** Of one person so many personas are told of, those that had mail last first. */
const MOST_PERSONAS = 12;
const MOST_FACTS = 50;
const MOST_RUNS = 5;
const MOST_MAILS = 20;

/** With which personas of the viewer somebody had to do, and how often. Throws `not_found` where with none. */
export async function seenOf(ports: Pick<QueryPorts, 'gateway'>, viewer: ConsoleViewer, given: string) {
  const address = lowerAscii(given.trim());
  const counted = await ports.gateway.seenOfPerson(address, personasOf(viewer, undefined));
  if (counted.length === 0) throw new EngineError('not_found', 'nobody with this address has written');
  return { address, counted, personas: [...new Set(counted.flatMap(({ persona_id }) => persona_id ?? []))] };
}

/** One person, with the first personas of the viewer that had to do with them. Throws `not_found` where none had. */
export async function personOf(ports: QueryPorts, viewer: ConsoleViewer, given: string): Promise<PersonPage> {
  const mine = personasOf(viewer, undefined);
  const { address, counted, personas: all } = await seenOf(ports, viewer, given);
  const ids = all.slice(0, MOST_PERSONAS);
  const personas: PersonWithPersona[] = [];
  for (const id of ids) {
    const found = await withPersona(ports, id, address, counted);
    if (found) personas.push(found);
  }
  const newest = await ports.gateway.lookAtSeen({ personas: mine, who: address, limit: MOST_MAILS });
  const times = counted.flatMap(({ first_at, last_at }) => [first_at, last_at]);
  return {
    address,
    personas,
    others: all.length - ids.length,
    cost_usd: personas.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
    wrote: countOf(counted, ({ direction }) => direction === 'in'),
    firstAt: times.length === 0 ? null : Math.min(...times),
    lastAt: times.length === 0 ? null : Math.max(...times),
    mails: (await trafficRows(ports, newest.rows)).filter(({ who }) => who !== null && lowerAscii(who) === address),
  };
}

async function withPersona(
  ports: QueryPorts,
  id: string,
  address: string,
  counted: readonly SeenOfPerson[],
): Promise<PersonWithPersona | null> {
  const entry = ports.live.personas().get(id);
  const standing = standingIn(ports, id, address);
  if (!entry || !standing) return null;
  const mails = counted.filter(({ persona_id }) => persona_id === id);
  const base = {
    persona: id,
    name: entry.state === 'ready' ? entry.persona.name : id,
    ...standing,
    wrote: countOf(mails, ({ direction }) => direction === 'in'),
    taken: countOf(mails, ({ direction, decision }) => direction === 'in' && decision === 'accepted'),
    refused: countOf(mails, ({ decision }) => decision === 'refused'),
    written: countOf(mails, ({ direction, decision }) => direction === 'out' && decision === 'sent'),
  };
  if (!ports.stores.exists(id)) return { ...base, runs: 0, cost_usd: 0, facts: [], newestRuns: [] };
  const now = ports.clock.now();
  return ports.stores.use(id, async (store) => {
    const spent = await store.usageOfSender(0, now + 1, address);
    const facts = await store.listFacts({ subject: address, limit: MOST_FACTS, now });
    const newestRuns = await store.listRuns({ sender: address, limit: MOST_RUNS });
    return { ...base, runs: spent?.runs ?? 0, cost_usd: spent?.cost_usd ?? 0, facts, newestRuns };
  });
}

const countOf = (mails: readonly SeenOfPerson[], fits: (mail: SeenOfPerson) => boolean): number =>
  mails.reduce((sum, mail) => (fits(mail) ? sum + mail.mails : sum), 0);

/** Null: of this persona nobody can say. */
function standingIn({ live }: Pick<QueryPorts, 'live'>, id: string | null, address: string): TierHere | null {
  const entry = id === null ? undefined : live.personas().get(id);
  if (entry?.state !== 'ready') return null;
  return standingWith(entry.persona, live.current().security.gateway_access, address);
}

/** By the same rules as mail is taken in by, with the entry that they go by. Pure. */
export function standingWith(
  persona: Pick<Persona, 'owners' | 'access'>,
  gateway: Parameters<typeof standingOf>[2],
  address: string,
): TierHere {
  const tier = standingOf(address, persona, gateway) ?? 'stranger';
  const lists = {
    owner: [['persona', persona.owners]],
    member: [
      ['persona', persona.access.allow],
      ['gateway', gateway.allow],
    ],
    denied: [
      ['gateway', gateway.deny],
      ['persona', persona.access.deny],
    ],
    stranger: [],
  } as const satisfies Record<TierHere['tier'], readonly (readonly ['persona' | 'gateway', readonly string[]])[]>;
  for (const [by, entries] of lists[tier]) {
    const entry = entries.find((pattern) => matchesPattern(address, pattern));
    if (entry !== undefined) return { tier, by, entry };
  }
  return { tier, by: null, entry: null };
}
