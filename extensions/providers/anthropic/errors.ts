import { fieldOf, type VendorHabits } from '#contract/http';

/** In a stream an error comes after the status line and names itself by type alone. */
const STATUS_OF_TYPE = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** The status that a body amounts to which is a failure; undefined where it is none. */
export function statusIn(body: unknown): number | undefined {
  if (fieldOf(body, 'content') !== undefined) return undefined;
  const inside = fieldOf(body, 'error');
  if (typeof inside !== 'object' || inside === null) return undefined;
  return STATUS_OF_TYPE.get(String(fieldOf(inside, 'type'))) ?? 502;
}

export const habits: VendorHabits = {
  statusOf(error) {
    const status = fieldOf(error, 'status');
    if (typeof status === 'number') return status;
    const type = fieldOf(fieldOf(fieldOf(error, 'error'), 'error'), 'type') ?? fieldOf(error, 'type');
    return typeof type === 'string' ? (STATUS_OF_TYPE.get(type) ?? 500) : undefined;
  },
};
