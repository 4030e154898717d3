import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseTask } from '../../../../engine/config/tasks/task-file.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import { nextRuns, runsInWords } from '../../../../engine/tools/capabilities/schedule.ts';
import { arrive } from '../../../storage/world.ts';

const task = (...front: string[]) => {
  const read = parseTask({ id: 't', file: 't.md', text: `---\n${front.join('\n')}\n---\nDo it.\n`, zone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.task;
};
const NOON = Date.parse('2026-11-21T12:00:00Z');

describe('the next runs that an owner is shown', () => {
  it('are five, in the zone of the task, after now', () => {
    expect(nextRuns(task('schedule: 0 12 * * *'), NOON)).toEqual(
      ['22', '23', '24', '25', '26'].map((day) => `2026-11-${day}T12:00:00+00:00`),
    );
    expect(nextRuns(task('schedule: 0 0 29 2 *'), NOON)).toHaveLength(5);
  });

  it('are only those that its window lets run', () => {
    const hourly = task('schedule: 0 * * * *', 'window: 08:00-09:00');
    expect(nextRuns(hourly, NOON).slice(0, 3)).toEqual([
      '2026-11-22T08:00:00+00:00',
      '2026-11-22T09:00:00+00:00',
      '2026-11-23T08:00:00+00:00',
    ]);
  });

  it('are none when it is switched off or past', () => {
    expect(nextRuns(task('schedule: every 1h', 'enabled: false'), NOON)).toEqual([]);
    expect(nextRuns(task('schedule: at 2026-11-21T11:00'), NOON)).toEqual([]);
    expect(nextRuns(null, NOON)).toEqual([]);
  });
});

describe('what an owner is told that a run may cost', () => {
  let store: Store;
  beforeEach(() => {
    store = openStore(':memory:');
  });
  afterEach(() => store.close());

  const target = { provider: 'steady', model: 'm' };
  const cost = async (price: { input: number; output: number } | null) => {
    const words = await runsInWords(task('schedule: every 1h'), {
      store,
      now: NOON,
      priceFor: () => ({ target, price }),
      language: 'en',
    });
    return words.split('\n').at(-1);
  };
  const price = { input: 2, output: 10 };
  /** A run of the persona that has cost as much; of a model without a price the books say 0. */
  const ran = (usd: number) => {
    const id = `of-${usd}`;
    const query = {
      duplicateKey: id,
      messageId: `<${id}>`,
      sender: null,
      proven: true,
      references: [],
      limits: [120],
      signatures: [],
      forgottenBefore: 0,
    };
    return arrive(
      store,
      { ...query, now: NOON },
      {
        newThread: { id: `t-${id}`, kind: 'thread', subject: '' },
        message: {
          id,
          thread_id: `t-${id}`,
          direction: 'in',
          message_id: `<${id}>`,
          duplicate_key: id,
          subject: '',
          to: [],
          cc: [],
          references: [],
          received_at: NOON,
          text: '',
          new_text: '',
        },
        run: {
          id,
          thread_id: `t-${id}`,
          message: id,
          message_id: `<${id}>`,
          kind: 'message',
          status: 'done',
          tier: 'member',
          recursion: 0,
          due_at: NOON,
          created_at: NOON,
          cost_usd: usd,
        },
      },
    );
  };

  it('is unknown without a price, and not nothing', async () => {
    await ran(0);
    expect(await cost(null)).toBe('Estimated cost: unknown, as nobody knows the price of steady/m');
  });

  it('is what this persona’s runs have cost, before the task has run', async () => {
    expect(await cost(price)).toBe('Estimated cost: unknown, nothing was run yet');
    await ran(0.01);
    await ran(0.03);
    expect(await cost(price)).toMatch(/^Estimated cost: about 0\.0200 USD a run, as this persona/);
  });
});
