import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { announceBy, type Claimed, createWorkQueue } from '../../../engine/dispatch/work-queue.ts';
import { passThrough } from '../../../engine/lib/crash-points.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';

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

describe('a wakeup that was taken back to the end of a lease', () => {
  const QUIET_MS = 3000;
  const LEASED_MS = 300_000;
  let folder: string;
  let gateway: ReturnType<typeof openGatewayStore>;
  let now: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'epistle-queue-'));
    gateway = openGatewayStore(join(folder, 'gateway.db'));
    now = 1_790_000_000_000;
  });
  afterEach(async () => {
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  /** A persona whose run has been under way for longer than its wakeup is kept due; `claims` polls come before the check. */
  async function lowered(claims: number) {
    const clock = { now: () => now, sleep: () => Promise.resolve() };
    const queue = createWorkQueue({ wakeups: gateway, clock, pass: passThrough, onAnnounced: () => {} });
    const checkOf = (claimed: Claimed | undefined) => ({ personaId: 'ada', claimed: claimed ?? null });
    await gateway.bumpWakeup('ada', now);
    const endsAt = now + LEASED_MS;
    await queue.settle(checkOf((await queue.claim())[0]), endsAt);
    now += QUIET_MS;
    const last: (Claimed | undefined)[] = [];
    for (let n = 0; n < claims; n += 1) last.push((await queue.claim())[0]);
    for (const claimed of last) await queue.settle(checkOf(claimed), endsAt);
    expect(await gateway.nextWakeupAt()).toBe(endsAt);
    return { queue, endsAt, own: checkOf(undefined) };
  }
  const claimedAfter = async (queue: ReturnType<typeof createWorkQueue>, ms: number) => {
    now += ms;
    return (await queue.claim()).map(({ personaId }) => personaId);
  };

  it.each([1, 2])('is brought forward by what the run has left for soon, after %d polls', async (claims) => {
    const { queue, own } = await lowered(claims);
    await queue.settle(own, now + 1000);
    expect(await claimedAfter(queue, 500)).toEqual([]);
    expect(await claimedAfter(queue, 600)).toEqual(['ada']);
  });

  it.each([1, 2])('is due at once where work was due that could not be begun, after %d polls', async (claims) => {
    const { queue, own } = await lowered(claims);
    await queue.extend(own);
    expect(await claimedAfter(queue, 1)).toEqual(['ada']);
  });

  it('stays where nothing is due before, and costs no write', async () => {
    const { queue, own, endsAt } = await lowered(1);
    await queue.settle(own, null);
    await queue.settle(own, endsAt + 1);
    expect(await gateway.dueWakeups(endsAt, 2)).toEqual([{ personaId: 'ada', dueAt: endsAt, generation: 1 }]);
  });

  it('is known to be due again when its time has come', async () => {
    const { queue, endsAt, own } = await lowered(2);
    now = endsAt;
    const [claimed] = await queue.claim();
    expect(claimed).toMatchObject({ personaId: 'ada', isLast: false });
    await queue.settle({ ...own, claimed: claimed ?? null }, null);
    await queue.settle(own, now + 1000);
    expect(await claimedAfter(queue, 1100)).toEqual(['ada']);
  });
});
