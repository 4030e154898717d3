const SHAPE = /\d{1,2}[\s-]+[a-z]{3,9}[\s,-]+\d{2,4}[\s,]+\d{1,2}:\d{2}|^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/i;
const LAST = Date.UTC(2100, 0, 1);

/**
 * A Date header (RFC 5322 section 3.3) in ms; null when it is none. mailparser answers an unreadable date with now,
 * and V8 makes a date of "garbage 5", so the shape is asked for first.
 */
export function parseMailDate(header: string): number | null {
  const text = header
    .slice(0, 200)
    .replace(/\([^()]*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (!SHAPE.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || ms < 0 || ms > LAST ? null : ms;
}
