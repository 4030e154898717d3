import { EngineError, type GenerateRequest, type GenerateResponse, type ModelInfo, type ModelMessage } from '#contract';
import { asVendorError, fetchTrusting, fieldOf } from '#contract/http';
import type { OpenAIConfig } from './config.ts';
import { bodyIn, fromOllama } from './from-ollama.ts';

interface Ollama {
  readonly name: string;
  readonly key: string;
  readonly config: OpenAIConfig;
  readonly models: Readonly<Record<string, ModelInfo>>;
}

/** What `/api/show` says of a model. */
interface Shown {
  /** Tokens that its architecture has room for; null where it does not say. */
  readonly most: number | null;
  /** `num_ctx` of its Modelfile. */
  readonly own: number;
  /** Null where an older server does not say. */
  readonly capabilities: readonly string[] | null;
}

const STEPS = [8192, 16_384, 32_768, 65_536, 131_072, 262_144];
const ANSWER_TOKENS = 4096;
const CHARS_PER_TOKEN = 3.5;
/** From here on a count tells a cut prompt from a short one. */
const LEAST_TOKENS = 1000;

/**
 * Ollama by its own API, where a request says how large a window it needs: its OpenAI door takes no `num_ctx`, and cuts
 * what does not fit without a word. `generate` gives null where the server behind the address is no Ollama.
 */
export function createOllama(ollama: Ollama) {
  const base = ollama.config.base_url.replace(/\/(?:v1\/?)?$/, '');
  const fetch = fetchTrusting(ollama.config.ca_file);
  const shown = new Map<string, Shown>();
  /** Another server that speaks chat completions, which is asked no more. */
  const other = { isFound: false };
  /** The window of each model that was asked for last: another one makes the server load the model anew. */
  const windows = new Map<string, number>();

  async function call(
    path: string,
    body: object | null,
    signal: AbortSignal,
  ): Promise<{ status: number; body: unknown }> {
    const { name, key, config } = ollama;
    try {
      const headers = {
        'content-type': 'application/json',
        ...(key !== 'none' && { authorization: `Bearer ${key}` }),
        ...config.headers,
      };
      const init = body === null ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(body) };
      const answer = await fetch(`${base}${path}`, { ...init, headers, signal });
      const text = await answer.text();
      return { status: answer.status, body: bodyIn(text) };
    } catch (error) {
      throw asVendorError(error, { name, key, signal });
    }
  }

  async function show(model: string, signal: AbortSignal): Promise<Shown | null> {
    if (other.isFound) return null;
    const known = shown.get(model);
    if (known) return known;
    const { status, body } = await call('/api/show', { model }, signal);
    const said = status === 200 ? shownIn(body) : null;
    if (said) {
      shown.set(model, said);
      return said;
    }
    if (cannotSay(status)) throw failed(status, body);
    const version = await call('/api/version', null, signal);
    if (cannotSay(version.status)) throw failed(version.status, version.body);
    if (typeof fieldOf(version.body, 'version') === 'string')
      throw failed(status, body, { code: 'model_gone', whose: 'setup' });
    other.isFound = true;
    return null;
  }

  function failed(status: number, body: unknown, known?: { code: 'model_gone'; whose: 'setup' }): EngineError {
    const { name, key } = ollama;
    const message = String(fieldOf(body, 'error') ?? 'no reason given');
    const signal = new AbortController().signal;
    const error = asVendorError({ status, message, error: body }, { name, key, signal });
    return known ? new EngineError(known.code, error.message, { whose: known.whose }) : error;
  }

  /** The window that a request needs, in steps, and never a smaller one than before. */
  function windowFor(model: string, needed: number, { most, own }: Shown): number {
    const { config, models } = ollama;
    const limit = Math.min(most ?? Number.MAX_SAFE_INTEGER, models[model]?.context_tokens ?? Number.MAX_SAFE_INTEGER);
    const step = STEPS.find((each) => each >= needed) ?? needed;
    const window = config.num_ctx ?? Math.min(limit, Math.max(step, own, windows.get(model) ?? 0));
    windows.set(model, window);
    return window;
  }

  /** Whether the server read less than it was sent: by what it has loaded, or, where it does not say, by its count. */
  async function wasCut(model: string, read: number, sent: number, signal: AbortSignal): Promise<boolean> {
    if (read < LEAST_TOKENS || read >= sent / 2) return false;
    const { body } = await call('/api/ps', null, signal);
    const loaded = fieldOf(body, 'models');
    const one = Array.isArray(loaded) ? loaded.find((each) => fieldOf(each, 'model') === model) : undefined;
    const window = fieldOf(one, 'context_length');
    // A server that counts only what it had not kept of the prompt has a window that holds all of it.
    return typeof window !== 'number' || window < sent;
  }

  async function generate(request: GenerateRequest, signal: AbortSignal): Promise<GenerateResponse | null> {
    const { name, config } = ollama;
    const model = await show(request.model, signal);
    if (model === null) return null;
    if (request.tools.length > 0 && request.toolChoice === 'auto' && model.capabilities?.includes('tools') === false) {
      const why = `${name}: ${request.model} calls no tools; name a model that does, or "tools": false in its manifest`;
      throw new EngineError('bad_request', why, { whose: 'setup' });
    }
    // What a server answers that is shown a picture all the same is a failure of its own, and would be waited for.
    if (hasPictures(request) && model.capabilities?.includes('vision') === false)
      throw new EngineError('bad_request', `${name}: ${request.model} sees no pictures`, { whose: 'unclear' });
    const body = bodyOf(request, config, name);
    const sent = Math.ceil(textLength(body) / CHARS_PER_TOKEN);
    const answerTokens = Math.min(request.maxOutputTokens ?? ANSWER_TOKENS, 8192);
    const window = windowFor(request.model, sent + answerTokens, model);
    if (sent > window) throw tooLong(`${name}: about ${sent} tokens do not fit into the window of ${window}`);
    const { options, ...rest } = body;
    const answer = await call('/api/chat', { ...rest, options: { num_ctx: window, ...options } }, signal);
    if (answer.status !== 200) throw failed(answer.status, answer.body);
    const response = fromOllama(answer.body, request, name);
    if (await wasCut(request.model, response.usage.input, sent, signal)) {
      throw tooLong(
        `${name} read ${response.usage.input} tokens of about ${sent}: it cut the prompt; give it a larger window`,
      );
    }
    return response;
  }

  return {
    generate,
    /** What it answers to a GET of this path. */
    async get(path: string, signal: AbortSignal): Promise<unknown> {
      const { status, body } = await call(path, null, signal);
      if (status !== 200) throw failed(status, body);
      return body;
    },
  };
}

