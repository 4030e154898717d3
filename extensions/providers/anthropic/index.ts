import type { Anthropic } from '@anthropic-ai/sdk';
import { defineProvider, EngineError } from '#contract';
import {
  asVendorError,
  billedFailure,
  cutShort,
  eventsIn,
  failureInAnswer,
  fetchTrusting,
  fieldOf,
  jsonIn,
  listedModels,
  modelById,
  type VendorCall,
} from '#contract/http';
import { asStreamBy } from './as-stream.ts';
import { configSchema } from './config.ts';
import { habits, statusIn } from './errors.ts';
import { collectMessage } from './from-stream.ts';
import { fromWire, usageIn } from './from-wire.ts';
import { toWire } from './to-wire.ts';

const STREAM_ABOVE_TOKENS = 16_000;
const UNLISTED_MODEL_TOKENS = 4096;
/** Only the signal ends a call. */
const NO_TIMEOUT_MS = 24 * 3_600_000;

export default defineProvider({
  config: configSchema,
  create({ name, config, secrets, models }) {
    const key = secrets.api_key ?? '';
    let client: Anthropic | undefined;
    const connect = async (): Promise<Anthropic> => {
      const sdk = await import('@anthropic-ai/sdk');
      client ??= new sdk.Anthropic({
        apiKey: key,
        baseURL: config.base_url,
        defaultHeaders: config.headers,
        // The engine retries, so that budget, cooldown and trace see each attempt.
        maxRetries: 0,
        timeout: NO_TIMEOUT_MS,
        logLevel: 'off',
        fetch: asStreamBy(fetchTrusting(config.ca_file)),
        openTelemetry: false,
      });
      return client;
    };
    const post = async (body: object, stream: boolean, signal: AbortSignal): Promise<unknown> => {
      const about = { name, key, signal };
      const heard: Heard = { anything: false, message: undefined };
      try {
        const sdk = client ?? (await connect());
        signal.throwIfAborted();
        const answer = stream ? undefined : await sdk.post('/v1/messages', { body, signal });
        // Some stream also where nobody asked for it.
        const unasked = typeof answer === 'string' ? eventsIn(answer) : [];
        if (!stream && unasked.length === 0) return jsonIn(answer);
        const events: AsyncIterable<unknown> | Iterable<unknown> = stream
          ? await sdk.post('/v1/messages', { body, signal, stream })
          : unasked;
        const message = await collectMessage(listen(events, heard, about), (begun) => {
          heard.message = begun;
        });
        if (!message && heard.anything) throw cutShort(about);
        return message;
      } catch (error) {
        const { message } = heard;
        throw billedFailure(asVendorError(error, about, habits), {
          begun: message !== undefined,
          usage: usageIn(message),
        });
      }
    };
    /** Some servers say so with status 200. */
    const postForMessage = async (body: object, stream: boolean, signal: AbortSignal): Promise<unknown> => {
      const answer = await post(body, stream, signal);
      const failed = failureIn(answer, { name, key });
      if (failed) throw failed;
      return answer;
    };
    return {
      async models({ signal }) {
        if (key === '') throw new EngineError('auth', `${name}: no API key is set`, { whose: 'setup' });
        const page = async (after: string | null): Promise<unknown> => {
          try {
            const sdk = client ?? (await connect());
            return await sdk.get('/v1/models', {
              query: { limit: 1000, ...(after !== null && { after_id: after }) },
              signal,
            });
          } catch (error) {
            throw asVendorError(error, { name, key, signal }, habits);
          }
        };
        const nextOf = (body: unknown) => (fieldOf(body, 'has_more') === true ? fieldOf(body, 'last_id') : null);
        return listedModels({ name, page, under: 'data', nextOf, modelOf: modelById });
      },
      async generate(request, { signal }) {
        // Without a key the SDK would look for credentials of its own in the environment and on disk.
        if (key === '') throw new EngineError('auth', `${name}: no API key is set`, { whose: 'setup' });
        const listed = models[request.model]?.max_output_tokens ?? UNLISTED_MODEL_TOKENS;
        const maxTokens = request.maxOutputTokens ?? listed;
        const stream = maxTokens > STREAM_ABOVE_TOKENS;
        const body = toWire(request, { name, config, maxTokens, stream });
        const turn = request.messages.filter((message) => message.role === 'assistant').length;
        const { model, tools } = request;
        return fromWire(await postForMessage(body, stream, signal), {
          name,
          model,
          tools,
          turn,
          markup: config.markup,
        });
      },
    };
  },
});

function failureIn(body: unknown, about: Omit<VendorCall, 'signal'>): EngineError | undefined {
  const status = statusIn(body);
  return status === undefined ? undefined : failureInAnswer(fieldOf(body, 'error'), status, about, habits);
}

interface Heard {
  anything: boolean;
  /** As far as it had come. */
  message: object | undefined;
}

/** A body without a single event of it was never this vendor's stream: no answer at all, where a broken one ended early. */
async function* listen(
  events: AsyncIterable<unknown> | Iterable<unknown>,
  heard: Heard,
  about: VendorCall,
): AsyncIterable<unknown> {
  for await (const event of events) {
    // Where it has another name the SDK takes it for any event.
    const failed = failureIn(event, about);
    if (failed) throw failed;
    heard.anything ||= typeof fieldOf(event, 'type') === 'string';
    yield event;
  }
}
