import type { GenerateContentRequest } from '@google/generative-ai';
import { defineProvider, EngineError } from '#contract';
import { asVendorError } from '#contract/http';
import { configSchema } from './config.ts';
import { habits } from './errors.ts';
import { fromWire } from './from-wire.ts';
import { toWire } from './to-wire.ts';

/** Always generateContent: the SDK loses thought signatures when it adds up a stream. */
export default defineProvider({
  config: configSchema,
  create({ name, config, secrets }) {
    const key = secrets.api_key ?? '';
    // The SDK joins with a slash of its own.
    const options = { baseUrl: config.base_url.replace(/(?<!\/)\/+$/, ''), customHeaders: config.headers };
    const post = async (model: string, body: object, signal: AbortSignal): Promise<unknown> => {
      try {
        const sdk = await import('@google/generative-ai');
        // The SDK listens for the abort only from here on: one that came before it would never hear of.
        signal.throwIfAborted();
        if (!isRequest(body)) throw new TypeError('a request without contents');
        const client = new sdk.GoogleGenerativeAI(key).getGenerativeModel({ model }, options);
        return (await client.generateContent(body, { signal })).response;
      } catch (error) {
        throw asVendorError(error, { name, key, signal }, habits);
      }
    };
    return {
      async generate(request, { signal }) {
        if (key === '') throw new EngineError('auth', `${name}: no API key is set`, { whose: 'setup' });
        const turn = request.messages.filter((message) => message.role === 'assistant').length;
        const answer = await post(request.model, toWire(request, { name, config }), signal);
        const { model, tools } = request;
        return fromWire(answer, { name, model, tools, turn, markup: config.markup });
      },
    };
  },
});

/** The SDK's types are older than fields such as `parametersJsonSchema`; it sends what it is given. */
const isRequest = (body: object): body is GenerateContentRequest => 'contents' in body;
