import { isAbsolute, join } from 'node:path';
import { parseEnv } from 'node:util';
import { readTextFile } from './json-file.ts';
import { stampOf, unchanged } from './live/stamp.ts';
import type { Problem } from './types.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** In the order in which the first one found decides. */
const PROVIDER_KEYS = [
  ['ANTHROPIC_API_KEY', 'anthropic'],
  ['OPENAI_API_KEY', 'openai'],
  ['GEMINI_API_KEY', 'gemini'],
  ['XAI_API_KEY', 'grok'],
  ['OPENROUTER_API_KEY', 'openrouter'],
] as const;

/** What the process itself was told, before any workspace is known. */
export interface ProcessSettings {
  /** EPISTLE_WORKSPACE. */
  readonly workspace: string | null;
  /** XDG_STATE_HOME, where it is a path as its specification wants it. */
  readonly stateHome: string | null;
  readonly noColor: boolean;
  /** What somebody types to call this program: EPISTLE_PROGRAM, which its scripts set, `npx epistle` or `epistle`. */
  readonly program: string;
  /** NODE_ENV=test; without it the two settings below are null. */
  readonly test: boolean;
  /** EPISTLE_CRASH_AT=<label>[:n]: die at the n-th passing of the label. */
  readonly crashAt: { readonly label: string; readonly passing: number } | null;
  /** EPISTLE_TEST_NOW in ms: the clock starts there and runs on. */
  readonly testNow: number | null;
}

export interface Environment {
  /** Undefined when the variable is unset or empty. An edit of `.env` counts at once. */
  secretOf(name: string): string | undefined;
  /** The provider of the first API key found; null when there is none. */
  readonly firstProvider: string | null;
  readonly problems: readonly Problem[];
  /** Another number after each edit of `.env`. */
  readonly revision: number;
}

export function processSettings(variables: Variables = process.env): ProcessSettings {
  const test = variables.NODE_ENV === 'test';
  return {
    workspace: variables.EPISTLE_WORKSPACE || null,
    stateHome: isAbsolute(variables.XDG_STATE_HOME ?? '') ? (variables.XDG_STATE_HOME ?? null) : null,
    noColor: Boolean(variables.NO_COLOR),
    program: variables.EPISTLE_PROGRAM || (isByNpx(variables) ? 'npx epistle' : 'epistle'),
    test,
    crashAt: test ? crashAt(variables.EPISTLE_CRASH_AT) : null,
    testNow: test ? instant(variables.EPISTLE_TEST_NOW) : null,
  };
}

/**
 * The environment of a workspace: the real one over the workspace's `.env`, which is read again when it has changed.
 * What it says is kept here and never put into process.env, so that no child process (the tool `shell`) inherits a
 * key from it.
 */
export function loadEnvironment(workspace: string, variables: Variables = process.env): Environment {
  const path = join(workspace, '.env');
  const read = () => {
    const stamp = stampOf(path);
    const file = readTextFile(path, '.env');
    const values: Variables = file.state === 'text' ? parseEnv(file.text) : {};
    return { stamp, revision: 0, values, problems: file.state === 'bad' ? [file.problem] : [] };
  };
  let last = read();
  const file = () => {
    if (!unchanged(last.stamp, stampOf(path))) last = { ...read(), revision: last.revision + 1 };
    return last;
  };
  // Own names alone: `constructor` is a name of a variable too.
  const valueIn = (from: Variables, name: string) => (Object.hasOwn(from, name) ? from[name] : undefined);
  // Set but empty in the real environment hides what `.env` says: that is how to switch a key off.
  const secretOf = (name: string): string | undefined =>
    (valueIn(variables, name) ?? valueIn(file().values, name)) || undefined;
  return {
    secretOf,
    get firstProvider() {
      return PROVIDER_KEYS.find(([name]) => secretOf(name) !== undefined)?.[1] ?? null;
    },
    get problems() {
      return file().problems;
    },
    get revision() {
      return file().revision;
    },
  };
}

const isByNpx = ({ npm_lifecycle_event: event, npm_lifecycle_script: script = '' }: Variables): boolean =>
  // npm puts the name in quotes of the shell.
  event === 'npx' && /^['"]?epistle\b/.test(script);

function crashAt(text: string | undefined): ProcessSettings['crashAt'] {
  const match = /^(.+?)(?::([1-9][0-9]*))?$/.exec(text ?? '');
  return match?.[1] ? { label: match[1], passing: Number(match[2] ?? 1) } : null;
}

function instant(text: string | undefined): number | null {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? null : ms;
}
