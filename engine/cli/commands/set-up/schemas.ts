import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageVersion } from '../../../app/version.ts';
import { SETTINGS_FILES, type SettingsName, settingsSchema } from '../../../config/reference/settings.ts';
import { SCHEMAS } from '../../../config/writing/json-text.ts';

/** Says which version wrote the schemas beside it. */
const VERSION = 'version';

/** Writes the schemas by which an editor completes and checks the files of the workspace. */
export function writeSchemas(root: string): void {
  const folder = join(root, SCHEMAS);
  mkdirSync(folder, { recursive: true });
  for (const name of Object.keys(SETTINGS_FILES) as SettingsName[]) {
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(settingsSchema(name), null, 2)}\n`);
  }
  writeFileSync(join(folder, VERSION), `${packageVersion()}\n`);
}

/**
 * Writes them anew after an upgrade, so that no editor calls a new key wrong. A workspace without the folder stays so,
 * and one that cannot be written works all the same.
 */
export function renewSchemas(root: string): void {
  const version = join(root, SCHEMAS, VERSION);
  try {
    if (existsSync(version) && readFileSync(version, 'utf8').trim() !== packageVersion()) writeSchemas(root);
  } catch {
    // They are for editors alone.
  }
}
