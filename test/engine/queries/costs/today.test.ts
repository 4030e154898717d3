import { expect, it } from 'vitest';
import { spentToday } from '../../../../engine/queries/costs/today.ts';
import type { Overview } from '../../../../engine/storage/types/overview.ts';

const zones = { kiri: 'Pacific/Kiritimati', hono: 'Pacific/Honolulu', lond: 'Europe/London' };
const personas = Object.entries(zones).map(([id, timezone]) => ({
  state: 'ready',
  id,
  persona: { id, name: id, timezone, budget: { usd_per_day: 5 } },
}));
/** On the 28th each has spent 1 in 1 run, on the 29th 2 in 2 runs: by its own clock, as budgets are kept. */
const spent = [29, 28].map((day) => ({
  day: `2026-11-${day}`,
  runs: day - 27,
  usd: day - 27,
  tokens: 0,
  reserved_usd: 0,
}));

it.each([
  ['2026-11-28T09:00Z', { kiri: 1, hono: 0, lond: 1 }],
  ['2026-11-28T11:00Z', { kiri: 2, hono: 1, lond: 1 }],
  ['2026-11-29T01:00Z', { kiri: 2, hono: 1, lond: 2 }],
])('what was spent at %s is that of the day of each persona', async (at, expected) => {
  const ports = {
    live: { personas: () => ({ all: () => personas }) },
    overviews: {
      of: async (ids: Iterable<string>) => new Map([...ids].map((id) => [id, { spent } as unknown as Overview])),
    },
  } as unknown as Parameters<typeof spentToday>[0];
  const today = await spentToday(ports, Date.parse(at));
  expect(Object.fromEntries(today.map(({ name, usd }) => [name, usd]))).toEqual(expected);
  expect(today.map(({ runs }) => runs)).toEqual(today.map(({ usd }) => usd));
});
