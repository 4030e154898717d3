import { type Body, idsOf, MAGIC, picturesOf, rolesOf, toolsOf, type Wire } from './wire.ts';

const TOP = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];

/** All schemas inside of one, with how deep each lies. */
function* within(schema: Body, depth = 1): Generator<{ schema: Body; depth: number }> {
  if (typeof schema !== 'object' || schema === null) return;
  yield { schema, depth };
  for (const [key, value] of Object.entries<Body>(schema)) {
    if (['properties', '$defs', 'definitions', 'patternProperties'].includes(key))
      for (const inner of Object.values(value ?? {})) yield* within(inner, depth + 1);
    else if (['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'].includes(key))
      yield* within(value, depth + 1);
    else if (Array.isArray(value) && ['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(key))
      for (const inner of value) yield* within(inner, depth + 1);
  }
}

/** What a vendor's checks of tools find; undefined: nothing. Each is a documented or reported one. */
export const TOOL_CHECKS = {
  /** OpenAI: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level". */
  topLevel: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(({ schema }) => schema?.type !== 'object' || TOP.some((key) => key in schema)),
  /** OpenAI: "object schema missing properties"; "array schema missing items". */
  properties: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(({ schema }) =>
      [...within(schema)].some(
        ({ schema: one, depth }) =>
          (depth === 1 && one.properties === undefined) || (one.type === 'array' && one.items === undefined),
      ),
    ),
  /** Anthropic: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'". */
  keys: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(({ schema }) =>
      [...within(schema)].some(({ schema: one }) =>
        Object.keys(one.properties ?? {}).some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)),
      ),
    ),
  /** Anthropic: "It must match JSON Schema draft 2020-12". */
  draft: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(({ schema }) =>
      [...within(schema)].some(
        ({ schema: one }) =>
          typeof one.exclusiveMinimum === 'boolean' ||
          typeof one.required === 'boolean' ||
          'definitions' in one ||
          Array.isArray(one.items) ||
          [one.type].flat().some((type) => type !== undefined && !TYPES.includes(type)),
      ),
    ),
  /** Gemini: "required[0]: property is not defined"; "enum: only allowed for STRING type"; empty values. */
  gemini: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(({ schema }) =>
      [...within(schema)].some(
        ({ schema: one }) =>
          (one.required ?? []).some((name: string) => !(name in (one.properties ?? {}))) ||
          (one.enum ?? []).some((value: Body) => typeof value !== 'string' || value === '') ||
          (Array.isArray(one.enum) && one.enum.length === 0),
      ),
    ),
  /** A reference that leads nowhere, or to itself. */
  references: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(({ schema }) =>
      [...within(schema)].some(({ schema: one }) => typeof one.$ref === 'string' || '$dynamicRef' in one),
    ),
  depth: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(({ schema }) => [...within(schema)].some(({ depth }) => depth > 10)),
  enums: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(({ schema }) =>
      [...within(schema)].some(({ schema: one }) => (one.enum?.length ?? 0) > 500),
    ),
  size: (wire: Wire, body: Body) => toolsOf(wire, body).some(({ schema }) => JSON.stringify(schema).length > 20_000),
  names: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(({ name }) => !/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name)),
  descriptions: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(
      ({ description, schema }) =>
        description.length > 1024 ||
        [...within(schema)].some(({ schema: one }) => (one.description?.length ?? 0) > 1024),
    ),
  count: (wire: Wire, body: Body) => toolsOf(wire, body).length > 40,
  /** llama.cpp makes a grammar of it. */
  grammar: (wire: Wire, body: Body) =>
    toolsOf(wire, body).some(({ schema }) =>
      [...within(schema)].some(({ schema: one }) =>
        [
          'not',
          'if',
          'then',
          'else',
          'patternProperties',
          'contains',
          'dependentSchemas',
          'prefixItems',
          'pattern',
        ].some((key) => key in one),
      ),
    ),
  /** Ollama reads a tool into fields of fixed types: "json: cannot unmarshal … into Go struct field". */
  go: (wire: Wire, body: Body) => toolsOf(wire, body).some(({ schema }) => !isGoTool(schema)),
  /** Tools whose names differ in letters that the vendor does not tell apart. */
  twice: (wire: Wire, body: Body) => {
    const names = toolsOf(wire, body).map(({ name }) => name.toLowerCase());
    return new Set(names).size < names.length;
  },
} as const;

