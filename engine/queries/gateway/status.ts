import { statSync } from 'node:fs';
import type { Problem } from '../../config/types.ts';
import type { ExtensionRecord } from '../../extensions/types.ts';
import { iso } from '../../lib/clock.ts';
import { hideSecrets } from '../../lib/secrets/secrets.ts';
import { DAY_MS } from '../../lib/time.ts';
import { targetName } from '../../models/targets.ts';
import type { Overview } from '../../storage/types/overview.ts';
import { listReceived, type ReceivedShape } from '../mail/received.ts';
import { NOTHING_OPEN, type OpenCounts, withCounts } from '../overviews.ts';
import type { QueryPorts } from '../ports.ts';
import { extensionShape, isoOrNull } from '../shapes.ts';
import { whyUnhealthy } from './health.ts';
import { type MailboxStateShape, mailboxStates } from './mailbox-states.ts';
import { type MissingKeys, missingKeys } from './missing-keys.ts';
import { type PersonaState, personaStates, personasByState } from './persona-states.ts';
import { targetOf, unpricedModels } from './provider-in-use.ts';
import { readyPath, runningGateway } from './running.ts';
import { type SendingState, sendingStates } from './sending.ts';
import { extensionsNow, type GatewayState, readState, withLogins } from './state.ts';
import { type BackupPlan, backupPlan } from './upkeep/backups.ts';

interface Deferred {
  readonly persona: string;
  readonly code: string;
  readonly count: number;
  readonly since: string | null;
  readonly until: string | null;
  /** Whose the failure is that it waits for: `request`, `setup`, `vendor`, or `unclear` while one mail alone has failed. */
  readonly whose?: string;
  readonly provider?: string;
  /** The vendor's own words. */
  readonly message?: string;
}

interface Parked {
  readonly persona: string;
  readonly kind: string;
  readonly code: string;
  readonly count: number;
}

interface Counts extends OpenCounts {
  /** What mail waits for, by persona, and when that may be over by itself. */
  readonly deferred: readonly Deferred[];
  /** Jobs that this version cannot do: of a newer one, or of an extension that is gone. */
  readonly parked_jobs?: readonly Parked[];
}

/** What came last. */
type LastMail = Pick<ReceivedShape, 'id' | 'received_at' | 'from' | 'subject' | 'decision' | 'code' | 'persona'>;

export interface Status extends Counts {
  readonly healthy: boolean;
  /** Why it is not, in words. */
  readonly unhealthy: readonly string[];
  readonly running: boolean;
  readonly pid: number | null;
  readonly uptime_s: number | null;
  /** `looked_at`: when the server last answered a look for new mail; null where none has since the start. */
  readonly mailboxes: readonly (MailboxStateShape & {
    readonly looked_at: string | null;
    readonly smtp: SendingState;
  })[];
  /** `provider/model` by which personas would answer now. */
  readonly models: readonly { readonly model: string; readonly personas: readonly string[] }[];
  /** Since midnight, UTC. */
  readonly today: { readonly runs: number; readonly cost_usd: number };
  readonly last_mail: LastMail | null;
  readonly personas: readonly PersonaState[];
  readonly dead_letters: number;
  readonly cooldowns: readonly { provider: string; until: string }[];
  readonly extensions: readonly ExtensionRecord[];
  /** Tools of MCP servers that the running gateway does not use: no owner has allowed them as they are, or they are gone. */
  readonly tools_waiting: readonly { readonly server: string; readonly tools: readonly string[] }[];
  readonly missing_keys: readonly MissingKeys[];
  /** Models without a price of personas with a budget in USD; `until`: when mail begins to wait for it, null: it does. */
  readonly unpriced: readonly { readonly model: string; readonly persona: string; readonly until: string | null }[];
  readonly config_errors: readonly Problem[];
  readonly backup: BackupPlan;
  /** Of the running gateway itself: each is a bug. */
  readonly unhandled_rejections: number;
  readonly refusals: Readonly<Record<string, number>>;
}

/** How the gateway and everybody in it are. */
export async function statusOf(ports: QueryPorts): Promise<Status> {
  const { live, gateway, dataDir, clock } = ports;
  const running = runningGateway(ports);
  const state = running && readState(dataDir, running.pid);
  const { all: extensions, problems } = await ports.extensions();
  const { all, ...today } = await overviewsToday(ports);
  const sending = sendingStates(ports, all);
  const status = {
    running: running !== null,
    pid: running?.pid ?? null,
    uptime_s: running && uptimeOf(dataDir),
    mailboxes: mailboxesNow(ports, state?.mailboxes ?? []).map((one) => ({
      ...one,
      looked_at: isoOrNull(state?.mailboxes.find(({ id }) => id === one.id)?.looked_at ?? null),
      smtp: sending.get(one.id) ?? { state: null, error: null, waiting: 0, attempts: 0 },
    })),
    models: modelsInUse(ports),
    today: await todayOf(ports, all, today),
    last_mail: await lastMail(ports),
    personas: await personaStates(ports, isInForce(state)),
    ...countsOf(all),
    dead_letters: await gateway.countDeadLetters(),
    // What the running gateway goes by; without one, what the next start will find.
    cooldowns: (state?.cooldowns ?? (await gateway.resting(clock.now()))).map(({ provider, until }) => ({
      provider,
      until: iso(until),
    })),
    extensions: withLogins(extensionsNow(extensions, state), ports).map(extensionShape),
    tools_waiting: state?.tools_waiting ?? [],
    // Their personas cannot answer, however well all else is.
    missing_keys: missingKeys(ports),
    unpriced: (await unpricedModels(ports)).map(({ model, persona, until }) => ({
      model,
      persona: persona.id,
      until: isoOrNull(until),
    })),
    config_errors: [...live.problems(), ...problems],
    backup: await backupPlan(ports),
    unhandled_rejections: state?.unhandled_rejections ?? 0,
    refusals: Object.fromEntries((await gateway.refusalCounts()).map(({ code, count }) => [code ?? 'unknown', count])),
  };
  const unhealthy = whyUnhealthy(status);
  return { healthy: unhealthy.length === 0, unhealthy, ...status };
}

