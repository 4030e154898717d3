import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFilesDesk, createFileTurns } from '../../../../engine/tools/files/desk.ts';
import { filesIn } from '../capabilities/files-rig.ts';

const { signal } = new AbortController();
const TURN = { signal, waitMs: 60_000, busy: 'busy' };

/** Work that goes on until it is told to end, and says when it began. */
function lasting() {
  const began = Promise.withResolvers<void>();
  const ends = Promise.withResolvers<void>();
  return {
    began: began.promise,
    end: () => ends.resolve(),
    work: () => {
      began.resolve();
      return ends.promise;
    },
  };
}

describe('turns in a folder', () => {
  it('let some work side by side, and one alone when they are done, in the order of asking', async () => {
    const turns = createFileTurns();
    const order: string[] = [];
    const [first, second, alone] = [lasting(), lasting(), lasting()];
    const all = [
      turns.share('a', TURN, first.work),
      turns.share('a', TURN, second.work),
      turns.alone('a', TURN, () => {
        order.push('alone');
        return alone.work();
      }),
      turns.share('a', TURN, async () => void order.push('after it')),
      turns.share('a', TURN, async () => void order.push('and after it')),
    ];
    await Promise.all([first.began, second.began]);
    expect(order).toEqual([]);
    first.end();
    await all[0];
    expect(order).toEqual([]);
    second.end();
    await alone.began;
    expect(order).toEqual(['alone']);
    alone.end();
    await Promise.all(all);
    expect(order).toEqual(['alone', 'after it', 'and after it']);
  });

  it('are of each folder by itself', async () => {
    const turns = createFileTurns();
    const long = lasting();
    const working = turns.alone('a', TURN, long.work);
    await turns.alone('b', TURN, async () => {});
    long.end();
    await working;
  });

  it('pass on when work failed, and when somebody stops waiting', async () => {
    const turns = createFileTurns();
    const failing = lasting();
    const fails = turns.share('a', TURN, async () => {
      await failing.work();
      throw new Error('it failed');
    });
    await failing.began;
    const impatient = new AbortController();
    const gaveUp = turns.alone('a', { ...TURN, signal: impatient.signal }, async () => 'never');
    const behind = turns.share('a', TURN, async () => 'went on');
    impatient.abort();
    await expect(gaveUp).rejects.toMatchObject({ code: 'tool_failed', message: 'busy' });
    expect(await behind).toBe('went on');
    failing.end();
    await expect(fails).rejects.toThrow('it failed');
    expect(await turns.alone('a', TURN, async () => 'free')).toBe('free');
    await expect(turns.share('a', { ...TURN, signal: AbortSignal.abort() }, async () => {})).rejects.toThrow('busy');
  });

  it('are not waited for longer than said', async () => {
    const turns = createFileTurns();
    const long = lasting();
    const working = turns.alone('a', TURN, long.work);
    await expect(turns.share('a', { ...TURN, waitMs: 10 }, async () => {})).rejects.toThrow('busy');
    long.end();
    await working;
  });
});

describe('H5: while a shell command works', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'epistle-turns-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('no file tool of the same persona does, and one that may not wait longer says why', async () => {
    const desk = createFilesDesk({ now: () => 0 });
    const root = join(home, 'files');
    const call = new AbortController();
    const files = filesIn(root, {}, { desk, signal: call.signal });
    const other = filesIn(join(home, 'of-another/files'), {}, { desk });
    const shell = lasting();
    const command = desk.alone(root, signal, shell.work);
    await shell.began;
    const calls = [
      files.list(''),
      files.read('a.txt'),
      files.write('a.txt', 'x'),
      files.remove('a.txt'),
      files.restore('a.txt', 'ab'.repeat(32)),
      files.compare('a.txt', 'x'),
      files.owner('a.txt'),
    ];
    expect(await other.write('a.txt', 'x')).toMatchObject({ path: 'a.txt' });
    call.abort();
    for (const result of await Promise.allSettled(calls)) {
      expect(result).toMatchObject({
        reason: { code: 'tool_failed', message: expect.stringContaining('a shell command works on the files') },
      });
    }
    const patient = filesIn(root, {}, { desk }).write('a.txt', 'after it');
    shell.end();
    await command;
    expect(await patient).toMatchObject({ path: 'a.txt' });
  });
});
