import type { ArrivalQuery, NewArrival } from '../../../engine/storage/ports/mail.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';

/** Stores a mail as if it had just arrived and been decided about. */
export async function arrive(store: Store, query: ArrivalQuery, arrival: NewArrival): Promise<void> {
  const rows = await store.readForArrival(query);
  if (!(await store.keepArrival(arrival, { query, rows }))) throw new Error('the rows changed meanwhile');
}
