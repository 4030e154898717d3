import { afterEach, describe, expect, it } from 'vitest';
import { type HeldLease, holdLease } from '../../../engine/lib/held-lease.ts';

const open: { held?: HeldLease } = {};
afterEach(() => open.held?.stop());

/** `stands`: whether nobody else has taken the row. */
const scene = () => {
  const world = { now: 0, stands: true, extended: [] as number[] };
  const held = holdLease({
    leaseMs: 900,
    lookMs: 3_600_000,
    now: () => world.now,
    async extend(until) {
      if (world.stands) world.extended.push(until);
      return world.stands;
    },
    makeLost: () => new Error('taken over'),
  });
  open.held = held;
  return { world, held };
};

describe('a lease, before an effect', () => {
  it('that is fresh costs no commit', async () => {
    const { world, held } = scene();
    world.now = 500;
    await held.assertHeld();
    expect(world.extended).toEqual([]);
  });

  it('that is nearly over is extended', async () => {
    const { world, held } = scene();
    world.now = 700;
    await held.assertHeld();
    expect(world.extended).toEqual([1600]);
  });

  it('whose holder was stopped until somebody else took the row stops the effect', async () => {
    const { world, held } = scene();
    Object.assign(world, { now: 5000, stands: false });
    await expect(held.assertHeld()).rejects.toThrow('taken over');
    expect(held.lost.aborted).toBe(true);
  });
});
