import type { LiveConfig } from '../../config/live/live.ts';
import { personaFileOf } from '../../config/persona-file.ts';
import { planChange } from '../../config/writing/change.ts';
import { keyOf, type Setting, senderSettings } from '../../config/writing/settings.ts';

const FILE = 'configs/gateway.json';

/**
 * Takes a mailbox out of gateway.json, and its name out of the personas that have it: all of it, or nothing. Returns what was
 * written, as `file  key`. Throws as `planChange` does.
 */
export function removeMailbox(
  { root, live }: { readonly root: string; readonly live: Pick<LiveConfig, 'personas' | 'current'> },
  id: string,
  namedBy: readonly string[],
): readonly string[] {
  const after = live.current().gateway.mailboxes.filter((one) => one.id !== id);
  const left = [...live.personas().all()].flatMap((one) => {
    if (one.state !== 'ready') return [];
    const { mailbox } = one.persona;
    return [{ id: one.id, file: { ...one.persona, mailbox: mailbox === id ? null : mailbox } }];
  });
  const settings: readonly Setting[] = [
    // First those that name it: one that names a mailbox that there is not takes no mail.
    ...namedBy.map((persona) => ({ file: personaFileOf(persona), path: ['mailbox'], to: undefined })),
    // Where two could be from then on, the one that was told.
    ...senderSettings(left, { before: after, after }),
    { file: FILE, path: ['mailboxes', id], to: undefined },
  ];
  const change = planChange(root, { settings });
  change.write();
  return change.changes.map((one) => `${one.file}  ${keyOf(one)}`);
}
