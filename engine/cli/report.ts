import { CommanderError } from 'commander';
import { EngineError } from '#contract';
import { ConfigError } from '../config/problems/config-error.ts';
import { describeProblem } from '../config/problems/problem.ts';
import type { Problem } from '../config/types.ts';

export interface Output {
  readonly json: boolean;
  out(text: string): void;
  err(text: string): void;
  /** The help or version text that was asked for, kept back because stdout belongs to one JSON document. */
  help(): string;
}

/** With the commands that its messages name as they are to be typed here. */
export interface FailureOutput extends Output {
  hint(text: string): string;
}

/** Codes that are a usage or configuration matter. */
const USAGE_CODES = new Set([
  'usage',
  'config_invalid',
  'extension_invalid',
  'not_empty',
  'workspace_locked',
  'port_in_use',
]);
const CHECK_CODES = new Set(['not_found', 'not_running', 'not_pending']);
/** What the system refuses for a reason that the person can see and change. */
const SYSTEM_CODES = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EISDIR', 'EMFILE', 'ELOOP']);
/** The same, as SQLite says it: without a cause that somebody could mend. */
const DATABASE_CAUSES: Readonly<Record<string, string>> = {
  SQLITE_CANTOPEN: 'see that this account may write into the data folder of the workspace',
  SQLITE_READONLY: 'see that this account may write into the data folder of the workspace',
  SQLITE_FULL: 'the disk of the workspace is full',
};

/** 3 is no failure: something waits for somebody. */
export const isOk = (exitCode: number): boolean => exitCode === 0 || exitCode === 3;

/** Says what went wrong, for people or as JSON. Returns the exit code; a bug also shows its stack on stderr. */
export function reportFailure(error: unknown, output: FailureOutput): number {
  if (error instanceof CommanderError) return reportUsage(error, output);
  if (error instanceof EngineError) {
    const problems = error instanceof ConfigError ? error.problems : [];
    say(output, error.code, error.message, problems);
    if (USAGE_CODES.has(error.code)) return 2;
    return CHECK_CODES.has(error.code) ? 1 : 5;
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'internal';
  const message = error instanceof Error ? error.message : String(error);
  const cause = causeOf(code, error);
  say(output, code, cause === undefined ? message : `${message}; ${cause}`, []);
  if (cause === undefined && !SYSTEM_CODES.has(code) && error instanceof Error) output.err(`${error.stack}\n`);
  return 5;
}

function causeOf(code: string, error: unknown): string | undefined {
  if (Object.hasOwn(DATABASE_CAUSES, code)) return DATABASE_CAUSES[code];
  // On a disk that nobody may write to, a folder that would be made with those above it is said not to be there.
  const isMaking = code === 'ENOENT' && error instanceof Error && 'syscall' in error && error.syscall === 'mkdir';
  return isMaking ? 'nothing can be written there: is the disk read-only?' : undefined;
}

/** What somebody looks for who types a command of other programs. */
const INSTEAD: Readonly<Record<string, string>> = {
  search: '`epistle memory search` looks through what a persona has read, `epistle mail list` shows what came.',
  inbox: '`epistle mail list` shows the mail that came and what became of it.',
  approve: '`epistle approvals` shows what waits for you, `epistle approvals approve <id>` agrees to it.',
  health: '`epistle status` says how the gateway is, `epistle doctor` what is wrong.',
  remove:
    'A task is a file: delete personas/<id>/tasks/<task>.md. A persona: `epistle persona delete <id>`. A mailbox: `epistle mailbox remove <id>`.',
};

const unknownIn = (message: string): string => /'([a-z]+)'/.exec(message)?.[1] ?? '';

/** As Commander tells of it. A name that only looks alike is no advice where it is known what is meant. */
export const withoutGuess = (text: string): string =>
  Object.hasOwn(INSTEAD, unknownIn(text)) ? text.replace(/^\(Did you mean.*\n?/m, '') : text;

function reportUsage(error: CommanderError, output: FailureOutput): number {
  // Help and version are answers, not mistakes.
  if (error.exitCode === 0) {
    const text = output.help().trimEnd();
    const answer = error.code === 'commander.version' ? { version: text } : { help: text };
    if (output.json) output.out(`${JSON.stringify({ ok: true, ...answer })}\n`);
    return 0;
  }
  const isMissing = error.code === 'commander.help';
  const message = isMissing ? 'a command is missing; see --help' : error.message.replace(/^error: /, '');
  // Commander has told people already, on stderr.
  if (output.json) say(output, 'usage', message, []);
  else {
    const name = error.code === 'commander.unknownCommand' ? unknownIn(message) : '';
    if (Object.hasOwn(INSTEAD, name)) output.err(output.hint(`${INSTEAD[name]}\n`));
  }
  return 2;
}

function say(output: FailureOutput, code: string, message: string, problems: readonly Problem[]): void {
  if (output.json) output.out(`${JSON.stringify({ ok: false, error: { code, message, problems } })}\n`);
  else
    output.err(
      output.hint([`epistle: ${message}`, ...problems.map((one) => `  ${describeProblem(one)}`), ''].join('\n')),
    );
}
