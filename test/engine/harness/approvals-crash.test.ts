import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { FencedError } from '../../../engine/storage/ports/runs.ts';

import { SIZE } from '../../size.ts';
import { CARL, call, live, makeApprovalRig, once, type Place, placeToDie, toCarl } from './approvals-rig.ts';
import { replayOf } from './replaying.ts';
import type { Model, Rig } from './rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

type Answer = 'approved' | 'rejected' | 'expired';
type Made = Awaited<ReturnType<typeof makeApprovalRig>>;

async function story(model: Model): Promise<Made> {
  const made = await makeApprovalRig(model);
  rigs.push(made.rig);
  return made;
}

/** One mail from its arrival to its end, over a process that dies at one place; how many places there were. */
async function tell({ rig, world, ...owners }: Made, n: number, answer: Answer, at: number) {
  const { runId } = await rig.deliver({ text: `n=${n}` });
  const place = placeToDie(at);
  const later = placeToDie(-1);
  world.place = place;
  const ghosts: Promise<unknown>[] = [];
  for (let process = 0; process < 6; process += 1) {
    const { runs: open } = await rig.withStore((store) => store.overview(0));
    if (open.length === 0) break;
    if (open.every(({ status }) => status === 'waiting_approval')) await decideAll(owners, answer);
    ghosts.push((await live(rig, `process ${n}.${process}`, world.place)).ghost);
    // Once one has died its successors live.
    if (place.passed.count > at && at >= 0) world.place = later;
  }
  const again = await replayOf(rig, runId ?? '');
  expect(again, `place ${at}`).toMatchObject({ difference: null, stale: null });
  place.bury();
  const ends = await Promise.all(ghosts);
  return { end: await rig.ended(runId ?? ''), states: await statesOf(owners, runId), ends, place };
}

const decideAll = async (owners: Pick<Made, 'pending' | 'decide' | 'expire'>, answer: Answer): Promise<void> => {
  if (answer === 'expired') await owners.expire();
  else await owners.decide(await owners.pending(), answer);
};

const statesOf = async ({ ofRun }: Pick<Made, 'ofRun'>, runId: string | null) =>
  (await ofRun(runId)).map(({ state }) => state);

const ALL: Model = once((n) => [
  call('u1', 'put', { n }),
  call('m1', 'send_email', toCarl(n)),
  call('p1', 'push', { n }),
]);

/** The mail that belongs to number n, and nobody else's. */
const sentFor = async ({ rig, mailTo }: Made, n: number) => {
  const mails = await mailTo(CARL);
  const messages = await Promise.all(mails.map(({ id }) => rig.withStore((store) => store.messageById(id))));
  return messages.filter((message) => message?.subject === `Offer ${n}`);
};

const placesOf = async (answer: Answer): Promise<number> => {
  const made = await story(ALL);
  return (await tell(made, 1, answer, -1)).place.passed.count;
};

const noUnexpected = (ends: readonly unknown[], place: Place) =>
  ends.filter((end) => end instanceof Error && !(end instanceof FencedError) && !/process is dead/.test(end.message))
    .length === 0 && place.passed.count > 0;

