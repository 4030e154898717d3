import type ICAL from 'ical.js';

const UNITS: Readonly<Record<string, string>> = {
  SECONDLY: 'second',
  MINUTELY: 'minute',
  HOURLY: 'hour',
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
};
const DAYS: Readonly<Record<string, string>> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** A rule as people say it: `every 2 weeks on Monday and Wednesday, 10 times`. `until`: its last day. */
export function ruleInWords(rule: ICAL.Recur, until: string | null): string {
  const unit = UNITS[rule.freq] ?? 'time';
  const every = rule.interval > 1 ? `every ${rule.interval} ${unit}s` : `every ${unit}`;
  const part = (name: string): string[] => rule.getComponent(name).map(String).slice(0, 31);
  const days = part('BYDAY').map(weekday);
  const [positions, monthDays] = [part('BYSETPOS'), part('BYMONTHDAY')];
  const months = part('BYMONTH').map((month) => MONTHS[Number(month) - 1] ?? month);
  const which = positions.length > 0 ? `the ${list(positions.map((at) => nth(Number(at))))} of ` : '';
  const others = ['BYYEARDAY', 'BYWEEKNO', 'BYHOUR', 'BYMINUTE', 'BYSECOND'].flatMap((name) => {
    const values = part(name);
    return values.length > 0 ? [`${name} ${values.join(',')}`] : [];
  });
  const on = [
    ...(days.length > 0 ? [`on ${which}${list(days)}`] : []),
    ...(monthDays.length > 0 ? [`on the ${list(monthDays.map((day) => nth(Number(day), ' day')))} of the month`] : []),
    ...(months.length > 0 ? [`in ${list(months)}`] : []),
    ...(others.length > 0 ? [`(${others.join('; ')})`] : []),
  ];
  const end = rule.count ? [`${rule.count} times`] : until === null ? [] : [`until ${until}`];
  return [[every, ...on].join(' '), ...end].join(', ');
}

function weekday(text: string): string {
  const [, at = '', day = ''] = /^([+-]?\d*)(\w\w)$/.exec(text) ?? [];
  const name = DAYS[day] ?? text;
  return at === '' ? name : `the ${nth(Number(at))} ${name}`;
}

/** `1st`, `last`, `2nd last`; with what is counted where it stands alone: `last day`. */
function nth(at: number, counted = ''): string {
  if (at === -1) return `last${counted}`;
  const of = Math.abs(at);
  const tens = of % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][of % 10] ?? 'th');
  return at < 0 ? `${of}${ending} last${counted}` : `${of}${ending}`;
}

const list = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
