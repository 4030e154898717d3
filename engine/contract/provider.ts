import type { z } from 'zod';
import type { Json, JsonSchema } from './json.ts';
import type { Log } from './log.ts';

/** A tool as the model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. `name`: of its file, for what is said of it; adapters send it to nobody. */
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string; readonly name?: string };

/** A call as the model asked for it. `id` is the vendor's; where a vendor sends none, the adapter makes one. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed arguments; `undefined` when the vendor's text was not JSON, then `rawArguments` has it. */
  readonly arguments: Json | undefined;
  readonly rawArguments?: string;
}

export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  /** JSON text. */
  readonly content: string;
  readonly isError: boolean;
}

/**
 * The vendor's own message, verbatim. Sent back untouched to the same provider and model within the run
 * (thinking blocks and thought signatures are refused when altered); ignored by any other.
 */
export interface ProviderParts {
  readonly provider: string;
  readonly model: string;
  readonly data: Json;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly content: readonly ContentPart[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly providerParts?: ProviderParts;
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] };

export interface GenerateRequest {
  /** The vendor's model id. */
  readonly model: string;
  /** Byte-stable across the mails of a thread; adapters send it as the vendor's system role. */
  readonly system: readonly string[];
  readonly messages: readonly ModelMessage[];
  /** Sorted by name. */
  readonly tools: readonly ToolSpec[];
  /** `none`: answer in text now. The tools stay listed, for the prompt cache and for vendors that want them beside old calls. */
  readonly toolChoice: 'auto' | 'none';
  readonly maxOutputTokens: number | null;
  readonly temperature: number | null;
  /** Stable per thread; for vendors that route by it to a warm prompt cache. */
  readonly cacheKey: string;
  /** The mail's new text without envelope and fences, for adapters that read no prompt (`offline`). */
  readonly input: { readonly text: string };
}

/** Token counts as billed. `input` includes `cached` and `cacheWrite`. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cacheWrite: number;
  /**
   * Counts that the vendor did not give: what stands there is 0, and the engine estimates. Absent: a 0 that cannot be is
   * taken for one that was not given. An empty list: all of them are meant, 0 as well.
   */
  readonly unknown?: readonly ('input' | 'output')[];
}

export interface GenerateResponse {
  /** Visible text only, never thinking. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: 'stop' | 'tool_calls' | 'length' | 'refusal' | 'other';
  /**
   * Whether the vendor says that the answer is all that the model meant to say: true for its named good ends alone. Calls
   * of an answer that is not whole are never made, and its text is gone on with. Absent: as `finish` says.
   */
  readonly whole?: boolean;
  /**
   * What became of the model's own markup in its text (`plainAnswer` of `#contract/http`): there was `none`, it was `read`
   * and taken out, or the text begins or ends within `reasoning` or a `call`, or may be either (`unclear`); then nothing of
   * it is an answer, and the model is asked again. Absent: the adapter did not look, so the engine does.
   */
  readonly markup?: 'none' | 'read' | 'reasoning' | 'call' | 'unclear';
  readonly usage: Usage;
  /** Set by the engine: whether the vendor gave the counts of `usage`, or they are an estimate. Absent: the vendor did. */
  readonly usageBasis?: 'known' | 'estimated';
  /** Set by the engine where the vendor's counts are far from its own: what the vendor said. */
  readonly usageSaid?: Usage;
  readonly providerParts: ProviderParts;
  /** The cost the vendor itself reported, in USD; null where it reports none. */
  readonly reportedCostUsd: number | null;
}

/**
 * Throws EngineError with a ProviderCode; an abort by the signal surfaces as `cancelled`. Of what else is thrown a
 * mistake in the code (a TypeError without a cause) fails the mail, and all the rest counts as `unavailable`: mail waits.
 */
export interface HarnessProviderAdapter {
  generate(request: GenerateRequest, options: { readonly signal: AbortSignal }): Promise<GenerateResponse>;
  /** The models that the service itself lists, in its order. Absent: it has no list. Throws as `generate` does. */
  models?(options: { readonly signal: AbortSignal }): Promise<readonly ListedModel[]>;
}

/** A model as its service lists it. */
export interface ListedModel {
  /** As it stands in a request. */
  readonly id: string;
  /** Where the service says it. */
  readonly usd_per_million_tokens?: TokenPrice;
}

/** USD per million tokens. What is left out costs as much as `input`. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number | undefined;
  readonly cache_write?: number | undefined;
}

export interface ModelInfo {
  readonly context_tokens: number;
  readonly max_output_tokens: number;
  readonly tools: boolean;
  readonly images: boolean;
  readonly usd_per_million_tokens:
    | (TokenPrice & {
        /** What all tokens of a call cost whose prompt has more tokens than this. */
        readonly above_input_tokens?: readonly (TokenPrice & { readonly tokens: number })[] | undefined;
      })
    | null;
  /** Where nobody has said the price: what it is taken to be at most. */
  readonly estimated_usd_per_million_tokens?: TokenPrice | undefined;
  /** Its service says with each answer what it cost. */
  readonly reports_cost?: boolean | undefined;
  /** The last day on which its vendor answers with it: `2026-12-01`. */
  readonly ends?: string | null | undefined;
}

export interface ProviderDefinition<Config> {
  readonly config?: z.ZodType<Config>;
  create(options: {
    /** The provider's name from its manifest; tags `providerParts`. */
    readonly name: string;
    readonly config: Config;
    /** By the manifest's `secrets` keys; a key whose environment variable is unset is absent. */
    readonly secrets: Readonly<Record<string, string>>;
    readonly models: Readonly<Record<string, ModelInfo>>;
    readonly log: Log;
  }): HarnessProviderAdapter | Promise<HarnessProviderAdapter>;
}

/**
 * An adapter of a model vendor, as an extension's entry exports it by default.
 *
 * @example
 * export default defineProvider({
 *   config: z.strictObject({ base_url: z.url() }),
 *   create: ({ name, config, secrets: { api_key: key = '' } }) => ({
 *     async generate(request, { signal }) {
 *       try {
 *         return fromWire(await post(config.base_url, toWire(request), { key, signal }));
 *       } catch (error) {
 *         throw asVendorError(error, { name, key, signal }); // from 'epistle/contract/http'
 *       }
 *     },
 *   }),
 * });
 */
export const defineProvider = <Config>(definition: ProviderDefinition<Config>): ProviderDefinition<Config> =>
  definition;
