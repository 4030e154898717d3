import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

/** Written by an older version, which still ran: test/upgrade/make. */
const WORKSPACE = fileURLToPath(new URL('../upgrade/workspace.tar.gz', import.meta.url));

/** Unpacks that workspace into a folder that is there, and says where it is. */
export function olderIn(folder: string): string {
  expect(spawnSync('tar', ['--extract', '--gzip', '--file', WORKSPACE, '--directory', folder]).status).toBe(0);
  return join(folder, 'workspace');
}