describe('a process that dies at any place of a run that asks its owner', () => {
  it('leaves each approved call done once, or told to be unknown, and one answer', async () => {
    const places = await placesOf('approved');
    expect(places).toBeGreaterThan(20);
    const made = await story(ALL);
    const told = new Set<string>();
    for (let at = 0; at < places; at += 1) {
      const { end, states, ends, place } = await tell(made, at, 'approved', at);
      const where = `place ${at} of ${places}`;
      expect(noUnexpected(ends, place), `${where}: ${ends.map(String)}`).toBe(true);
      expect(end.run, where).toMatchObject({ status: 'done', outcome: 'final', leased_by: null });
      expect(end.replies, where).toHaveLength(1);
      expect(made.world.put.get(`put ${at}`), where).toEqual({ n: at });
      expect(await sentFor(made, at), where).toHaveLength(1);
      const pushed = made.world.pushed.filter((args: Json) => JSON.stringify(args) === JSON.stringify({ n: at }));
      const last = end.text?.split(' ').at(-1) ?? '';
      told.add(last);
      expect(end.text, where).toMatch(/^u1 ok, m1 ok, p1 (ok|side_effect_unknown)$/);
      expect(states, where).toEqual(['executed', 'executed', last === 'ok' ? 'executed' : 'side_effect_unknown']);
      expect(pushed.length, where).toBeLessThanOrEqual(1);
      if (last === 'ok') expect(pushed, where).toHaveLength(1);
      for (const id of ['u1', 'm1', 'p1']) {
        const rows = end.rows.filter(({ tool_call_id }) => tool_call_id === id).map(({ event_type }) => event_type);
        expect(rows, `${where}: ${id}`).toEqual(['tool_call', 'tool_result']);
      }
    }
    expect(told).toEqual(new Set(['ok', 'side_effect_unknown']));
  });

  it.each([
    ['rejected', 'rejected'],
    ['expired', 'expired'],
  ] as const)('leaves nothing done when it was %s, and one answer that says so', async (answer, state) => {
    const places = await placesOf(answer);
    const made = await story(ALL);
    for (let at = 0; at < places; at += 1) {
      const { end, states } = await tell(made, at, answer, at);
      const where = `place ${at} of ${places}`;
      expect(end.text, where).toBe('u1 policy_denied, m1 policy_denied, p1 policy_denied');
      expect(end.replies, where).toHaveLength(1);
      expect(states, where).toEqual([state, state, state]);
    }
    expect(made.world.pushed).toEqual([]);
    expect(made.world.put.size).toBe(0);
    expect(await made.mailTo(CARL)).toEqual([]);
  });
});

it('asks about what comes after an allowed call only when that call is known to be done', async () => {
  const mixed = once((n) => [call('j1', 'jot', { n }), call('p1', 'push', { n }), call('l1', 'look', { n })]);
  const places = (await tell(await story(mixed), 1, 'approved', -1)).place.passed.count;
  const made = await story(mixed);
  const told = new Set<string>();
  for (let at = 0; at < places; at += 1) {
    const { end, states } = await tell(made, at, 'approved', at);
    const where = `place ${at} of ${places}`;
    const text = (end.text ?? '').replace('p1 side_effect_unknown', 'p1 ok');
    told.add(text);
    expect(end.replies, where).toHaveLength(1);
    expect(end.run.status, where).toBe('done');
    expect(states.length, where).toBe(text.startsWith('j1 ok') ? 1 : 0);
    const jotted = made.world.pushed.filter((args) => JSON.stringify(args) === JSON.stringify({ jot: at }));
    expect(jotted.length, where).toBeLessThanOrEqual(1);
  }
  expect(told).toEqual(new Set(['j1 ok, p1 ok, l1 ok', 'j1 side_effect_unknown, p1 skipped, l1 ok']));
});

/** Park and Miller's; the same seed is the same stories. */
function numbersFrom(seed: number): (below: number) => number {
  const state = { value: seed };
  return (below) => {
    state.value = (state.value * 48_271) % 2_147_483_647;
    return state.value % below;
  };
}

/** 50 stories; EPISTLE_TEST_SIZE=20 makes them a thousand. */
const STORIES = 50 * SIZE;

it(`is resumed cold ${STORIES} times without one effect lost or done twice`, async () => {
  const made = await story(once((n) => [call('m1', 'send_email', toCarl(n))]));
  const random = numbersFrom(20_261_122);
  const wanted: number[] = [];
  for (let n = 0; n < STORIES; n += 1) {
    const answer = (['approved', 'approved', 'rejected', 'expired'] as const)[random(4)] ?? 'approved';
    const { end, states } = await tell(made, n, answer, random(14));
    const isSent = answer === 'approved';
    if (isSent) wanted.push(n);
    expect(end.text, `story ${n}`).toBe(isSent ? 'm1 ok' : 'm1 policy_denied');
    expect(end.replies, `story ${n}`).toHaveLength(1);
    expect(states, `story ${n}`).toEqual([isSent ? 'executed' : answer]);
  }
  const mails = await made.mailTo(CARL);
  const subjects = await Promise.all(
    mails.map(async ({ id }) => (await made.rig.withStore((store) => store.messageById(id)))?.subject),
  );
  expect(subjects.toSorted()).toEqual(wanted.map((n) => `Offer ${n}`).toSorted());
});
