import { beforeEach, describe, expect, it } from 'vitest';
import { keepTexts } from '../../../../engine/config/live/live.ts';
import type { WorkspaceFiles } from '../../../../engine/config/workspace-files.ts';

let now: number;
let reads: string[];
let texts: Map<string, string>;
let files: WorkspaceFiles;

beforeEach(() => {
  now = 1000;
  reads = [];
  texts = new Map([['personas/ada/PERSONA.md', 'You are Ada.']]);
  files = keepTexts(
    {
      readText: async (path) => {
        reads.push(path);
        if (path === 'broken') throw new Error('cannot be read');
        return texts.get(path) ?? null;
      },
      list: async (path) => {
        reads.push(path);
        return [...texts.keys()];
      },
      walk: async (path) => {
        reads.push(path);
        return [];
      },
      readBytes: async () => null,
    },
    () => now,
  );
});

describe('a file that every mail needs', () => {
  it('is read once for all mail of the same moment', async () => {
    const read = () => files.readText('personas/ada/PERSONA.md');
    expect(await Promise.all([read(), read(), read()])).toEqual(Array.from({ length: 3 }, () => 'You are Ada.'));
    expect(reads).toEqual(['personas/ada/PERSONA.md']);
  });

  it('shows an edit within the second after it', async () => {
    await files.readText('personas/ada/PERSONA.md');
    texts.set('personas/ada/PERSONA.md', 'You are Ada, now in French.');
    now += 1000;
    expect(await files.readText('personas/ada/PERSONA.md')).toBe('You are Ada, now in French.');
  });

  it('is read afresh where runs write it, however the path is spelt', async () => {
    for (const path of ['data/personas/ada/active.md', './data/personas/ada/active.md']) {
      expect(await files.readText(path)).toBeNull();
      texts.set(path, 'remember this');
      expect(await files.readText(path)).toBe('remember this');
    }
  });

  it('is tried again at once after it could not be read', async () => {
    await expect(files.readText('broken')).rejects.toThrow();
    await expect(files.readText('broken')).rejects.toThrow();
    expect(reads).toEqual(['broken', 'broken']);
  });

  it('does not fill memory when there are many', async () => {
    for (let index = 0; index < 1100; index += 1) await files.readText(`personas/p${index}/PERSONA.md`);
    await files.readText('personas/p0/PERSONA.md');
    await files.readText('personas/p1099/PERSONA.md');
    expect(reads).toHaveLength(1101);
  });
});
