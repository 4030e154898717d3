import { wallAt } from './zone.ts';

/** `2026-11-21` in the persona's zone: the day that budgets count by. */
export const localDay = (now: number, timezone: string): string =>
  new Date(wallAt(timezone, now)).toISOString().slice(0, 10);
