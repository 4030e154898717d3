import type { Cell } from '../../documents/types.ts';
import { amountOf, Decimal, type DecimalSign, signIn, type WrittenAmount, writtenNumber } from './amount.ts';

/** How the numbers of a column are written. */
export type NumberFormat =
  | { readonly kind: 'known'; readonly sign: DecimalSign }
  /** Each cell says it for itself, in different ways. */
  | { readonly kind: 'mixed' }
  /** No cell says it, and `example` may be either. */
  | { readonly kind: 'open'; readonly example: string }
  /** Nothing in the column needs it. */
  | { readonly kind: 'none' };

/** What the cells of one column tell together. */
export function numberFormatOf(cells: Iterable<Cell>): NumberFormat {
  let example: string | null = null;
  const seen = new Set<DecimalSign>();
  for (const cell of cells) {
    const written = typeof cell === 'string' ? writtenNumber(cell) : null;
    const sign = written === null ? 'none' : signIn(written.digits);
    if (sign === 'open') example ??= String(cell).trim();
    // What does not read as a number by its own sign (1.23.4) tells nothing of its neighbours.
    else if (sign !== 'none' && written !== null && amountOf(written, sign) !== null) seen.add(sign);
  }
  const [sign] = seen;
  if (seen.size === 2) return example === null ? { kind: 'mixed' } : { kind: 'open', example };
  if (sign !== undefined) return { kind: 'known', sign };
  return example === null ? { kind: 'none' } : { kind: 'open', example };
}

export interface Amount {
  readonly value: Decimal;
  readonly unit: string | null;
}

/** The number in a cell; null where there is none. */
export function amountIn(cell: Cell, format: NumberFormat): Amount | null {
  if (typeof cell === 'number') return Number.isFinite(cell) ? { value: new Decimal(cell), unit: null } : null;
  const written = typeof cell === 'string' ? writtenNumber(cell) : null;
  if (written === null) return null;
  const value = amountOf(written, signFor(written, format));
  return value === null ? null : { value, unit: written.unit };
}

function signFor({ digits }: WrittenAmount, format: NumberFormat): DecimalSign {
  if (format.kind === 'known') return format.sign;
  const own = signIn(digits);
  return own === '.' || own === ',' ? own : '.';
}
