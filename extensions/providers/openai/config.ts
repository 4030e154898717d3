import { z } from 'zod';
import { DIALECT_NAMES } from '#contract/http';

/** What differs between servers that speak OpenAI's protocols. The defaults suit an unknown compatible server. */
export const configSchema = z.strictObject({
  base_url: z.url().default('https://api.openai.com/v1'),
  headers: z.record(z.string(), z.string()).default({}),
  /** The authority of the server's certificate, as a PEM file of the workspace; absent: those that Node knows. */
  ca_file: z.string().min(1).optional(),
  /** OpenAI's reasoning models refuse `max_tokens`; most other servers know nothing else. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).default('max_tokens'),
  /** Routes the mails of one thread to the same warm prompt cache. */
  prompt_cache_key: z.boolean().default(false),
  /** `reasoning_effort` of chat completions by prefix of the model's id, the longest match wins. */
  chat_reasoning_effort: z.record(z.string(), z.string()).default({}),
  /** `ollama`: its own API, where a request says how large a window it needs. */
  api: z.enum(['chat', 'responses', 'ollama']).default('chat'),
  /** The window of Ollama's own API, in tokens; absent: as large as each request needs. */
  num_ctx: z.int().positive().optional(),
  /** Prefixes of models that take tools through the Responses API only. */
  responses_models: z.array(z.string().min(1)).default([]),
  /** Dialects beside the usual ones in which models write reasoning and calls into their text, by prefix of the model's id. */
  markup: z.record(z.string(), z.array(z.enum(DIALECT_NAMES))).default({}),
  /** Ask for a stream: for servers, and proxies before them, that know no other way. What only streams is found out, too. */
  stream: z.boolean().default(false),
  /** Further fields of the request body, for what one server has and others do not. */
  extra_body: z.record(z.string(), z.json()).default({}),
});

export type OpenAIConfig = z.infer<typeof configSchema>;
