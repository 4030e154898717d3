export type Holds = 'yes' | 'no' | 'unknown';

/** What people read mail on when nothing else is said: rules for it hold, rules for other screens or for paper do not. */
const SCREEN: Readonly<Record<string, number>> = {
  width: 1280,
  height: 800,
  'device-width': 1280,
  'device-height': 800,
};
const SETTINGS: ReadonlyMap<string, string> = new Map([
  ['orientation', 'landscape'],
  ['prefers-color-scheme', 'light'],
  ['hover', 'hover'],
  ['pointer', 'fine'],
  ['scripting', 'none'],
]);

/** Whether the rules inside `@media …` hold on an ordinary screen; one that we cannot read may hold. */
export function mediaHolds(prelude: string): Holds {
  const queries = prelude.slice(0, 2000).toLowerCase().split(',').map(queryHolds);
  if (queries.includes('yes')) return 'yes';
  return queries.includes('unknown') ? 'unknown' : 'no';
}

function queryHolds(query: string): Holds {
  const words = query.trim().replace(/\s+/g, ' ');
  const [, sign, rest = ''] = /^(not |only )?(.*)$/.exec(words) ?? [];
  const parts = rest.split(' and ').map(partHolds);
  const all = parts.includes('no') ? 'no' : parts.includes('unknown') ? 'unknown' : 'yes';
  return sign === 'not ' && all !== 'unknown' ? (all === 'yes' ? 'no' : 'yes') : all;
}

function partHolds(part: string): Holds {
  const text = part.trim();
  if (text === '' || text === 'all' || text === 'screen') return 'yes';
  if (/^[a-z]+$/.test(text)) return 'no';
  const [, name = '', value] = /^\( ?([a-z-]{1,40}) ?(?:: ?([^()]{1,40}))?\)$/.exec(text) ?? [];
  const [, bound, side = ''] = /^(min|max)-(.{1,40})$/.exec(name) ?? [];
  const have = SCREEN[side];
  const length = lengthOf(value);
  if (have !== undefined && length !== null) return (bound === 'min' ? have >= length : have <= length) ? 'yes' : 'no';
  const setting = SETTINGS.get(name);
  if (setting !== undefined) return value === undefined || value.trim() === setting ? 'yes' : 'no';
  return rangeHolds(text);
}

/** `(width >= 600px)`, `(400px < width <= 600px)`. */
function rangeHolds(text: string): Holds {
  const [, low, lowSign, side = '', highSign, high] =
    /^\( ?(?:([\d.]{1,9}[a-z]{0,4}) ?(<=?|>=?) ?)?(width|height) ?(?:(<=?|>=?) ?([\d.]{1,9}[a-z]{0,4}) ?)?\)$/.exec(
      text,
    ) ?? [];
  const have = SCREEN[side];
  if (have === undefined || (low ?? high) === undefined) return 'unknown';
  const within = (sign: string | undefined, limit: number | null, isLeft: boolean): boolean =>
    limit === null || (sign?.startsWith('<') === isLeft ? have >= limit : have <= limit);
  return within(lowSign, lengthOf(low), true) && within(highSign, lengthOf(high), false) ? 'yes' : 'no';
}

function lengthOf(value: string | undefined): number | null {
  const [, number, unit] = /^([\d.]{1,9}) ?(px|em|rem|pt)?$/.exec(value?.trim() ?? '') ?? [];
  if (number === undefined) return null;
  return Number(number) * (unit === 'em' || unit === 'rem' ? 16 : unit === 'pt' ? 4 / 3 : 1);
}
