const LINE = '(?:[-–—]{2,100}|[_=*]{3,100})';
const BEGIN = new RegExp(`^${LINE}\\s?(?=[^-–—_=*\\s])`, 'u');
const END = new RegExp(`(?<=[^-–—_=*])${LINE}$`, 'u');
const MAX_DRAWN = 110;

/** Whether drawn dashes with words behind them begin the line. */
export const beginsDrawn = (line: string): boolean => BEGIN.test(line.slice(0, MAX_DRAWN));

/** What stands between two drawn lines: "---- On Monday Ada wrote ----". Null for any other line. */
export function drawnWords(line: string): string | null {
  const [begin] = BEGIN.exec(line.slice(0, MAX_DRAWN)) ?? [];
  const [end] = END.exec(line.slice(-MAX_DRAWN)) ?? [];
  if (begin === undefined || end === undefined || begin.length + end.length >= line.length) return null;
  const words = line.slice(begin.length, -end.length).trim();
  return /[\p{L}\p{N}]/u.test(words) ? words : null;
}
