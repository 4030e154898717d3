import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const HOST = fileURLToPath(new URL('./command-host.ts', import.meta.url));

export interface HostRequest {
  readonly id: number;
  readonly args: readonly string[];
  readonly stdin: string;
  /** For the settings of the process alone, as the clock. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface HostAnswer {
  readonly id: number;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Waiting {
  resolve(answer: HostAnswer): void;
  reject(error: Error): void;
}

/** Runs command lines in one process beside the tests: it begins with the first and ends with the process of the tests. */
export function createCommands(environment: NodeJS.ProcessEnv, cwd = process.cwd()) {
  const waiting = new Map<number, Waiting>();
  const host: { process?: ChildProcess; last: number } = { last: 0 };

  function start(): ChildProcess {
    const child = fork(HOST, { cwd, env: environment, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('message', (answer: HostAnswer) => {
      waiting.get(answer.id)?.resolve(answer);
      waiting.delete(answer.id);
    });
    child.on('exit', (code) => {
      delete host.process;
      for (const { reject } of waiting.values()) reject(new Error(`the process of command lines ended with ${code}`));
      waiting.clear();
    });
    // It is no reason for this process to go on.
    child.unref();
    child.channel?.unref();
    return child;
  }

  return (command: Omit<HostRequest, 'id'>): Promise<HostAnswer> => {
    host.process ??= start();
    host.last += 1;
    const request: HostRequest = { ...command, id: host.last };
    return new Promise((resolve, reject) => {
      waiting.set(request.id, { resolve, reject });
      host.process?.send(request);
    });
  };
}
