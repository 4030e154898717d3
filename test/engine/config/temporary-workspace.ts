import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface TemporaryWorkspace {
  readonly path: string;
  /** Objects are written as JSON, text as it is; null removes the file or folder. */
  write(files: Readonly<Record<string, object | string | null>>): void;
}

/** A workspace in a temporary folder that is gone when the test ends. */
export function temporaryWorkspace(files: Readonly<Record<string, object | string | null>> = {}): TemporaryWorkspace {
  const path = mkdtempSync(join(tmpdir(), 'epistle-config-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const write: TemporaryWorkspace['write'] = (changes) => {
    for (const [name, content] of Object.entries(changes)) {
      const file = join(path, name);
      if (content === null) {
        rmSync(file, { recursive: true, force: true });
        continue;
      }
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    }
  };
  write(files);
  return { path, write };
}

export const persona = (id: string, more: object = {}): Record<string, object> => ({
  [`personas/${id}/persona.json`]: { name: id.toUpperCase(), address: `${id}@agents.localhost`, ...more },
});
