import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, startProcess } from './processes.ts';

const INSTALLED = '/usr/lib/postgresql';
/** It refuses to run as root. */
const USER = 'postgres';

export interface Postgres {
  /** Runs a script to its end, whatever fails in it: what it printed, and its errors, each with its line. */
  script(text: string): Promise<{ readonly printed: string; readonly errors: string }>;
  stop(): Promise<void>;
}

/** A private PostgreSQL (Debian; see `install`), 15 or newer, in a temporary folder that listens on a socket in it alone. Needs root. */
export async function startPostgres(): Promise<Postgres> {
  const version = Math.max(...(await readdir(INSTALLED)).map(Number));
  const bin = join(INSTALLED, `${version}`, 'bin');
  const folder = await mkdtemp(join(tmpdir(), 'epistle-postgres-'));
  await chmod(folder, 0o755);
  await run('chown', [USER, folder]);
  const data = join(folder, 'data');
  const as = (...command: readonly string[]) => ['-u', USER, '--', ...command];
  await run('runuser', as(`${bin}/initdb`, '-D', data, '--locale=C', '--encoding=UTF8', '--auth=trust', '--no-sync'));
  const server = startProcess(
    'runuser',
    as(`${bin}/postgres`, '-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'),
  );
  const connect = ['-h', folder, '-U', USER, '-d', 'postgres'];
  const deadline = Date.now() + 30_000;
  for (;;) {
    const answer = await run(`${bin}/pg_isready`, connect).catch((error: Error) => error);
    if (typeof answer === 'string') break;
    if (Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${server.said()}`);
  }
  return {
    script: (text) =>
      new Promise((resolve) => {
        const args = [...connect, '-X', '-q', '-A', '-t', '-f', '-'];
        const options = { maxBuffer: 64 * 1024 * 1024 };
        const child = execFile(`${bin}/psql`, args, options, (_, printed, errors) => resolve({ printed, errors }));
        child.stdin?.end(text);
      }),
    async stop() {
      await run('runuser', as(`${bin}/pg_ctl`, 'stop', '-D', data, '-m', 'fast', '-w'));
      await server.exited();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
