import { z } from 'zod';

export const configSchema = z.strictObject({
  /** Without `/v1beta`: the SDK adds it. */
  base_url: z.url().default('https://generativelanguage.googleapis.com'),
  headers: z.record(z.string(), z.string()).default({}),
  /** Further fields of `generationConfig`, such as `thinkingConfig`. */
  generation_config: z.record(z.string(), z.json()).default({}),
});

export type GeminiConfig = z.infer<typeof configSchema>;
