import { Cron } from 'croner';

/** The wall times that a cron expression means, in a world without time zones (see `zone.ts` for wall times). */
export interface CronWalls {
  /** The first one after `wall`. */
  after(wall: number): number | null;
  /** The last one before `wall`. */
  before(wall: number): number | null;
}

/** Long enough for any list that a person writes. */
const MAX_LENGTH = 256;
/** A day that comes only in leap years comes within eight years, also around 2100. */
const SAMPLE = Date.UTC(2026, 0, 1);

/** `message` says in one line what is wrong with the expression. */
type ReadCron = { readonly ok: true; readonly walls: CronWalls } | { readonly ok: false; readonly message: string };

/**
 * croner is asked in UTC alone, where every wall time comes once. Given a zone it would judge by the shape of the
 * expression what a change of the clocks means: `30 2 * * *` moves out of a gap, `30 2,14 * * *` is lost in it, and
 * `*\/20 2 * * *` comes six times in a repeated hour. Here one rule holds for all of them, in `due-times.ts`.
 */
export function readCron(text: string): ReadCron {
  if (text.length > MAX_LENGTH) return { ok: false, message: `longer than ${MAX_LENGTH} characters` };
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5) return { ok: false, message: `five fields are needed, this has ${fields.length}` };
  // croner also reads `?`, `+` and `@daily`, which other programs understand otherwise or not at all.
  const odd = fields.find((field) => !/^[0-9A-Za-z*,/#-]+$/.test(field));
  if (odd !== undefined) return { ok: false, message: `\`${odd}\` is no cron field` };
  try {
    const cron = new Cron(fields.join(' '), { mode: '5-part', utcOffset: 0, paused: true });
    const walls: CronWalls = {
      after: (wall) => cron.nextRun(new Date(wall))?.getTime() ?? null,
      before: (wall) => cron.previousRuns(1, new Date(wall))[0]?.getTime() ?? null,
    };
    if (walls.after(SAMPLE) === null) return { ok: false, message: 'it names a day that no month has' };
    return { ok: true, walls };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, message: plain(reason) };
  }
}

/** In the words of a sentence: croner begins with the name of its class, and counts fields from the seconds. */
function plain(reason: string): string {
  const text = reason.replace(/^CronPattern: (Syntax error, )?/, '');
  const names = ['seconds', 'minute', 'hour', 'day', 'month', 'weekday'];
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
    .replace(/configuration entry (\d)/, (_, index: string) => `the ${names[Number(index)] ?? 'field'}`)
    .replace('configuration entry', 'the')
    .replace('dayOfWeek', 'weekday');
}
