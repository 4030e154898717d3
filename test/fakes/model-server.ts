import { anthropicVendor } from './anthropic-server.ts';
import { geminiVendor } from './gemini-server.ts';
import { type HttpAnswer, type HttpRequest, startHttpServer } from './http-server.ts';
import type { HeardRequest, Memory, Script, Turn, Vendor } from './model-script.ts';
import { openaiResponsesVendor } from './openai-responses-server.ts';
import { openaiVendor } from './openai-server.ts';

const VENDORS = {
  openai: openaiVendor,
  'openai-responses': openaiResponsesVendor,
  anthropic: anthropicVendor,
  gemini: geminiVendor,
};

export type VendorName = keyof typeof VENDORS;

export interface FakeModel {
  /** What the provider's `config.base_url` is to be. */
  readonly baseUrl: string;
  /** What was asked with the right key and in the vendor's shape, in order. */
  readonly requests: readonly HeardRequest[];
  /** How often it was asked with a wrong key. */
  refused(): number;
  stop(): Promise<void>;
}

/**
 * A model behind a vendor's documented wire format. It answers what the script says, and refuses what the vendor
 * would refuse: calls without results, unknown call ids, altered thinking, a wrong key.
 */
export async function startFakeModel(
  vendorName: VendorName,
  script: Script,
  /** `keeps` false: of so many requests that nobody looks at them afterwards. */
  options: {
    key?: string;
    keeps?: boolean;
    /** What its list of models names; absent: it has no list. */
    models?: readonly string[];
  } = {},
): Promise<FakeModel> {
  const vendor = VENDORS[vendorName];
  const memory: Memory = { calls: 0, signatures: new Map() };
  const requests: HeardRequest[] = [];
  const wrong = { keys: 0 };
  const turns = Array.isArray(script) ? [...script] : [];
  const nextTurn = (request: HeardRequest): Turn | Promise<Turn> =>
    typeof script === 'function'
      ? script(request, requests.length)
      : (turns.shift() ?? { status: 500, message: 'the script is used up' });

  const refusalOf = ({ headers }: HttpRequest): HttpAnswer | null => {
    if (options.key === undefined || vendor.keyOf(headers) === options.key) return null;
    wrong.keys += 1;
    return vendor.failure({ status: 401, message: `wrong key: ${vendor.keyOf(headers)}` });
  };
  const listFor = (request: HttpRequest): HttpAnswer | null => {
    const { models } = options;
    if (models === undefined || request.method !== 'GET' || !/\/models(?:\?|$)/.test(request.path)) return null;
    return refusalOf(request) ?? listOf(vendorName, models);
  };
  const server = await startHttpServer(async (request) => {
    const list = listFor(request);
    if (list) return list;
    const body = parse(request.raw);
    const view = vendor.view(request, body);
    if (!vendor.endpoint.test(request.path)) return vendor.failure({ status: 404, message: 'no such path' });
    const refusal = refusalOf(request);
    if (refusal) return refusal;
    if (!view) return vendor.failure({ status: 400, message: 'the body is malformed' });
    const heard = { ...request, body, view };
    if (options.keeps !== false) requests.push(heard);
    const broken = vendor.violation(body, memory);
    if (broken !== undefined) return vendor.failure({ status: 400, message: broken });
    return answerTo(vendor, heard, await nextTurn(heard), memory);
  });
  return { baseUrl: `${server.baseUrl}${vendor.basePath}`, requests, refused: () => wrong.keys, stop: server.stop };
}

const listOf = (vendor: VendorName, ids: readonly string[]): HttpAnswer => ({
  status: 200,
  body: JSON.stringify(
    vendor === 'gemini'
      ? { models: ids.map((id) => ({ name: `models/${id}`, supportedGenerationMethods: ['generateContent'] })) }
      : { data: ids.map((id) => ({ id, object: 'model' })), has_more: false },
  ),
});

function answerTo(vendor: Vendor, heard: HeardRequest, turn: Turn, memory: Memory): HttpAnswer {
  const { status, retryAfter, message = 'scripted failure' } = turn;
  const delay = {
    ...(turn.delayMs === undefined ? {} : { delayMs: turn.delayMs }),
    ...(turn.until === undefined ? {} : { until: turn.until }),
  };
  if (turn.overflow) return { ...vendor.failure({ status: 400, message: vendor.overflow, overflow: true }), ...delay };
  if (status !== undefined) {
    const wait = retryAfter === undefined ? {} : { retryAfter };
    return { ...vendor.failure({ status, message, ...wait }), ...delay };
  }
  if (turn.body !== undefined) return { status: 200, body: turn.body, ...delay };
  // About as vendors count, where a test does not say, and the same for each of them.
  const usage = { input: 2 ** Math.round(Math.log2(heard.raw.length / 4)), ...turn.usage };
  const { body, contentType } = vendor.answer({ ...turn, usage }, heard.view, memory, heard.body);
  return { status: 200, headers: { 'content-type': contentType }, body, cut: turn.cut ?? false, ...delay };
}

function parse(raw: HttpRequest['raw']): unknown {
  try {
    return JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}
