import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRig, type Rig } from '../harness/rig.ts';

const open: { rig?: Rig } = {};
const rig = () => open.rig as Rig;
beforeEach(async () => {
  open.rig = await makeRig({
    models: () => ({ text: 'hi' }),
    security: { loop_guard: { max_replies_per_sender_per_hour: 3 } },
  });
});
afterEach(() => open.rig?.close());

const outcomes = async (mails: readonly Parameters<Rig['deliver']>[0][]) =>
  (await Promise.all(mails.map((mail) => rig().deliver(mail))))
    .map(({ decision, code }) => code ?? decision)
    .toSorted();

describe('a letter, which is taken for new at first', () => {
  it('is a duplicate of the same one that came before, and names its thread', async () => {
    const first = await rig().deliver({ id: '<same@member.example>' });
    const again = await rig().deliver({ id: '<same@member.example>' });
    expect(again).toMatchObject({ decision: 'duplicate', threadId: first.threadId, runId: first.runId });
  });

  it('is not answered where its sender has had the answers of an hour', async () => {
    const one = async () => outcomes([{}]);
    expect([await one(), await one(), await one(), await one()].flat()).toEqual([
      ...Array(3).fill('accepted'),
      'loop_limit',
    ]);
  });
});

describe('mails that are looked at side by side', () => {
  it('are answered once where they are the same', async () => {
    const same = Array(6).fill({ id: '<same@member.example>' });
    expect(await outcomes(same)).toEqual(['accepted', ...Array(5).fill('duplicate')]);
    expect(await rig().withStore((store) => store.listRuns({ limit: 10 }))).toHaveLength(1);
  });

  it('are counted as if they had come one after the other', async () => {
    expect(await outcomes(Array(8).fill({}))).toEqual([...Array(3).fill('accepted'), ...Array(5).fill('loop_limit')]);
  });
});
