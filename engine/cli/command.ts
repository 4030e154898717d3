import type { Command } from 'commander';
import type { Log } from '#contract';
import type { ProcessSettings } from '../config/environment.ts';
import { createLog, silentLog } from '../lib/log.ts';
import { openWorkspace, type Workspace } from '../workspace.ts';

/** What a command hands back: one JSON document, the same thing for people, and how it went. */
export interface Outcome {
  /** Printed as it is with --json; `ok` is added where it is missing. */
  readonly data: object;
  readonly text: string;
  /** 0 ok, 1 a check failed or not found, 2 usage or config, 3 waits for approval, 5 terminal failure. */
  readonly exitCode?: 0 | 1 | 2 | 3 | 5;
}

export interface CommandContext {
  readonly root: string;
  readonly json: boolean;
  readonly settings: ProcessSettings;
  /** For progress and diagnostics; stdout belongs to the outcome. */
  note(line: string): void;
  /** One line to stdout at once, for commands that go on. */
  print(line: string): void;
  readBody(): Promise<string>;
  /** The workspace, opened once and closed when the command is done. `log`: as configured, or none. */
  open(log?: 'configured' | 'none'): Workspace;
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
  let workspace: Workspace | undefined;
  return {
    root: options.root,
    json: options.json,
    settings: options.settings,
    note: (line) => options.err(`${line}\n`),
    print: (line) => options.out(`${line}\n`),
    async readBody() {
      if (options.stdin.isTTY) return '';
      let text = '';
      for await (const chunk of options.stdin.setEncoding('utf8')) text += chunk;
      return text;
    },
    open(log = 'none') {
      workspace ??= openWorkspace({
        root: options.root,
        settings: options.settings,
        makeLog: (live): Log => (log === 'none' ? silentLog : createLog(live.current().system.log)),
      });
      return workspace;
    },
    async close() {
      await workspace?.close();
    },
  };
}
