import { endOfDay, instantOf } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { UsageSum } from '../../storage/ports/runs.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { type About, withAbout } from '../about.ts';
import { personasOf } from '../mail/traffic.ts';
import type { QueryPorts } from '../ports.ts';
import type { ConsoleViewer } from '../viewer.ts';

/** Money and runs of one day, one persona, one model, one person or one task. */
export interface SpentOn {
  readonly key: string;
  readonly runs: number;
  readonly tokens: number;
  readonly usd: number;
}

export interface Spending {
  /** The days that are told of, `2026-11-21`, both included; each by the clock of its persona. */
  readonly from: string;
  readonly to: string;
  readonly total: Omit<SpentOn, 'key'>;
  /** Every day of them, the newest last. */
  readonly days: readonly SpentOn[];
  /** The dearest first. */
  readonly personas: readonly (SpentOn & { readonly name: string; readonly usdPerDay: number | null })[];
  readonly models: readonly SpentOn[];
  /** The same by who sends the bill. */
  readonly providers: readonly SpentOn[];
  readonly people: readonly SpentOn[];
  readonly tasks: readonly SpentOn[];
  readonly dearest: readonly (About &
    Pick<StoredRun, 'id' | 'cost_usd' | 'created_at' | 'model' | 'provider'> & { persona: string })[];
  /** Personas whose models, people, tasks and runs were looked at; the others spent less. */
  readonly lookedInto: number;
  readonly spenders: number;
  /** What this month has cost, and what it will have cost if each day that is left costs as the last seven did. */
  readonly month: {
    readonly usd: number;
    readonly forecast: number;
    readonly daysLeft: number;
    readonly perDay: number;
  };
}

/** So many personas are opened for one look, those that spent most. */
const MOST_OPENED = 20;
const MOST_ROWS = 20;
const MOST_DAYS = 62;

/** What was spent from one day to another, both included. Throws `not_found` for a persona that is not the viewer's. */
export async function spendingOf(
  ports: QueryPorts,
  viewer: ConsoleViewer,
  { from, to, persona }: { readonly from: string; readonly to: string; readonly persona?: string | undefined },
): Promise<Spending> {
  const { live, overviews, clock } = ports;
  const ids = personasOf(viewer, persona).filter((id) => id !== '');
  const midnight = Math.floor(clock.now() / DAY_MS) * DAY_MS;
  const found = await overviews.of(ids, midnight);
  const byDay = new Map(daysBetween(from, to).map((day) => [day, nothing(day)]));
  const byPersona = new Map<string, SpentOn>();
  const [thisMonth, today] = [monthOf(to), to];
  const recent = daysBetween(dayBefore(today, 6), today);
  const sums = { month: 0, week: 0 };
  for (const [id, { spent }] of found) {
    for (const { day, runs, tokens, usd } of spent) {
      if (monthOf(day) === thisMonth && day <= today) sums.month += usd;
      if (recent.includes(day)) sums.week += usd;
      const before = byDay.get(day);
      if (before === undefined) continue;
      byDay.set(day, plus(before, { runs, tokens, usd }));
      byPersona.set(id, plus(byPersona.get(id) ?? nothing(id), { runs, tokens, usd }));
    }
  }
  const dearestFirst = [...byPersona.values()].filter(({ runs, usd }) => runs > 0 || usd > 0).sort(byUsd);
  const opened = dearestFirst.slice(0, MOST_OPENED).map(({ key }) => key);
  const daysLeft = lastOfMonth(today) - Number(today.slice(8));
  const perDay = sums.week / recent.length;
  return {
    from,
    to,
    total: [...byDay.values()].reduce(plus, nothing('')),
    days: [...byDay.values()],
    personas: dearestFirst.slice(0, MOST_ROWS).map((one) => {
      const entry = live.personas().get(one.key);
      const ready = entry?.state === 'ready' ? entry.persona : null;
      return { ...one, name: ready?.name ?? one.key, usdPerDay: ready?.budget.usd_per_day ?? null };
    }),
    ...(await within(ports, opened, { from, to })),
    lookedInto: opened.length,
    spenders: dearestFirst.length,
    month: { usd: sums.month, forecast: sums.month + perDay * daysLeft, daysLeft, perDay },
  };
}

/** What the runs of these personas tell that a sum of days does not. */
async function within(
  { live, stores }: QueryPorts,
  personas: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Pick<Spending, 'models' | 'providers' | 'people' | 'tasks' | 'dearest'>> {
  const sums = { models: [] as SpentOn[], people: [] as SpentOn[], tasks: [] as SpentOn[] };
  const dearest: Spending['dearest'][number][] = [];
  for (const persona of personas) {
    if (!stores.exists(persona)) continue;
    const entry = live.personas().get(persona);
    const zone = entry?.state === 'ready' ? entry.persona.timezone : 'UTC';
    const begin = instantOf(zone, Date.parse(`${from}T00:00:00Z`));
    const end = endOfDay(zone, to);
    await stores.use(persona, async (store) => {
      sums.models.push(...(await store.usage(begin, end, 'provider')).flatMap(named));
      sums.people.push(...(await store.usage(begin, end, 'sender')).flatMap(named));
      const tasks = (await store.usage(begin, end, 'task')).flatMap(named);
      sums.tasks.push(...tasks.map((task) => ({ ...task, key: `${persona}/${task.key}` })));
      const runs = await withAbout(store, await store.dearestRuns(begin, end, MOST_ROWS / 2), ({ id }) => id);
      for (const { id, cost_usd, created_at, model, provider, about } of runs)
        dearest.push({ id, cost_usd, created_at, model, provider, persona, ...about });
    });
  }
  return {
    models: merged(sums.models),
    providers: merged(sums.models.map((one) => ({ ...one, key: one.key.split('/', 1)[0] ?? one.key }))),
    people: merged(sums.people),
    tasks: merged(sums.tasks),
    dearest: dearest.sort((a, b) => b.cost_usd - a.cost_usd).slice(0, MOST_ROWS / 2),
  };
}

const named = ({ key, runs, input, output, cost_usd: usd }: UsageSum): SpentOn[] =>
  key === null || runs === 0 ? [] : [{ key, runs, tokens: input + output, usd }];

const nothing = (key: string): SpentOn => ({ key, runs: 0, tokens: 0, usd: 0 });
const plus = (one: SpentOn, other: Omit<SpentOn, 'key'>): SpentOn => ({
  key: one.key,
  runs: one.runs + other.runs,
  tokens: one.tokens + other.tokens,
  usd: one.usd + other.usd,
});
const byUsd = (a: SpentOn, b: SpentOn): number => b.usd - a.usd || b.runs - a.runs || (a.key < b.key ? -1 : 1);

const merged = (rows: readonly SpentOn[]): readonly SpentOn[] =>
  [...Map.groupBy(rows, ({ key }) => key)]
    .map(([key, of]) => of.reduce(plus, nothing(key)))
    .sort(byUsd)
    .slice(0, MOST_ROWS);

const dayBefore = (day: string, days: number): string => dayOf(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS);
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const monthOf = (day: string): string => day.slice(0, 7);
const lastOfMonth = (day: string): number =>
  new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate();

/** Both included; so many at most, the newest. */
function daysBetween(from: string, to: string): readonly string[] {
  const last = Date.parse(`${to}T00:00:00Z`);
  const first = Math.max(Date.parse(`${from}T00:00:00Z`), last - (MOST_DAYS - 1) * DAY_MS);
  const days: string[] = [];
  for (let at = first; at <= last; at += DAY_MS) days.push(dayOf(at));
  return days;
}
