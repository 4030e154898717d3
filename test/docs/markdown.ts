import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from '../house/sources.ts';

export interface Block {
  readonly page: string;
  readonly language: string;
  /** Words after the language, which do not show when the page is rendered: what a test does with the block. */
  readonly marks: readonly string[];
  readonly text: string;
  /** The last file with an ending that the prose before it names. */
  readonly file: string | undefined;
}

export interface Page {
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Everything in backticks outside of blocks. */
  readonly code: readonly string[];
}

const FENCED = /^```(\w*)(.*)\n([\s\S]*?)^```$/gm;
const INLINE = /`([^`]+)`/g;

/** A page of the repository, taken apart as far as the tests look at it. */
export function readPage(name: string): Page {
  const text = readFileSync(join(root, name), 'utf8');
  const blocks = [...text.matchAll(FENCED)].map((found): Block => {
    const before = inlineOf(text.slice(0, found.index));
    const file = before.findLast((code) => /^[\w./<>-]+\.(json|ts|md)$/.test(code));
    const marks = (found[2] ?? '').split(' ').filter((mark) => mark !== '');
    return { page: name, language: found[1] ?? '', marks, text: found[3] ?? '', file };
  });
  return { name, text, blocks, code: inlineOf(text) };
}

const inlineOf = (text: string): string[] =>
  [...text.replaceAll(FENCED, '').matchAll(INLINE)].map(([, code = '']) => code.replace(/\s+/g, ' '));

/** The cells of the first table below a heading, without its head. */
export function tableUnder(page: Page, heading: string): string[][] {
  const [, section = ''] = page.text.split(`\n## ${heading}\n`);
  const rows =
    (section.split('\n## ')[0] ?? '')
      .match(/(?:^\|.*\|\n)+/m)?.[0]
      .trimEnd()
      .split('\n') ?? [];
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const TOP = /^(engine|extensions|test|scripts|bin|configs|personas|\.ci)(\/|$)/;

/** Names of files and folders of the repository among the page's code; patterns and places to fill in are left out. */
export function pathsIn(page: Page): string[] {
  const links = [...page.text.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) =>
    // From the page that has it, as a reader's program follows it.
    target.includes(':') ? target : normalize(join(dirname(page.name), target)),
  );
  const named = page.code.map((code) => code.replace(/^\.\//, '')).filter((code) => TOP.test(code));
  return [...links, ...named.filter((code) => /^[\w./-]+$/.test(code))];
}

export const isThere = (path: string): boolean => existsSync(join(root, path));
