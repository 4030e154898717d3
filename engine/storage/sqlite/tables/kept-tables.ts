import type { Selectable } from 'kysely';

/** Mail that no message is about and whose bytes are kept: an owner's answers and orders, reports that changed something. */
export interface KeptMailTable {
  raw_sha256: string;
  code: string;
  message_id: string;
  bytes: number;
  at: number;
}

/** What owners hear of at most once an hour; of runs that failed by the code, since each is another incident. */
export type GatheredKind =
  | 'dead_letter'
  | 'loop_limit'
  | 'sender_rate_limited'
  | 'undelivered'
  | 'made_for_others'
  | `run_failed:${string}`;

export interface GatheredNoticeTable {
  kind: GatheredKind;
  /** When the newest notice of this kind was asked for. */
  since: number;
  /** What came after it and was not told yet. */
  count: number;
  first_at: number | null;
  newest_json: string | null;
}

export type GatheredRow = Selectable<GatheredNoticeTable>;
