import type { JsonSchema } from '#contract';
import type { FitRules } from './rules.ts';

type SchemaRules = Pick<
  FitRules,
  'max_schema_depth' | 'max_schema_bytes' | 'max_enum_values' | 'max_description' | 'text_enums_only'
>;

interface FittedSchema {
  /** The very schema where nothing had to be changed. */
  readonly schema: JsonSchema;
  /** What it does not say any more, for the tool's description. */
  readonly hints: readonly string[];
  /** Arguments that go under another name: the new one, and the tool's own. */
  readonly renamed: ReadonlyMap<string, string>;
}

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const FORMATS: ReadonlySet<unknown> = new Set([
  ...['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid'],
  ...['int32', 'int64', 'float', 'double'],
]);
const MAX_HINT = 300;
/** Walked no further, whatever a schema refers to. */
const MAX_NODES = 4000;

interface Writing {
  readonly root: JsonSchema;
  readonly rules: SchemaRules;
  readonly depth: number;
  readonly bare: boolean;
  readonly renamed: Map<string, string>;
  readonly hints: string[];
  readonly count: { nodes: number };
}

/**
 * A tool's arguments in the part of JSON Schema that vendors take. It may say less than the tool does: what the model
 * fills in is checked against the tool's own schema all the same. There is always one: in the end `{}` by name.
 */
export function fitSchema(schema: JsonSchema, rules: SchemaRules, { bare = false } = {}): FittedSchema {
  const depths = bare ? [1] : [rules.max_schema_depth, 4, 2, 1].filter((depth) => depth <= rules.max_schema_depth);
  for (const depth of depths) {
    const fitted = writeRoot(schema, rules, depth, bare);
    const text = JSON.stringify(fitted.schema);
    if (text.length <= rules.max_schema_bytes) return text === JSON.stringify(schema) ? { ...fitted, schema } : fitted;
  }
  return withFewer(writeRoot(schema, rules, 1, true), rules.max_schema_bytes);
}

/** As many of its arguments as there is room for: those that it requires first. */
function withFewer(fitted: FittedSchema, room: number): FittedSchema {
  const { properties, required } = fitted.schema as { properties: Record<string, unknown>; required?: string[] };
  const wanted = new Set(required ?? []);
  const kept: Record<string, unknown> = {};
  let left = room - 200;
  for (const [name, value] of Object.entries(properties).toSorted(
    ([a], [b]) => Number(wanted.has(b)) - Number(wanted.has(a)),
  )) {
    left -= JSON.stringify([name, name, value]).length;
    if (left < 0) break;
    kept[name] = value;
  }
  const still = [...wanted].filter((name) => Object.hasOwn(kept, name));
  const schema = { type: 'object', properties: kept, ...(still.length > 0 && { required: still }) };
  return { ...fitted, schema, hints: [...fitted.hints, 'it takes further arguments that do not fit here'] };
}

function writeRoot(root: JsonSchema, rules: SchemaRules, depth: number, bare: boolean): FittedSchema {
  const writing: Writing = { root, rules, depth, bare, renamed: new Map(), hints: [], count: { nodes: 0 } };
  const whole = merged(root, writing, []);
  const written = write({ ...whole, type: 'object', properties: whole.properties ?? {} }, writing, [], 1) as JsonSchema;
  const { type: _type, ...rest } = written;
  // `type` where it stood.
  const schema = 'type' in root ? inOrderOf(root, { type: 'object', ...rest }) : { type: 'object', ...rest };
  return { schema, hints: writing.hints, renamed: writing.renamed };
}

