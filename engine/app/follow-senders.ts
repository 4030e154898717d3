import type { MailboxConfig } from '../config/types.ts';
import { planChange } from '../config/writing/change.ts';
import { senderSettings } from '../config/writing/settings.ts';
import type { Workspace } from '../workspace.ts';

/**
 * Writes down by which mailbox a persona sends wherever two could be: so far the first one in the list was it. Somebody who
 * adds a mailbox by hand then changes nothing for the personas that there are. Returns the way to stop.
 */
export function followSenders(workspace: Pick<Workspace, 'root' | 'live' | 'log' | 'pass'>): () => void {
  const { live, root, log, pass } = workspace;
  let before: readonly MailboxConfig[] = live.current().gateway.mailboxes;
  const settle = (): void => {
    const after = live.current().gateway.mailboxes;
    const personas = [...live.personas().all()].flatMap((one) =>
      one.state === 'ready' ? [{ id: one.id, file: one.persona }] : [],
    );
    const settings = senderSettings(personas, { before, after });
    before = after;
    if (settings.length === 0) return;
    try {
      planChange(root, { settings }, pass).write();
      const named = settings.map(({ file, to }) => `${file}: ${to}`);
      log.warn({ named }, 'two mailboxes could send for a persona, so it is written down which one does');
    } catch (error) {
      log.warn(
        { error: String(error) },
        'two mailboxes could send for a persona, and it could not be written down which',
      );
    }
  };
  settle();
  return live.onChange(({ configs, personas }) => {
    if (configs || personas.size > 0) settle();
  });
}
