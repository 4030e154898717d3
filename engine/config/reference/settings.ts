import { z } from 'zod';
import { jsonObject } from '../../lib/json.ts';
import { extensionsSchema } from '../extension-schemas.ts';
import { personaSchema } from '../persona-schema.ts';
import { contextSchema, gatewaySchema, inferenceSchema, securitySchema, systemSchema } from '../schemas.ts';

/** The files that people write, by the name under which `config schema` knows each. */
export const SETTINGS_FILES = {
  gateway: { file: 'configs/gateway.json', schema: gatewaySchema },
  security: { file: 'configs/security.json', schema: securitySchema },
  inference: { file: 'configs/inference.json', schema: inferenceSchema },
  context: { file: 'configs/context.json', schema: contextSchema },
  system: { file: 'configs/system.json', schema: systemSchema },
  extensions: { file: 'extensions/extensions.json', schema: extensionsSchema },
  persona: { file: 'personas/<id>/persona.json', schema: personaSchema },
} as const;

export type SettingsName = keyof typeof SETTINGS_FILES;

type JsonSchema = z.infer<typeof jsonObject>;

/** The JSON Schema of a file, for editors: what may be written, so nothing that has a default is required. */
export function settingsSchema(name: SettingsName): JsonSchema {
  const schema = z.toJSONSchema(SETTINGS_FILES[name].schema, { io: 'input', unrepresentable: 'any' });
  // Files may name the schema that they follow.
  const properties = { $schema: { type: 'string' }, ...schema.properties };
  return jsonObject.parse({ ...schema, properties });
}

/** One key of a file. */
export interface SettingKey {
  /** With dots; `[]` for an entry of a list, `<name>` for a key that people choose. */
  readonly key: string;
  /** What it takes, in words. */
  readonly takes: string;
  /** As JSON; null where nothing stands for it. */
  readonly standard: string | null;
  readonly required: boolean;
}

/** Every key of a file, in the order of its schema. */
export const settingsOf = (name: SettingsName): SettingKey[] =>
  keysOf(jsonObject.parse(z.toJSONSchema(SETTINGS_FILES[name].schema, { io: 'input', unrepresentable: 'any' })), '');

const part = (schema: JsonSchema, key: string): JsonSchema | undefined => jsonObject.safeParse(schema[key]).data;
const parts = (schema: JsonSchema, key: string): JsonSchema[] => {
  const found = schema[key];
  return Array.isArray(found) ? found.map((one) => jsonObject.parse(one)) : [];
};

function keysOf(schema: JsonSchema, before: string): SettingKey[] {
  const inside = schema.type === 'array' ? part(schema, 'items') : undefined;
  if (inside) return keysOf(inside, `${before}[]`);
  const variants = [...parts(schema, 'anyOf'), ...parts(schema, 'oneOf')];
  if (variants.length > 0) return unique(variants.flatMap((one) => keysOf(one, before)));
  const named = part(schema, 'properties');
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const own = Object.entries(named ?? {}).flatMap(([name, value]) => {
    const one = jsonObject.parse(value);
    const key = before === '' ? name : `${before}.${name}`;
    const below = keysOf(one, key);
    // An object is told by its keys.
    const isTold = below.length > 0 && one.type === 'object';
    return [...(isTold ? [] : [settingOf(key, one, required.has(name))]), ...below];
  });
  const any = part(schema, 'additionalProperties');
  return any && Object.keys(any).length > 0 ? [...own, ...keysOf(any, `${before}.<name>`)] : own;
}

const unique = (settings: readonly SettingKey[]): SettingKey[] => [
  ...new Map(settings.map((one) => [one.key, one])).values(),
];

const settingOf = (key: string, schema: JsonSchema, required: boolean): SettingKey => ({
  key,
  takes: takesOf(schema),
  standard: schema.default === undefined ? null : JSON.stringify(schema.default),
  required,
});

function takesOf(schema: JsonSchema): string {
  const variants = [...parts(schema, 'anyOf'), ...parts(schema, 'oneOf')];
  if (variants.length > 0) return [...new Set(variants.map(takesOf))].join(' or ');
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(' or ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => takesOf({ ...schema, type })).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return `${schema.type === 'integer' ? 'whole number' : 'number'}${rangeOf(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'string':
      return 'text';
    case 'null':
      return 'null';
    case 'array': {
      const items = part(schema, 'items');
      return items && items.type !== 'object' ? `list of ${takesOf(items)}` : 'list';
    }
    default:
      return 'object';
  }
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  const least = typeof exclusiveMinimum === 'number' ? exclusiveMinimum : minimum;
  const from =
    typeof least === 'number' && least > Number.MIN_SAFE_INTEGER
      ? `${typeof exclusiveMinimum === 'number' ? 'above' : 'from'} ${least}`
      : '';
  const to = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? `up to ${maximum}` : '';
  const both = [from, to].filter((one) => one !== '').join(', ');
  return both === '' ? '' : ` (${both})`;
}
