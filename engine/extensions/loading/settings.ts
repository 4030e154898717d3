import type { z } from 'zod';
import type { Json, JsonObject } from '#contract';
import { check } from '../../config/problems/issues.ts';
import type { Manifest, Problem } from '../../config/types.ts';
import { anyJson, parseJson } from '../../lib/json.ts';

type ConfigOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * The manifest's config under the one of extensions.json, validated by the extension's own schema where it has one.
 * A problem names the file in which the wrong key stands.
 */
export function configOf(options: {
  manifest: Manifest;
  listed: JsonObject;
  schema: z.ZodType | undefined;
  manifestFile: string;
}): ConfigOutcome {
  const { manifest, listed, schema, manifestFile } = options;
  const merged = mergeConfig(manifest.config, listed);
  if (!schema) return { ok: true, value: merged };
  const checked = check(schema, merged, manifestFile);
  if (checked.ok) return checked;
  const problems = checked.problems.map((each) => {
    const fromListing = Object.hasOwn(listed, each.key.split('.', 1)[0] ?? '');
    const file = fromListing ? 'extensions/extensions.json' : manifestFile;
    return { ...each, file, key: each.key ? `config.${each.key}` : 'config' };
  });
  return { ok: false, problems };
}

/** A config as plain JSON: it crosses the contract, where nothing else passes. */
export function asJson(value: unknown): Json {
  return parseJson(anyJson, JSON.stringify(value) ?? 'null');
}

/** The manifest's secrets by its own keys; one whose environment variable is unset or empty is absent. */
export function secretsOf(
  manifest: Manifest,
  secretOf: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  const found = Object.entries(manifest.secrets).flatMap(([key, name]) => {
    const secret = secretOf(name);
    return secret === undefined ? [] : [[key, secret] as const];
  });
  return Object.freeze(Object.fromEntries(found));
}

/** Objects are merged at any depth; arrays and scalars of `over` replace. Neither argument is changed. */
export function mergeConfig(under: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key);
    merged.set(key, isObject(below) && isObject(value) ? mergeConfig(below, value) : value);
  }
  // fromEntries defines own keys, so that a key called __proto__ stays a key.
  return Object.fromEntries(merged);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
