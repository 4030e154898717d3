import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '#contract';
import { editDistance } from '../../lib/text/nearest.ts';
import { TEMPORARY_PREFIX } from './folder.ts';

/** Arguments of the package's own tools that name files of the persona. */
const PATHS: Readonly<Record<string, readonly string[]>> = {
  read_file: ['path'],
  list_files: ['path'],
  write_file: ['path'],
  edit_file: ['path'],
  delete_file: ['path'],
  attach: ['path'],
  query_table: ['source'],
  send_email: ['attachments'],
};
const ROOT = 'files/';

/**
 * The arguments with their paths written in one way, so that a rule about a path holds for each way of writing it: before
 * anything else looks at the call. The name of the root is left out of them, where models put it since rules and mails do;
 * a folder of that name is meant itself.
 */
export function withinRoot(root: string, tool: string, args: Json): Json {
  const names = Object.hasOwn(PATHS, tool) ? (PATHS[tool] ?? []) : [];
  if (names.length === 0 || typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const given = args as { readonly [key: string]: Json };
  // The folder itself is listed by its name alone, too.
  const isPrefixed = (path: string) => `${path}${tool === 'list_files' ? '/' : ''}`.startsWith(ROOT);
  const plain = (value: Json): Json => {
    if (typeof value !== 'string') return value;
    const path = shortest(value);
    return isPrefixed(path) && !existsSync(join(root, ROOT)) ? path.slice(ROOT.length) : path;
  };
  const changed = names.flatMap((name): [string, Json][] => {
    const value = given[name];
    return value === undefined ? [] : [[name, Array.isArray(value) ? value.map(plain) : plain(value)]];
  });
  return { ...given, ...Object.fromEntries(changed) };
}

/** Without what a path can do without. What is no path of the persona's stays as it is: a URL, an id, what is refused. */
function shortest(path: string): string {
  if (!/(?:^|\/)\.?\//.test(path) || path.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(path)) return path;
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return names.length === 0 ? path : `${names.join('/')}${path.endsWith('/') ? '/' : ''}`;
}

const MOST_SEEN = 2000;
const MAX_DEPTH = 3;
const MOST_NAMED = 3;
const MAX_DISTANCE = 4;

/** Paths of files that may have been meant, the likeliest first; links are not followed. */
export async function nearbyFiles(root: string, path: string): Promise<readonly string[]> {
  const wanted = baseOf(path.toLowerCase());
  const found: { readonly path: string; readonly distance: number }[] = [];
  const folders: string[][] = [[]];
  let seen = 0;
  for (let folder = folders.shift(); folder && seen < MOST_SEEN; folder = folders.shift()) {
    const entries = await readdir(join(root, ...folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.slice(0, MOST_SEEN - seen)) {
      seen += 1;
      if (entry.name.startsWith(TEMPORARY_PREFIX)) continue;
      const place = [...folder, entry.name];
      if (entry.isDirectory() && place.length < MAX_DEPTH) folders.push(place);
      if (entry.isFile()) found.push({ path: place.join('/'), distance: distanceOf(wanted, entry.name.toLowerCase()) });
    }
  }
  return found
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .sort((one, other) => one.distance - other.distance || (one.path < other.path ? -1 : 1))
    .slice(0, MOST_NAMED)
    .map((one) => one.path);
}

/** 0: the same name elsewhere; 1: another kind of file under it; else as far as they are written apart. */
function distanceOf(wanted: string, name: string): number {
  if (wanted === name) return 0;
  if (stemOf(wanted) === stemOf(name)) return 1;
  const most = Math.min(MAX_DISTANCE, Math.floor(wanted.length / 3));
  const distance = editDistance(wanted.slice(0, 64), name.slice(0, 64));
  return distance <= most ? distance + 1 : MAX_DISTANCE + 1;
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const stemOf = (name: string): string => (name.lastIndexOf('.') > 0 ? name.slice(0, name.lastIndexOf('.')) : name);
