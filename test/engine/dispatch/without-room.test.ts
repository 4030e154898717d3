import { describe, expect, it, onTestFinished } from 'vitest';
import { makeRig } from '../harness/rig.ts';

/** A run that finds no room to write, so often; whatever else is written can be. */
async function rigWithoutRoom(times: number) {
  const rig = await makeRig({ models: () => ({ text: 'Here it is.' }) });
  onTestFinished(rig.close);
  const failed = { times: 0 };
  rig.crash.pass = (point) => {
    if (point !== 'run.context_committed' || failed.times >= times) return;
    failed.times += 1;
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };
  return { rig, failed };
}

describe('a run that finds no room to write', () => {
  it('is not given up for it, however often within some minutes', async () => {
    const { rig } = await rigWithoutRoom(15);
    const began = rig.time.now;
    const { run } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'final', crashes: 0 });
    expect(rig.time.now - began).toBeLessThan(15 * 10_000);
  });

  it('is given up where all others find some and it never does', async () => {
    const { rig, failed } = await rigWithoutRoom(Number.POSITIVE_INFINITY);
    const { run } = await rig.answer();
    expect(run.status).toBe('done');
    expect(run.outcome).not.toBe('final');
    expect(failed.times).toBeLessThan(40);
  });
});
