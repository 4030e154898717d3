import * as token from 'css-tree/tokenizer';
import { ident } from 'css-tree/utils';

/** Functions whose value a browser fetches. */
const FETCHING = new Set([
  'url',
  'src',
  'image',
  'image-set',
  '-webkit-image-set',
  'cross-fade',
  '-webkit-cross-fade',
  'element',
  'paint',
]);

/**
 * The same CSS with nothing in it that a browser would fetch: such a function becomes one that there is not, so that what it
 * stands in is passed over, and so does `@import`. By the tokens of the standard, whatever escapes they are spelt in.
 */
export function withoutFetches(css: string): string {
  const parts: string[] = [];
  token.tokenize(css, (type, start, end) => {
    const text = css.slice(start, end);
    if (type === token.Url || type === token.BadUrl) parts.push('none()');
    else if (type === token.Function && FETCHING.has(ident.decode(text.slice(0, -1)).toLowerCase()))
      parts.push('none(');
    else if (type === token.AtKeyword && ident.decode(text.slice(1)).toLowerCase() === 'import') parts.push('@none');
    else parts.push(text);
  });
  return parts.join('');
}
