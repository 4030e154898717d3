import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#contract';
import { CONFIG_FILES, type ConfigName, type ConfigParts, parseConfigs, readConfigTexts } from '../../config/load.ts';
import { parsePersona, personaFileOf } from '../../config/persona-file.ts';
import { describeProblem } from '../../config/problems/problem.ts';
import { aboutSetting } from '../../config/reference/about-settings.ts';
import { type SettingKey, settingsOf } from '../../config/reference/settings.ts';
import type { Problem } from '../../config/types.ts';
import { hashOfSettings, settingsIn } from '../../config/writing/change.ts';
import { fileNamed, personaNamed } from '../../config/writing/named-setting.ts';
import { identityOf, type SettingPath, settingAt } from '../../config/writing/settings.ts';
import { shownJson } from '../../config/writing/shown-value.ts';
import { anyJson, jsonObject } from '../../lib/json.ts';
import { hideDisguised } from '../../lib/secrets/secrets.ts';
import type { QueryPorts } from '../ports.ts';

type Path = SettingPath;

/** One setting as it stands. */
export interface SettingShown {
  /** As `config set` takes it. */
  readonly key: string;
  /** Where it stands; null: of an entry of a list that has none, or whose entries have no names. */
  readonly path: Path | null;
  /** What it is for, in words. */
  readonly about: string;
  /** What it takes, in words. */
  readonly takes: string;
  /** The default as JSON; null: there is none. */
  readonly standard: string | null;
  readonly required: boolean;
  /** What is in force, as JSON without anything secret; null: nothing is. */
  readonly value: string | null;
  /** `before`: the file is wrong now, and what it said before is in force. */
  readonly source: 'file' | 'default' | 'before';
  /** What the file says and is not in force, since the file is wrong. */
  readonly written: string | null;
  /** What is wrong with what is written. */
  readonly problem: string | null;
  /** Of the name of a variable: whether the variable is set. */
  readonly isVariableSet: boolean | null;
}

export interface SettingsFile {
  /** As `config set` takes it: `security`, `persona/ada`. */
  readonly name: string;
  readonly file: string;
  /** `wrong`: not taken; its last good version is in force. */
  readonly state: 'good' | 'absent' | 'wrong';
  readonly problems: readonly string[];
  /** When the file was last written, Unix ms; null: nobody knows. */
  readonly writtenAt: number | null;
  readonly settings: readonly SettingShown[];
}

/** The files of settings that belong to no persona. */
const GATEWAY_FILES = Object.keys(CONFIG_FILES) as readonly ConfigName[];

/** All settings of the gateway, each file's in the order of its schema. */
export const gatewaySettings = (ports: QueryPorts): readonly SettingsFile[] => {
  const parts = parseConfigs(readConfigTexts(ports.root), ports.root);
  return GATEWAY_FILES.map((name) => gatewayFile(ports, name, parts));
};

/** Those of one file. Throws `usage` for what is no file, `not_found` for a persona that there is not. */
export function settingsOfFile(ports: QueryPorts, name: string): SettingsFile {
  const id = personaNamed(name);
  if (id !== null && ports.live.personas().get(id) !== undefined) return personaFile(ports, id);
  fileNamed(ports.root, name.startsWith('persona/') ? 'persona/' : name);
  return gatewayFile(ports, name as ConfigName, parseConfigs(readConfigTexts(ports.root), ports.root));
}

/** One setting with the hash of its file, by which it is seen whether the file is still the same. */
export function settingNamed(
  ports: QueryPorts,
  name: string,
  path: Path,
): { readonly file: SettingsFile; readonly setting: SettingShown; readonly sha256: string | null } | null {
  const file = settingsOfFile(ports, name);
  const key = pathText(path);
  const setting = file.settings.find((one) => one.path !== null && one.key === key);
  return setting === undefined ? null : { file, setting, sha256: hashIn(ports.root, file.file) };
}

/** Null where it cannot be read. */
function hashIn(root: string, file: string): string | null {
  try {
    return hashOfSettings(root, file);
  } catch {
    return null;
  }
}

function gatewayFile(ports: QueryPorts, name: ConfigName, { values, problems }: ConfigParts): SettingsFile {
  const file = CONFIG_FILES[name];
  // What other files make wrong in this one is known to those alone who look at all of them.
  const others = ports.live.problems().filter((one) => one.file === file);
  const own = problems.filter((one) => one.file === file);
  const good = values[name];
  return fileShown(ports, {
    name,
    file,
    keys: settingsOf(name),
    problems: own.length > 0 ? own : others,
    isWrong: good === null,
    inForce: plain(good ?? ports.live.current()[name]),
  });
}

function personaFile(ports: QueryPorts, id: string): SettingsFile {
  const file = personaFileOf(id);
  const entry = ports.live.personas().get(id);
  const read = parsePersona(id, withoutSchema(rawIn(ports.root, file) ?? null));
  const isGood = read.state === 'good';
  return fileShown(ports, {
    name: `persona/${id}`,
    file,
    keys: settingsOf('persona'),
    problems: read.state === 'bad' ? read.problems : entry?.state === 'error' ? entry.problems : [],
    isWrong: !isGood,
    inForce: plain(isGood ? read.file : entry?.state === 'ready' ? entry.persona : {}),
  });
}

