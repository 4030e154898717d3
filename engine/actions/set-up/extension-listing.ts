import { planChange, settingsIn } from '../../config/writing/change.ts';
import { settingAt } from '../../config/writing/settings.ts';
import type { KindFolder } from '../../extensions/loading/find.ts';

const FILE = 'extensions/extensions.json';

/** Adds a name to extensions.json where it is not listed yet, and leaves the rest as it is. Throws as `planChange` does. */
export function listExtension(root: string, folder: KindFolder, name: string): void {
  const path = [folder, name];
  if (settingAt(settingsIn(root, FILE), path) !== undefined) return;
  planChange(root, { settings: [{ file: FILE, path, to: name }] }).write();
}
