import { statSync } from 'node:fs';
import type { Problem } from '../../config/types.ts';
import { iso } from '../../lib/clock.ts';
import type { QueryPorts } from '../ports.ts';
import { type ExtensionShape, extensionShape, isoOrNull } from '../shapes.ts';
import { type MailboxState, mailboxStates } from './mailbox-states.ts';
import { type MissingKeys, missingKeys } from './missing-keys.ts';
import { type PersonaState, personaStates } from './persona-states.ts';
import { readyPath, runningGateway } from './running.ts';
import { extensionsNow, readState } from './state.ts';

interface Deferred {
  readonly persona: string;
  readonly code: string;
  readonly count: number;
  readonly since: string | null;
  readonly until: string | null;
}

interface Parked {
  readonly persona: string;
  readonly kind: string;
  readonly code: string;
  readonly count: number;
}

interface Counts {
  readonly queue: { queued: number; running: number; waiting_approval: number; deferred: number };
  /** What mail waits for, by persona, and when that may be over by itself. */
  readonly deferred: readonly Deferred[];
  /** `drafts`: answers that lie in Drafts, and that nobody has sent. */
  readonly outbox: { queued: number; failed: number; unknown: number; drafts: number };
  /** Jobs that this version cannot do: of a newer one, or of an extension that is gone. */
  readonly parked_jobs?: readonly Parked[];
}

export interface Status extends Counts {
  readonly running: boolean;
  readonly pid: number | null;
  readonly uptime_s: number | null;
  readonly mailboxes: readonly MailboxState[];
  readonly personas: readonly PersonaState[];
  readonly dead_letters: number;
  readonly cooldowns: readonly { provider: string; until: string }[];
  readonly extensions: readonly ExtensionShape[];
  readonly missing_keys: readonly MissingKeys[];
  readonly config_errors: readonly Problem[];
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
  // Files that went wrong while it runs: the last good version is in force, and the problem stands in config_errors.
  const inForce = (id: string) => state !== null && !state.persona_errors.includes(id);
  return {
    running: running !== null,
    pid: running?.pid ?? null,
    uptime_s: running && uptimeOf(dataDir),
    mailboxes: mailboxStates(live.current().gateway, state?.mailboxes ?? []),
    personas: await personaStates(ports, inForce),
    ...(await countsOf(ports)),
    dead_letters: await gateway.countDeadLetters(),
    // What the running gateway goes by; without one, what the next start will find.
    cooldowns: (state?.cooldowns ?? (await gateway.resting(clock.now()))).map(({ provider, until }) => ({
      provider,
      until: iso(until),
    })),
    extensions: extensionsNow(extensions, state).map(extensionShape),
    // Their personas cannot answer, however well all else is.
    missing_keys: missingKeys(ports),
    config_errors: [...live.problems(), ...problems],
    unhandled_rejections: state?.unhandled_rejections ?? 0,
    refusals: Object.fromEntries((await gateway.refusalCounts()).map(({ code, count }) => [code ?? 'unknown', count])),
  };
}

async function countsOf({ live, stores }: QueryPorts): Promise<Counts> {
  const runs: { status: string; count: number }[] = [];
  const deferred: Deferred[] = [];
  const parked: Parked[] = [];
  const mails: { state: string; count: number }[] = [];
  for (const { id } of live.personas().all()) {
    if (!stores.exists(id)) continue;
    await stores.use(id, async (store) => {
      runs.push(...(await store.runCounts()));
      mails.push(...(await store.outboxCounts()));
      parked.push(...(await store.parkedJobs()).map((jobs) => ({ persona: id, ...jobs })));
      for (const { code, count, since, until } of await store.countDeferred()) {
        deferred.push({ persona: id, code: code ?? '', count, since: isoOrNull(since), until: isoOrNull(until) });
      }
    });
  }
  const sum = (rows: readonly { count: number }[]) => rows.reduce((total, { count }) => total + count, 0);
  const runsIn = (status: string) => sum(runs.filter((row) => row.status === status));
  const mailsIn = (...states: string[]) => sum(mails.filter(({ state }) => states.includes(state)));
  return {
    queue: {
      queued: runsIn('queued'),
      running: runsIn('running'),
      waiting_approval: runsIn('waiting_approval'),
      deferred: runsIn('deferred'),
    },
    deferred,
    outbox: {
      queued: mailsIn('queued', 'sending'),
      failed: mailsIn('failed'),
      unknown: mailsIn('unknown'),
      drafts: mailsIn('draft'),
    },
    ...(parked.length > 0 ? { parked_jobs: parked } : {}),
  };
}

/** ready.json is written once, when the gateway is ready. File times are the system's, whatever our own clock says. */
function uptimeOf(dataDir: string): number | null {
  const found = statSync(readyPath(dataDir), { throwIfNoEntry: false });
  return found ? Math.max(0, Math.round((Date.now() - found.mtimeMs) / 1000)) : null;
}
