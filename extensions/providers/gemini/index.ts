import type { GenerateContentRequest } from '@google/generative-ai';
import { defineProvider, EngineError, type ListedModel } from '#contract';
import { askForJson, asVendorError, failureInAnswer, fetchTrusting, fieldOf, listedModels } from '#contract/http';
import { configSchema } from './config.ts';
import { habits } from './errors.ts';
import { fromWire } from './from-wire.ts';
import { sdkWithFetch } from './sdk.ts';
import { toWire } from './to-wire.ts';

/** Always generateContent: the SDK loses thought signatures when it adds up a stream. */
export default defineProvider({
  config: configSchema,
  create({ name, config, secrets }) {
    const key = secrets.api_key ?? '';
    // The SDK joins with a slash of its own.
    const options = { baseUrl: config.base_url.replace(/(?<!\/)\/+$/, ''), customHeaders: config.headers };
    const ownFetch = fetchTrusting(config.ca_file);
    const sdkWith = sdkWithFetch();
    const headers = { 'x-goog-api-key': key, ...config.headers };
    const post = async (model: string, body: object, signal: AbortSignal): Promise<unknown> => {
      // The SDK keeps to itself why no connection came about.
      const failed: { cause: unknown } = { cause: undefined };
      const heard: typeof fetch = (input, init) =>
        ownFetch(input, init).catch((error: unknown) => {
          failed.cause = error;
          throw error;
        });
      try {
        const sdk = await sdkWith(heard);
        // The SDK listens for the abort only from here on: one that came before it would never hear of.
        signal.throwIfAborted();
        if (!isRequest(body)) throw new TypeError('a request without contents');
        const client = new sdk.GoogleGenerativeAI(key).getGenerativeModel({ model }, options);
        return (await client.generateContent(body, { signal })).response;
      } catch (error) {
        throw asVendorError(failed.cause ?? error, { name, key, signal }, habits);
      }
    };
    return {
      async models({ signal }) {
        if (key === '') throw new EngineError('auth', `${name}: no API key is set`, { whose: 'setup' });
        const call = { name, key, signal };
        const page = (token: string | null): Promise<unknown> => {
          const url = new URL(`${options.baseUrl}/v1beta/models`);
          url.search = new URLSearchParams({
            pageSize: '1000',
            ...(token !== null && { pageToken: token }),
          }).toString();
          return askForJson(url.href, { call, headers, habits, fetch: ownFetch });
        };
        const nextOf = (body: unknown) => fieldOf(body, 'nextPageToken');
        return listedModels({ name, page, under: 'models', nextOf, modelOf: answering });
      },
      async generate(request, { signal }) {
        if (key === '') throw new EngineError('auth', `${name}: no API key is set`, { whose: 'setup' });
        const turn = request.messages.filter((message) => message.role === 'assistant').length;
        const answer = await post(request.model, toWire(request, { name, config }), signal);
        const { model, tools } = request;
        // Something before the vendor may pass its failures on with status 200.
        const inside = fieldOf(answer, 'error');
        const code = fieldOf(inside, 'code');
        if (typeof code === 'number' && code >= 400)
          throw failureInAnswer(failedIn(inside), code, { name, key }, habits);
        return fromWire(answer, { name, model, tools, turn, markup: config.markup });
      },
    };
  },
});

/** In the form in which the SDK throws it. */
const failedIn = (inside: unknown) => ({
  message: String(fieldOf(inside, 'message') ?? ''),
  errorDetails: fieldOf(inside, 'details'),
  error: inside,
});

/** Among them are models that only count, embed or draw. */
function answering(item: unknown): ListedModel | null {
  const name = fieldOf(item, 'name');
  const methods = fieldOf(item, 'supportedGenerationMethods');
  const answers = !Array.isArray(methods) || methods.includes('generateContent');
  return typeof name === 'string' && answers ? { id: name.replace(/^models\//, '') } : null;
}

/** The SDK's types are older than fields such as `parametersJsonSchema`; it sends what it is given. */
const isRequest = (body: object): body is GenerateContentRequest => 'contents' in body;
