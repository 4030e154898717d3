import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Stands in every file outside, and nowhere else: whoever has read it has read one of them. */
export const SECRET = 'the secret of somebody else';

/** Names that the tools work on inside, so that whoever is led astray finds something; and some of a gateway. */
const NAMES = ['a.txt', 'b.txt', 'c.txt', 'content', 'gateway.db', 'security.json', 'sub/a.txt', 'sub/b.txt'];

export interface Harm {
  readonly made: number;
  readonly removed: number;
  readonly changed: number;
}

/** A folder that nothing may reach. */
export function createOutside(folder: string) {
  const contents = new Map(NAMES.map((name) => [name, `${SECRET}: ${name}\n`]));
  function lay(): void {
    // Whoever gets out goes on making things there meanwhile.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 5 });
    mkdirSync(join(folder, 'sub'), { recursive: true });
    for (const [name, content] of contents) writeFileSync(join(folder, name), content);
  }
  lay();
  const expected = hashesIn(folder);
  return {
    /** What was done to it since it was last asked; it is as new afterwards. */
    harm(): Harm {
      const found = hashesIn(folder);
      const made = [...found.keys()].filter((name) => !expected.has(name)).length;
      const removed = [...expected.keys()].filter((name) => !found.has(name)).length;
      const changed = [...expected].filter(([name, hash]) => found.has(name) && found.get(name) !== hash).length;
      if (made + removed + changed > 0) lay();
      return { made, removed, changed };
    },
    /** Hashes of what stands there: one of them in a preview says that it was read. */
    hashes: [...expected.values()].filter((hash) => hash.length === 64),
  };
}

export type Outside = ReturnType<typeof createOutside>;

/** One that vanishes while it is looked at is one that is not there. */
function hashesIn(folder: string, below = ''): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const name = join(below, entry.name);
    try {
      if (entry.isDirectory()) {
        hashes.set(name, 'a folder');
        for (const [inner, hash] of hashesIn(folder, name)) hashes.set(inner, hash);
      } else {
        const readable = entry.isFile() ? readFileSync(join(folder, name)) : 'no file';
        hashes.set(name, createHash('sha256').update(readable).digest('hex'));
      }
    } catch {
      hashes.delete(name);
    }
  }
  return hashes;
}
