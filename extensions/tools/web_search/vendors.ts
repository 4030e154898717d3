import { z } from 'zod';

/** One result as its vendor wrote it. */
export interface Found {
  readonly title: string;
  readonly url: string;
  readonly text: string;
  readonly date: string | null;
}

export interface Query {
  readonly query: string;
  readonly limit: number;
  /** Empty where the vendor takes none. */
  readonly key: string;
}

export interface VendorRequest {
  /** Below the vendor's base URL, with the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON of a POST; absent: it is a GET. */
  readonly body?: string;
}

/** A search service: how it is asked, and what its answer means. */
export interface Vendor {
  /** In words for a person. */
  readonly title: string;
  /** Null: the owner has to name it. */
  readonly baseUrl: string | null;
  /** The environment variable of its key; null: it takes none. */
  readonly keyName: string | null;
  request(query: Query): VendorRequest;
  /** Its answer, read and mapped. Fails where it has another shape. */
  readonly answer: z.ZodType<readonly Found[]>;
  /** Statuses that mean here something other than usual. */
  readonly means?: Readonly<Record<number, 'auth' | 'rate_limited'>>;
  /** What an owner may have to set up when this status comes. */
  readonly hints?: Readonly<Record<number, string>>;
}

const words = z.string().nullish();
type Words = z.infer<typeof words>;

const brave: Vendor = {
  title: 'Brave Search',
  baseUrl: 'https://api.search.brave.com',
  keyName: 'BRAVE_API_KEY',
  request: ({ query, limit, key }) => ({
    path: `/res/v1/web/search?${new URLSearchParams({ q: query, count: String(limit), text_decorations: 'false' })}`,
    headers: { 'x-subscription-token': key },
  }),
  answer: z
    .object({
      web: z
        .object({ results: z.array(z.object({ title: words, url: z.string(), description: words, page_age: words })) })
        .nullish(),
    })
    .transform(({ web }) =>
      (web?.results ?? []).map(({ title, url, description, page_age }) => found(url, title, description, page_age)),
    ),
  // It refuses a key that it does not know as invalid input; the query itself is within its limits.
  means: { 422: 'auth' },
};

const tavily: Vendor = {
  title: 'Tavily',
  baseUrl: 'https://api.tavily.com',
  keyName: 'TAVILY_API_KEY',
  request: ({ query, limit, key }) => ({
    path: '/search',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, max_results: limit, search_depth: 'basic' }),
  }),
  answer: z
    .object({
      results: z.array(z.object({ title: words, url: z.string(), content: words, published_date: words })),
    })
    .transform(({ results }) =>
      results.map(({ title, url, content, published_date }) => found(url, title, content, published_date)),
    ),
  // The plan's credits, and the limit of what may be paid beyond them.
  means: { 432: 'rate_limited', 433: 'rate_limited' },
};

const searxng: Vendor = {
  title: 'SearXNG',
  baseUrl: null,
  keyName: null,
  request: ({ query }) => ({
    path: `/search?${new URLSearchParams({ q: query, format: 'json' })}`,
    headers: {},
  }),
  answer: z
    .object({
      results: z.array(z.object({ title: words, url: z.string(), content: words, publishedDate: words })),
    })
    .transform(({ results }) =>
      results.map(({ title, url, content, publishedDate }) => found(url, title, content, publishedDate)),
    ),
  hints: { 403: 'its settings.yml has to list json under search.formats' },
};

const found = (url: string, title: Words, text: Words, date: Words): Found => ({
  url,
  title: title ?? '',
  text: text ?? '',
  date: date ?? null,
});

export const VENDORS = { brave, tavily, searxng } as const;
export const VENDOR_NAMES = ['brave', 'tavily', 'searxng'] as const satisfies readonly (keyof typeof VENDORS)[];
export type VendorName = (typeof VENDOR_NAMES)[number];
