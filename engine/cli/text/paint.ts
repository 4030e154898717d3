import { styleText } from 'node:util';

/** Colours for a terminal; none in a pipe, and none with NO_COLOR, which here also wins over FORCE_COLOR. */
export function createPaint(noColor: boolean): (style: 'bold' | 'dim' | 'green' | 'red', text: string) => string {
  return (style, text) => (noColor ? text : styleText(style, text));
}
