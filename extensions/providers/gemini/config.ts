import { z } from 'zod';
import { DIALECT_NAMES } from '#contract/http';

export const configSchema = z.strictObject({
  /** Without `/v1beta`: the SDK adds it. */
  base_url: z.url().default('https://generativelanguage.googleapis.com'),
  headers: z.record(z.string(), z.string()).default({}),
  /** The authority of the server's certificate, as a PEM file of the workspace; absent: those that Node knows. */
  ca_file: z.string().min(1).optional(),
  /** Dialects beside the usual ones in which models write reasoning and calls into their text, by prefix of the model's id. */
  markup: z.record(z.string(), z.array(z.enum(DIALECT_NAMES))).default({}),
  /** Further fields of `generationConfig`, such as `thinkingConfig`. */
  generation_config: z.record(z.string(), z.json()).default({}),
});

export type GeminiConfig = z.infer<typeof configSchema>;
