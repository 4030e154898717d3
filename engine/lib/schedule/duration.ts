const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 3650 * UNIT_MS.d;

const isUnit = (text: string | undefined): text is keyof typeof UNIT_MS => text !== undefined && text in UNIT_MS;

/** Milliseconds of `30m` (s, m, h or d; at most ten years); null when the text is none. A day is 24 hours here. */
export function parseDuration(text: string): number | null {
  const [, amount, unit] = /^\s*(\d{1,9})\s?([smhd])\s*$/.exec(text) ?? [];
  if (!isUnit(unit)) return null;
  const ms = Number(amount) * UNIT_MS[unit];
  return ms > 0 && ms <= LONGEST_MS ? ms : null;
}
