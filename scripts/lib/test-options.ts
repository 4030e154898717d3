import { parseArgs } from 'node:util';
import { systemZone } from '../../engine/lib/schedule/zone.ts';
import { DATES } from '../../test/dates/dates.ts';

/** When the clock of a run begins, as a clock on the wall of a zone shows it; `number` where it is one of the plan. */
export interface RunDate {
  readonly number: number | null;
  readonly at: string;
  readonly zone: string;
  readonly everyFile: boolean;
}

export interface TestOptions {
  readonly real: boolean;
  /** Null: now. */
  readonly dates: readonly RunDate[] | null;
  /** For Vitest. */
  readonly rest: readonly string[];
}

/** Pure. `--real`, `--at DATE` and `--zone ZONE`, `--dates` or `--dates=1,4` of `test/dates/dates.ts`; the rest goes to Vitest. */
export function readOptions(args: readonly string[], now: Date): TestOptions | { readonly wrong: string } {
  const { found, rest } = ourOptions(args);
  const real = found.has('real');
  const isOne = found.has('at') || found.has('zone');
  if ([real, isOne, found.has('dates')].filter(Boolean).length > 1)
    return { wrong: '--real, --dates and --at with --zone exclude each other' };
  if (found.has('dates')) {
    const dates = plannedDates(found.get('dates') ?? '');
    return dates ? { real, dates, rest } : { wrong: `--dates=1,2 takes numbers up to ${DATES.length}` };
  }
  if (!isOne) return { real, dates: null, rest };
  const [at, zone] = [
    found.has('at') ? found.get('at') : wallTime(now),
    found.has('zone') ? found.get('zone') : systemZone(),
  ];
  if (at === undefined || zone === undefined) return { wrong: '--at and --zone want a value' };
  return { real, dates: [{ number: null, at, zone, everyFile: true }], rest };
}

const OPTIONS = {
  real: { type: 'boolean' },
  dates: { type: 'boolean' },
  at: { type: 'string' },
  zone: { type: 'string' },
} as const;

/** Ours by their names, as far as they have one with their value, and all that is left in its order. */
function ourOptions(args: readonly string[]) {
  const { tokens } = parseArgs({ args: [...args], strict: false, options: OPTIONS, tokens: true });
  const found = new Map<string, string | undefined>();
  const taken = new Set<number>();
  for (const token of tokens) {
    if (token.kind !== 'option' || !Object.hasOwn(OPTIONS, token.name)) continue;
    found.set(token.name, token.value);
    taken.add(token.index);
    if (token.value !== undefined && !token.inlineValue) taken.add(token.index + 1);
  }
  return { found, rest: args.filter((_, place) => !taken.has(place)) };
}

function plannedDates(numbers: string): readonly RunDate[] | null {
  const all = DATES.map(({ at, zone, everyFile = false }, place) => ({ number: place + 1, at, zone, everyFile }));
  if (numbers === '') return all;
  const chosen = numbers.split(',').map((text) => all.find(({ number }) => String(number) === text));
  return chosen.every((date) => date !== undefined) ? chosen : null;
}

/** Where only a zone is named: what its clocks show when those here show now. */
const wallTime = (now: Date): string =>
  new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
