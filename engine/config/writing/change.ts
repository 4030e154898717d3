import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { EngineError, type Json } from '#contract';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { sha256 } from '../../lib/ids.ts';
import { anyJson, jsonObject } from '../../lib/json.ts';
import { changeFiles, type FileChange, finishChange } from '../journal/journal.ts';
import { parseWhole, readTextFile } from '../json-file.ts';
import { CONFIG_FILES, CONFIG_NAMES, parseConfigs, readConfigTexts } from '../load.ts';
import { parsePersona } from '../persona-file.ts';
import { ConfigError, describeProblem, problem } from '../problems/problem.ts';
import type { Problem } from '../types.ts';
import { withVariable } from './env-file.ts';
import { jsonTextOf, schemaLine } from './json-text.ts';
import { type Setting, type SettingChange, settingChanges, withSetting } from './settings.ts';

/** What somebody wants of the files of a workspace. */
export interface Wanted {
  readonly settings?: readonly Setting[];
  /** Files that are made where there are none; what `settings` says goes into them. */
  readonly texts?: readonly { readonly file: string; readonly text: string }[];
  /**
   * The files as whoever wants it has seen them, by `hashOfSettings`: where one says anything else by then, nothing is written
   * (`cancelled`).
   */
  readonly seen?: readonly { readonly file: string; readonly sha256: string }[];
  /** Variables of `.env`. */
  readonly secrets?: readonly { readonly name: string; readonly value: string }[];
}

/** What would be written. */
interface PlannedChange {
  /** Settings that become others, key by key. Empty: everything stands there already. */
  readonly changes: readonly SettingChange[];
  /** Names of variables of `.env` that get another value. */
  readonly secrets: readonly string[];
  /** The files that are written, relative to the workspace. */
  readonly files: readonly string[];
}

export interface Change extends PlannedChange {
  /**
   * Writes all of it, or nothing. Throws `cancelled` where one of these settings was changed since it was looked at; what
   * changed beside them stays.
   */
  write(): void;
}

const ENV = '.env';
const NEW_FILE = 0o644;

/**
 * What a workspace says now, and what it would say: the only way to change its settings. Nothing is written before `write`.
 * A change that was broken off is ended first. Throws `config_invalid` for a file that is no JSON, and ConfigError where the
 * files would have problems that they have not now.
 */
export function planChange(root: string, wanted: Wanted, pass: PassCrashPoint = () => {}): Change {
  finishChange(root);
  const { files, ...planned } = plan(root, wanted);
  return {
    ...planned,
    files: files.map(({ file }) => file),
    write() {
      finishChange(root);
      const now = plan(root, wanted);
      if (!isDeepStrictEqual([now.changes, now.secrets], [planned.changes, planned.secrets])) {
        throw changedMeanwhile();
      }
      if (now.files.length > 0) changeFiles(root, now.files, pass);
    },
  };
}

const changedMeanwhile = (): EngineError =>
  new EngineError(
    'cancelled',
    'the settings were changed by somebody else meanwhile; nothing was written, so look again',
  );

/** Tells one text of a file from another; of none, too. Throws as `planChange` does. */
export const hashOfSettings = (root: string, file: string): string => {
  const text = textOf(root, file);
  return sha256(text === null ? 'absent' : `text ${text}`);
};

interface Plan extends Omit<PlannedChange, 'files'> {
  readonly files: readonly FileChange[];
}

function plan(root: string, { settings = [], texts = [], secrets = [], seen = [] }: Wanted): Plan {
  if (seen.some(({ file, sha256: was }) => hashOfSettings(root, file) !== was)) throw changedMeanwhile();
  const changes: SettingChange[] = [];
  const files: FileChange[] = [];
  const templates = new Map(texts.map(({ file, text }) => [file, text]));
  const env = envOf(root, secrets);
  // A mailbox has its password from the start.
  if (env.change) files.push(env.change);
  for (const [file, ofFile] of Map.groupBy(settings, (one) => one.file)) {
    const before = textOf(root, file);
    const stands = before ?? templates.get(file) ?? null;
    const value = jsonIn(file, stands) ?? schemaLine(root, file, templates.has(CONFIG_FILES.gateway));
    const after = ofFile.reduce<Json | undefined>((json, { path, to }) => withSetting(json, path, to), value) ?? {};
    const found = settingChanges(file, value, after);
    changes.push(...found);
    if (found.length > 0) files.push(fileChange(root, file, before, jsonTextOf(stands ?? '', after)));
  }
  for (const { file, text } of texts) {
    if (files.some((one) => one.file === file) || textOf(root, file) !== null) continue;
    files.push(fileChange(root, file, null, text));
  }
  const problems = newProblems(root, files);
  if (problems.length > 0) throw new ConfigError(problems);
  return { changes, secrets: env.names, files };
}