const withoutSchema = (value: Json): Json => {
  const { $schema: _named, ...rest } = jsonObject.safeParse(value).data ?? {};
  return jsonObject.safeParse(value).success ? rest : value;
};

const plain = (value: unknown): Json => anyJson.parse(value ?? {});

/** What the file says; undefined where it says nothing, or cannot be read. */
function rawIn(root: string, file: string): Json | undefined {
  try {
    return settingsIn(root, file);
  } catch {
    return undefined;
  }
}

interface Found {
  readonly name: string;
  readonly file: string;
  readonly keys: readonly SettingKey[];
  readonly problems: readonly Problem[];
  readonly isWrong: boolean;
  readonly inForce: Json;
}

function fileShown({ root, environment }: QueryPorts, found: Found): SettingsFile {
  const { name, file, keys, problems, isWrong, inForce } = found;
  const raw = rawIn(root, file);
  const isSet = (variable: string): boolean => environment.secretOf(variable) !== undefined;
  const settings = keys.flatMap((setting): readonly SettingShown[] => {
    const { takes, standard, required } = setting;
    const shape = { about: aboutSetting(setting.key), takes, standard, required };
    const places = placesOf(setting.key, [isWrong ? inForce : (raw ?? {}), raw ?? {}]);
    if (places.length === 0) return [{ ...shape, ...NO_PLACE, key: setting.key }];
    return places.map((path) => {
      const stands = standingOf(path, { raw, inForce, isWrong, standard });
      const value = stands.value === undefined ? null : shownJson(stands.value, path);
      const isVariable = /_env$/.test(String(path.at(-1))) && typeof stands.value === 'string';
      return {
        ...shape,
        key: pathText(path),
        path,
        value,
        source: stands.source,
        written: stands.written === undefined ? null : shownJson(stands.written, path),
        problem: problemAt(problems, path),
        isVariableSet: isVariable ? isSet(String(stands.value)) : null,
      };
    });
  });
  const state = isWrong ? 'wrong' : raw === undefined ? 'absent' : 'good';
  return {
    ...{ name, file, state, problems: problems.map((one) => hideDisguised(describeProblem(one))), settings },
    writtenAt: statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? null,
  };
}

const NO_PLACE = {
  path: null,
  value: null,
  source: 'default',
  written: null,
  problem: null,
  isVariableSet: null,
} as const;

interface Standing extends Pick<SettingShown, 'source'> {
  /** In force; undefined: nothing is. */
  readonly value: Json | undefined;
  /** Of the file, where it is not in force. */
  readonly written: Json | undefined;
}

/** Pure. */
function standingOf(
  path: Path,
  file: {
    readonly raw: Json | undefined;
    readonly inForce: Json;
    readonly isWrong: boolean;
    readonly standard: string | null;
  },
): Standing {
  const [written, now] = [settingAt(file.raw, path), settingAt(file.inForce, path)];
  if (!file.isWrong)
    return written === undefined
      ? { value: now, source: 'default', written: undefined }
      : { value: written, source: 'file', written: undefined };
  const isStandard = now === undefined || JSON.stringify(now) === file.standard;
  const isOther = written !== undefined && !isDeepStrictEqual(written, now);
  return { value: now, source: isStandard ? 'default' : 'before', written: isOther ? written : undefined };
}

function problemAt(problems: readonly Problem[], path: Path): string | null {
  const key = path.join('.');
  const found = problems.find((one) => one.key === key || one.key.startsWith(`${key}.`));
  return found === undefined ? null : hideDisguised(found.message);
}

/** Pure. A key as `config set` takes it: with dots, or as a list where a part of it has one. */
export const pathText = (path: Path): string =>
  path.some((part) => typeof part === 'number' || part.includes('.')) ? JSON.stringify(path) : path.join('.');

/**
 * Pure. Where a key of the reference stands in what a file says: once for each entry of a list whose entries have names, and
 * for each name that somebody has chosen.
 */
function placesOf(key: string, files: readonly Json[]): readonly Path[] {
  const found = new Map<string, Path>();
  for (const value of files) for (const path of placesIn(key.split('.'), value, [])) found.set(pathText(path), path);
  return [...found.values()];
}

function placesIn(parts: readonly string[], value: Json | undefined, path: Path): readonly Path[] {
  const [part, ...rest] = parts;
  if (part === undefined) return [path];
  const object = jsonObject.safeParse(value).data ?? {};
  if (part === '<name>' || part === '<name>[]') {
    if (part.endsWith('[]')) return [];
    return Object.keys(object).flatMap((name) => placesIn(rest, object[name], [...path, name]));
  }
  const [name = part] = part.split('[]');
  const inside = Object.hasOwn(object, name) ? object[name] : undefined;
  if (name === part) return placesIn(rest, inside, [...path, name]);
  if (!Array.isArray(inside)) return [];
  return inside.flatMap((entry) => {
    const known = identityOf(name, entry);
    return known === null ? [] : placesIn(rest, entry, [...path, name, known]);
  });
}

/** Pure. The settings of which every word stands in the key, in the file, in what they say or in what is said of them. */
export function settingsWith(file: SettingsFile, words: string): readonly SettingShown[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return file.settings.filter(({ key, about, value }) => {
    const text = `${file.file} ${key} ${key.replaceAll(/[_.]/g, ' ')} ${about} ${value ?? ''}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
