import { describe, expect, it } from 'vitest';
import { announceBy } from '../../../engine/dispatch/work-queue.ts';

const scene = () => {
  const steps: string[] = [];
  const wakeups = {
    bumpWakeup: async (id: string, at: number) => void steps.push(`bump ${id} ${at}`),
    ensureDueNow: async (id: string, at: number) => void steps.push(`due ${id} ${at}`),
  };
  return {
    steps,
    announce: announceBy(
      wakeups,
      () => 100,
      (id) => steps.push(`wake ${id}`),
    ),
  };
};

describe('announced work', () => {
  it('has its wakeup on disk before it is committed, and wakes whoever works after', async () => {
    const { steps, announce } = scene();
    const result = await announce('ada', 100, async () => {
      steps.push('commit');
      return 7;
    });
    expect(result).toBe(7);
    expect(steps).toEqual(['due ada 100', 'commit', 'wake ada']);
  });

  it('of later is a wakeup of its own', async () => {
    const { steps, announce } = scene();
    await announce('ada', 5000, async () => {});
    expect(steps).toEqual(['bump ada 5000', 'wake ada']);
  });

  it('that could not be committed wakes nobody', async () => {
    const { steps, announce } = scene();
    await expect(announce('ada', 0, () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    expect(steps).toEqual(['due ada 0']);
  });
});
