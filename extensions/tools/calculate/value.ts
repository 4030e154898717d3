import { Decimal as Base } from 'decimal.js';
import { EngineError } from '#contract';

/** Decimal arithmetic of its own: no setting of another user of the package changes a result. */
export const Decimal = Base.clone({ precision: 60, rounding: Base.ROUND_HALF_UP, toExpNeg: -60, toExpPos: 60 });
export type Decimal = InstanceType<typeof Decimal>;

export type Value =
  | { readonly kind: 'number'; readonly value: Decimal; readonly unit: string | null }
  /** A day: ISO 8601. */
  | { readonly kind: 'date'; readonly day: string }
  | { readonly kind: 'text'; readonly text: string };

export const wrong = (message: string): EngineError => new EngineError('invalid_arguments', message);

export const numberOf = (value: Decimal | number | string, unit: string | null = null): Value => {
  const made = new Decimal(value);
  if (!made.isFinite() || made.abs().gte('1e60')) throw wrong('the result is no number, or has more than 60 digits');
  return { kind: 'number', value: made, unit };
};

const MONEY: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP' };
const NUMBER =
  /^(?<before>\p{Sc}|[A-Z]{3})?\s?(?<number>[-+]?\d{1,60}(?:\.\d{1,60})?)\s?(?<after>\p{Sc}|%|[\p{L}°µ][\p{L}\d°/²³]{0,14})?$/u;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d{2}:\d{2})?$/;

/** `12.50`, `12.50 EUR`, `€12.50`, `2026-11-23`, `2026-11-23T23:30:00Z` (its day in `zone`). Throws `invalid_arguments`. */
export function valueFrom(given: string | number, zone: string): Value {
  if (typeof given === 'number') return numberOf(given);
  const text = given.trim();
  if (DAY.test(text)) return dayOf(text);
  const instant = INSTANT.exec(text);
  if (instant) return instant.groups?.zone ? dayOf(dayIn(zone, new Date(text))) : dayOf(text.slice(0, 10));
  const found = NUMBER.exec(text)?.groups;
  if (!found)
    throw wrong(`"${text.slice(0, 80)}" is no value: write numbers as 1234.56 or 1234.56 EUR, dates as 2026-11-23`);
  const unit = found.before ?? found.after ?? null;
  if (unit === '%') return numberOf(new Decimal(found.number ?? '').div(100));
  return numberOf(found.number ?? '', unit === null ? null : (MONEY[unit] ?? unit));
}

function dayOf(day: string): Value {
  const at = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day) throw wrong(`there is no day ${day}`);
  return { kind: 'date', day };
}

const dayIn = (timeZone: string, at: Date): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at);
