import { CommanderError } from 'commander';
import { EngineError } from '#contract';
import { describeProblem } from '../config/problems/problem.ts';
import type { Problem } from '../config/types.ts';
import { ConfigError } from '../workspace.ts';

export interface Output {
  readonly json: boolean;
  out(text: string): void;
  err(text: string): void;
  /** The help or version text that was asked for, kept back because stdout belongs to one JSON document. */
  help(): string;
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

/** 3 is no failure: something waits for somebody. */
export const isOk = (exitCode: number): boolean => exitCode === 0 || exitCode === 3;

/** Says what went wrong, for people or as JSON. Returns the exit code; a bug also shows its stack on stderr. */
export function reportFailure(error: unknown, output: Output): number {
  if (error instanceof CommanderError) return reportUsage(error, output);
  if (error instanceof EngineError) {
    const problems = error instanceof ConfigError ? error.problems : [];
    say(output, error.code, error.message, problems);
    if (USAGE_CODES.has(error.code)) return 2;
    return CHECK_CODES.has(error.code) ? 1 : 5;
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'internal';
  const message = error instanceof Error ? error.message : String(error);
  say(output, code, message, []);
  if (!SYSTEM_CODES.has(code) && error instanceof Error) output.err(`${error.stack}\n`);
  return 5;
}

function reportUsage(error: CommanderError, output: Output): number {
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
  return 2;
}

function say(output: Output, code: string, message: string, problems: readonly Problem[]): void {
  if (output.json) output.out(`${JSON.stringify({ ok: false, error: { code, message, problems } })}\n`);
  else output.err([`epistle: ${message}`, ...problems.map((one) => `  ${describeProblem(one)}`), ''].join('\n'));
}
