import type { NewJob } from './types/jobs.ts';

/** What a notice about a mail that did not arrive is written from, when it is written. */
export interface Undelivered {
  readonly outbox_id: string;
  readonly failed: readonly {
    readonly address: string;
    /** As in RFC 3463; null where the server gave none. */
    readonly status: string | null;
    /** `uncertain`: the connection broke off after all of it was sent. */
    readonly why: 'refused' | 'unreachable' | 'uncertain';
  }[];
}

/** The owners hear of it, gathered with others; and, each time, whoever it was sent for. */
export function undeliveredNotices(outboxId: string, failed: Undelivered['failed'], now: number): readonly NewJob[] {
  const facts: Undelivered = { outbox_id: outboxId, failed };
  return [
    {
      id: `notice:undelivered:${outboxId}`,
      kind: 'notice',
      due_at: now,
      gather: { kind: 'undelivered' },
      payload: { undelivered: facts },
    },
    {
      id: `notice:undelivered_told:${outboxId}`,
      kind: 'notice',
      due_at: now,
      payload: { undelivered: facts, to_asker: true },
    },
  ];
}
