import { EngineError } from '#contract';
import type { LiveConfig } from '../config/live/live.ts';
import { addressesOfOwners } from '../config/owners.ts';
import type { PersonaDirectory, PersonaEntry } from '../config/types.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { SeenMail } from '../storage/types/gateway.ts';
import type { QueryPorts } from './ports.ts';

/** What somebody may do who looks: at least look; decide what takes nothing away; or all that an owner may. */
export const ROLES = ['viewer', 'operator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Whoever asks: an address with the personas that it owns. */
export interface ConsoleViewer {
  /** In lower case. */
  readonly address: string;
  readonly role: Role;
  /** Ids of the personas of which the address is an owner. */
  readonly personas: ReadonlySet<string>;
  /** Whether it is an owner of `configs/security.json`: what belongs to no persona is for those alone. */
  readonly ownsGateway: boolean;
}

/** Who an address is now; an owner that was taken out of a file owns nothing from then on. */
export function viewerOf(live: Pick<LiveConfig, 'current' | 'personas'>, address: string, role: Role): ConsoleViewer {
  const wanted = address.toLowerCase();
  const owns = (owners: readonly string[]): boolean => owners.some((owner) => owner.toLowerCase() === wanted);
  const personas = new Set<string>();
  const ownsGateway = owns(addressesOfOwners(live.current().security.owners));
  for (const entry of live.personas().all()) {
    const owners = entry.state === 'ready' ? entry.persona.owners : entry.owners;
    // Where nobody knows its own owners, those of the gateway have to mend it.
    if (owners === undefined ? ownsGateway : owns(owners)) personas.add(entry.id);
  }
  return { address: wanted, role, personas, ownsGateway };
}

/** Pure. Whether somebody is to be let in at all. */
export const isOwner = ({ personas, ownsGateway }: ConsoleViewer): boolean => ownsGateway || personas.size > 0;

/**
 * The same ports with nothing in them but what the viewer may see: a query that forgets whose eyes it works for finds no other
 * persona, no other database and no other mail, on any way that leads there.
 */
export function portsOf(ports: QueryPorts, viewer: ConsoleViewer): QueryPorts {
  const { live, stores, gateway, overviews } = ports;
  const sees = (id: string | null): boolean => (id === null ? viewer.ownsGateway : viewer.personas.has(id));
  const seesMailOf = (id: string): boolean => sees(id === '' ? null : id);
  const ofMail = (rows: readonly SeenMail[]): SeenMail[] => rows.filter(({ persona_id: id }) => sees(id));
  return {
    ...ports,
    live: {
      ...live,
      personas: () => directoryOf(live.personas(), sees),
      problems: () => (viewer.ownsGateway ? live.problems() : []),
      freshPersona: (id) => (sees(id) ? live.freshPersona(id) : undefined),
      lookAtPersona: (id) => (sees(id) ? live.lookAtPersona(id) : undefined),
      tasksOf: (id) => (sees(id) ? live.tasksOf(id) : []),
      personasWithTasks: () => live.personasWithTasks().filter(sees),
    },
    stores: {
      exists: (id) => sees(id) && stores.exists(id),
      use: (id, work) =>
        sees(id) ? stores.use(id, work) : Promise.reject(new EngineError('not_found', `no persona is named ${id}`)),
      close: () => Promise.reject(new Error('whoever looks closes nothing')),
    },
    overviews: {
      ...overviews,
      of: (ids, day) => overviews.of([...ids].filter(sees), day),
    },
    gateway: {
      ...gateway,
      ...(viewer.ownsGateway ? {} : keptBack(gateway, sees)),
      listDeadLetters: async (wanted) =>
        (await gateway.listDeadLetters(wanted)).filter(({ persona_id: persona }) => sees(persona)),
      getDeadLetter: async (id) => {
        const letter = await gateway.getDeadLetter(id);
        return letter && sees(letter.persona_id) ? letter : undefined;
      },
      listReceived: (wanted) => listSeen(gateway, wanted, sees),
      receivedById: async (id) => ofMail([(await gateway.receivedById(id)) ?? []].flat())[0],
      seenByMessageId: async (id) => ofMail(await gateway.seenByMessageId(id)),
      lookAtSeen: (wanted) => gateway.lookAtSeen({ ...wanted, personas: wanted.personas.filter(seesMailOf) }),
      seenById: async (id) => ofMail([(await gateway.seenById(id)) ?? []].flat())[0],
      seenOfPerson: (address, personas) => gateway.seenOfPerson(address, personas.filter(seesMailOf)),
      listPasskeys: async () =>
        (await gateway.listPasskeys()).filter(({ address }) => viewer.ownsGateway || address === viewer.address),
      recentRuns: async (limit) => (await gateway.recentRuns(limit)).filter(({ persona }) => sees(persona)),
    },
  };
}

/** What the gateway keeps for nobody's persona, or for several at once, as it is for whoever owns some of them alone. */
const keptBack = (gateway: GatewayStore, sees: (id: string | null) => boolean): Partial<GatewayStore> => ({
  refusedMail: async (id) =>
    (await gateway.seenByMessageId(id)).some(({ persona_id: persona }) => sees(persona)) ? gateway.refusedMail(id) : [],
  messageIdsLike: async () => [],
  newlyRefused: async () => [],
  keptRefusals: async () => [],
  keptRefusal: async (sha256) => {
    const kept = await gateway.keptRefusal(sha256);
    const rows = kept ? await gateway.seenByMessageId(kept.message_id) : [];
    return rows.some((row) => row.kept_sha256 === sha256 && sees(row.persona_id)) ? kept : undefined;
  },
  refusalCounts: async () => [],
  senderQuestions: async (id) => (await gateway.senderQuestions(id)).filter(({ persona_id: persona }) => sees(persona)),
  toolQuestion: async () => undefined,
  toolQuestionsAbout: async () => [],
  countDeadLetters: async () => 0,
  deadLetterFiles: async () => new Set(),
  resting: async () => [],
  listConsoleSessions: async () => [],
  listGatewayAudit: async () => [],
});

/** Looks at so many rows of others at once, on the way to those that fill a page. */
const STRIDE = 200;
/** And at so many pages of them. */
const MOST_STRIDES = 20;

async function listSeen(
  gateway: QueryPorts['gateway'],
  wanted: Parameters<QueryPorts['gateway']['listReceived']>[0],
  sees: (id: string | null) => boolean,
): Promise<SeenMail[]> {
  if (wanted.persona !== undefined) return sees(wanted.persona) ? gateway.listReceived(wanted) : [];
  const found: SeenMail[] = [];
  let before = wanted.before;
  for (let strides = 0; strides < MOST_STRIDES && found.length < wanted.limit; strides += 1) {
    const limit = Math.max(STRIDE, wanted.limit);
    const rows = await gateway.listReceived({ ...wanted, before, limit });
    found.push(...rows.filter(({ persona_id: id }) => sees(id)));
    before = rows.at(-1)?.id;
    if (rows.length < limit || before === undefined) break;
  }
  return found.slice(0, wanted.limit);
}

function directoryOf(all: PersonaDirectory, sees: (id: string) => boolean): PersonaDirectory {
  const seen = (entry: PersonaEntry | undefined) => (entry !== undefined && sees(entry.id) ? entry : undefined);
  return {
    get: (id) => seen(all.get(id)),
    byAddress: (address) => seen(all.byAddress(address)),
    *all() {
      for (const entry of all.all()) if (sees(entry.id)) yield entry;
    },
    get size() {
      let count = 0;
      for (const { id } of all.all()) if (sees(id)) count += 1;
      return count;
    },
    get inError() {
      return all.inError.filter(sees);
    },
  };
}
