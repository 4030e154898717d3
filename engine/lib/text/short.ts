const WIDTH = 100;

/** A text in one line, cut to what a line of a terminal takes. */
export function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > WIDTH ? `${line.slice(0, WIDTH - 1).toWellFormed()}…` : line;
}