const fileChange = (root: string, file: string, before: string | null, after: string): FileChange => ({
  file,
  before,
  after,
  mode: (statSync(join(root, file), { throwIfNoEntry: false })?.mode ?? NEW_FILE) & 0o777,
});

function textOf(root: string, file: string): string | null {
  const read = readTextFile(join(root, file), file);
  if (read.state === 'bad') throw new EngineError('config_invalid', describeProblem(read.problem));
  return read.state === 'text' ? read.text : null;
}

/** The value of a file with its `$schema`; undefined where there is none. An empty file says nothing. */
function jsonIn(file: string, text: string | null): Json | undefined {
  if (text === null) return undefined;
  const read = parseWhole(text, file);
  if (read.state === 'bad') throw new EngineError('config_invalid', describeProblem(read.problem));
  if (read.state === 'absent') return undefined;
  if (!jsonObject.safeParse(read.value).success) {
    throw new EngineError('config_invalid', `${file}: is no object; expected {"key": …}`);
  }
  return anyJson.parse(read.value);
}

/** What a file of settings says now, with its `$schema`; undefined where there is none. Throws as `planChange` does. */
export const settingsIn = (root: string, file: string): Json | undefined => jsonIn(file, textOf(root, file));

function envOf(root: string, secrets: NonNullable<Wanted['secrets']>): { change: FileChange | null; names: string[] } {
  if (secrets.length === 0) return { change: null, names: [] };
  const before = textOf(root, ENV);
  const names: string[] = [];
  let text = before ?? '';
  for (const { name, value } of secrets) {
    const after = withVariable(text, name, value);
    if (after !== text) names.push(name);
    text = after;
  }
  if (names.length === 0) return { change: null, names };
  return { change: { ...fileChange(root, ENV, before, text), mode: 0o600 }, names };
}

/** What would be wrong with the files that is not wrong now. */
function newProblems(root: string, files: readonly FileChange[]): readonly Problem[] {
  const texts = readConfigTexts(root);
  const next = { ...texts };
  for (const name of CONFIG_NAMES) {
    const after = files.find(({ file }) => file === CONFIG_FILES[name])?.after;
    if (after !== undefined && after !== null) next[name] = { state: 'text', text: after };
  }
  const before = parseConfigs(texts, root);
  const parsed = parseConfigs(next, root);
  const known = new Set(before.problems.map(describeProblem));
  const boxes = parsed.values.gateway?.mailboxes.map(({ id }) => id);
  return [
    ...parsed.problems.filter((one) => !known.has(describeProblem(one))),
    ...files.flatMap((one) => personaProblems(one, boxes)),
  ];
}

function personaProblems({ file, after }: FileChange, mailboxes: readonly string[] | undefined): readonly Problem[] {
  const [, id] = /^personas\/([^/]+)\/persona\.json$/.exec(file) ?? [];
  if (id === undefined || after === null) return [];
  const { $schema: _named, ...value } = jsonObject.parse(jsonIn(file, after));
  const read = parsePersona(id, value);
  if (read.state === 'bad') return read.problems;
  const mailbox = read.state === 'good' ? read.file.mailbox : null;
  if (mailbox === null || mailboxes === undefined || mailboxes.includes(mailbox)) return [];
  const message = `no mailbox of configs/gateway.json has the id "${mailbox}"`;
  return [problem({ file, key: 'mailbox', code: 'unknown_mailbox', message })];
}
