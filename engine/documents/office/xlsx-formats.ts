import type { Reading } from '../reading.ts';
import type { Archive } from '../zip/archive.ts';
import { readPart } from './package.ts';

export type CellFormat = 'number' | 'date' | 'time' | 'datetime' | 'duration';

/** Formats of ECMA-376, 18.8.30 that every program knows by their number. */
const BUILT_IN: Readonly<Record<number, CellFormat>> = {
  ...Object.fromEntries(
    [14, 15, 16, 17, ...range(27, 31), ...range(34, 36), ...range(50, 58)].map((id) => [id, 'date']),
  ),
  ...Object.fromEntries([18, 19, 20, 21, 32, 33, 45, 47].map((id) => [id, 'time'])),
  22: 'datetime',
  46: 'duration',
};

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** What a number under each style of a workbook stands for, by the style's place. */
export async function readFormats(archive: Archive, part: string, reading: Reading): Promise<readonly CellFormat[]> {
  const own = new Map<number, CellFormat>();
  const styles: CellFormat[] = [];
  let isOfCells = false;
  const turn = (to: boolean) => () => {
    isOfCells = to;
  };
  await readPart(archive, part, reading, {
    open: {
      numFmt: ({ numFmtId, formatCode = '' }) => void own.set(Number(numFmtId), formatOf(formatCode)),
      cellXfs: turn(true),
      xf({ numFmtId }) {
        const id = Number(numFmtId);
        if (isOfCells) styles.push(own.get(id) ?? BUILT_IN[id] ?? 'number');
      },
    },
    close: { cellXfs: turn(false) },
  });
  return styles;
}

/** As long as a spreadsheet lets one be. */
export const MAX_FORMAT = 255;

/** By the letters of a format, without what stands in quotes, brackets or behind a backslash. */
function formatOf(code: string): CellFormat {
  const [positive = ''] = code
    .slice(0, MAX_FORMAT)
    .replace(/"[^"]*"|\\.|_./g, '')
    .split(';');
  if (/\[(?:h+|m+|s+)\]/i.test(positive)) return 'duration';
  const letters = positive
    .replace(/\[[^\]]*\]/g, '')
    .replace(/general|am\/pm|a\/p/gi, '')
    .toLowerCase();
  const hasDay = /[dyg]|mmm/.test(letters) || (/m/.test(letters) && !/[hs]/.test(letters));
  const hasTime = /[hs]/.test(letters);
  if (hasDay) return hasTime ? 'datetime' : 'date';
  return hasTime ? 'time' : 'number';
}

/**
 * A number of days as what its format stands for. Day 60 of the calendar that begins in 1900 never was: a program of
 * the eighties took 1900 for a leap year, and all since then count on with it.
 */
export function dated(days: number, format: CellFormat, isFrom1904: boolean): string | number {
  if (format === 'number' || !Number.isFinite(days) || days < 0 || days > 2_958_466) return days;
  if (format === 'duration') return clock(Math.round(days * 86_400));
  if (format === 'time' && days < 1) return clock(Math.round(days * 86_400) % 86_400);
  const epoch = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const at = new Date(epoch + Math.round(days * 86_400) * 1000).toISOString();
  return format === 'date' || at.endsWith('T00:00:00.000Z') ? at.slice(0, 10) : at.slice(0, 19);
}

function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
