import { z } from 'zod';
import { DIALECT_NAMES } from '#contract/http';

export const configSchema = z.strictObject({
  /** Without `/v1`: the SDK adds it. */
  base_url: z.url().default('https://api.anthropic.com'),
  headers: z.record(z.string(), z.string()).default({}),
  /** The authority of the server's certificate, as a PEM file of the workspace; absent: those that Node knows. */
  ca_file: z.string().min(1).optional(),
  /** How long a prompt prefix stays cached; an hour costs more to write. */
  cache_ttl: z.enum(['5m', '1h']).default('5m'),
  /** Current models answer 400 to any temperature, so one set for all providers must not reach them. */
  send_temperature: z.boolean().default(false),
  /** Dialects beside the usual ones in which models write reasoning and calls into their text, by prefix of the model's id. */
  markup: z.record(z.string(), z.array(z.enum(DIALECT_NAMES))).default({}),
  /** Further fields of the request body, such as `output_config`. */
  extra_body: z.record(z.string(), z.json()).default({}),
});

export type AnthropicConfig = z.infer<typeof configSchema>;
