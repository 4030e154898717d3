import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sweepHalfWritten } from '../../../engine/storage/upkeep.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'epistle-sweep-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const age = (path: string, hours: number) => utimesSync(path, NOW / 1000 - hours * 3600, NOW / 1000 - hours * 3600);
function put(name: string, hours: number): string {
  const path = join(data, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'half');
  for (const each of [path, dirname(path)]) age(each, hours);
  return path;
}
const ada = (name: string) => `personas/ada/${name}`;

describe('H5: what is unfinished of a persona', () => {
  it('goes from tmp/ by its age, and nothing else does', async () => {
    const old = put(ada('tmp/0123456789abcdef'), 2);
    const rest = [put(ada('tmp/fedcba9876543210'), 0), put(ada('tmp/notes'), 2), put(ada('files/0123456789abcdef'), 2)];
    expect(await sweepHalfWritten(data, NOW, 0)).toBe(1);
    expect(existsSync(old)).toBe(false);
    expect(rest.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('goes from files/, where earlier versions left it, by one name at a time', async () => {
    const gone = [put(ada('files/.epistle-abc123/content'), 2), put(ada('files/notes/.epistle-0123456789abcdef'), 2)];
    const kept = put(ada('files/.epistle-xyz789/inner/content'), 2);
    age(join(data, ada('files/.epistle-xyz789')), 2);
    await sweepHalfWritten(data, NOW, 0);
    expect(gone.filter(existsSync)).toEqual([]);
    expect(existsSync(dirname(gone[0] ?? ''))).toBe(false);
    expect(existsSync(kept)).toBe(true);
  });

  it('is looked for behind no link of files/, and behind those that an owner made above it', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'epistle-sweep-'));
    try {
      const path = join(outside, '.epistle-abc123');
      writeFileSync(path, 'of somebody');
      age(path, 2);
      mkdirSync(join(data, ada('files')), { recursive: true });
      symlinkSync(outside, join(data, ada('files/link')));
      symlinkSync(outside, join(data, ada('files/.epistle-link')));
      await sweepHalfWritten(data, NOW, 0);
      expect(existsSync(path)).toBe(true);
      const old = put('personas/ben/tmp/0123456789abcdef', 2);
      symlinkSync(data, join(outside, 'data'));
      await sweepHalfWritten(join(outside, 'data'), NOW, 0);
      expect(existsSync(old)).toBe(false);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});