/** What is known of all personas now, and since when their runs are counted. */
async function overviewsToday({ live, overviews, clock }: QueryPorts) {
  const now = clock.now();
  const day = Math.floor(now / DAY_MS) * DAY_MS;
  const ids = Array.from(live.personas().all(), ({ id }) => id);
  return { all: await overviews.of(ids, day), day, now };
}

/** What a scrape counts, of the gateway that is asked itself. */
interface Counted extends OpenCounts, Pick<Status, 'dead_letters' | 'uptime_s' | 'unhandled_rejections'> {
  readonly mailboxes: readonly Pick<MailboxStateShape, 'state'>[];
  /** By state, as they come. */
  readonly personas: Readonly<Record<string, number>>;
}

/** Of all that `statusOf` says the part that is numbers. */
export async function countedOf(ports: QueryPorts): Promise<Counted> {
  const { gateway, dataDir } = ports;
  const running = runningGateway(ports);
  const state = running && readState(dataDir, running.pid);
  return {
    ...(await ports.overviews.counts(ports.live.personas())),
    dead_letters: await gateway.countDeadLetters(),
    mailboxes: mailboxesNow(ports, state?.mailboxes ?? []),
    personas: await personasByState(ports, isInForce(state)),
    uptime_s: running && uptimeOf(dataDir),
    unhandled_rejections: state?.unhandled_rejections ?? 0,
  };
}

/** Files that went wrong while it runs: the last good version is in force, and the problem stands in config_errors. */
const isInForce =
  (state: GatewayState | null) =>
  (id: string): boolean =>
    state !== null && !state.persona_errors.includes(id);

/** Also those that the gateway watches although gateway.json cannot be read now: it goes on with the last good one. */
function mailboxesNow({ live }: QueryPorts, watched: readonly MailboxStateShape[]): MailboxStateShape[] {
  const configured = mailboxStates(live.current().gateway, watched);
  const left = watched.filter(({ id }) => !configured.some((one) => one.id === id));
  return [...configured, ...left.map(({ id, state, error }) => ({ id, state, error }))];
}

function modelsInUse(ports: QueryPorts): Status['models'] {
  const ready = [...ports.live.personas().all()].flatMap((one) => (one.state === 'ready' ? [one.persona] : []));
  const used = Map.groupBy(ready, (persona) => targetName(targetOf(ports, persona)));
  return [...used].map(([model, personas]) => ({ model, personas: personas.map(({ id }) => id) }));
}

async function todayOf(
  { stores }: QueryPorts,
  all: ReadonlyMap<string, Overview>,
  { day, now }: { readonly day: number; readonly now: number },
): Promise<Status['today']> {
  const sum = { runs: 0, cost_usd: 0 };
  for (const [id, { newest, day: counted }] of all) {
    if (newest.runAt === null || newest.runAt < day) continue;
    // A run of a time to come is of another clock, and was not counted before that time.
    const sums =
      newest.runAt <= now && counted.from === day
        ? [counted]
        : await stores.use(id, (store) => store.usage(day, now + 1, null));
    for (const { runs, cost_usd } of sums)
      Object.assign(sum, { runs: sum.runs + runs, cost_usd: sum.cost_usd + cost_usd });
  }
  return sum;
}

async function lastMail(ports: QueryPorts): Promise<LastMail | null> {
  const [newest] = (await listReceived(ports, { limit: 1 })).mails;
  if (!newest) return null;
  const { id, received_at, from, subject, decision, code, persona } = newest;
  return { id, received_at, from, subject, decision, code, persona };
}

/** Pure. */
function countsOf(all: ReadonlyMap<string, Overview>): Counts {
  let sums = NOTHING_OPEN;
  const deferred: Deferred[] = [];
  const parked: Parked[] = [];
  for (const [id, one] of all) {
    sums = withCounts(sums, one);
    parked.push(...one.parked.map((jobs) => ({ persona: id, ...jobs })));
    for (const { code, count, since, until, incident } of one.deferred) {
      const waits = { persona: id, code: code ?? '', count, since: isoOrNull(since), until: isoOrNull(until) };
      deferred.push({ ...waits, ...failureOf(incident) });
    }
  }
  const { queue, waiting_parts, outbox } = sums;
  return { queue, waiting_parts, deferred, outbox, ...(parked.length > 0 ? { parked_jobs: parked } : {}) };
}

/** ready.json is written once, when the gateway is ready. File times are the system's, whatever our own clock says. */
function uptimeOf(dataDir: string): number | null {
  const found = statSync(readyPath(dataDir), { throwIfNoEntry: false });
  return found ? Math.max(0, Math.round((Date.now() - found.mtimeMs) / 1000)) : null;
}

interface Failure {
  readonly whose: string | null;
  readonly provider: string;
  readonly message: string;
}

const failureOf = (incident: Failure | null): Pick<Deferred, 'whose' | 'provider' | 'message'> =>
  incident === null || incident.provider === ''
    ? {}
    : {
        ...(incident.whose === null ? {} : { whose: incident.whose }),
        provider: incident.provider,
        message: hideSecrets(incident.message).slice(0, MAX_MESSAGE),
      };

const MAX_MESSAGE = 300;