const isText = (value: Body): boolean => value === undefined || typeof value === 'string';
const isObject = (value: Body): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isListOf = (value: Body, is: (one: Body) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every(is));
const isGoTool = (schema: Body): boolean =>
  isObject(schema) &&
  isText(schema.type) &&
  isListOf(schema.required, (name) => typeof name === 'string') &&
  (schema.properties === undefined ||
    (isObject(schema.properties) && Object.values(schema.properties).every(isGoProperty)));
function isGoProperty(one: Body): boolean {
  return (
    isObject(one) &&
    (isText(one.type) || isListOf(one.type, (type) => typeof type === 'string')) &&
    isText(one.description) &&
    isListOf(one.enum, () => true) &&
    isListOf(one.anyOf, isGoProperty) &&
    isListOf(one.required, (name) => typeof name === 'string') &&
    (one.properties === undefined || (isObject(one.properties) && Object.values(one.properties).every(isGoProperty)))
  );
}

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Whether each result has the id of a call, and each call a result. */
export const idsMatch = (_wire: Wire, body: Body): boolean => {
  const { calls, results } = idsOf(body);
  return calls.length === results.length && calls.every((id) => results.includes(id));
};
export const idsShort = (_wire: Wire, body: Body): boolean =>
  [...idsOf(body).calls, ...idsOf(body).results].every((id) => id.length <= 40);
export const idsPlain = (_wire: Wire, body: Body): boolean =>
  [...idsOf(body).calls, ...idsOf(body).results].every((id) => /^[a-zA-Z0-9_-]+$/.test(id));
export const idsUnique = (_wire: Wire, body: Body): boolean => {
  const { calls } = idsOf(body);
  return new Set(calls).size === calls.length;
};

/** Chat templates of Mistral and Gemma: user, assistant, user …; results belong to the assistant's turn. */
export const rolesAlternate = (wire: Wire, body: Body): boolean => {
  const roles = rolesOf(wire, body);
  return roles[0] === 'user' && roles.every((role, at) => role === 'tool' || role !== roles[at - 1]);
};
/** Mistral's API: no user directly after a result. */
export const noUserAfterTool = (wire: Wire, body: Body): boolean => {
  const roles = rolesOf(wire, body);
  return roles.every((role, at) => role !== 'user' || roles[at - 1] !== 'tool');
};

/** Whether each picture is what is said of it, and of a type that the vendor takes. */
export const picturesTrue = (_wire: Wire, body: Body, types = MAGIC.map(([type]) => type)): boolean =>
  picturesOf(body).every(
    ({ type, bytes }) => types.includes(type) && MAGIC.some(([name, is]) => name === type && is(bytes)),
  );

export const wellFormed = (text: string): boolean => !/\\ud[89a-f][0-9a-f]{2}(?!\\ud[c-f])/i.test(text);

/** Ollama has no ids: each result stands behind its call by its place and the name of the tool; arguments are an object. */
export const callsInPlace = (_wire: Wire, { messages }: Body): boolean => {
  const waiting: string[] = [];
  for (const { role, tool_calls: calls = [], tool_name: name } of messages) {
    if (role === 'tool' && waiting.shift() !== name) return false;
    if (role !== 'tool' && waiting.length > 0) return false;
    for (const { function: call } of calls) {
      if (!isObject(call.arguments)) return false;
      waiting.push(call.name);
    }
  }
  return waiting.length === 0;
};
