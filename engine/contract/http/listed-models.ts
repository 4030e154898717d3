import type { ListedModel } from '../provider.ts';
import { asVendorError, noAnswer, type VendorCall, type VendorHabits } from './failures.ts';
import { leanFetch } from './fetch.ts';
import { parseArguments } from './tool-arguments.ts';
import { fieldOf } from './whose.ts';

/** More than any service has: models, letters of a name, pages. */
const MAX_MODELS = 5000;
const MAX_ID = 300;
const MAX_PAGES = 20;

export interface ModelList {
  readonly name: string;
  /** A page of the list; `next`: what the page before it named, null for the first. */
  page(next: string | null): Promise<unknown>;
  /** The key under which a page has its models. */
  readonly under: string;
  /** What names the next page; absent, or not a text: there is none. */
  nextOf?(page: unknown): unknown;
  /** Null for what is no model that can be asked. */
  modelOf(item: unknown): ListedModel | null;
}

/** The models on all pages of a vendor's list, each once. Throws `unavailable` for what is no such list. */
export async function listedModels({ name, page, under, nextOf, modelOf }: ModelList): Promise<readonly ListedModel[]> {
  const found = new Map<string, ListedModel>();
  let next: string | null = null;
  for (let count = 0; count < MAX_PAGES && found.size < MAX_MODELS; count += 1) {
    const body = await page(next);
    const items = fieldOf(body, under);
    if (!Array.isArray(items)) throw noAnswer({ name }, 'the answer is no list of models');
    for (const item of items) {
      const model = modelOf(item);
      if (model && model.id !== '' && model.id.length <= MAX_ID && found.size < MAX_MODELS) found.set(model.id, model);
    }
    const following = nextOf?.(body);
    if (typeof following !== 'string' || following === '' || following === next) break;
    next = following;
  }
  return [...found.values()];
}

/** What a vendor's address answers to a GET, or, with a body, to a POST; undefined where that is no JSON. Throws as `asVendorError` says. */
export async function askForJson(
  url: string,
  {
    call,
    headers,
    body: asked,
    habits = {},
    fetch = leanFetch,
  }: {
    readonly call: VendorCall;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: object;
    readonly habits?: VendorHabits;
    readonly fetch?: typeof globalThis.fetch;
  },
): Promise<unknown> {
  const given = asked === undefined ? { method: 'GET' } : { method: 'POST', body: JSON.stringify(asked) };
  const { answer, text } = await fetch(url, { ...given, headers, signal: call.signal })
    .then(async (got) => ({ answer: got, text: await got.text() }))
    .catch((error: unknown) => {
      throw asVendorError(error, call, habits);
    });
  const body = parseArguments(text);
  if (answer.ok) return body;
  const inside = fieldOf(body, 'error') ?? body;
  const message = typeof inside === 'string' ? inside : (fieldOf(inside, 'message') ?? answer.statusText);
  // In the form in which the SDKs throw it, which is what a vendor's habits know.
  const thrown = { message, error: body, errorDetails: fieldOf(inside, 'details'), headers: answer.headers };
  throw asVendorError({ status: answer.status, ...thrown }, call, habits);
}

/** The model of an entry `{"id": …}`. */
export function modelById(item: unknown): ListedModel | null {
  const id = fieldOf(item, 'id');
  return typeof id === 'string' ? { id } : null;
}
