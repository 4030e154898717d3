import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** The service manager that a unit is for. */
export interface Manager {
  readonly kind: 'systemd' | 'launchd';
  /** File of the unit. */
  readonly file: string;
  /** Commands that take a new unit up and start it, in order. */
  readonly start: readonly (readonly string[])[];
  /** Without it what an account runs ends when the account logs out; null where that is not so. */
  readonly stay: readonly string[] | null;
  /** Commands that stop the unit and let go of it, in order. */
  readonly stop: readonly (readonly string[])[];
  /** Says on stdout whether it runs. */
  readonly isActive: readonly string[];
}

interface Account {
  readonly home: string;
  readonly uid: number;
}

export function systemdManager(name: string, account: Account | 'system'): Manager {
  const isSystem = account === 'system';
  const ctl = ['systemctl', ...(isSystem ? [] : ['--user'])];
  const folder = isSystem ? '/etc/systemd/system' : join(account.home, '.config/systemd/user');
  return {
    kind: 'systemd',
    file: join(folder, `${name}.service`),
    start: [
      [...ctl, 'daemon-reload'],
      [...ctl, 'enable', '--now', name],
    ],
    stay: isSystem ? null : ['loginctl', 'enable-linger'],
    stop: [[...ctl, 'disable', '--now', name]],
    isActive: [...ctl, 'is-active', name],
  };
}

export function launchdManager(label: string, { home, uid }: Account): Manager {
  const file = join(home, 'Library/LaunchAgents', `${label}.plist`);
  return {
    kind: 'launchd',
    file,
    start: [['launchctl', 'bootstrap', `gui/${uid}`, file]],
    stay: null,
    stop: [['launchctl', 'bootout', `gui/${uid}/${label}`]],
    isActive: ['launchctl', 'print', `gui/${uid}/${label}`],
  };
}

/** A unit of ours, and what starts it anew. */
interface Service {
  readonly name: string;
  readonly restart: readonly string[];
}

const restarting = (name: string, isSystem: boolean): Service => ({
  name,
  restart: ['systemctl', ...(isSystem ? [] : ['--user']), 'restart', name],
});

/** The unit of systemd in which a process runs; null where it is in none of ours. Linux. */
export function serviceOf(pid: number): Service | null {
  const found = serviceIn(cgroupOf(pid));
  if (found === null) return null;
  const account = found.isSystem ? 'system' : { home: homedir(), uid: userInfo().uid };
  const { file } = systemdManager(found.name, account);
  // A gateway that somebody started by hand may be below the service of a terminal or of cron.
  if (!existsSync(file) || !OURS.some((mark) => readFileSync(file, 'utf8').includes(mark))) return null;
  return restarting(found.name, found.isSystem);
}

/** The unit that is to run the gateway of a workspace, whether it does or not; null where there is none. Linux. */
export function serviceFor(root: string): Service | null {
  for (const account of [{ home: homedir(), uid: userInfo().uid }, 'system'] as const) {
    const folder = dirname(systemdManager('any', account).file);
    const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.service')) : [];
    const found = files.find((file) => holderOf(join(folder, file), workingIn(root)) === 'this');
    if (found !== undefined) return restarting(found.slice(0, -'.service'.length), account === 'system');
  }
  return null;
}

/** Pure. Of the text of /proc/PID/cgroup: the unit, and whether it is one of the system. */
export function serviceIn(cgroup: string): { readonly name: string; readonly isSystem: boolean } | null {
  const path = cgroup.split('\n').find((line) => line.startsWith('0::') || line.includes(':name=systemd:')) ?? '';
  const name = /\/([\w.@-]{1,200})\.service$/.exec(path.trim())?.[1];
  return name === undefined ? null : { name, isSystem: !/\/user@\d+\.service\//.test(path) };
}

function cgroupOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return '';
  }
}

/** What a command said; `ok`: it ended with 0. A program that is missing is no error of ours. */
export function runManager([program = '', ...args]: readonly string[]): {
  readonly ok: boolean;
  readonly said: string;
} {
  const ended = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 });
  const said = `${ended.stdout ?? ''}${ended.stderr ?? ''}`.trim();
  return { ok: ended.status === 0, said: ended.error ? `${program} is not here` : said };
}

/** Writes the file of a unit; its manager has to be told. */
export function writeUnit(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o644 });
}

/** Of whom a unit file is: of nobody, since there is none; of this workspace; of another one; of another program. */
type Holder = 'nobody' | 'this' | 'another' | 'stranger';

/** Whose the file of a unit is, by what was written into it. `unit`: the text that would be written now. */
export function holderOf(file: string, unit: string): Holder {
  if (!existsSync(file) || !statSync(file).isFile()) return 'nobody';
  const there = readFileSync(file, 'utf8');
  if (!OURS.some((mark) => there.includes(mark))) return 'stranger';
  return folderIn(there) === folderIn(unit) ? 'this' : 'another';
}

/** In every unit that was ever written here. */
const OURS = ['\nDescription=Epistle, a gateway', '<string>org.epistle.'];

/** The line of a unit that says whose it is. */
export const workingIn = (workspace: string): string => `WorkingDirectory=${workspace.replaceAll('%', '%%')}`;

const folderIn = (unit: string): string | undefined =>
  unit
    .split('\n')
    .find((line) => line.trimStart().startsWith('WorkingDirectory=') || line.includes('<key>WorkingDirectory<'));

export function removeUnit(file: string): boolean {
  const wasThere = existsSync(file);
  rmSync(file, { force: true });
  return wasThere;
}
