import type { ReplyShape } from '../../queries/runs/wait-for-run.ts';

/** A mail that a command hands in. */
export interface SubmittedMail {
  readonly raw: Uint8Array;
  readonly messageId: string;
  /** Envelope sender; empty for `<>`. */
  readonly from: string;
  readonly to: readonly string[];
  readonly asSubmission: boolean;
}

/** What became of it for one recipient. */
export interface SubmitResult {
  readonly recipient: string;
  readonly persona: string | null;
  readonly decision: 'accepted' | 'deferred' | 'duplicate' | 'recorded' | 'refused' | 'dead_letter';
  readonly code: string | null;
  /** What the listener answered; null when no gateway runs, so that nobody spoke SMTP. */
  readonly smtp: string | null;
  readonly run_id: string | null;
  readonly thread_id: string | null;
  readonly status?: string | null;
  readonly outcome?: string | null;
  readonly reply?: ReplyShape | null;
}
