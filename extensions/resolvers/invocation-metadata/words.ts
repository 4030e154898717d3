/** What could be taken for markup around it; `<you@example.com>` is an address and stays. */
const TAG_START = /<(?=[a-z/!?|])(?![^\s<>@]{1,320}@[^\s<>@]{1,255}>)/gi;

/**
 * One line that a mail cannot break out of: controls, line separators and invisible characters become spaces, angle
 * brackets of tags are escaped, and it is cut. For text that a sender chose.
 */
export function oneLine(text: string, maxCharacters: number): string {
  const line = text
    .slice(0, maxCharacters * 2)
    .replace(
      /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu,
      ' ',
    )
    .replace(TAG_START, '&lt;')
    .trim();
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters).toWellFormed()}…` : line.toWellFormed();
}

const TIERS = new Map([
  ['owner', 'an owner of this persona; the sender is proven'],
  ['member', 'an allowed correspondent; the sender is proven'],
  ['known', 'known in this thread only; the sender is proven'],
  ['stranger', 'a stranger; the sender is proven but nobody vouches for them'],
]);

/** A tier in words; any other than these is unproven. */
export const tierInWords = (tier: string): string =>
  TIERS.get(tier) ?? 'unproven: anybody could have written this under that name';

/** One per zone: making one takes longer than everything else that this resolver does. */
const timeFormats = new Map<string, Intl.DateTimeFormat>();

function timeFormat(timezone: string): Intl.DateTimeFormat {
  const known = timeFormats.get(timezone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
  });
  timeFormats.set(timezone, format);
  return format;
}

/** `Saturday, 21 November 2026, 23:21 (Europe/Berlin, GMT+1)`, or without the zone; null when it is no time. */
export function localTime(isoTime: string, timezone: string, { withZone = true } = {}): string | null {
  const date = new Date(isoTime);
  if (Number.isNaN(date.getTime())) return null;
  const { time, zone } = minuteIn(timezone, date);
  return withZone ? `${time} (${timezone}, ${zone})` : time;
}

interface Minute {
  readonly time: string;
  readonly zone: string;
}

/** The newest ones: mails come and are written in the same few minutes. */
const MAX_MINUTES = 64;
const minutes = new Map<string, Minute>();

function minuteIn(timezone: string, date: Date): Minute {
  const key = `${Math.floor(date.getTime() / 60_000)} ${timezone}`;
  const known = minutes.get(key);
  if (known) return known;
  const parts = new Map(
    timeFormat(timezone)
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const day = `${part('weekday')}, ${part('day')} ${part('month')} ${part('year')}`;
  const made = { time: `${day}, ${part('hour')}:${part('minute')}`, zone: part('timeZoneName') };
  minutes.set(key, made);
  const [oldest] = minutes.keys();
  if (minutes.size > MAX_MINUTES && oldest !== undefined) minutes.delete(oldest);
  return made;
}
