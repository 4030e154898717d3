/** A day: who asks for more is asked again tomorrow. */
export const MAX_WAIT_MS = 86_400_000;

/**
 * The wait that the vendor's headers ask for, in milliseconds; 0 when they name none, or are none. A date is measured
 * against the answer's own Date header, so a wrong clock on either side does no harm.
 */
export function retryAfterMs(answered: unknown): number {
  const headers = answered instanceof Headers ? answered : undefined;
  const wait = [exactMs(headers), secondsOrDate(headers), spentWindowMs(headers)].find(Number.isFinite) ?? 0;
  return Math.min(Math.max(Math.ceil(wait), 0), MAX_WAIT_MS);
}

function exactMs(headers: Headers | undefined): number {
  return Number.parseFloat(headers?.get('retry-after-ms') ?? '');
}

function secondsOrDate(headers: Headers | undefined): number {
  const value = headers?.get('retry-after')?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  return Date.parse(value) - Date.parse(headers?.get('date') ?? '');
}

/** OpenAI's `x-ratelimit-reset-requests: 6m0s`, of the windows that have nothing left. */
function spentWindowMs(headers: Headers | undefined): number {
  const waits = ['requests', 'tokens']
    .filter((window) => headers?.get(`x-ratelimit-remaining-${window}`) === '0')
    .map((window) => durationMs(headers?.get(`x-ratelimit-reset-${window}`) ?? ''));
  return waits.length > 0 ? Math.max(...waits) : Number.NaN;
}

const UNIT_MS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', MAX_WAIT_MS],
]);

const MAX_DURATION = 40;

function durationMs(text: string): number {
  if (text.length > MAX_DURATION) return Number.NaN;
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) return Number.NaN;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS.get(unit ?? '') ?? 0), 0);
}