function inOrderOf(model: object, schema: JsonSchema): JsonSchema {
  const keys = [...new Set([...Object.keys(model), ...Object.keys(schema)])].filter((key) =>
    Object.hasOwn(schema, key),
  );
  return Object.fromEntries(keys.map((key) => [key, schema[key]]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const namesIn = (value: unknown): string[] => listOf(value).filter((name) => typeof name === 'string');

/** At the root no vendor takes a choice: what all branches have together, and their choice in words. */
function merged(schema: Record<string, unknown>, writing: Writing, refs: readonly string[]): Record<string, unknown> {
  const {
    anyOf,
    oneOf,
    allOf,
    not: _not,
    enum: _enum,
    if: _if,
    then: _then,
    else: _else,
    ...rest
  } = followed(schema, writing, refs);
  const properties: Record<string, unknown> = isObject(rest.properties) ? { ...rest.properties } : {};
  const required = new Set(namesIn(rest.required));
  const take = (branch: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(isObject(branch.properties) ? branch.properties : {}))
      properties[name] ??= value;
  };
  for (const part of listOf(allOf).filter(isObject)) {
    const branch = merged(part, writing, refs);
    take(branch);
    for (const name of namesIn(branch.required)) required.add(name);
  }
  for (const branches of [anyOf, oneOf]
    .map((list) => listOf(list).filter(isObject))
    .filter(({ length }) => length > 0)) {
    const each = branches.slice(0, 50).map((branch) => merged(branch, writing, refs));
    each.forEach(take);
    const needs = each.map((branch) => namesIn(branch.required));
    for (const name of needs[0] ?? []) if (needs.every((names) => names.includes(name))) required.add(name);
    const choices = needs.filter(({ length }) => length > 0).map((names) => names.join(' with '));
    if (choices.length > 0) hint(writing, `Give ${choices.join(', or ')}.`);
  }
  if (anyOf === undefined && oneOf === undefined && allOf === undefined) return rest;
  return { ...rest, properties, ...(required.size > 0 && { required: [...required] }) };
}

function hint({ hints }: Writing, text: string): void {
  if (hints.length < 5) hints.push(text.slice(0, MAX_HINT));
}

/** The schema behind a reference within the same document; what refers to itself ends there. */
function followed(
  schema: Record<string, unknown>,
  { root }: Writing,
  refs: readonly string[],
): Record<string, unknown> {
  const ref = schema.$ref ?? schema.$dynamicRef ?? schema.$recursiveRef;
  if (typeof ref !== 'string') return schema;
  const { $ref: _ref, $dynamicRef: _dynamic, $recursiveRef: _recursive, ...rest } = schema;
  if (!ref.startsWith('#') || refs.length > 20) return rest;
  let found: unknown = root;
  for (const step of ref.slice(1).split('/').filter(Boolean)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return isObject(found) ? { ...found, ...rest } : rest;
}

const refOf = (schema: Record<string, unknown>): string | undefined => {
  const ref = schema.$ref ?? schema.$dynamicRef ?? schema.$recursiveRef;
  return typeof ref === 'string' ? ref : undefined;
};

function write(given: unknown, writing: Writing, refs: readonly string[], depth: number): unknown {
  writing.count.nodes += 1;
  if (!isObject(given) || writing.count.nodes > MAX_NODES) return {};
  const ref = refOf(given);
  if (ref !== undefined && refs.includes(ref)) return { type: 'object', properties: {} };
  const inside = ref === undefined ? refs : [...refs, ref];
  const target = followed(given, writing, refs);
  if (refOf(target) !== undefined) return write(target, writing, inside, depth);
  const schema = Array.isArray(target.allOf) ? merged(target, writing, inside) : target;
  const out: Record<string, unknown> = {};
  const said: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    const written = keyword(key, value, { schema, writing, refs: inside, depth, said });
    if (written !== undefined) out[written[0]] = written[1];
  }
  return complete(out, { schema, writing, said, depth });
}

interface At {
  readonly schema: Record<string, unknown>;
  readonly writing: Writing;
  readonly refs: readonly string[];
  readonly depth: number;
  readonly said: string[];
}

type Written = readonly [string, unknown] | undefined;
type Keyword = (value: unknown, at: At) => Written;

/** One keyword as it goes over the wire; undefined: not at all. */
const keyword = (key: string, value: unknown, at: At): Written =>
  Object.hasOwn(KEYWORDS, key) ? KEYWORDS[key]?.(value, at) : undefined;

const isDeepest = ({ depth, writing }: At): boolean => depth >= writing.depth;
const below = (value: unknown, { writing, refs, depth }: At): unknown => write(value, writing, refs, depth + 1);

const words =
  (key: string): Keyword =>
  (value, { writing: { bare, rules }, depth }) =>
    typeof value === 'string' && !(bare && depth > 1) ? [key, cut(value, rules.max_description)] : undefined;

const bound =
  (key: string): Keyword =>
  (value, { writing }) =>
    typeof value === 'number' && !writing.bare ? [key, value] : undefined;

/** Said in words in place of a keyword that not all take. */
const inWords =
  (kind: string, before: string): Keyword =>
  (value, { said }) => {
    if (typeof value === kind && String(value).length < 100) said.push(`${before} ${value}`);
    return undefined;
  };

const choice: Keyword = (value, at) => {
  if (isDeepest(at) || at.writing.bare) return undefined;
  const branches = listOf(value)
    .slice(0, 50)
    .map((branch) => below(branch, at));
  return branches.length === 0 ? undefined : ['anyOf', branches];
};

const typeKeyword: Keyword = (value) => {
  const types = [value].flat().filter((type) => TYPES.has(type));
  return types.length === 0 ? undefined : ['type', types.length === 1 ? types[0] : types];
};

const itemsKeyword: Keyword = (value, at) => {
  if (Array.isArray(value)) return ['items', choiceOf(value, at)];
  return ['items', isDeepest(at) ? {} : below(value, at)];
};

const defaultKeyword: Keyword = (value, { writing }) =>
  ['string', 'number', 'boolean'].includes(typeof value) && !writing.bare ? ['default', value] : undefined;

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: typeKeyword,
  description: words('description'),
  title: words('title'),
  properties: (value, at) => ['properties', at.depth > at.writing.depth ? {} : propertiesOf(value, at)],
  items: itemsKeyword,
  prefixItems: (value, at) => (isObject(at.schema.items) ? undefined : ['items', choiceOf(value, at)]),
  anyOf: choice,
  oneOf: choice,
  enum: (value, at) => enumOf(listOf(value), at),
  const: (value, at) => (at.schema.enum === undefined ? enumOf([value], at) : undefined),
  additionalProperties: (value, at) =>
    isObject(value) && !isDeepest(at) && !at.writing.bare ? ['additionalProperties', below(value, at)] : undefined,
  format: (value, { writing }) => (FORMATS.has(value) && !writing.bare ? ['format', value] : undefined),
  pattern: inWords('string', 'matches'),
  exclusiveMinimum: inWords('number', 'more than'),
  exclusiveMaximum: inWords('number', 'less than'),
  default: defaultKeyword,
  ...Object.fromEntries(
    ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'].map((key) => [key, bound(key)]),
  ),
};

const choiceOf = (value: unknown, { writing, refs, depth }: At): unknown => {
  const parts = listOf(value).slice(0, 10);
  if (parts.length === 0 || depth >= writing.depth) return {};
  const each = [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()].map((part) =>
    write(part, writing, refs, depth + 1),
  );
  return each.length === 1 ? each[0] : { anyOf: each };
};

function enumOf(values: readonly unknown[], { writing, said }: At): readonly [string, unknown] | undefined {
  const { max_enum_values: most, text_enums_only: onlyText } = writing.rules;
  const isText = values.every((value) => typeof value === 'string' && value !== '');
  const isScalar = values.every((value) => value === null || typeof value !== 'object');
  if (values.length > 0 && values.length <= most && isScalar && (isText || !onlyText) && !writing.bare)
    return ['enum', values];
  const shown = values.slice(0, 20).map((value) => JSON.stringify(value));
  if (shown.length > 0)
    said.push(`one of ${shown.join(', ')}${values.length > shown.length ? ' …' : ''}`.slice(0, MAX_HINT));
  return undefined;
}

/** The wire's own name of an argument: Anthropic takes these letters alone. */
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

function propertiesOf(value: unknown, { writing, refs, depth }: At): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(isObject(value) ? value : {})) {
    if (schema === false) continue;
    const key = KEY.test(name) ? name : aliasOf(name, writing.renamed, value as object);
    out[key] = depth >= writing.depth ? leafOf(schema, writing, refs) : write(schema, writing, refs, depth + 1);
  }
  return out;
}

