import { statSync } from 'node:fs';
import { describeProblem } from '../../config/problem.ts';
import { iso } from '../../lib/clock.ts';
import { mailboxInWords, mailboxStates } from '../../queries/gateway/mailbox-states.ts';
import { missingKeys } from '../../queries/gateway/missing-keys.ts';
import { personaStates } from '../../queries/gateway/persona-states.ts';
import { readyPath, runningGateway } from '../../queries/gateway/running.ts';
import { extensionsNow, readState } from '../../queries/gateway/state.ts';
import { extensionShape, isoOrNull } from '../../queries/shapes.ts';
import type { Workspace } from '../../workspace.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { waitsFor } from '../text/waits-for.ts';

export const statusCommand: Register = (program, act) => {
  program.command('status').description('How the gateway and everybody in it are').action(act(status));
};

async function status(context: CommandContext): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { live, gateway, dataDir, clock } = workspace;
  const running = runningGateway(workspace);
  const state = running && readState(dataDir, running.pid);
  const { all: extensions, problems } = await workspace.extensions();
  // Files that went wrong while it runs: the last good version is in force, and the problem stands in config_errors.
  const inForce = (id: string) => state !== null && !state.persona_errors.includes(id);
  const data = {
    running: running !== null,
    pid: running?.pid ?? null,
    uptime_s: running && uptimeOf(dataDir),
    mailboxes: mailboxStates(live.current().gateway, state?.mailboxes ?? []),
    personas: await personaStates(workspace, inForce),
    ...(await countsOf(workspace)),
    dead_letters: await gateway.countDeadLetters(),
    // What the running gateway goes by; without one, what the next start will find.
    cooldowns: (state?.cooldowns ?? (await gateway.resting(clock.now()))).map(({ provider, until }) => ({
      provider,
      until: iso(until),
    })),
    extensions: extensionsNow(extensions, state).map(extensionShape),
    // Their personas cannot answer, however well all else is.
    missing_keys: missingKeys(workspace),
    config_errors: [...live.problems(), ...problems],
    unhandled_rejections: state?.unhandled_rejections ?? 0,
    refusals: Object.fromEntries((await gateway.refusalCounts()).map(({ code, count }) => [code ?? 'unknown', count])),
  };
  return { data, text: describe(data) };
}

async function countsOf({ live, stores }: Workspace) {
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
    /** What mail waits for, by persona, and when that may be over by itself. */
    deferred,
    outbox: { queued: mailsIn('queued', 'sending'), failed: mailsIn('failed'), unknown: mailsIn('unknown') },
    /** Jobs that this version cannot do: of a newer one, or of an extension that is gone. */
    ...(parked.length > 0 ? { parked_jobs: parked } : {}),
  };
}

/** ready.json is written once, when the gateway is ready. File times are the system's, whatever our own clock says. */
function uptimeOf(dataDir: string): number | null {
  const found = statSync(readyPath(dataDir), { throwIfNoEntry: false });
  return found ? Math.max(0, Math.round((Date.now() - found.mtimeMs) / 1000)) : null;
}

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

interface Status {
  readonly running: boolean;
  readonly pid: number | null;
  readonly uptime_s: number | null;
  readonly mailboxes: ReturnType<typeof mailboxStates>;
  readonly personas: Awaited<ReturnType<typeof personaStates>>;
  readonly queue: { queued: number; running: number; waiting_approval: number; deferred: number };
  readonly deferred: readonly Deferred[];
  readonly outbox: { queued: number; failed: number; unknown: number };
  readonly parked_jobs?: readonly Parked[];
  readonly dead_letters: number;
  readonly cooldowns: readonly { provider: string; until: string }[];
  readonly extensions: readonly ReturnType<typeof extensionShape>[];
  readonly missing_keys: ReturnType<typeof missingKeys>;
  readonly config_errors: Parameters<typeof describeProblem>[0][];
  /** Of the running gateway itself: each is a bug. */
  readonly unhandled_rejections: number;
  readonly refusals: Readonly<Record<string, number>>;
}

function describe(status: Status): string {
  const { queue, outbox } = status;
  const refused = Object.entries(status.refusals).map(([code, count]) => `${count} ${code}`);
  const loaded = status.extensions.filter(({ state }) => state === 'loaded').length;
  return [
    status.running
      ? `The gateway runs (pid ${status.pid}, ${status.uptime_s} s).`
      : 'No gateway runs; `epistle start` starts one.',
    ...status.mailboxes.map((one) => `  mailbox ${one.id}: ${mailboxInWords(one, status.running)}`),
    ...status.personas.slice(0, SHOWN).map(inWords),
    ...(status.personas.length > SHOWN ? [`  … and ${status.personas.length - SHOWN} more personas`] : []),
    `Runs: ${queue.queued} queued, ${queue.running} running, ${queue.waiting_approval} waiting for approval, ${queue.deferred} deferred`,
    ...status.deferred.map(
      ({ persona, code, count, until }) =>
        `  ${persona}: ${count} ${count === 1 ? 'mail waits' : 'mails wait'} ${waitsFor(code, until)}`,
    ),
    `Outbox: ${outbox.queued} queued, ${outbox.failed} failed, ${outbox.unknown} unknown`,
    ...(status.parked_jobs ?? []).map(
      ({ persona, kind, code, count }) =>
        `Parked: ${count} ${count === 1 ? 'job' : 'jobs'} of the kind ${kind} of ${persona} cannot be done here (${code})`,
    ),
    `Dead letters: ${status.dead_letters}${status.dead_letters > 0 ? ' (see `epistle deadletters list`)' : ''}`,
    ...(refused.length > 0 ? [`Refused: ${refused.join(', ')}`] : []),
    ...status.cooldowns.map(({ provider, until }) => `Provider ${provider} rests until ${until}`),
    `Extensions: ${loaded} loaded, ${status.extensions.filter(({ state }) => state === 'error').length} with errors`,
    ...status.extensions.flatMap(({ kind, name, error }) =>
      error?.code === 'extension_failed' ? [`  ${kind} ${name} is switched off: ${error.message}`] : [],
    ),
    ...(status.unhandled_rejections > 0 ? [`Unhandled rejections: ${status.unhandled_rejections} (see the log)`] : []),
    ...status.missing_keys.map(
      ({ provider, keys, personas }) =>
        `Wrong: ${keys.join(', ')} is not set, so provider ${provider} cannot answer for ${personas.join(', ')}`,
    ),
    ...status.config_errors.map((problem) => `Wrong: ${describeProblem(problem)}`),
  ].join('\n');
}

const SHOWN = 50;

/** Of one that cannot be loaded not even the address may be known; where to look is. */
const inWords = ({ id, address, state, error }: Status['personas'][number]): string =>
  [
    `  ${id}${address === null ? '' : ` <${address}>`}: ${state}`,
    ...(error ? [`(${error}; see \`epistle persona validate ${id}\`)`] : []),
  ].join(' ');
