import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachedIn } from '../../../../engine/record/attached.ts';
import { createBlobs } from '../../../../engine/storage/blobs.ts';
import { createAttach } from '../../../../engine/tools/capabilities/outgoing-files.ts';
import { errorWith } from '../../../extensions/tools/context.ts';
import { filesIn } from './files-rig.ts';

const home = mkdtempSync(join(tmpdir(), 'attach-'));
const root = join(home, 'files');
const artifacts = createBlobs(join(home, 'artifacts'));
beforeAll(() => {
  mkdirSync(root);
  writeFileSync(join(root, 'a.csv'), 'one');
  writeFileSync(join(root, 'b.bin'), Buffer.from([0, 255, 1]));
});
afterAll(() => rmSync(home, { recursive: true }));

const attach = (path: string, { mayRead = true, attached = [] as string[] } = {}) =>
  createAttach({ files: filesIn(root), artifacts, mayRead, mail: null, attached: () => attached })(path);

describe('attach', () => {
  it('keeps the bytes as they are now, text or not', async () => {
    const kept = await attach('./a.csv');
    writeFileSync(join(root, 'a.csv'), 'two');
    expect(kept).toMatchObject({ path: 'a.csv', name: 'a.csv', type: 'text/csv; charset=utf-8', bytes: 3 });
    expect(`${artifacts.getSync(kept.sha256)}`).toBe('one');
    expect((await attach('b.bin')).type).toBe('application/octet-stream');
  });

  it('gives nothing to whom no file is to be read, from outside, or beyond ten', async () => {
    await expect(attach('a.csv', { mayRead: false })).rejects.toEqual(errorWith('unsupported_runtime_action'));
    await expect(attach('../a.csv')).rejects.toEqual(errorWith('invalid_arguments'));
    const attached = Array.from({ length: 9 }, (_, n) => `${n}`);
    await expect(attach('a.csv', { attached: [...attached, 'x'] })).rejects.toEqual(errorWith('invalid_arguments'));
    await expect(attach('a.csv', { attached: [...attached, 'a.csv'] })).resolves.toMatchObject({ path: 'a.csv' });
  });
});

describe('what an answer carries', () => {
  const outcome = (tool: string, ok: boolean, result: object) => ({
    tool,
    ok,
    code: null,
    made: {
      call: { id: '1', name: tool, arguments: {} },
      risk: 'create',
      targets: [],
      approval: null,
      deniedBy: null,
      waited: false,
      turn: 1,
      content: JSON.stringify({ ok, result }),
    },
  });
  const file = { path: 'a.csv', name: 'a.csv', type: 'text/csv', sha256: 'old' };

  it('is each path once as it was last, and of no other tool', () => {
    const newer = { ...file, sha256: 'new' };
    const calls = [outcome('attach', true, file), outcome('read_file', true, { ...file, path: 'b' })];
    expect(attachedIn([...calls, outcome('attach', true, newer), outcome('attach', false, file)])).toEqual([newer]);
  });
});