function aliasOf(name: string, renamed: Map<string, string>, beside: object): string {
  for (const [alias, own] of renamed) if (own === name) return alias;
  const plain =
    name
      .normalize('NFKD')
      .replaceAll(/[^a-zA-Z0-9_.-]/g, '_')
      .slice(0, 56) || 'argument';
  for (let number = 1; ; number += 1) {
    const alias = number === 1 ? plain : `${plain}_${number}`;
    if (renamed.has(alias) || Object.hasOwn(beside, alias)) continue;
    renamed.set(alias, name);
    return alias;
  }
}

/** What lies as deep as anything may: of which kind it is, and nothing of what is in it. */
function leafOf(schema: unknown, writing: Writing, refs: readonly string[]): unknown {
  const written = write(schema, { ...writing, depth: 0 }, refs, 2);
  return isObject(written) ? written : {};
}

function complete(
  out: Record<string, unknown>,
  { schema, writing, said, depth }: Pick<At, 'schema' | 'writing' | 'said' | 'depth'>,
): Record<string, unknown> {
  const types = [out.type].flat();
  if (types.includes('array') && out.items === undefined) out.items = {};
  if (isObject(out.properties)) {
    const required = requiredOf(schema, out.properties, writing);
    if (required.length > 0) out.required = required;
  }
  if (said.length > 0 && !(writing.bare && depth > 2)) {
    const words = [out.description, `(${said.join('; ')})`].filter(Boolean).join(' ');
    out.description = cut(words, writing.rules.max_description);
  }
  return 'required' in out && 'required' in schema ? inOrderOf(schema, out) : out;
}

/** Those that there are; a property of an old draft says itself that it is required. */
function requiredOf(
  schema: Record<string, unknown>,
  properties: Record<string, unknown>,
  { renamed }: Writing,
): string[] {
  const alias = new Map([...renamed].map(([to, from]) => [from, to]));
  const own = isObject(schema.properties) ? schema.properties : {};
  const old = Object.keys(own).filter(
    (name) => isObject(own[name]) && (own[name] as { required?: unknown }).required === true,
  );
  const names = [...new Set([...namesIn(schema.required), ...old])].map((name) => alias.get(name) ?? name);
  return names.filter((name) => Object.hasOwn(properties, name));
}

/** As much of a text as there is room for, in whole characters. */
export const cut = (text: string, most: number): string => {
  const whole = text.toWellFormed();
  return whole.length <= most ? whole : `${whole.slice(0, most - 1)}…`.toWellFormed();
};
