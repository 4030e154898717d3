import type { TakenInAgain } from '../../../actions/mail/retry-mail.ts';
import type { TakesInFor } from '../../../app/refused/take-in-after-all.ts';
import type { Workspace } from '../../../workspace.ts';

/** Takes mail in for a command, whether a gateway runs or not. */
export const byCommand = (workspace: Workspace): TakesInFor => ({
  workspace,
  by: 'cli',
  async receive(incoming) {
    const { receiveBeside } = await import('../../../app/taking-in.ts');
    return receiveBeside(workspace, incoming);
  },
});

/** What became of a mail that was taken in once more, as documents and as people are told it. */
export const takenInShape = ({ messageId, results }: Pick<TakenInAgain, 'messageId' | 'results'>) => ({
  message_id: messageId,
  results: results.map(({ recipient, persona, decision, code, runId, threadId }) => ({
    recipient,
    persona,
    decision,
    code,
    smtp: null,
    run_id: runId,
    thread_id: threadId,
  })),
});

export const takenInWords = ({ results }: Pick<TakenInAgain, 'results'>): string =>
  results.map((one) => `${one.recipient ?? 'nobody'}: ${one.decision}${one.code ? ` (${one.code})` : ''}`).join('\n');
