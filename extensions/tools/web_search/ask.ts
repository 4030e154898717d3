import { EngineError, type WebCapability } from '#contract';
import { byStatus } from '#contract/http';
import type { Found, Query, Vendor } from './vendors.ts';

const MAX_BYTES = 1_048_576;

/**
 * Asks a vendor once. Throws `auth`, `rate_limited` and `unavailable` as its status says, with the wait that it asks
 * for; `unparsable` for an answer of another shape. Words of the vendor are in none of them: they may quote the key.
 */
export async function ask(
  vendor: Vendor,
  asked: Query & {
    /** Null: the vendor's own. */
    readonly baseUrl: string | null;
    readonly allowHosts: readonly string[];
    readonly web: Pick<WebCapability, 'fetch'>;
    readonly signal: AbortSignal;
  },
): Promise<readonly Found[]> {
  const { baseUrl, allowHosts, web, signal, ...query } = asked;
  const base = baseUrl ?? vendor.baseUrl;
  if (base === null) throw new EngineError('tool_failed', `${vendor.title} needs base_url`);
  const { path, headers, body } = vendor.request(query);
  const page = await web.fetch({
    url: `${base.replace(/(?<!\/)\/+$/, '')}${path}`,
    allowHosts,
    maxBytes: MAX_BYTES,
    signal,
    api: { headers: { accept: 'application/json', ...headers }, ...(body === undefined ? {} : { body }) },
  });
  if (page.status !== 200) throw failure(vendor, page.status, page.retryAfterMs ?? 0);
  const answer = page.truncated ? null : vendor.answer.safeParse(await jsonOf(page.body));
  if (!answer?.success) throw new EngineError('unparsable', `${vendor.title} answered something else than results`);
  return answer.data;
}

function failure({ title, means, hints }: Vendor, status: number, afterMs: number): EngineError {
  const usual = byStatus(status, afterMs);
  const code = means?.[status] ?? usual.code;
  // What is spent comes back with the next month, or with a word of the owner.
  const retry = means?.[status] === undefined ? usual.retry : 'never';
  const wait =
    retry === 'never' ? '' : afterMs > 0 ? `, try again in ${Math.ceil(afterMs / 1000)} s` : ', try again later';
  const hint = hints?.[status];
  return new EngineError(code, `${title} answered ${status} (${code}${wait})${hint ? `: ${hint}` : ''}`, { retry });
}

/** Undefined for what is no JSON. */
const jsonOf = (body: Uint8Array): Promise<unknown> => new Response(Buffer.from(body)).json().catch(() => undefined);
