import { z } from 'zod';
import { CAPABILITY_NAMES, HOOK_CAPABILITY_NAMES, RESOLVER_CAPABILITY_NAMES } from '#contract';
import { environmentName, usd } from './schemas.ts';

const listed = z.union([
  z.string().min(1),
  z.strictObject({
    name: z.string().min(1),
    enabled: z.boolean().default(true),
    config: z.record(z.string(), z.json()).default({}),
  }),
]);

/** `extensions/extensions.json`: what is switched on, and with which values. */
export const extensionsSchema = z.strictObject({
  providers: z.array(listed).default([]),
  tools: z.array(listed).default([]),
  resolvers: z.array(listed).default([]),
  hooks: z.array(listed).default([]),
  /** Nothing reads it yet, so nothing may stand in it. */
  mcp: z.array(z.json()).max(0, 'an empty list: MCP servers are not built yet').default([]),
});

const price = z.strictObject({ input: usd, output: usd, cache_read: usd.optional(), cache_write: usd.optional() });

const manifestBase = {
  name: z.string().regex(/^[a-z0-9_-]{1,64}$/, 'lower-case letters, digits, - and _'),
  api: z.literal(1),
  summary: z.string().min(1).max(500),
  version: z.string().optional(),
  secrets: z.record(z.string(), environmentName).default({}),
  config: z.record(z.string(), z.json()).default({}),
};

/** `manifest.json` of an extension's folder. */
export const manifestSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    ...manifestBase,
    kind: z.literal('provider'),
    /** `<bundled provider>-compatible`: that provider's code with this manifest's values. */
    adapter: z
      .string()
      .regex(/^[a-z0-9_-]+-compatible$/)
      .optional(),
    entry: z.string().optional(),
    default_model: z.string().optional(),
    models: z
      .record(
        z.string(),
        z.strictObject({
          context_tokens: z.int().positive().default(128_000),
          max_output_tokens: z.int().positive().default(4096),
          tools: z.boolean().default(true),
          images: z.boolean().default(false),
          usd_per_million_tokens: price.nullable().default(null),
        }),
      )
      .default({}),
  }),
  z.strictObject({
    ...manifestBase,
    kind: z.literal('tool'),
    name: z.string().regex(/^[a-z0-9_]{1,64}$/, 'lower-case letters, digits and _'),
    entry: z.string(),
    capabilities: z.array(z.enum(CAPABILITY_NAMES)).default([]),
    timeout_s: z.number().positive().optional(),
  }),
  z.strictObject({
    ...manifestBase,
    kind: z.literal('resolver'),
    entry: z.string(),
    capabilities: z.array(z.enum(RESOLVER_CAPABILITY_NAMES)).optional(),
  }),
  z.strictObject({
    ...manifestBase,
    kind: z.literal('hook'),
    entry: z.string(),
    capabilities: z.array(z.enum(HOOK_CAPABILITY_NAMES)).optional(),
  }),
]);
