import type { ErrorObject } from 'ajv';
import { z } from 'zod';
import { EngineError, type JsonSchema } from '#contract';
import type { Validation } from '../types.ts';

/** Compiling a schema generates code; a megabyte of it would stall the start. */
const MAX_SCHEMA_CHARACTERS = 64 * 1024;
const MAX_MESSAGE_CHARACTERS = 2000;

interface Validator {
  readonly jsonSchema: JsonSchema;
  validate(value: unknown): Validation;
}

/**
 * For a zod schema or a plain JSON Schema (2020-12, or draft-07 by its `$schema`). Throws `extension_invalid`. Of a
 * `foreign` one, whose author is no extension's, words that are not known are passed over, and no pattern of it is run:
 * it could take for ever, and the author checks it again.
 */
export async function validatorOf(
  schema: z.ZodType | JsonSchema,
  io: 'input' | 'output',
  { foreign = false }: { foreign?: boolean } = {},
): Promise<Validator> {
  const jsonSchema = schema instanceof z.ZodType ? jsonSchemaOf(schema, io) : { ...schema };
  if (JSON.stringify(jsonSchema).length > MAX_SCHEMA_CHARACTERS) throw invalid(`the ${io} schema is too large`);
  // Every vendor wants an object at the root of a tool's arguments.
  if (io === 'input' && jsonSchema.type !== 'object') throw invalid('the input schema does not describe an object');
  const validate = schema instanceof z.ZodType ? zodValidation(schema) : await ajvValidation(jsonSchema, foreign);
  return { jsonSchema: Object.freeze(jsonSchema), validate };
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  try {
    const { $schema, ...rest } = z.toJSONSchema(schema, { io });
    return io === 'input' ? plainSchema(rest) : rest;
  } catch (error) {
    throw invalid(`the ${io} schema cannot be shown as JSON Schema: ${messageOf(error)}`, error);
  }
}

function zodValidation(schema: z.ZodType): (value: unknown) => Validation {
  return (value) => {
    try {
      const parsed = schema.safeParse(value);
      return parsed.success
        ? { ok: true, value: parsed.data }
        : { ok: false, message: short(z.prettifyError(parsed.error)) };
    } catch (error) {
      // A refinement of the extension's own threw, or is asynchronous.
      return { ok: false, message: short(messageOf(error)) };
    }
  };
}

async function ajvValidation(schema: JsonSchema, foreign: boolean): Promise<(value: unknown) => Validation> {
  if ('$async' in schema) throw invalid('asynchronous schemas are not supported');
  const compile = await compiler(String(schema.$schema ?? ''), foreign);
  const check = attempt(() => compile(schema));
  return (value) => {
    // Defaults are written into the value, and the caller's is also what the trace shows.
    const copy = copyOf(value);
    if (check(copy)) return { ok: true, value: copy };
    return { ok: false, message: short((check.errors ?? []).slice(0, 10).map(describe).join('\n')) };
  };
}

/** Copies JSON, which is all that models and tools hand over. `structuredClone` would write it as bytes and read them again. */
function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copyOf(inner)]));
}

/** Ajv runs what it is handed here in place of regular expressions. */
const ANY_TEXT = Object.assign(() => ({ test: () => true }), { code: 'any text' });

async function compiler(dialect: string, foreign: boolean) {
  const options = {
    strict: !foreign,
    ...(foreign ? { validateFormats: false, code: { regExp: ANY_TEXT } } : {}),
    strictTypes: false,
    strictTuples: false,
    allErrors: true,
    useDefaults: true,
    logger: false,
  } as const;
  const formats = (await import('ajv-formats')).default;
  const ajv = dialect.includes('draft-07')
    ? new (await import('ajv')).Ajv(options)
    : new (await import('ajv/dist/2020.js')).Ajv2020(options);
  formats.default(ajv);
  return (schema: JsonSchema) => ajv.compile(schema);
}

function attempt<Result>(compile: () => Result): Result {
  try {
    return compile();
  } catch (error) {
    throw invalid(`the schema is not a valid JSON Schema: ${messageOf(error)}`, error);
  }
}

const describe = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath || 'the arguments'} ${message ?? 'is wrong'} ${JSON.stringify(params)}`;

const short = (message: string): string => message.slice(0, MAX_MESSAGE_CHARACTERS);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const invalid = (message: string, cause?: unknown): EngineError =>
  new EngineError('extension_invalid', message, { cause });

/**
 * What zod adds to a schema and no model needs: bounds that an ordinary call never meets, and which the validator names
 * where one does. Of the 2,155 tokens that the bundled tools once cost each call, 250 were these.
 */
const NOISE: ReadonlySet<string> = new Set(
  'default propertyNames minLength maxLength minItems maxItems minimum'.split(' '),
);

/** The schema as a model is shown it. Arguments are validated by zod itself, so nothing more gets through. */
export function plainSchema(schema: JsonSchema): JsonSchema {
  const shown = Object.entries(schema).filter(([key, value]) => !isNoise(key, value));
  return Object.fromEntries(
    shown.map(([key, value]) => {
      // Its keys are the arguments' own names, which may be any of those above.
      if (key === 'properties' && isSchema(value)) {
        return [key, Object.fromEntries(Object.entries(value).map(([name, field]) => [name, inner(field)]))];
      }
      return [key, key === 'items' || key === 'additionalProperties' ? inner(value) : value];
    }),
  );
}

function isNoise(key: string, value: unknown): boolean {
  if (NOISE.has(key) || value === Number.MAX_SAFE_INTEGER) return true;
  return key === 'additionalProperties' && (value === false || (isSchema(value) && Object.keys(value).length === 0));
}

const inner = (value: unknown): unknown => (isSchema(value) ? plainSchema(value) : value);

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
