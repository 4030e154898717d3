import { z } from 'zod';
import {
  AT_HAND,
  CAPABILITY_NAMES,
  EngineError,
  HOOK_CAPABILITY_NAMES,
  HOOK_EVENT_NAMES,
  type HookDefinition,
  type ProviderDefinition,
  RESOLVER_CAPABILITY_NAMES,
  type ResolverDefinition,
  type ToolDefinition,
} from '#contract';

// An extension's default export comes from anybody's hand, so its shape is checked once; the original object is used
// afterwards, since a copy would lose `this` of its methods.

const aFunction = z.custom<unknown>((value) => typeof value === 'function', 'a function');
const aZodSchema = z.custom<unknown>((value) => value instanceof z.ZodType, 'a zod schema');
const aSchema = z.custom<unknown>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'a zod schema or a JSON Schema',
);

const tool = z.looseObject({
  description: z.string().min(1).max(4000),
  risk: z.enum(['read', 'create', 'write', 'destructive']),
  scope: z
    .string()
    .regex(
      /^(mail|files|web|memory|schedule|shell):(read|create|write|delete)$/,
      'one of mail, files, web, memory, schedule, shell, then a colon and read, create, write or delete',
    ),
  input: aSchema,
  output: aSchema.optional(),
  config: aZodSchema.optional(),
  uses: z.array(z.enum(CAPABILITY_NAMES)).optional(),
  onlyWith: z.enum(AT_HAND).optional(),
  provenance: aFunction.optional(),
  freshness: aFunction.optional(),
  next: aFunction.optional(),
  effect: z.enum(['none', 'idempotent', 'keyed', 'unknown']).optional(),
  effects: aFunction.optional(),
  ready: aFunction.optional(),
  run: aFunction,
});
const provider = z.looseObject({ config: aZodSchema.optional(), create: aFunction });
const resolver = z.looseObject({
  config: aZodSchema.optional(),
  uses: z.array(z.enum(RESOLVER_CAPABILITY_NAMES)).optional(),
  resolve: aFunction,
});
const hook = z
  .looseObject({
    on: z.array(z.enum(HOOK_EVENT_NAMES)).min(1).optional(),
    config: aZodSchema.optional(),
    uses: z.array(z.enum(HOOK_CAPABILITY_NAMES)).optional(),
    handle: aFunction.optional(),
    narrow: aFunction.optional(),
    judge: aFunction.optional(),
    check: aFunction.optional(),
  })
  .refine(({ on, handle }) => (on === undefined) === (handle === undefined), 'on and handle: one needs the other')
  .refine(
    ({ on, narrow, judge, check }) => on ?? narrow ?? judge ?? check,
    'on: is missing, and so are narrow, judge and check',
  );

const is = (shape: z.ZodType, value: unknown): boolean => shape.safeParse(value).success;
const isTool = (value: unknown): value is ToolDefinition => is(tool, value);
const isProvider = (value: unknown): value is ProviderDefinition<unknown> => is(provider, value);
const isResolver = (value: unknown): value is ResolverDefinition => is(resolver, value);
const isHook = (value: unknown): value is HookDefinition => is(hook, value);

/** Each gives the default export back as what it is, or throws `extension_invalid` naming everything that is wrong. */
export const asTool = (value: unknown): ToolDefinition => (isTool(value) ? value : refuse(tool, value));
export const asProvider = (value: unknown): ProviderDefinition<unknown> =>
  isProvider(value) ? value : refuse(provider, value);
export const asResolver = (value: unknown): ResolverDefinition => (isResolver(value) ? value : refuse(resolver, value));
export const asHook = (value: unknown): HookDefinition => (isHook(value) ? value : refuse(hook, value));

function refuse(shape: z.ZodType, value: unknown): never {
  const issues = shape.safeParse(value).error?.issues ?? [];
  const what = issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
  throw new EngineError('extension_invalid', `the default export is wrong: ${what.join('; ')}`);
}
