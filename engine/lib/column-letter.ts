/** How a spreadsheet calls its nth column, from 0: `A`, `Z`, `AA`; '' for none. Pure. */
export const columnLetter = (index: number): string =>
  index < 0 ? '' : `${columnLetter(Math.floor(index / 26) - 1)}${String.fromCharCode(65 + (index % 26))}`;
