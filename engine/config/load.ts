import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { nearestOf } from '../lib/text/nearest.ts';
import { withAuthorities, withCertificateFiles } from './certificate-files.ts';
import { crossProblems } from './cross-checks.ts';
import { extensionsSchema } from './extension-schemas.ts';
import { parseJson, readTextFile, type TextFile } from './json-file.ts';
import { deepFreeze } from './live/freeze.ts';
import { check } from './problems/issues.ts';
import { problem } from './problems/problem.ts';
import * as schemas from './schemas.ts';
import type { Configs, Problem } from './types.ts';

export const CONFIG_FILES = {
  gateway: 'configs/gateway.json',
  inference: 'configs/inference.json',
  context: 'configs/context.json',
  security: 'configs/security.json',
  system: 'configs/system.json',
  extensions: 'extensions/extensions.json',
} as const;

export type ConfigName = keyof typeof CONFIG_FILES;
export const CONFIG_NAMES: readonly ConfigName[] = [
  'gateway',
  'inference',
  'context',
  'security',
  'system',
  'extensions',
];

/** The files as they stand on disk, unparsed: what the live configuration compares. */
export type ConfigTexts = Readonly<Record<ConfigName, TextFile>>;

/** Each file on its own: its value, or null beside its problems. */
export interface ConfigParts {
  readonly values: { readonly [Name in ConfigName]: Configs[Name] | null };
  readonly problems: readonly Problem[];
}

interface LoadedConfigs {
  /** Null when any file is wrong. */
  readonly configs: Configs | null;
  /** Every problem of every file. */
  readonly problems: readonly Problem[];
}

/** Reads `configs/*.json` and `extensions/extensions.json`. Throws nothing. */
export function loadConfigs(workspace: string): LoadedConfigs {
  const parts = parseConfigs(readConfigTexts(workspace), workspace);
  const problems = [...parts.problems, ...misnamedFiles(workspace)];
  return { configs: problems.length === 0 ? completeConfigs(parts, null) : null, problems };
}

/** The values of a workspace whose files say nothing. */
export function defaultConfigs(): Configs {
  const absent: TextFile = { state: 'absent' };
  const parts = parseConfigs(
    { gateway: absent, inference: absent, context: absent, security: absent, system: absent, extensions: absent },
    '.',
  );
  const configs = completeConfigs(parts, null);
  if (!configs) throw new Error('the schemas have no complete defaults');
  return configs;
}

export function readConfigTexts(workspace: string): ConfigTexts {
  const read = (name: ConfigName) => readTextFile(join(workspace, CONFIG_FILES[name]), CONFIG_FILES[name]);
  return {
    gateway: read('gateway'),
    inference: read('inference'),
    context: read('context'),
    security: read('security'),
    system: read('system'),
    extensions: read('extensions'),
  };
}

/** `workspace`: what relative paths in the files are relative to. */
export function parseConfigs(texts: ConfigTexts, workspace: string): ConfigParts {
  const problems: Problem[] = [];
  const parse = <Schema extends z.ZodType>(name: ConfigName, schema: Schema): z.output<Schema> | null => {
    const parsed = parseOne(texts[name], schema, CONFIG_FILES[name]);
    if (parsed.ok) return parsed.value;
    problems.push(...parsed.problems);
    return null;
  };
  const values = {
    gateway: parse('gateway', schemas.gatewaySchema),
    inference: parse('inference', schemas.inferenceSchema),
    context: parse('context', schemas.contextSchema),
    security: parse('security', schemas.securitySchema),
    system: parse('system', schemas.systemSchema),
    extensions: parse('extensions', extensionsSchema),
  };
  const crossed = crossProblems(values);
  const wrong = new Set(crossed.map(({ file }) => file));
  if (wrong.has(CONFIG_FILES.gateway)) values.gateway = null;
  if (wrong.has(CONFIG_FILES.extensions)) values.extensions = null;
  if (values.gateway) values.gateway = withCertificateFiles(values.gateway, workspace);
  if (values.extensions) values.extensions = withAuthorities(values.extensions, workspace);
  return { values, problems: [...problems, ...crossed] };
}

/** The parts as one frozen whole, a bad part replaced by the one in `last`; null when there is none to replace it. */
export function completeConfigs({ values }: ConfigParts, last: Configs | null): Configs | null {
  const gateway = values.gateway ?? last?.gateway;
  const inference = values.inference ?? last?.inference;
  const context = values.context ?? last?.context;
  const security = values.security ?? last?.security;
  const system = values.system ?? last?.system;
  const extensions = values.extensions ?? last?.extensions;
  if (!gateway || !inference || !context || !security || !system || !extensions) return null;
  return deepFreeze({ gateway, inference, context, security, system, extensions });
}

function parseOne<Schema extends z.ZodType>(read: TextFile, schema: Schema, file: string) {
  if (read.state === 'absent') return check(schema, {}, file);
  const json = read.state === 'text' ? parseJson(read.text, file) : read;
  if (json.state === 'bad') return { ok: false as const, problems: [json.problem] };
  return check(schema, json.state === 'json' ? json.value : {}, file);
}

/**
 * `configs/secruity.json` would be an absent security.json, which is a valid one: all its denials would silently
 * be gone. Other unknown files are somebody's notes.
 */
export function misnamedFiles(workspace: string): Problem[] {
  const known = Object.values(CONFIG_FILES).filter((file) => file.startsWith('configs/'));
  return namesIn(join(workspace, 'configs'))
    .map((name) => `configs/${name}`)
    .filter((file) => file.endsWith('.json') && !known.some((each) => each === file))
    .flatMap((file) => {
      const nearest = nearestOf(
        file.slice('configs/'.length),
        known.map((each) => each.slice('configs/'.length)),
      );
      if (nearest === null || existsSync(join(workspace, 'configs', nearest))) return [];
      const message = `unknown file; did you mean configs/${nearest}?`;
      return [problem({ file, code: 'unknown_key', message, nearest: `configs/${nearest}` })];
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
