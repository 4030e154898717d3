import { mkdir, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FilesCapability } from '#contract';
import { sha256 } from '../../engine/lib/ids.ts';
import { raceRun } from '../../scripts/lib/soak/races/race-run.ts';

const RACES = { process: 400, shell: 0, inTurn: 0 };
const say = () => {};

/** File tools as they must not be: by path, with what is unfinished in the folder itself. */
function byPath(persona: string): FilesCapability {
  const root = join(persona, 'files');
  const at = (path: string) => join(root, path);
  async function aside(work: (path: string) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(at('.epistle-'));
    try {
      await work(join(folder, 'content'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const read = (path: string) => readFile(at(path), 'utf8');
  return {
    list: async (path) => (await readdir(at(path))).map((name) => ({ path: name, type: 'file', bytes: 0 })),
    read,
    text: read,
    async write(path, content) {
      await mkdir(dirname(at(path)), { recursive: true });
      await aside(async (unfinished) => {
        const handle = await open(unfinished, 'wx');
        await handle.writeFile(content);
        await handle.close();
        await rename(unfinished, at(path));
      });
      return { path, bytes: content.length };
    },
    async remove(path) {
      await aside((unfinished) => rename(at(path), unfinished));
      return { path, bytes: 0, sha256: '' };
    },
    restore: async (path) => ({ path }),
    compare: async (path) => ({ text: '', basis: sha256(await read(path)) }),
    owner: async () => 'absent',
  };
}

describe('H5: races for files/', () => {
  it('lead the file tools nowhere', async () => {
    const report = await raceRun({ seed: 3, races: RACES, say });
    expect(report).toMatchObject({ ok: true, problems: [], escapes: 0, left_behind: 0, races: 400 });
    expect(report.swaps).toBeGreaterThan(100);
  });

  it('find out file tools that go by path', async () => {
    const report = await raceRun({ seed: 3, races: RACES, say, tools: byPath });
    expect(report.ok).toBe(false);
    expect(report.escapes).toBeGreaterThan(0);
  });
});
