import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { epistle } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

describe('a workspace whose databases an older version wrote', () => {
  const open: { workspace?: TestWorkspace; other?: string } = {};
  afterEach(() => {
    open.workspace?.remove();
    if (open.other) rmSync(open.other, { recursive: true, force: true });
  });

  function older(): string {
    open.workspace = makeWorkspace();
    const { root } = open.workspace;
    mkdirSync(join(root, 'data'), { recursive: true });
    const database = new Database(join(root, 'data/gateway.db'));
    database.pragma('user_version = 1');
    database.close();
    return root;
  }

  it('is copied before a command opens it', async () => {
    const root = older();
    await epistle(root, ['status']);
    expect(existsSync(join(root, 'backups'))).toBe(true);
  });

  it('is left alone by a command that makes a workspace of its own, or needs none', async () => {
    const root = older();
    open.other = mkdtempSync(join(tmpdir(), 'epistle-other-'));
    expect((await epistle(root, ['init', join(open.other, 'new')])).code).toBe(0);
    expect((await epistle(root, ['completion', 'bash'])).code).toBe(0);
    expect(existsSync(join(root, 'backups'))).toBe(false);
  });
});
