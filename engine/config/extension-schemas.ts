import { z } from 'zod';
import { CAPABILITY_NAMES, HOOK_CAPABILITY_NAMES, RESOLVER_CAPABILITY_NAMES } from '#contract';
import { environmentName, isSafeForTokens, oauthSchema } from './mailbox-schema.ts';
import { price } from './schemas.ts';

const listed = z.union([
  z.string().min(1),
  z.strictObject({
    name: z.string().min(1),
    enabled: z.boolean().default(true),
    config: z.record(z.string(), z.json()).default({}),
  }),
]);

const KINDS_OF_SCOPE = ['mail', 'files', 'web', 'memory', 'schedule'] as const;

/** A server that speaks the Model Context Protocol: a program of this machine, or one behind a URL. */
export const mcpServerSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9_]{1,32}$/, 'lower-case letters, digits and _'),
    enabled: z.boolean().default(true),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).default([]),
    /** Variables that the program is given besides PATH, HOME and the like. */
    env: z.array(environmentName).default([]),
    url: z.url({ protocol: /^https?$/ }).optional(),
    /** By header: the variable that holds its whole value. */
    headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/, 'the name of a header'), environmentName).default({}),
    /** The authority of its certificate, as a PEM file; absent: those that Node knows. */
    ca_file: z.string().min(1).optional(),
    /** `oauth`: somebody has to log in to it, by `extensions login`. */
    auth: z.enum(['none', 'oauth']).default('none'),
    oauth: z
      .strictObject({
        /** Absent: the gateway registers itself where the server says. */
        client_id: oauthSchema.shape.client_id.nullable().default(null),
        client_secret_env: oauthSchema.shape.client_secret_env,
        /** Absent: what the server asks for. */
        scopes: oauthSchema.shape.scopes,
        redirect_port: oauthSchema.shape.redirect_port,
      })
      .prefault({}),
    /** How long one call may take; absent: as long as any call. */
    timeout_s: z.number().positive().max(3600).optional(),
    /** How long it may take until it can be asked, and for its list: a launcher may have to fetch it first. */
    start_timeout_s: z.number().positive().max(3600).default(60),
    tools: z
      .strictObject({
        /** Names as the server has them; `*`: all that it lists. */
        allow: z.array(z.string().min(1)).default(['*']),
        /** By the server's name of the tool. */
        risk: z.record(z.string(), z.enum(['read', 'create', 'write', 'destructive'])).default({}),
        scope: z.enum(KINDS_OF_SCOPE).default('web'),
        /** Whether the server is believed when it says that a tool only reads. */
        trust_hints: z.boolean().default(false),
        /** Whether its resources can be read, by a tool `read_resource`. */
        resources: z.boolean().default(false),
      })
      .prefault({}),
  })
  .superRefine((server, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if ((server.command === undefined) === (server.url === undefined)) wrong('command', 'has either command or url');
    if (server.command === undefined && server.args.length + server.env.length > 0)
      wrong('args', 'args and env belong to a command');
    if (server.url === undefined && Object.keys(server.headers).length > 0) wrong('headers', 'headers belong to a url');
    if (server.ca_file !== undefined && server.url?.startsWith('https:') !== true)
      wrong('ca_file', 'ca_file belongs to an https url');
    if (server.auth !== 'oauth') return;
    if (server.url === undefined) wrong('auth', 'only a server behind a url is logged in to');
    else if (!isSafeForTokens(server.url)) wrong('url', 'https, since tokens travel to it (http only on this machine)');
    if (Object.keys(server.headers).some((name) => name.toLowerCase() === 'authorization'))
      wrong('headers', 'the header authorization comes from the login');
    if (server.oauth.client_secret_env !== null && server.oauth.client_id === null)
      wrong('oauth', 'client_secret_env belongs to a client_id');
  });

/** `extensions/extensions.json`: what is switched on, and with which values. */
export const extensionsSchema = z.strictObject({
  providers: z.array(listed).default([]),
  tools: z.array(listed).default([]),
  resolvers: z.array(listed).default([]),
  hooks: z.array(listed).default([]),
  mcp: z
    .array(mcpServerSchema)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two servers have the same name')
    .default([]),
});

/** The pictures that vendors are known to take. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/heic'] as const;

/**
 * What a vendor takes of a request. The defaults are what all vendors that are known take; what does not fit is written
 * otherwise or left out with a reason.
 */
const fits = z.strictObject({
  /** The day on which the vendor's documents were looked at, and what was found there. */
  looked_at: z.iso.date().optional(),
  sources: z.array(z.string()).default([]),
  max_tools: z.int().positive().default(128),
  max_name: z.int().min(16).max(64).default(64),
  /** In characters, also of an argument. */
  max_description: z.int().min(100).default(1024),
  max_schema_depth: z.int().min(1).max(50).default(8),
  max_schema_bytes: z.int().min(500).default(16_384),
  max_enum_values: z.int().min(1).default(250),
  /** Values of a list are texts, and none of them is empty. */
  text_enums_only: z.boolean().default(false),
  /** In characters, of the id of a call. */
  max_id: z.int().min(32).default(40),
  picture_types: z.array(z.enum(PICTURES)).default(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  max_picture_bytes: z.int().positive().default(3_750_000),
  /** In pixels. */
  max_picture_side: z.int().positive().default(8000),
  max_pictures: z.int().positive().default(20),
  /** Whether a user may speak directly behind the results of calls. */
  user_after_result: z.boolean().default(true),
});

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
    /** The service says with each answer what it cost, so a model without a price is no hole in a budget. */
    reports_cost: z.boolean().default(false),
    fits: fits.prefault({}),
    models: z
      .record(
        z.string(),
        z.strictObject({
          context_tokens: z.int().positive().default(128_000),
          max_output_tokens: z.int().positive().default(4096),
          tools: z.boolean().default(true),
          images: z.boolean().default(false),
          usd_per_million_tokens: price.nullable().default(null),
          ends: z.iso.date().nullable().default(null),
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
    /** `false`: a bundled one is off as well unless extensions.json lists it; it needs something set up first. */
    enabled: z.literal(false).optional(),
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
    timeout_s: z.number().positive().max(60).optional(),
  }),
]);

/** Of a folder `extensions`, by what lies in each; `extensions.json` lists it under the same name. */
export const EXTENSION_FOLDERS = [
  'providers',
  'tools',
  'resolvers',
  'hooks',
] as const satisfies readonly (keyof z.infer<typeof extensionsSchema>)[];
