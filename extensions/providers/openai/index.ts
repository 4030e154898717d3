import type { OpenAI } from 'openai';
import { defineProvider, EngineError, type GenerateResponse } from '#contract';
import {
  type AnsweredCall,
  asVendorError,
  billedFailure,
  endedBy,
  fetchTrusting,
  fieldOf,
  jsonIn,
  sentWith,
} from '#contract/http';
import { configSchema, type OpenAIConfig } from './config.ts';
import { errorInAnswer, habits } from './errors.ts';
import { collected } from './from-stream.ts';
import { fromWire, usageIn } from './from-wire.ts';
import { modelsOf, pulledModels } from './models.ts';
import { createOllama } from './ollama.ts';
import { responseFromWire, responseUsageIn } from './response-from-wire.ts';
import { responseToWire } from './response-to-wire.ts';
import { createWriter } from './to-wire.ts';

/** Only the signal ends a call: the SDK's own ten minutes would cut off a slow local model that was given more. */
const NO_TIMEOUT_MS = 24 * 3_600_000;

/** With it the SDK sends a text as it is. */
const JSON_TEXT = { 'content-type': 'application/json' };

/** OpenAI, and every server that speaks its chat completions (`"adapter": "openai-compatible"`). */
export default defineProvider({
  config: configSchema,
  create({ name, config, secrets, models }) {
    // The SDK refuses an empty key; local servers want none and ignore this one.
    const key = secrets.api_key || 'none';
    let client: OpenAI | undefined;
    const connect = async (): Promise<OpenAI> => {
      const sdk = await import('openai');
      client ??= new sdk.OpenAI({
        apiKey: key,
        baseURL: config.base_url,
        // From the environment these would reach servers that are not OpenAI's.
        organization: null,
        project: null,
        defaultHeaders: config.headers,
        // The engine retries, so that budget, cooldown and trace see each attempt.
        maxRetries: 0,
        timeout: NO_TIMEOUT_MS,
        logLevel: 'off',
        fetch: fetchTrusting(config.ca_file),
      });
      buildOnce(client);
      return client;
    };
    const write = createWriter({ name, config });
    const post = async (path: string, body: string, signal: AbortSignal): Promise<unknown> => {
      try {
        const sdk = client ?? (await connect());
        signal.throwIfAborted();
        return await sdk.post(path, { body, headers: JSON_TEXT, fetchOptions: endedBy(signal) });
      } catch (error) {
        throw asVendorError(error, { name, key, signal }, habits);
      }
    };
    const listed = (signal: AbortSignal) =>
      modelsOf(name, async (path) => {
        try {
          const sdk = client ?? (await connect());
          return await sdk.get(path, { fetchOptions: endedBy(signal) });
        } catch (error) {
          throw asVendorError(error, { name, key, signal }, habits);
        }
      });
    const ollama = config.api === 'ollama' ? createOllama({ name, key, config, models }) : undefined;
    const way = { streams: config.stream, isKnown: config.stream };
    /** Servers that only stream refuse all else: the first that refuses without a reason is asked for a stream, once. */
    const postAsItMust = async (path: string, body: string, signal: AbortSignal): Promise<unknown> => {
      if (way.streams) return post(path, streaming(body), signal);
      try {
        const answer = await post(path, body, signal);
        way.isKnown = true;
        return answer;
      } catch (error) {
        if (way.isKnown || !isVague(error)) throw error;
        way.isKnown = true;
        const answer = await post(path, streaming(body), signal).catch(() => undefined);
        if (typeof answer !== 'string' || collected(answer) === undefined) throw error;
        way.streams = true;
        return answer;
      }
    };
    return {
      async models({ signal }) {
        if (!ollama) return listed(signal);
        return pulledModels(name, (path) => ollama.get(path, signal)).catch((error: unknown) => {
          // The server behind the address is no Ollama.
          if (error instanceof EngineError && error.code === 'model_gone') return listed(signal);
          throw error;
        });
      },
      async generate(request, { signal }) {
        const own = await ollama?.generate(request, signal);
        if (own) return own;
        const turn = request.messages.filter((message) => message.role === 'assistant').length;
        const from = { name, model: request.model, turn, tools: request.tools, markup: config.markup };
        const isResponses = speaksResponses(request.model, config);
        const said = isResponses
          ? await postAsItMust('/responses', JSON.stringify(responseToWire(request, { name, config })), signal)
          : await postAsItMust('/chat/completions', write(request), signal);
        return read(said, { isResponses, from, key });
      },
    };
  },
});

/**
 * Lets the SDK put address and headers together once for each path, since they are the same for all calls: no call is
 * retried, and the key does not change. It would take longer than all else that the SDK does for a call.
 */
function buildOnce(client: OpenAI): void {
  type Built = Awaited<ReturnType<OpenAI['buildRequest']>>;
  const build = client.buildRequest.bind(client);
  const known = new Map<string, Built>();
  const kept = (path: string, { req: { method = 'post', headers }, ...place }: Built): Built => {
    const built = { ...place, req: { method, headers, ...sentWith(headers) } };
    known.set(path, built);
    return built;
  };
  client.buildRequest = async (options) => {
    const { path, body, fetchOptions } = options;
    if (typeof body !== 'string') return build(options);
    const { req, ...place } = known.get(path) ?? kept(path, await build(options));
    const ofThisCall: object = { ...fetchOptions, body };
    return { ...place, req: { ...req, ...ofThisCall } };
  };
}

/** What an answer is worth. Of one that is none what was used for it counts all the same. */
function read(
  said: unknown,
  { isResponses, from, key }: { readonly isResponses: boolean; readonly from: AnsweredCall; readonly key: string },
): GenerateResponse {
  // Some stream also where nobody asked for it.
  const stream = typeof said === 'string' ? collected(said) : undefined;
  const answer = stream === undefined ? jsonIn(said) : stream.answer;
  try {
    const hidden = errorInAnswer(answer, { name: from.name, key });
    if (hidden) throw hidden;
    return isResponses ? responseFromWire(answer, from) : fromWire(answer, from);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const usage = isResponses ? responseUsageIn(answer) : usageIn(answer);
    throw billedFailure(error, { begun: stream?.begun === true || hasOutput(answer), usage });
  }
}

/** An answer of the Responses API that failed after it had begun. */
const hasOutput = (answer: unknown): boolean => {
  const output = fieldOf(answer, 'output');
  return Array.isArray(output) && output.length > 0;
};

const isVague = (error: unknown): boolean =>
  error instanceof EngineError && error.code === 'bad_request' && error.whose === 'unclear';

const streaming = (body: string): string => `{"stream":true,${body.slice(1)}`;

const speaksResponses = (model: string, { api, responses_models }: OpenAIConfig): boolean =>
  api === 'responses' || responses_models.some((prefix) => model.startsWith(prefix));
