import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** Runs a command to its end; rejects with its stderr when it fails. */
export async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await exec(command, [...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** A server in the foreground as our child: stopped by its own process id and nothing else. */
export function startProcess(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const said: string[] = [];
  const child: ChildProcess = spawn(command, [...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.on('data', (text) => said.push(String(text)));
  child.stderr?.on('data', (text) => said.push(String(text)));
  child.on('error', (error) => said.push(error.message));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const exited = async () => {
    if (!isOver()) await once(child, 'exit');
  };
  return {
    exited,
    said: () => said.join(''),
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
      if (isOver() || child.pid === undefined) return;
      const workers = await childrenOf(child.pid);
      child.kill(signal);
      await exited();
      // Dovecot's workers outlive their master by many seconds, with the clients' connections.
      for (const pid of workers) killIfThere(pid);
    },
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its master, as it should.
  }
}
