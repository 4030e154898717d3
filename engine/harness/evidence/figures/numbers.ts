/** Which sign stands before the decimals where a number leaves that open: "1.234", "1,234". */
export type DecimalSign = '.' | ',';

export interface Amount {
  readonly value: number;
  /** Digits behind the decimal sign, as written. */
  readonly decimals: number;
}

/**
 * What digits with their separators can mean, without sign and unit; two amounts where one separator before three
 * digits may be either, none for what is no number (1.2.3).
 */
export function amountsOf(written: string): readonly Amount[] {
  const digits = written.replace(/[ '’]/g, '');
  const isGrouped = digits.length < written.length;
  const signs = [...new Set(digits.match(/[.,]/g) ?? [])];
  if (signs.length === 2) return [amountOf(digits, digits.lastIndexOf(',') > digits.lastIndexOf('.') ? ',' : '.')];
  const [sign] = signs;
  if (sign === undefined) return [amountOf(digits, '.')];
  const parts = digits.split(sign);
  if (parts.length > 2) return areGroups(parts) ? [amountOf(digits, sign === '.' ? ',' : '.')] : [];
  if (isGrouped || parts[1]?.length !== 3 || !/^[1-9]\d{0,2}$/.test(parts[0] ?? ''))
    return [amountOf(digits, sign as DecimalSign)];
  return [amountOf(digits, '.'), amountOf(digits, ',')];
}

/** Threes, or the twos and a three of India. */
const areGroups = ([first = '', ...rest]: readonly string[]): boolean =>
  first.length <= 3 &&
  rest.at(-1)?.length === 3 &&
  rest.slice(0, -1).every(({ length }) => length === 3 || length === 2);

function amountOf(digits: string, decimal: string): Amount {
  const [whole = '', fraction = ''] = digits.replaceAll(decimal === '.' ? ',' : '.', '').split(decimal);
  return { value: Number(`${whole || '0'}.${fraction || '0'}`), decimals: fraction.length };
}

/** The sign that a written number settles for its neighbours; null where it leaves it open. */
export function decimalSignIn(written: string): DecimalSign | null {
  const signs = [...new Set(written.match(/[.,]/g) ?? [])];
  if (signs.length === 2) return written.lastIndexOf(',') > written.lastIndexOf('.') ? ',' : '.';
  const [sign] = signs;
  if (sign === undefined || amountsOf(written).length !== 1) return null;
  const isGroup = written.split(sign).length > 2;
  return (sign === '.') === isGroup ? ',' : '.';
}
