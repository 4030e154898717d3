import { existsSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#contract';
import { jsonObject } from '../../lib/json.ts';
import { identityOf } from './settings.ts';

/**
 * Pure. The text of a JSON file that says `to`: whatever it says already keeps its place, its spacing and its way of being
 * written. `text` has to be JSON; an empty one becomes a file of its own.
 */
export function jsonTextOf(text: string, to: Json): string {
  const bom = text.startsWith('\u{feff}') ? '\u{feff}' : '';
  const body = text.slice(bom.length);
  const inner = body.trim();
  const before = body.slice(0, body.indexOf(inner));
  const after = body.slice(before.length + inner.length);
  if (inner === '') return `${JSON.stringify(to, null, 2)}\n`;
  const style = styleOf(inner);
  const rendered = render(parse(inner), to, { style, base: '', list: '' });
  return bom + before + rendered + after;
}

interface Style {
  readonly unit: string;
  readonly eol: string;
  /** Everything on one line. */
  readonly isCompact: boolean;
  readonly hasSpaces: boolean;
}

const styleOf = (text: string): Style => ({
  unit: /\n([ \t]{1,16})\S/.exec(text)?.[1] ?? '  ',
  eol: text.includes('\r\n') ? '\r\n' : '\n',
  isCompact: !text.includes('\n') && !/^[[{]\s*[\]}]$/.test(text),
  hasSpaces: /":\s/.test(text),
});

/** One value of an object or a list, with the blanks around it. */
interface Part {
  /** Blanks before it. */
  readonly lead: string;
  /** Of a member, its key. */
  readonly key: string;
  /** Of a member, its key as it is written, and the colon with its blanks. */
  readonly name: string;
  readonly node: Node;
  /** Blanks between it and its comma. */
  readonly trail: string;
}

interface Node {
  readonly text: string;
  readonly value: Json;
  /** Null where it is neither an object nor a list. */
  readonly parts: readonly Part[] | null;
}

interface Place {
  readonly style: Style;
  /** What stands before the line on which the value begins. */
  readonly base: string;
  /** The key of a list, for what its entries are known by. */
  readonly list: string;
}

function render(node: Node, to: Json, place: Place): string {
  if (isDeepStrictEqual(node.value, to)) return node.text;
  const [before, after] = [jsonObject.safeParse(node.value).data, jsonObject.safeParse(to).data];
  if (node.parts && before && after) {
    const known = new Map(node.parts.map((part) => [part.key, part]));
    const wanted = [
      ...[...known.keys()].filter((key) => Object.hasOwn(after, key)),
      ...Object.keys(after).filter((key) => !known.has(key)),
    ];
    const kept = wanted.map((key): Wanted => ({ part: known.get(key) ?? null, key, to: after[key] ?? null }));
    return container(node.parts, kept, { ...place, brackets: ['{', '}'] });
  }
  if (node.parts && Array.isArray(node.value) && Array.isArray(to)) {
    return container(node.parts, paired(node.parts, to, place.list), { ...place, brackets: ['[', ']'] });
  }
  return fresh(to, place);
}

interface Wanted {
  /** As which it stands there; null: it is new. */
  readonly part: Part | null;
  readonly key: string | null;
  readonly to: Json;
}

/** Each entry with the one that it was: the same, else of the same name, else at its place in a list that is as long. */
function paired(parts: readonly Part[], to: readonly Json[], list: string): readonly Wanted[] {
  const free = new Set(parts);
  const found = new Map<number, Part>();
  const take = (fits: (part: Part, one: Json, at: number) => boolean) => {
    for (const [at, one] of to.entries()) {
      if (found.has(at)) continue;
      const part = [...free].find((each) => fits(each, one, at));
      if (!part) continue;
      found.set(at, part);
      free.delete(part);
    }
  };
  take(({ node }, one) => isDeepStrictEqual(node.value, one));
  take(({ node }, one) => {
    const name = identityOf(list, one);
    return name !== null && identityOf(list, node.value) === name;
  });
  if (parts.length === to.length) take((part, _, at) => parts[at] === part);
  return to.map((one, at) => ({ part: found.get(at) ?? null, key: null, to: one }));
}

function container(
  parts: readonly Part[],
  wanted: readonly Wanted[],
  place: Place & { readonly brackets: readonly [string, string] },
): string {
  const { style, base } = place;
  const [open, close] = place.brackets;
  if (wanted.length === 0) return open + close;
  const [first, second] = parts;
  const ownLine = style.isCompact ? '' : `${style.eol}${base}${style.unit}`;
  const firstLead = first?.lead ?? ownLine;
  const between = second?.lead ?? (firstLead.includes('\n') || !style.hasSpaces ? firstLead : ' ');
  const end = parts.at(-1)?.trail ?? (style.isCompact ? '' : style.eol + base);
  // Of the line on which the one before stands.
  let line = base;
  const written = wanted.map(({ part, key, to }, at) => {
    const lead = at === 0 ? firstLead : part && part !== first ? part.lead : between;
    if (lead.includes('\n')) line = lead.split('\n').at(-1) ?? '';
    const inside = { style, base: line };
    const colon = style.isCompact && !style.hasSpaces ? ':' : ': ';
    const name = key === null ? '' : (part?.name ?? `${JSON.stringify(key)}${colon}`);
    const list = key ?? '';
    return lead + name + (part ? render(part.node, to, { ...inside, list }) : fresh(to, { ...inside, list }));
  });
  return `${open}${written.join(',')}${end}${close}`;
}

function fresh(to: Json, { style, base }: Place): string {
  if (style.isCompact) return JSON.stringify(to);
  return JSON.stringify(to, null, style.unit).replaceAll('\n', `${style.eol}${base}`);
}

/** Reads what `JSON.parse` takes, and keeps how it is written. */
function parse(text: string): Node {
  const blanks = (from: number): number => {
    let at = from;
    while (/\s/.test(text.charAt(at))) at += 1;
    return at;
  };
  const stringEnd = (from: number): number => {
    let at = from + 1;
    while (text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
    return at + 1;
  };
  const valueAt = (from: number): { readonly node: Node; readonly end: number } => {
    const first = text.charAt(from);
    if (first === '{' || first === '[') return containerAt(from, first === '{');
    let end = first === '"' ? stringEnd(from) : from;
    if (first !== '"') while (end < text.length && !/[\s,\]}]/.test(text.charAt(end))) end += 1;
    const own = text.slice(from, end);
    return { node: { text: own, value: JSON.parse(own), parts: null }, end };
  };
  const containerAt = (from: number, isObject: boolean): { readonly node: Node; readonly end: number } => {
    const parts: Part[] = [];
    let at = from + 1;
    for (;;) {
      const start = blanks(at);
      if (text.charAt(start) === '}' || text.charAt(start) === ']') {
        at = start;
        break;
      }
      const keyEnd = isObject ? stringEnd(start) : start;
      const valueStart = isObject ? blanks(blanks(keyEnd) + 1) : start;
      const { node, end } = valueAt(valueStart);
      const next = blanks(end);
      parts.push({
        lead: text.slice(at, start),
        key: isObject ? JSON.parse(text.slice(start, keyEnd)) : '',
        name: text.slice(start, valueStart),
        node,
        trail: text.slice(end, next),
      });
      at = next + 1;
      if (text.charAt(next) !== ',') {
        at = next;
        break;
      }
    }
    const own = text.slice(from, at + 1);
    return { node: { text: own, value: JSON.parse(own), parts }, end: at + 1 };
  };
  return valueAt(0).node;
}

/** Where a workspace has the JSON Schemas of its files, for editors; below its root. The gateway reads none of them. */
export const SCHEMAS = 'configs/.schemas';

const schemaOf = (file: string): string =>
  `${SCHEMAS}/${file.startsWith('personas/') ? 'persona' : basename(file, '.json')}.json`;

/** What a file, named from the root, says under `$schema`. */
export function schemaPath(file: string): string {
  const path = posix.relative(dirname(file), schemaOf(file));
  return path.startsWith('../') ? path : `./${path}`;
}

/** The first key of a new file; none in a workspace that has no schemas. `isMade`: it is made at this moment, with schemas. */
export const schemaLine = (root: string, file: string, isMade = false): { readonly $schema?: string } =>
  isMade || existsSync(join(root, schemaOf(file))) ? { $schema: schemaPath(file) } : {};
