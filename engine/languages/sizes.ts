import type { Language } from './language.ts';

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;

/** As people write it: `10 bytes`, `6.3 MB`. */
export function sizeOf(bytes: number, language: Language): string {
  const power = bytes < 1000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  const unitDisplay = power === 0 ? 'long' : 'short';
  const style = { style: 'unit', unit: UNITS[power], unitDisplay, maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, style).format(bytes / 1000 ** power);
}

/** A sum as people write it: `1,234.50`, `1.234,50`. */
export const sumOf = (amount: number, language: Language, digits = 2): string =>
  new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(amount);
