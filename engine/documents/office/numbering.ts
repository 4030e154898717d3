import type { Reading } from '../reading.ts';
import type { Archive } from '../zip/archive.ts';
import type { Attributes } from '../zip/xml.ts';
import { attribute, readPart } from './package.ts';

interface Level {
  start: number;
  format: string;
  /** `%1.%2)` stands for the numbers of the first two levels. */
  text: string;
}

/** The marks of a Word file's lists, counted as its paragraphs are read. */
export interface Numbering {
  /** The mark of the next paragraph of that list and level, such as `2.1. `. */
  markOf(list: string, level: number): string;
}

export async function readNumbering(archive: Archive, reading: Reading): Promise<Numbering> {
  const shapes = new Map<string, Map<number, Level>>();
  const shapeOfList = new Map<string, string>();
  let shape: Map<number, Level> | undefined;
  let level: Level | undefined;
  let list = '';
  const value = (attributes: Attributes) => attribute(attributes, 'val') ?? '';
  await readPart(archive, 'word/numbering.xml', reading, {
    open: {
      abstractNum(attributes) {
        shape = new Map();
        shapes.set(attribute(attributes, 'abstractNumId') ?? '', shape);
      },
      lvl(attributes) {
        level = { start: 1, format: 'decimal', text: '' };
        shape?.set(Number(attribute(attributes, 'ilvl')), level);
      },
      num(attributes) {
        list = attribute(attributes, 'numId') ?? '';
      },
      abstractNumId: (attributes) => void shapeOfList.set(list, value(attributes)),
      start(attributes) {
        if (level) level.start = Number(value(attributes));
      },
      numFmt(attributes) {
        if (level) level.format = value(attributes);
      },
      lvlText(attributes) {
        if (level) level.text = value(attributes);
      },
    },
    close: {
      lvl() {
        level = undefined;
      },
      abstractNum() {
        shape = undefined;
      },
    },
  });

  // Lists of one shape go on counting where the other ended.
  const counts = new Map<string, number[]>();
  return {
    markOf(id, at) {
      const key = shapeOfList.get(id) ?? '';
      const levels = shapes.get(key);
      const own = levels?.get(at);
      if (!levels || !own || at > 8) return '';
      const indent = '  '.repeat(at);
      if (own.format === 'bullet') return `${indent}- `;
      if (own.format === 'none') return '';
      const count = counts.get(key) ?? [];
      counts.set(key, count);
      count[at] = (count[at] ?? own.start - 1) + 1;
      count.length = at + 1;
      const mark = own.text.replace(/%(\d)/g, (_, digit: string) => {
        const of = levels.get(Number(digit) - 1);
        return numeral(count[Number(digit) - 1] ?? of?.start ?? 1, of?.format ?? 'decimal');
      });
      return mark === '' ? '' : `${indent}${mark} `;
    },
  };
}

/** A number as a list writes it; of what is not known, in digits. */
function numeral(value: number, format: string): string {
  switch (format) {
    case 'lowerLetter':
      return letters(value).toLowerCase();
    case 'upperLetter':
      return letters(value);
    case 'lowerRoman':
      return roman(value).toLowerCase();
    case 'upperRoman':
      return roman(value);
    case 'decimalZero':
      return String(value).padStart(2, '0');
    default:
      return String(value);
  }
}

/** After Z comes AA, then BB. */
const letters = (value: number): string =>
  value < 1 || value > 780 ? String(value) : String.fromCharCode(65 + ((value - 1) % 26)).repeat(Math.ceil(value / 26));

const ROMAN: readonly (readonly [value: number, sign: string])[] = [
  ...([
    [1000, 'M'],
    [900, 'CM'],
    [500, 'D'],
    [400, 'CD'],
  ] as const),
  ...([
    [100, 'C'],
    [90, 'XC'],
    [50, 'L'],
    [40, 'XL'],
  ] as const),
  ...([
    [10, 'X'],
    [9, 'IX'],
    [5, 'V'],
    [4, 'IV'],
    [1, 'I'],
  ] as const),
];

function roman(value: number): string {
  if (value < 1 || value > 3999) return String(value);
  let left = value;
  let text = '';
  for (const [worth, sign] of ROMAN) {
    for (; left >= worth; left -= worth) text += sign;
  }
  return text;
}
