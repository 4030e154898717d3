import type { GatheredKind } from '../../types/jobs.ts';

/** Mail that no message is about and whose bytes are kept: an owner's answers and orders, reports that changed something. */
export interface KeptMailTable {
  raw_sha256: string;
  code: string;
  message_id: string;
  bytes: number;
  at: number;
}

export interface GatheredNoticeTable {
  kind: GatheredKind;
  /** When the newest notice of this kind was asked for. */
  since: number;
  /** What came after it and was not told yet. */
  count: number;
  first_at: number | null;
  newest_json: string | null;
}
