import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { sha256 } from '../lib/ids.ts';
import type { StaticNames } from './frame.ts';

interface StaticFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What tells this edition of it from another. */
  readonly edition: string;
}

const ours = (name: string): URL => new URL(`./static/${name}`, import.meta.url);
const JS = 'text/javascript; charset=utf-8';

/** A sixth of the style is how its lines are set, which everybody would load who comes in for the first time: nothing is packed. */
const withoutLines = (css: string): Buffer => Buffer.from(css.replace(/ ?([;{},])\n */g, '$1'));

/** The files that pages use, by the address of each: these and no others. */
export function loadStaticFiles(): { readonly files: ReadonlyMap<string, StaticFile>; readonly names: StaticNames } {
  const files = new Map<string, StaticFile>();
  const add = (name: string, type: string, content: Buffer): string => {
    const bytes = Uint8Array.from(content);
    const edition = sha256(bytes).slice(0, 12);
    files.set(`/static/${name}`, { type, bytes, edition });
    return `/static/${name}?${edition}`;
  };
  add('icon.svg', 'image/svg+xml', readFileSync(ours('icon.svg')));
  return {
    files,
    names: {
      style: add('style.css', 'text/css; charset=utf-8', withoutLines(readFileSync(ours('style.css'), 'utf8'))),
      script: add('console.js', JS, readFileSync(ours('console.js'))),
      passkeys: add('passkeys.js', JS, readFileSync(ours('passkeys.js'))),
      htmx: add('htmx.js', JS, readFileSync(createRequire(import.meta.url).resolve('htmx.org/dist/htmx.min.js'))),
    },
  };
}
