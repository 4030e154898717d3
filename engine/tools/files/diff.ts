import { diff } from 'node:util';

/** More changed lines than this are not compared one by one: the time for it grows with their square. */
const MAX_COMPARED_LINES = 1500;
const MAX_SHOWN_LINES = 200;
const MAX_LINE_CHARS = 500;
const CONTEXT_LINES = 3;

interface Line {
  readonly sign: ' ' | '-' | '+' | '@';
  readonly text: string;
}

/**
 * What would change, as lines with `-` and `+` and a little around them; what is too much to show is counted.
 * `before` is null where nothing stands there.
 */
export function diffText(before: string | null, after: string): string {
  if (before === null) return 'There is no such file yet.';
  if (before === after) return 'Nothing would change.';
  const lines = hunksOf(linesBetween(before.split('\n'), after.split('\n')));
  const shown = lines.slice(0, MAX_SHOWN_LINES).map(({ sign, text }) => `${sign} ${cut(text)}`.trimEnd());
  const rest = lines.slice(MAX_SHOWN_LINES).filter(({ sign }) => sign === '-' || sign === '+').length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more changed lines`] : [])].join('\n');
}

const cut = (text: string): string =>
  text.length > MAX_LINE_CHARS ? `${text.slice(0, MAX_LINE_CHARS)} … (${text.length} characters)` : text;

/** Both texts line by line: only what stands between their common beginning and end is compared. */
function linesBetween(before: readonly string[], after: readonly string[]): Line[] {
  const least = Math.min(before.length, after.length);
  let head = 0;
  while (head < least && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < least - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ sign: ' ', text }));
  return [
    ...same(before.slice(0, head)),
    ...compare(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

function compare(gone: readonly string[], come: readonly string[]): Line[] {
  const signs = { '0': ' ', '1': '-', '-1': '+' } as const;
  if (gone.length + come.length <= MAX_COMPARED_LINES) {
    return diff(gone, come).map(([operation, text]) => ({ sign: signs[operation], text }));
  }
  return [...gone.map((text): Line => ({ sign: '-', text })), ...come.map((text): Line => ({ sign: '+', text }))];
}

/** Lines near a change; where some are left out, `@` says at which line it goes on. */
function hunksOf(lines: readonly Line[]): Line[] {
  const near = new Set<number>();
  for (const [index, { sign }] of lines.entries()) {
    if (sign === ' ') continue;
    for (let at = index - CONTEXT_LINES; at <= index + CONTEXT_LINES; at += 1) near.add(at);
  }
  let lineNumber = 0;
  let skipping = false;
  const kept: Line[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.sign !== '+') lineNumber += 1;
    if (!near.has(index)) {
      skipping = true;
      continue;
    }
    if (skipping) kept.push({ sign: '@', text: `line ${lineNumber}` });
    skipping = false;
    kept.push(line);
  }
  return kept;
}
