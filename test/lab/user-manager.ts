import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** Where a machine has its control groups: the new kind, the one of systemd beside the old ones, or both. */
const TREES = ['/sys/fs/cgroup/unified', '/sys/fs/cgroup/systemd', '/sys/fs/cgroup'].filter((tree) =>
  existsSync(join(tree, 'cgroup.procs')),
);

/**
 * A real `systemd --user` without a login, also where the machine was started by something else: in a mount namespace of its
 * own, with a home of its own, and in a control group that is named as that of an account. Needs root. Services of it end
 * with it.
 */
export async function startUserManager(folder: string) {
  const group = `epistle-${process.pid}/user@0.service`;
  const places = { HOME: join(folder, 'home'), XDG_RUNTIME_DIR: join(folder, 'run') };
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true, mode: 0o700 });
  for (const tree of TREES) mkdirSync(join(tree, group), { recursive: true });
  const script = [
    'mount -t tmpfs tmpfs /run/systemd && mkdir -p /run/systemd/system',
    ...TREES.map((tree) => `echo $$ > ${tree}/${group}/cgroup.procs`),
    'exec /lib/systemd/systemd --user --log-target=console',
  ].join(' && ');
  const child = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script], {
    env: { PATH: process.env.PATH, ...places },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  child.stderr.on('data', (text) => said.push(String(text)));
  const target = String(child.pid);

  /** A command as the account has it; what it said and ended with. */
  async function within(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const env = { PATH: process.env.PATH, ...places, ...environment };
    return exec('nsenter', ['--mount', '--target', target, ...args], { env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ stdout, stderr, code }) => ({ code: Number(code), stdout: String(stdout), stderr: String(stderr) }),
    );
  }

  const isUp = async () => (await within(['systemctl', '--user', 'is-system-running'])).stdout.trim() === 'running';
  for (const until = Date.now() + 30_000; !(await isUp()); await pause(100)) {
    if (Date.now() > until || child.exitCode !== null)
      throw new Error(`systemd --user did not start: ${said.join('')}`);
  }
  return {
    home: places.HOME,
    within,
    /** A property of a service, such as MainPID. */
    property: async (service: string, name: string) =>
      (await within(['systemctl', '--user', 'show', '--property', name, '--value', service])).stdout.trim(),
    /** A program of the machine that says yes to all, in front of the true one. */
    agreeing(name: string): string {
      mkdirSync(join(folder, 'bin'), { recursive: true });
      writeFileSync(join(folder, 'bin', name), '#!/bin/sh\n', { mode: 0o755 });
      return `${join(folder, 'bin')}:${process.env.PATH}`;
    },
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
      for (const tree of TREES) for (const path of [group, `epistle-${process.pid}`]) removeGroup(join(tree, path));
    },
  };
}

/** With those below it. */
function removeGroup(path: string): void {
  if (!existsSync(path)) return;
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(path, entry.name));
  rmdirSync(path);
}
