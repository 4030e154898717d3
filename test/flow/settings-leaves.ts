import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** Every value of every file of a workspace, by its file and its key; entries of lists by their names. */
export function leavesIn(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (path: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return void found.set(path, JSON.stringify(value));
    for (const [key, inside] of Object.entries(value)) {
      const named = Array.isArray(value)
        ? (inside?.id ?? inside?.ip ?? inside?.name ?? (/s$/.test(path) ? inside : key))
        : key;
      add(`${path}/${typeof named === 'string' ? named : key}`, inside);
    }
  };
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    // A gateway that runs may have written a file under another name first.
    if (name.startsWith('data') || !statSync(join(root, name), { throwIfNoEntry: false })?.isFile()) continue;
    const text = readFileSync(join(root, name), 'utf8');
    if (name.endsWith('.json')) add(name, JSON.parse(text));
    else if (name === '.env') add(name, parseEnv(text));
    else found.set(name, text);
  }
  return found;
}

/** The keys that differ. */
export function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
}
