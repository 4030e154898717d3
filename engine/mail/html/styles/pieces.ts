import * as token from 'css-tree/tokenizer';

interface CssPiece {
  /** Without comments. */
  readonly text: string;
  /** The sign that ends it; empty at the end of all. */
  readonly sign: string;
}

/** The signs that divide a style sheet, a `style` attribute and a list of selectors. */
const DIVIDERS = { sheet: '{};', attribute: ';', list: ',' } as const;

/**
 * Divides CSS at its signs: one inside a string, brackets or an escape divides nothing, or `content:";display:block"`
 * would show what `display:none` hides. Braces divide a sheet even inside brackets.
 */
export function eachPiece(css: string, where: keyof typeof DIVIDERS, take: (piece: CssPiece) => void): void {
  const dividers = DIVIDERS[where];
  let text = '';
  let from = 0;
  let depth = 0;
  token.tokenize(css, (type, start, end) => {
    if (type === token.Comment) {
      text += css.slice(from, start);
      from = end;
      return;
    }
    const isBrace = type === token.LeftCurlyBracket || type === token.RightCurlyBracket;
    const sign = end - start === 1 ? css.charAt(start) : '';
    if (sign !== '' && dividers.includes(sign) && (isBrace || depth === 0)) {
      take({ text: text + css.slice(from, start), sign });
      text = '';
      from = end;
      depth = 0;
    } else if (OPENS.has(type)) depth += 1;
    else if (CLOSES.has(type)) depth = Math.max(0, depth - 1);
  });
  take({ text: text + css.slice(from), sign: '' });
}

const OPENS = new Set([token.Function, token.LeftParenthesis, token.LeftSquareBracket, token.LeftCurlyBracket]);
const CLOSES = new Set([token.RightParenthesis, token.RightSquareBracket, token.RightCurlyBracket]);
