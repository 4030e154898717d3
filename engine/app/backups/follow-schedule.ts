import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { readJson } from '../../lib/json.ts';
import type { Children } from '../../lib/processes/children.ts';
import { latestDueTimes, nextDue } from '../../lib/schedule/due-times.ts';
import type { Schedule } from '../../lib/schedule/schedule.ts';
import { systemZone } from '../../lib/schedule/zone.ts';
import { HOUR_MS } from '../../lib/time.ts';
import {
  type BackupState,
  backupByHandAt,
  backupSchedule,
  backupState,
  keepBackupState,
} from '../../queries/gateway/upkeep/backups.ts';
import { noticeTo, type Telling, wording } from '../telling/tell-owners.ts';
import { programFile } from '../version.ts';

/** The clock may be set, and a machine sleep. */
const LOOK_MS = 60_000;

/**
 * Pure. What is known after a backup by schedule, and whether its owners are to be told: once for a row of failures. `byHandAt`: when
 * somebody has had a whole one made, which ends such a row.
 */
export function afterBackup(
  before: BackupState,
  made: Made & { readonly dueAt: number; readonly endedAt: number },
  byHandAt: number | null,
): { readonly state: BackupState; readonly tell: boolean } {
  const { dueAt, endedAt, path, error } = made;
  const isMadeGood = before.failing_since !== null && byHandAt !== null && byHandAt >= before.failing_since;
  const failingSince = error === null ? null : isMadeGood ? dueAt : (before.failing_since ?? dueAt);
  return {
    state: {
      looked_until: dueAt,
      last: { due_at: dueAt, ended_at: endedAt, path, error },
      failing_since: failingSince,
    },
    tell: failingSince === dueAt,
  };
}

/**
 * Makes a backup whenever one is due, one after the other. Of those that were due while no gateway ran, one is made. What is
 * changed in the settings counts at once.
 */
export function followBackups(telling: Telling): { stop(): Promise<void> } {
  const { live, log } = telling.workspace;
  const ending = new AbortController();
  const state: { timer: NodeJS.Timeout | undefined; working: Promise<void> } = {
    timer: undefined,
    working: Promise.resolve(),
  };
  const arm = (): void => {
    clearTimeout(state.timer);
    const schedule = backupSchedule(live.current().system.backup.schedule);
    if (schedule === null || ending.signal.aborted) return;
    state.timer = setTimeout(look, untilNext(schedule, telling.workspace.clock.now())).unref();
  };
  const look = (): void => {
    state.working = state.working
      .then(() => (ending.signal.aborted ? undefined : makeDue(telling, ending.signal)))
      .catch((error: unknown) => log.error({ error: String(error) }, 'backups could not be looked after'))
      .then(arm);
  };
  const unfollow = live.onChange(({ configs }) => {
    if (configs) look();
  });
  look();
  return {
    async stop() {
      unfollow();
      ending.abort();
      clearTimeout(state.timer);
      await state.working;
    },
  };
}

const untilNext = (schedule: Schedule, now: number): number =>
  Math.min(LOOK_MS, Math.max(0, (nextDue(schedule, systemZone(), now) ?? now + LOOK_MS) - now));

async function makeDue(telling: Telling, signal: AbortSignal): Promise<void> {
  const { workspace } = telling;
  const { live, clock, log, root, children } = workspace;
  const { schedule: text, to, keep, secrets } = live.current().system.backup;
  const schedule = backupSchedule(text);
  if (schedule === null) return;
  const before = await seenFrom(clock.now(), workspace);
  const [dueAt] = latestDueTimes(schedule, systemZone(), before.looked_until, clock.now(), 1);
  if (dueAt === undefined) return;
  const made = await runBackup({ root, to: resolve(root, to), keep, secrets, children }, signal);
  // It is due again at the next start.
  if (signal.aborted) return;
  const endedAt = clock.now();
  // A backup takes long: what is known now counts, not what was known when it began.
  const known = await backupState(workspace, endedAt);
  const { state, tell } = afterBackup(known, { ...made, dueAt, endedAt }, await backupByHandAt(workspace));
  if (tell) await tellOfFailure(telling, dueAt, made.error ?? '');
  await keepBackupState(workspace, state);
  if (made.error === null) log.info({ path: made.path }, 'a backup was made');
  else log.error({ error: made.error }, 'the backup that was due could not be made');
}

/** The clock may have been set back: until it is as late again, nothing would be due. */
async function seenFrom(now: number, workspace: Telling['workspace']): Promise<BackupState> {
  const known = await backupState(workspace, now);
  if (known.looked_until - now < HOUR_MS) return known;
  const state = { ...known, looked_until: now };
  await keepBackupState(workspace, state);
  return state;
}

async function tellOfFailure(telling: Telling, dueAt: number, cause: string): Promise<void> {
  const { say, when } = await wording();
  await noticeTo(telling, () => false, {
    id: `notice:backup_failed:${dueAt}`,
    words: (language) => ({
      subject: say(language, 'backups.failedSubject'),
      text: [
        say(language, 'backups.failed', { when: when(dueAt, language) }),
        // An error of a disk or of a program has no other language.
        say(language, 'notices.programSaid', { words: cause }),
      ].join('\n\n'),
    }),
  });
}

const told = z.object({
  path: z.string().nullish(),
  error: z.object({ message: z.string() }).nullish(),
});

interface Made {
  readonly path: string | null;
  /** In one line; null: it was made, and is whole. */
  readonly error: string | null;
}

/** No more of what it says is kept. */
const MAX_TOLD = 100_000;

/**
 * Makes a backup and looks whether it is whole, in a process of its own: to read, copy and check databases would hold mail
 * up here. Ended by `signal`, it is no backup. `keep` null: all earlier ones stay. Never rejects.
 */
export async function runBackup(
  {
    root,
    to,
    keep,
    secrets,
    children,
  }: { root: string; to: string; keep: number | null; secrets: boolean; children: Children },
  signal?: AbortSignal,
): Promise<Made> {
  const args = ['backup', 'create', '--verify', '--json', '--workspace', root, '--to', to];
  if (keep !== null) args.push('--keep', String(keep));
  try {
    const child = spawn(process.execPath, [programFile(), ...args, ...(secrets ? [] : ['--without-secrets'])], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // At the head of a group, as all that is started.
      detached: true,
      ...(signal === undefined ? {} : { signal }),
    });
    const { pid } = child;
    if (pid !== undefined) {
      children.add(pid, 'backup');
      child.once('exit', () => children.remove(pid));
    }
    // Mail goes first; at the lowest priority a busy machine would leave it nothing, and there would be no backup.
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
    const heard = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        heard[stream] = (heard[stream] + text).slice(-MAX_TOLD);
      });
    const [code]: (number | null)[] = await once(child, 'close');
    const said = readJson(told, heard.stdout);
    if (code === 0) return { path: said?.path ?? null, error: null };
    const why = said?.error?.message ?? (heard.stderr.trim().split('\n').at(-1) || `it ended with ${code}`);
    return { path: null, error: why.replaceAll(/\s+/g, ' ').slice(0, 500) };
  } catch (error) {
    return { path: null, error: error instanceof Error ? error.message : String(error) };
  }
}
