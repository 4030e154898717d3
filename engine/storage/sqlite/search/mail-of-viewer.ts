import { sql } from 'kysely';
import { joined } from '../../dialect.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader } from '../persona/schema/tables.ts';

// Who may see which of many mails, kept at hand: to ask it of each of hundreds takes longer than to find them.

/** So many viewers at a time; whose mail was asked for longest ago is let go of. */
const MAX_VIEWERS = 64;
/** Of the newest mails alone: a bit for each, and some 30 ms the first time for a viewer who may see all of them. */
const NEWEST = 131_072;

/** False: the viewer may not see it. True says no more than that it may be: of older mails it is not known. */
type MaySee = (seq: number) => boolean;

export interface MailOfViewers {
  /** Of the mails up to this one. */
  of(db: Reader, address: string, last: number): Promise<MaySee>;
}

interface Known {
  readonly first: number;
  readonly last: number;
  /** Of each mail from the first one on. */
  readonly bits: Uint8Array;
}

const seqsOf = compiledQuery<{ address: string; after: number; last: number }>()(
  (_: Reader, $) => sql<{ seqs: string | null }>`
    select ${joined(sql`seq`)} as seqs from message_viewers
    where address = ${$.address} and seq > ${$.after} and seq <= ${$.last}`,
);

/** A row of this kind is only ever written together with its mail, so what is known of a mail stays so. */
export function mailOfViewers(): MailOfViewers {
  const viewers = new Map<string, Known>();
  return {
    async of(db, address, last) {
      const before = viewers.get(address);
      const known = before !== undefined && before.last >= last ? before : await extended(db, address, last, before);
      viewers.delete(address);
      viewers.set(address, known);
      const [oldest] = viewers.keys();
      if (viewers.size > MAX_VIEWERS && oldest !== undefined) viewers.delete(oldest);
      const { first, bits } = known;
      return (seq) => seq < first || ((bits[(seq - first) >> 3] ?? 0) & (1 << ((seq - first) & 7))) !== 0;
    },
  };
}

async function extended(db: Reader, address: string, last: number, before: Known | undefined): Promise<Known> {
  const { first, last: after } = before ?? { first: Math.max(0, last - NEWEST), last: Math.max(0, last - NEWEST) - 1 };
  const { rows } = await seqsOf(db, { address, after, last });
  const bits = new Uint8Array(((last - first) >> 3) + 1);
  if (before) bits.set(before.bits);
  const seqs = rows[0]?.seqs ?? '';
  for (const text of seqs === '' ? [] : seqs.split(',')) {
    const at = Number(text) - first;
    bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return { first, last, bits };
}
