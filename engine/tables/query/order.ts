import { Decimal } from '../values/amount.ts';

/** Null: nothing stands there. */
export type SortKey = Decimal | string | null;

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Numbers, then texts and dates; what is empty comes last either way. */
export function compareKeys(a: SortKey, b: SortKey, isDescending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order =
    a instanceof Decimal && b instanceof Decimal
      ? a.comparedTo(b)
      : a instanceof Decimal
        ? -1
        : b instanceof Decimal
          ? 1
          : collator.compare(a, b);
  return isDescending ? -order : order;
}

interface Order {
  readonly what: string;
  readonly isDescending: boolean;
}

export function orderOf(text: string): Order {
  const trimmed = text.trim();
  const way = /(?<!\s)\s+(asc|desc)(?:ending)?$/i.exec(trimmed);
  const what = trimmed.slice(0, way?.index);
  const isMinus = /^-\s*\S/.test(what);
  return { what: isMinus ? what.slice(1).trim() : what, isDescending: isMinus || way?.[1]?.toLowerCase() === 'desc' };
}
