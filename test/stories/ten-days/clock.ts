import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { instantIn, localTime } from '../../../engine/lib/schedule/zone.ts';
import { SHIFT, shiftedEnvironment } from '../../dates/shift.ts';

export const ZONE = 'Europe/Berlin';
/** On the wall of the shop, when a day begins. */
export const MORNING = '08:30';

const DAY_MS = 86_400_000;

/** What is known of the time of the story. */
export interface Time {
  /** `2026-11-30`: the Monday with which it begins. */
  readonly firstDay: string;
  /** 1 to 10, and on. */
  readonly day: number;
  /** By how much its clock is ahead of the machine's. */
  readonly shiftMs: number;
}

/** This program may itself live in the time of the story: its own clock is ahead by so much then. */
const ownShiftMs = Number(process.env[SHIFT] ?? 0);
const realNow = () => Date.now() - ownShiftMs;

export const nowIn = ({ shiftMs }: Time): number => realNow() + shiftMs;

export const onTheWall = (time: Time): string => localTime(ZONE, nowIn(time)).slice(0, 16).replace('T', ' ');

const dateOf = (firstDay: string, day: number): string =>
  new Date(Date.parse(`${firstDay}T12:00:00Z`) + (day - 1) * DAY_MS).toISOString().slice(0, 10);

/** The first Monday that is at least a day away: the clock of the story goes ahead of ours, never behind. */
export function firstMonday(): string {
  const days = Array.from({ length: 8 }, (_, at) => localTime(ZONE, realNow() + (at + 1) * DAY_MS).slice(0, 10));
  return days.find((date) => new Date(`${date}T12:00:00Z`).getUTCDay() === 1) ?? '';
}

/** The same story on that day at that hour. */
export function timeAt(firstDay: string, day: number, hour: string): Time {
  const at = instantIn(ZONE, `${dateOf(firstDay, day)}T${hour}`, 'the hour');
  return { firstDay, day, shiftMs: Math.round((at - realNow()) / 1000) * 1000 };
}

const VARIABLES = ['TZ', SHIFT, 'LD_PRELOAD', 'FAKETIME', 'FAKETIME_DONT_FAKE_MONOTONIC', 'NODE_OPTIONS'];

/** What a program has in its environment so that it lives in that time. */
export function environmentOf({ shiftMs }: Time): Readonly<Record<string, string>> {
  const now = realNow();
  const at = localTime(ZONE, now + shiftMs).slice(0, 19);
  const shifted = shiftedEnvironment({ at, zone: ZONE }, {}, now);
  return Object.fromEntries(VARIABLES.map((name) => [name, String(shifted[name] ?? '')]));
}

const clockFile = (folder: string) => join(folder, 'clock');

/** Servers that run already follow it at once. */
export function setServers(folder: string, { shiftMs }: Time): void {
  writeFileSync(clockFile(folder), `+${shiftMs / 1000}\n`);
  chmodSync(clockFile(folder), 0o644);
}

/** What the mail servers have in theirs. */
export const environmentOfServers = (folder: string, time: Time): Readonly<Record<string, string>> => ({
  LD_PRELOAD: environmentOf(time).LD_PRELOAD ?? '',
  FAKETIME_TIMESTAMP_FILE: clockFile(folder),
  FAKETIME_NO_CACHE: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});
