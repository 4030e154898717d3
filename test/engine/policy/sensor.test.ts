import { describe, expect, it } from 'vitest';
import type { WebCapability } from '#contract';
import { createSensor } from '../../../engine/policy/sensor.ts';

/** A web that takes as many milliseconds as the address says, on a clock that only it moves. */
function makeWorld() {
  const time = { now: 0 };
  const sensor = createSensor(() => time.now);
  const slowWeb: WebCapability = {
    async fetch({ url }) {
      await Promise.resolve();
      time.now += Number(url);
      if (url === '13') throw new Error('no luck');
      return { url, status: 200, contentType: '', body: new Uint8Array(), truncated: false };
    },
    readHtml: async (text) => ({ title: null, text, cut: false }),
    readDocument: () => Promise.reject(new Error('no documents')),
  };
  const { web } = sensor.watch({ web: slowWeb });
  const fetch = (url: string) => web.fetch({ url, allowHosts: [], maxBytes: 1, signal: new AbortController().signal });
  return { sensor, fetch };
}

describe('a call that ran', () => {
  it('is credited with what it did inside, and with its whole time', async () => {
    const { sensor, fetch } = makeWorld();
    const sensed = await sensor.sense(async () => {
      await fetch('5');
      await fetch('7');
      return 'done';
    });
    expect(sensed).toEqual({ result: 'done', latency_ms: 12, inside: { 'web.fetch': { calls: 2, ms: 12 } } });
  });

  it('is not credited with what others do beside it', async () => {
    const { sensor, fetch } = makeWorld();
    const [one, two, none] = await Promise.all([
      sensor.sense(() => fetch('1')),
      sensor.sense(async () => [await fetch('2'), await fetch('3')]),
      sensor.sense(async () => 'nothing'),
      fetch('100'),
    ]);
    expect(one.inside['web.fetch']?.calls).toBe(1);
    expect(two.inside['web.fetch']?.calls).toBe(2);
    expect(none.inside).toEqual({});
  });

  it('is credited with what failed inside, too', async () => {
    const { sensor, fetch } = makeWorld();
    const sensed = await sensor.sense(() => fetch('13').catch(() => 'it failed'));
    expect(sensed).toMatchObject({ result: 'it failed', inside: { 'web.fetch': { calls: 1, ms: 13 } } });
  });
});

it('counts nothing outside of a call: what is asked before it is allowed is no execution', async () => {
  const { sensor, fetch } = makeWorld();
  await fetch('1');
  expect((await sensor.sense(async () => null)).inside).toEqual({});
});
