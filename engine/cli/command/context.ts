import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Log } from '#contract';
import type { ProcessSettings } from '../../config/environment.ts';
import { type Called, commandHere, hintsHere } from '../../lib/as-called.ts';
import { createLog, createLogFile, logFiles, silentLog } from '../../lib/log/log.ts';
import { openWorkspace, type Workspace } from '../../workspace.ts';
import type { catchStrayErrors, StrayErrors } from './stray-errors.ts';

/** What a command reads: a terminal, a pipe, or a text. */
export type Stdin = Readable & { readonly isTTY?: boolean };

export interface CommandContext {
  readonly root: string;
  readonly json: boolean;
  readonly settings: ProcessSettings;
  readonly stdin: Stdin;
  /** Width of the terminal that shows the outcome; undefined where none does. */
  readonly columns: number | undefined;
  /** A command as it is to be typed here. */
  command(words: string): string;
  /** Our own words, with the commands in them as they are to be typed here. */
  hint(text: string): string;
  /** For progress and diagnostics; stdout belongs to the outcome. */
  note(line: string): void;
  /** One line to stdout at once, for commands that go on. */
  print(line: string): void;
  /** What stands on stdin. Somebody at a terminal is told `invitation`; without one a terminal says nothing. */
  readBody(invitation?: string): Promise<string>;
  /**
   * The workspace, opened once and closed when the command is done. Without `tolerant` a wrong configuration is an
   * error; with it the command looks around all the same. `log`: as configured, into its file alone, or none. `onException` is told of an
   * exception that nobody caught; by default the process ends at once.
   */
  open(options?: {
    log?: 'configured' | 'file' | 'none';
    tolerant?: boolean;
    onException?: (error: unknown) => void;
  }): Workspace;
  /** Rejections of the engine's own that nobody handled since the workspace was opened. */
  unhandledRejections(): number;
}

export function createContext(options: {
  root: string;
  json: boolean;
  settings: ProcessSettings;
  called: Called;
  stdin: Stdin;
  columns: number | undefined;
  out(text: string): void;
  err(text: string): void;
  watch: typeof catchStrayErrors;
}): CommandContext & { close(): Promise<void> } {
  const { root, json, settings, called, stdin, columns, watch } = options;
  let workspace: Workspace | undefined;
  let stray: StrayErrors | undefined;
  return {
    root,
    json,
    settings,
    stdin,
    columns,
    command: (words) => commandHere(words, called),
    hint: (text) => hintsHere(text, called),
    note: (line) => options.err(`${line}\n`),
    print: (line) => options.out(`${line}\n`),
    async readBody(invitation) {
      if (stdin.isTTY && invitation === undefined) return '';
      if (stdin.isTTY) options.err(`${invitation}\n`);
      let text = '';
      for await (const chunk of stdin.setEncoding('utf8')) text += chunk;
      return text;
    },
    open({ log = 'none', tolerant = false, onException = () => process.exit(5) } = {}) {
      if (workspace) return workspace;
      const opened = openWorkspace({
        root,
        settings,
        tolerant,
        makeLog: ({ current }): Log => {
          if (log === 'none') return silentLog;
          const { system } = current();
          const files = logFiles(resolve(root, system.data_dir));
          const file = system.log.file ? createLogFile(files) : null;
          return createLog(system.log, { file, ...(log === 'configured' || file === null ? {} : { shown: false }) });
        },
      });
      workspace = opened;
      // A command without a log says what a bug was on stderr; that an extension failed it finds in what it lists.
      const loud = {
        ...silentLog,
        error: (fields: object, text: string) => options.err(`${text} ${JSON.stringify(fields)}\n`),
      };
      stray = watch({ guards: opened.guards, log: () => (log === 'none' ? loud : opened.log), onException });
      return opened;
    },
    unhandledRejections: () => stray?.rejections() ?? 0,
    close: async () => workspace?.close(),
  };
}
