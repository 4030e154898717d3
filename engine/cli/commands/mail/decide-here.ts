import { decideApprovals } from '../../../actions/approvals.ts';
import { visible } from '../../../delivery/questions/approval-text.ts';
import { approvalOf, inFull, listApprovals } from '../../../queries/approvals.ts';
import { askedKind } from '../../../suspensions/kinds.ts';
import type { Workspace } from '../../../workspace.ts';
import { askedCallLines } from '../../text/asked-call.ts';

interface Asking {
  readonly persona: string;
  readonly runId: string;
  /** The line that somebody answers; null: they went away. */
  ask(prompt: string): Promise<string | null>;
  show(text: string): void;
}

const MOST = 100;

/** Asks about each call of the run that waits for an owner, in the terminal. False where nothing was decided. */
export async function decideHere(workspace: Workspace, { persona, runId, ask, show }: Asking): Promise<boolean> {
  const { approvals } = await listApprovals(workspace, { limit: MOST, persona, status: 'pending' });
  let count = 0;
  for (const { id } of approvals.filter((one) => one.run_id === runId || one.helps_run === runId).toReversed()) {
    const { row, helps } = await approvalOf(workspace, id);
    const isQuestion = askedKind(row).answeredBy === 'words';
    show(visible([`${row.tool}:`, ...askedCallLines(inFull(persona, row, helps))].join('\n')));
    const said = (await ask(isQuestion ? 'Your answer (Enter: later): ' : 'Do it? [y/n, Enter: later] '))?.trim() ?? '';
    const verdict = verdictOf(said, isQuestion);
    if (verdict === null) continue;
    const now = workspace.clock.now();
    await workspace.stores.use(persona, (store) =>
      decideApprovals(workspace, { personaId: persona, store, verdicts: [{ id, ...verdict, by: 'cli' }], now }),
    );
    count += 1;
  }
  return count > 0;
}

/** Only what is clearly a yes is one. */
function verdictOf(
  said: string,
  isQuestion: boolean,
): { state: 'approved' | 'rejected'; reason: string | null } | null {
  if (said === '') return null;
  if (isQuestion) return { state: 'approved', reason: said };
  if (/^(?:y|yes)$/i.test(said)) return { state: 'approved', reason: null };
  return /^(?:n|no)$/i.test(said) ? { state: 'rejected', reason: null } : null;
}
