import type { JsonSchema } from '#contract';

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
