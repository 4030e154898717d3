import { styleText } from 'node:util';

export type Paint = (style: 'bold' | 'dim' | 'green' | 'red', text: string) => string;

/** Colours for a terminal; none in a pipe, and none with NO_COLOR, which here also wins over FORCE_COLOR. */
export const createPaint =
  (noColor: boolean): Paint =>
  (style, text) =>
    noColor ? text : styleText(style, text);
