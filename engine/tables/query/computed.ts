import type { Cell } from '../../documents/types.ts';
import { type Cells, type Column, columnNamed, isColumn } from '../columns.ts';
import { QueryError } from '../query-error.ts';
import { type Computed, worked } from './arithmetic.ts';
import { type Parsed, parsed } from './arithmetic-grammar.ts';
import { dateAt, numberAt, textAt } from './value.ts';

/** Whether a text that is the name of no column works with columns: `Price * Quantity`, `round(Total / 3, 2)`. */
export const isArithmetic = (text: string, columns: readonly Column[]): boolean =>
  !isColumn(text, columns) && (/[-+*/^]/.test(text) || /^\s*(?:round|abs)\s*\(/i.test(text));

/**
 * A column that is worked out of others, row by row, and is like any other from there on. A row is empty in it where one
 * of them is, and has the words of the first that holds words. Throws a `QueryError` for what cannot be read.
 */
export function computedColumn(text: string, columns: readonly Column[]): Column {
  const operands: Column[] = [];
  const tree = parsed(text, (name) => {
    const column = columnNamed(name, columns);
    if (!operands.includes(column)) operands.push(column);
    return column;
  });
  if (operands.length === 0)
    throw new QueryError(`"${text.slice(0, 100)}" has no column in it: work it out with calculate`);
  const known = new WeakMap<readonly Cell[], Cell>();
  return {
    index: -1,
    letter: lettersIn(tree),
    name: text.replace(/\s+/g, ' ').trim(),
    unit: null,
    numbers: { kind: 'known', sign: '.' },
    numbersFrom: null,
    dates: { kind: 'none' },
    made: {
      letters: operands.map(({ letter }) => letter),
      cellOf(row) {
        const before = known.get(row.cells);
        if (before !== undefined) return before;
        const found = cellOf(worked(tree, (column) => operandAt(row, column)));
        known.set(row.cells, found);
        return found;
      },
    },
  };
}

function operandAt(row: Cells, column: Column): Computed {
  const amount = numberAt(row, column);
  if (amount !== null) return { kind: 'amount', ...amount };
  const date = dateAt(row, column);
  if (date !== null) return { kind: 'date', date };
  const words = textAt(row, column) ?? '';
  return words === '' ? { kind: 'empty' } : { kind: 'words', text: words };
}

/** So many digits are kept of a quotient; more than any cell that is shown has. */
const DIGITS = 30;

function cellOf(found: Computed): Cell {
  switch (found.kind) {
    case 'empty':
      return null;
    case 'words':
      return found.text;
    case 'date':
      return found.date;
    case 'amount': {
      const digits = found.value.toSignificantDigits(DIGITS).toFixed();
      return found.unit === null ? digits : `${digits} ${found.unit}`;
    }
  }
}

/** As it would stand in a sheet, without the number of its row: `B * C`. */
function lettersIn(tree: Parsed<Column>, isInner = false): string {
  switch (tree.kind) {
    case 'number':
      return tree.value.toFixed();
    case 'column':
      return tree.column.letter;
    case 'negative':
      return `-${lettersIn(tree.of, true)}`;
    case 'call':
      return `${tree.name}(${tree.of.map((one) => lettersIn(one)).join(', ')})`;
    case 'two': {
      const both = `${lettersIn(tree.left, true)} ${tree.sign} ${lettersIn(tree.right, true)}`;
      return isInner ? `(${both})` : both;
    }
  }
}
