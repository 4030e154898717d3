import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EngineError } from '#contract';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import { lockWorkspace } from '../../../engine/storage/sqlite/workspace-lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-private-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the databases of a workspace', () => {
  it('can be read by nobody else, with the files that SQLite puts beside them', async () => {
    const before = process.umask(0o022);
    try {
      const lock = lockWorkspace(folder);
      const gateway = openGatewayStore(join(folder, 'gateway.db'));
      await gateway.bumpWakeup('ada', 1);
      const modes = readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);
      await gateway.close();
      lock.release();
      expect(modes.map(([name]) => name)).toEqual(expect.arrayContaining(['gateway.db', 'gateway.db-wal', 'lock.db']));
      expect(modes.filter(([, mode]) => mode !== '600')).toEqual([]);
    } finally {
      process.umask(before);
    }
  });
});

describe('the lock of a workspace', () => {
  it('outlives a second try to take it', () => {
    const lock = lockWorkspace(folder);
    expect(() => lockWorkspace(folder)).toThrow(EngineError);
    expect(() => lockWorkspace(folder)).toThrow('another gateway');
    lock.release();
  });
});
