import type { Command } from 'commander';
import type { Log } from '#contract';
import type { ProcessSettings } from '../config/environment.ts';
import { createLog, silentLog } from '../lib/log.ts';
import { openWorkspace, type Workspace } from '../workspace.ts';

/** What a command hands back: one JSON document, the same thing for people, and how it went. */
export interface Outcome {
  /** Printed as it is with --json; where `ok` is missing, the exit code decides it. */
  readonly data: object;
  readonly text: string;
  /** 0 ok, 1 a check failed or not found, 2 usage or config, 3 waits for approval, 5 terminal failure. */
  readonly exitCode?: 0 | 1 | 2 | 3 | 5;
}

export interface CommandContext {
  readonly root: string;
  readonly json: boolean;
  readonly settings: ProcessSettings;
  readonly stdin: NodeJS.ReadStream;
  /** For progress and diagnostics; stdout belongs to the outcome. */
  note(line: string): void;
  /** One line to stdout at once, for commands that go on. */
  print(line: string): void;
  /** What stands on stdin; empty when that is a terminal. */
  readBody(): Promise<string>;
  /**
   * The workspace, opened once and closed when the command is done. Without `tolerant` a wrong configuration is an
   * error; with it the command looks around all the same. `log`: as configured, or none.
   */
  open(options?: { log?: 'configured' | 'none'; tolerant?: boolean }): Workspace;
}

/** Adds the command to the program; `act` runs an outcome-returning function with errors reported in one way. */
export type Register = (program: Command, act: Act) => void;
export type Act = <Arguments extends unknown[]>(
  work: (context: CommandContext, ...args: Arguments) => Promise<Outcome | undefined>,
) => (...args: Arguments) => Promise<void>;

export function createContext(options: {
  root: string;
  json: boolean;
  settings: ProcessSettings;
  stdin: NodeJS.ReadStream;
  out(text: string): void;
  err(text: string): void;
}): CommandContext & { close(): Promise<void> } {
  const { root, json, settings, stdin } = options;
  let workspace: Workspace | undefined;
  return {
    root,
    json,
    settings,
    stdin,
    note: (line) => options.err(`${line}\n`),
    print: (line) => options.out(`${line}\n`),
    async readBody() {
      if (stdin.isTTY) return '';
      let text = '';
      for await (const chunk of stdin.setEncoding('utf8')) text += chunk;
      return text;
    },
    open({ log = 'none', tolerant = false } = {}) {
      workspace ??= openWorkspace({
        root,
        settings,
        tolerant,
        makeLog: (live): Log => (log === 'none' ? silentLog : createLog(live.current().system.log)),
      });
      return workspace;
    },
    async close() {
      await workspace?.close();
    },
  };
}
