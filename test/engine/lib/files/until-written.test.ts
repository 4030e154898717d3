import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { EngineError } from '#contract';
import { cannotWrite, untilWritten } from '../../../../engine/lib/files/durable-file.ts';

/** A database with room for hardly anything, until `free` is called. */
function small() {
  const database = new SQLite(':memory:');
  database.exec('create table kept (bytes blob)');
  database.pragma('max_page_count = 4');
  return {
    write: async () => void database.prepare('insert into kept values (?)').run(Buffer.alloc(100_000)),
    free: () => void database.pragma('max_page_count = 1000'),
    count: () => database.prepare('select count(*) from kept').pluck().get(),
  };
}

/** Time passes at once; `after` so many waits something happens. */
function clockThat(after: number, happens: () => void) {
  const waits: number[] = [];
  return {
    waits,
    async sleep(ms: number, signal?: AbortSignal) {
      waits.push(ms);
      if (waits.length === after) happens();
      signal?.throwIfAborted();
    },
  };
}

describe('what has to be written', () => {
  it('is tried again until there is room, less and less often', async () => {
    const database = small();
    const clock = clockThat(8, database.free);
    await untilWritten(database.write, { clock, signal: new AbortController().signal });
    expect(database.count()).toBe(1);
    expect(clock.waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
  });

  it('is left as it is when the process ends, with the reason', async () => {
    const database = small();
    const stopping = new AbortController();
    const clock = clockThat(2, () => stopping.abort());
    const written = untilWritten(database.write, { clock, signal: stopping.signal });
    await expect(written).rejects.toMatchObject({ code: 'SQLITE_FULL' });
    expect(database.count()).toBe(0);
  });

  it('is not tried again where it failed for another reason', async () => {
    const clock = clockThat(1, () => {});
    const write = () => Promise.reject(new Error('the lease was lost'));
    await expect(untilWritten(write, { clock, signal: new AbortController().signal })).rejects.toThrow('lost');
    expect(clock.waits).toEqual([]);
  });
});

describe('an error', () => {
  const coded = (code: unknown, cause?: unknown) => Object.assign(new Error('it failed', { cause }), { code });
  it.each([
    ['of a full disk', coded('SQLITE_FULL'), true],
    ['of a disk that fails', coded('SQLITE_IOERR_WRITE'), true],
    ['of a file', coded('ENOSPC'), true],
    ['that another one caused', new EngineError('tool_failed', 'no', { cause: coded('EDQUOT') }), true],
    ['of a constraint', coded('SQLITE_CONSTRAINT_UNIQUE'), false],
    ['of a damaged database', coded('SQLITE_CORRUPT'), false],
    ['with a number', coded(13), false],
    ['that is none', 'SQLITE_FULL', false],
  ])('%s', (_what, error, expected) => expect(cannotWrite(error)).toBe(expected));

  it('that causes itself has an end', () => {
    const error = coded('X');
    error.cause = error;
    expect(cannotWrite(error)).toBe(false);
  });
});