const hasPictures = ({ messages }: GenerateRequest): boolean =>
  messages.some((message) => message.role === 'user' && message.content.some(({ type }) => type === 'image'));

/** A server that is busy, or lets nobody in, says nothing of what it is. */
const cannotSay = (status: number): boolean => status >= 500 || [401, 403, 408, 429].includes(status);

const tooLong = (message: string): EngineError => new EngineError('context_overflow', message, { whose: 'request' });

const textLength = ({ messages, tools }: { messages: object[]; tools?: object[] }): number =>
  JSON.stringify([messages, tools ?? []], (key, value: unknown) => (key === 'images' ? undefined : value)).length;

function shownIn(body: unknown): Shown | null {
  const info = fieldOf(body, 'model_info');
  const capabilities = fieldOf(body, 'capabilities');
  if (typeof info !== 'object' && !Array.isArray(capabilities)) return null;
  const lengths = Object.entries(info ?? {}).flatMap(([key, value]) =>
    key.endsWith('.context_length') && typeof value === 'number' ? [value] : [],
  );
  const own = /^num_ctx\s+(\d+)/m.exec(String(fieldOf(body, 'parameters') ?? '').slice(0, 10_000))?.[1];
  return {
    most: lengths[0] ?? null,
    own: Number(own ?? 0),
    capabilities: Array.isArray(capabilities) ? capabilities.map(String) : null,
  };
}

function bodyOf(request: GenerateRequest, { extra_body }: OpenAIConfig, name: string) {
  const { model, system, messages, tools, toolChoice, temperature, maxOutputTokens } = request;
  const options = {
    ...(temperature !== null && { temperature }),
    ...(maxOutputTokens !== null && { num_predict: maxOutputTokens }),
  };
  const extra = fieldOf(extra_body, 'options');
  return {
    ...extra_body,
    model,
    stream: false,
    options: { ...options, ...(typeof extra === 'object' ? extra : {}) },
    // It knows no choice of tools: where none may be called it is shown none.
    ...(tools.length > 0 && toolChoice === 'auto' && { tools: tools.map(toolToWire) }),
    messages: [
      ...(system.length > 0 ? [{ role: 'system', content: system.join('\n\n') }] : []),
      ...messages.flatMap((message) => messageToWire(message, name, model)),
    ],
  };
}

const toolToWire = ({ name, description, inputSchema }: GenerateRequest['tools'][number]): object => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
});

/** It reads nothing else as arguments, and refuses the whole request where a model wrote a list. */
const objectOf = (given: unknown): object =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {};

function messageToWire(message: ModelMessage, provider: string, model: string): object[] {
  if (message.role === 'tool')
    return message.results.map(({ name, content }) => ({ role: 'tool', tool_name: name, content }));
  if (message.role === 'user') {
    const images = message.content.flatMap((part) => (part.type === 'image' ? [part.data] : []));
    const texts = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    return [{ role: 'user', content: texts.join('\n\n'), ...(images.length > 0 && { images }) }];
  }
  const { providerParts: own, text, toolCalls } = message;
  const thinking = own?.provider === provider && own.model === model ? fieldOf(own.data, 'thinking') : undefined;
  const tool_calls = toolCalls.map(({ name, arguments: given }) => ({
    function: { name, arguments: objectOf(given) },
  }));
  return [
    {
      role: 'assistant',
      content: text,
      ...(typeof thinking === 'string' && { thinking }),
      ...(tool_calls.length > 0 && { tool_calls }),
    },
  ];
}
