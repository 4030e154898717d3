import { CURES } from '../../queries/mail/cures.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';
import type { SubmitResult, SubmittedMail } from './types.ts';

/** What became of the mail, by recipient, from the rows that it left. Pure. */
export function resultsOf(options: {
  letter: SubmittedMail;
  rows: readonly SeenMail[];
  smtp: ReadonlyMap<string, string>;
  /** Why nobody looked inside. */
  error: string | null;
  findPersona(address: string): string | null;
}): SubmitResult[] {
  const { letter, rows, smtp } = options;
  return letter.to.map((recipient) => {
    const reply = smtp.get(recipient) ?? null;
    const persona = options.findPersona(recipient);
    // A mail to two addresses of one persona leaves one row.
    const row =
      rows.find((one) => one.recipient?.toLowerCase() === recipient.toLowerCase()) ??
      (persona === null ? undefined : rows.find((one) => one.persona_id === persona));
    const base = { recipient, smtp: reply, run_id: row?.run_id ?? null, thread_id: row?.thread_id ?? null };
    if (row) return { ...base, persona: row.persona_id, decision: decisionOf(row), code: row.code };
    const code = options.error ?? codeOfReply(reply, persona !== null);
    return { ...base, persona, decision: 'refused', code };
  });
}

function decisionOf({ decision }: SeenMail): SubmitResult['decision'] {
  // Deferred: a real sender would try again; who asks here is told that it was not taken.
  const isFinal =
    decision === 'accepted' || decision === 'duplicate' || decision === 'recorded' || decision === 'dead_letter';
  return isFinal ? decision : 'refused';
}

function codeOfReply(reply: string | null, isPersona: boolean): string | null {
  if (reply?.startsWith('552')) return 'message_too_large';
  if (reply?.startsWith('550 5.1.1')) return 'unknown_recipient';
  return reply === null && !isPersona ? 'unknown_recipient' : null;
}

const ENDED = new Set(['done', 'failed', 'cancelled']);

/** 0 ok · 1 refused · 3 waits, or is not done when the waiting ends · 5 failed; of several recipients the worst. */
export function exitCodeOf(results: readonly SubmitResult[]): 0 | 1 | 3 | 5 {
  if (results.some(({ status }) => status === 'failed' || status === 'cancelled')) return 5;
  if (results.some(({ decision }) => decision === 'refused' || decision === 'dead_letter')) return 1;
  if (results.some(({ decision }) => decision === 'deferred')) return 3;
  if (results.some(({ status }) => typeof status === 'string' && !ENDED.has(status))) return 3;
  return 0;
}

/** For people: what became of the mail, then the answer. */
export function describeResults(
  messageId: string,
  results: readonly SubmitResult[],
  hint: (text: string) => string,
): string {
  const lines = results.flatMap((one) => {
    const code = one.code === null || one.code === one.decision ? '' : ` (${one.code})`;
    const head = `${one.recipient}: ${one.decision}${code}${one.status ? `, ${one.status}` : ''}`;
    const cure = one.code === null ? undefined : CURES[one.code];
    if (cure) return [head, `  ${hint(cure)}`];
    if (!one.reply) return [head];
    const where =
      one.reply.mode === 'draft' ? ['  the answer is put into Drafts; nobody gets it until somebody sends it'] : [];
    return [head, ...where, '', one.reply.text.trimEnd(), ''];
  });
  return [...lines, `Message-ID: ${messageId}`].join('\n');
}
