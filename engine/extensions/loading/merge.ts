import type { Json, JsonObject } from '#contract';

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
