/** All other texts stand in quotes: a subject must not look like further fields, nor an error like further lines. */
const PLAIN = /^[^\s="\p{Cc}]{1,2000}$/u;

/** A line of the log for people: its time (without the day, unless `day`), its level, its message and its fields. */
export function lineInWords(line: Readonly<Record<string, unknown>>, { day = false } = {}): string {
  const { level, time, msg, ...fields } = line;
  const rest = Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value)}`)
    .join(' ');
  const at = day ? `${String(time).slice(0, 19)}Z` : String(time).slice(11, 19);
  return `${at} ${String(level).padEnd(5)} ${msg ?? ''}${rest ? `  ${rest}` : ''}`;
}
