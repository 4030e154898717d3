import type { ComposeInput } from '../../mail/compose/compose.ts';
import { attachedIn } from '../../record/attached.ts';
import type { LoopState } from '../../record/state.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { EndDecision } from '../loop/end.ts';
import type { ReplyRecipients } from './recipients.ts';

/** Half an answer carries nothing, and neither does one that stays in its thread. */
export const carriesFiles = ({ decision }: EndDecision, { to, cc }: ReplyRecipients): boolean =>
  decision === 'FINAL' && to.length + cc.length > 0;

/** What an answer carries: the very bytes that were there when each file was attached. */
export function filesOf(
  {
    artifacts,
    state,
    decision,
  }: {
    readonly artifacts: Pick<Blobs, 'get'>;
    readonly decision: EndDecision;
    readonly state: Pick<LoopState, 'outcomes'>;
  },
  recipients: ReplyRecipients,
): Promise<ComposeInput['attachments']> {
  const files = carriesFiles(decision, recipients) ? attachedIn(state.outcomes) : [];
  return Promise.all(
    files.map(async ({ name, type, sha256 }) => ({ name, type, content: await artifacts.get(sha256) })),
  );
}
