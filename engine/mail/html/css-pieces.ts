export interface CssPiece {
  readonly text: string;
  /** The sign that ends it; empty at the end of all. */
  readonly sign: '{' | '}' | ';' | '';
}

/**
 * CSS at its semicolons and, in a sheet, its braces: those inside a string, brackets or an escape divide nothing, or
 * `content:";display:block"` would show what `display:none` hides. Each character is passed once.
 */
export function* cssPieces(css: string, where: 'sheet' | 'attribute'): Generator<CssPiece> {
  const isSheet = where === 'sheet';
  const opens = isSheet ? '([' : '([{';
  const closes = isSheet ? ')]' : ')]}';
  let start = 0;
  let depth = 0;
  for (let index = 0; index < css.length; index += 1) {
    const sign = css.charAt(index);
    if (sign === '\\') index += 1;
    else if (sign === '"' || sign === "'") index = endOfString(css, index, sign);
    else if (opens.includes(sign)) depth += 1;
    else if (closes.includes(sign)) depth = Math.max(0, depth - 1);
    else if (divides(sign, isSheet, depth)) {
      yield { text: css.slice(start, index), sign };
      start = index + 1;
      depth = 0;
    }
  }
  yield { text: css.slice(start), sign: '' };
}

const divides = (sign: string, isSheet: boolean, depth: number): sign is '{' | '}' | ';' =>
  sign === ';' ? depth === 0 : isSheet && (sign === '{' || sign === '}');

/** The index of its closing mark; a line break ends a string that nobody closed. */
function endOfString(css: string, open: number, mark: string): number {
  for (let index = open + 1; index < css.length; index += 1) {
    const sign = css.charAt(index);
    if (sign === '\\') index += 1;
    else if (sign === mark || sign === '\n') return index;
  }
  return css.length;
}
