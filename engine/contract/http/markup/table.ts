import { DIALECTS, type Dialect, type DialectName, type Marks } from './dialects.ts';

type Kind = 'reasoning' | 'close' | 'call' | 'result';

export interface Mark extends Marks {
  readonly kind: Kind;
  readonly onlyOffered: boolean;
}

export interface Table {
  /** By the first two characters of the mark, in small letters; the longest first. */
  readonly marks: ReadonlyMap<string, readonly Mark[]>;
  readonly wraps: readonly Marks[];
  readonly ends: readonly string[];
  readonly headings: readonly Marks[];
  readonly channels: boolean;
}

const tables = new Map<string, Table>();

/** The marks of some dialects, to be looked up; put together once. */
export function tableOf(names: readonly DialectName[]): Table {
  const key = names.join();
  const known = tables.get(key);
  if (known) return known;
  const dialects: readonly Dialect[] = names.map((name) => DIALECTS[name]);
  const all = dialects.flatMap((dialect): Mark[] => {
    const reasoning = dialect.reasoning ?? [];
    const marksOf = (kind: Kind, marks: readonly Marks[] = []) =>
      marks.map((mark) => ({ ...mark, kind, onlyOffered: dialect.onlyOffered?.includes(mark.open) ?? false }));
    const closes = dialect.startsInside ? reasoning.map(({ open, close }) => ({ open: close ?? '', close: open })) : [];
    return [
      ...marksOf('reasoning', reasoning),
      ...marksOf('close', closes),
      ...marksOf('call', dialect.calls),
      ...marksOf('result', dialect.results),
    ];
  });
  const unique = [...new Map(all.map((mark) => [`${mark.kind} ${mark.open}`, mark])).values()];
  const sorted = unique.sort((one, other) => other.open.length - one.open.length);
  const marks = new Map<string, Mark[]>();
  for (const mark of sorted) {
    const first = mark.open.slice(0, 2).toLowerCase();
    marks.set(first, [...(marks.get(first) ?? []), mark]);
  }
  const table = {
    marks,
    wraps: dialects.flatMap(({ wraps }) => wraps ?? []),
    ends: dialects.flatMap(({ ends }) => ends ?? []),
    headings: dialects.flatMap(({ headings }) => headings ?? []),
    channels: dialects.some(({ channels }) => channels === true),
  };
  tables.set(key, table);
  return table;
}

/** Tags are written in any case, everything else as it is. */
export function startsWith(text: string, mark: string, at: number): boolean {
  if (text.startsWith(mark, at)) return true;
  return (
    mark.startsWith('<') &&
    /^<\/?\w/.test(mark) &&
    text.slice(at, at + mark.length).toLowerCase() === mark.toLowerCase()
  );
}

export function indexOf(text: string, mark: string, from: number): number {
  if (!/^<\/?\w/.test(mark)) return text.indexOf(mark, from);
  for (let at = text.indexOf('<', from); at >= 0; at = text.indexOf('<', at + 1))
    if (startsWith(text, mark, at)) return at;
  return -1;
}
