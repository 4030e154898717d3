import { DAY_MS } from '../time.ts';
import { wallAt } from './zone.ts';

/** A part of each day on the clock of the wall, ends included. With `untilMs` before `fromMs` it goes over midnight. */
export interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Reads `08:00-12:00`; null when the text is none. `24:00` may end it. One moment is no window. */
export function parseWindow(text: string): Window | null {
  const [, from, until] = /^\s*(\d\d:\d\d)\s*-\s*(\d\d:\d\d)\s*$/.exec(text) ?? [];
  const [fromMs, untilMs] = [sinceMidnight(from), sinceMidnight(until)];
  if (fromMs === null || untilMs === null || fromMs === DAY_MS || fromMs === untilMs) return null;
  return { fromMs, untilMs };
}

/** Whether the clock of the zone shows a time within the window at that instant. */
export function inWindow(window: Window, zone: string, at: number): boolean {
  const wall = wallAt(zone, at);
  const time = ((wall % DAY_MS) + DAY_MS) % DAY_MS;
  const { fromMs, untilMs } = window;
  return fromMs < untilMs ? time >= fromMs && time <= untilMs : time >= fromMs || time <= untilMs;
}

function sinceMidnight(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [hours, minutes] = [Number(text.slice(0, 2)), Number(text.slice(3))];
  const ms = (hours * 60 + minutes) * 60_000;
  return minutes < 60 && ms <= DAY_MS ? ms : null;
}
