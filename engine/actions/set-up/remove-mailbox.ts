import { personaFileOf } from '../../config/persona-file.ts';
import { planChange } from '../../config/writing/change.ts';
import { keyOf, type Setting } from '../../config/writing/settings.ts';

const FILE = 'configs/gateway.json';

/**
 * Takes a mailbox out of gateway.json, and its name out of the personas that have it: all of it, or nothing. Returns what was
 * written, as `file  key`. Throws as `planChange` does.
 */
export function removeMailbox(root: string, id: string, namedBy: readonly string[]): readonly string[] {
  const settings: readonly Setting[] = [
    // First those that name it: one that names a mailbox that there is not takes no mail.
    ...namedBy.map((persona) => ({ file: personaFileOf(persona), path: ['mailbox'], to: undefined })),
    { file: FILE, path: ['mailboxes', id], to: undefined },
  ];
  const change = planChange(root, { settings });
  change.write();
  return change.changes.map((one) => `${one.file}  ${keyOf(one)}`);
}
