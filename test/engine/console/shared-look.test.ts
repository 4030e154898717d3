import { describe, expect, it } from 'vitest';
import { sharedLook } from '../../../engine/console/shared-look.ts';

function rig() {
  const time = { now: 10_000 };
  const looks: PromiseWithResolvers<number>[] = [];
  const ask = sharedLook(
    () => {
      const look = Promise.withResolvers<number>();
      looks.push(look);
      return look.promise;
    },
    { forMs: 1000, now: () => time.now },
  );
  /** A thousand at once. */
  const many = () => Promise.all(Array.from({ length: 1000 }, ask));
  return { time, looks, ask, many };
}

describe('a look that many share', () => {
  it('is one for all who ask within its time, and another after that', async () => {
    const { time, looks, many } = rig();
    const first = many();
    looks[0]?.resolve(1);
    expect(new Set(await first)).toEqual(new Set([1]));
    time.now += 999;
    expect(new Set(await many())).toEqual(new Set([1]));
    expect(looks).toHaveLength(1);
    time.now += 1;
    const second = many();
    looks[1]?.resolve(2);
    expect(new Set(await second)).toEqual(new Set([2]));
    expect(looks).toHaveLength(2);
  });

  it('that takes longer than that is waited for, and none is begun beside it', async () => {
    const { time, looks, many } = rig();
    const before = many();
    time.now += 60_000;
    const beside = many();
    looks[0]?.resolve(1);
    expect(new Set([...(await before), ...(await beside)])).toEqual(new Set([1]));
    expect(looks).toHaveLength(1);
  });

  it('that fails is told to who asked, and not kept', async () => {
    const { looks, ask } = rig();
    const asked = ask();
    looks[0]?.reject(new Error('no'));
    await expect(asked).rejects.toThrow('no');
    const again = ask();
    looks[1]?.resolve(2);
    expect(await again).toBe(2);
  });

  it('is not kept for longer because the clock was set back', async () => {
    const { time, looks, ask } = rig();
    const asked = ask();
    looks[0]?.resolve(1);
    await asked;
    time.now -= 5000;
    void ask();
    expect(looks).toHaveLength(2);
  });
});
