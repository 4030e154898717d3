import { fileURLToPath } from 'node:url';
import { createHost } from './host.ts';

export interface CommandLine {
  readonly args: readonly string[];
  readonly stdin: string;
  /** For the settings of the process alone, as the clock. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs command lines in one process beside the tests. */
export const createCommands = (environment: NodeJS.ProcessEnv, cwd?: string) =>
  createHost<CommandLine, CommandEnd>({
    entry: fileURLToPath(new URL('./command-host.ts', import.meta.url)),
    environment,
    ...(cwd === undefined ? {} : { cwd }),
  });
