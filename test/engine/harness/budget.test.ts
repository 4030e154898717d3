import { afterEach, describe, expect, it } from 'vitest';
import { defineTool, EngineError } from '#contract';
import { cancelRun } from '../../../engine/actions/cancel-run.ts';
import { FencedError } from '../../../engine/storage/ports/runs.ts';

import { type Claimed, call, DAY, type Model, makeRig, NOON, type Rig, type RigOptions } from './rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

/** A call costs at most 1,000 output tokens at 10 USD per million and a little for its input: 0.0102 USD or so. */
const RESERVED = 0.0105;
const SPENT = { usage: { input: 100, output: 900, cached: 0, cacheWrite: 0 } };
const COST = 0.0091;

async function rigWith(budget: object, options: Partial<RigOptions> = {}): Promise<Rig> {
  const persona = { answer: { claims: 'off' }, ...options.persona, budget };
  const rig = await makeRig({ models: () => ({ text: 'Answered.', ...SPENT }), ...options, persona });
  rigs.push(rig);
  return rig;
}

const look = defineTool({
  description: 'Looks',
  risk: 'read',
  scope: 'web:read',
  input: { type: 'object' },
  run: () => 'seen',
});
const looksFirst: Model = ({ messages }) =>
  messages.some(({ role }) => role === 'tool')
    ? { text: 'Seen.' }
    : { text: 'I look.', toolCalls: [call('c1', 'look')], ...SPENT };

const dayOf = (rig: Rig) => rig.withStore((store) => store.budgetOfDay(DAY));

describe('a persona with usd_per_day', () => {
  it('answers while a whole call fits, then lets mail wait, and tells its sender and its owner once', async () => {
    const rig = await rigWith({ usd_per_day: COST + RESERVED - 0.002 });
    expect((await rig.answer()).run).toMatchObject({ outcome: 'final' });
    for (let mail = 0; mail < 3; mail += 1) {
      const later = await rig.waits();
      expect(later.run).toMatchObject({ status: 'queued', deferred_code: 'budget', model_calls: 0 });
      expect(later.run.deferred_until).toBe(Date.parse('2026-11-22T00:00:00Z'));
      expect(later.replies).toEqual([]);
      expect(later.jobs).toEqual([`waiting_note:budget:${DAY}:mia@member.example`, `waiting_notice:budget:${DAY}`]);
    }
    expect(rig.requests).toHaveLength(1);
  });

  it('begins anew the next day', async () => {
    const rig = await rigWith({ usd_per_day: RESERVED });
    await rig.answer();
    const { run } = await rig.waits();
    expect(run.deferred_code).toBe('budget');
    await rig.drain();
    expect((await rig.ended(run.id)).run).toMatchObject({
      outcome: 'final',
      ended_at: Date.parse('2026-11-22T00:00:00Z'),
    });
  });

  it('goes by the day of its own time zone', async () => {
    const rig = await rigWith({ usd_per_day: RESERVED }, { persona: { timezone: 'Asia/Tokyo' } });
    await rig.answer();
    // Noon in London is nine in the evening in Tokyo: three more hours are the next day.
    await rig.clock.sleep(3.5 * 3_600_000);
    expect((await rig.answer()).run.outcome).toBe('final');
  });

  it('answers again when the budget is raised within the day', async () => {
    const rig = await rigWith({ usd_per_day: RESERVED });
    await rig.answer();
    const { run } = await rig.waits();
    Object.assign(rig.persona.budget, { usd_per_day: 1 });
    await rig.drain();
    expect((await rig.ended(run.id)).run).toMatchObject({ outcome: 'final', ended_at: NOON });
  });

  it('says what was done when the budget ends in the middle of the work', async () => {
    const rig = await rigWith({ usd_per_day: RESERVED }, { tools: { look }, models: looksFirst });
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'partial', code: 'budget', model_calls: 1 });
    expect(text).toContain('I look.');
    // A look changes nothing, so nothing is said of it.
    expect(text).not.toContain('Done');
  });

  it('never goes over by more than one reserved call, whatever fifty mails at once want', async () => {
    const limit = 10 * RESERVED;
    const rig = await rigWith({ usd_per_day: limit });
    for (let mail = 0; mail < 50; mail += 1) await rig.deliver({ from: `m${mail}@member.example` });
    const lane = rig.laneOf('first');
    const workers = Array.from({ length: 16 }, async () => {
      for (let idle = 0; idle < 3; ) {
        const [work] = await rig.withStore((store) => lane.claim('ada', store, 1));
        if (work) await rig.withStore((store) => work(store, new AbortController().signal));
        else idle += 1;
        await rig.clock.sleep(work ? 0 : 500);
      }
    });
    await Promise.all(workers);
    const day = await dayOf(rig);
    expect(day?.usd).toBeLessThanOrEqual(limit + RESERVED);
    expect(day?.usd).toBeGreaterThan(limit - 2 * RESERVED);
    expect(day?.reserved_usd).toBeCloseTo(0);
    const outcomes = (await rig.withStore((store) => store.listRuns({ limit: 100 }))).map(({ outcome }) => outcome);
    expect(outcomes).toHaveLength(50);
    expect(outcomes.filter((outcome) => outcome === null).length).toBeGreaterThan(35);
    expect(outcomes.every((outcome) => outcome === null || outcome === 'final')).toBe(true);
  });

  it('gives back what a call had set aside on the day it was made, though its process died before midnight', async () => {
    const asked = Promise.withResolvers<void>();
    const rig = await rigWith(
      { usd_per_day: 1 },
      {
        models: (_request, count) => {
          asked.resolve();
          return count === 1 ? new Promise<never>(() => {}) : { text: 'Answered.', ...SPENT };
        },
      },
    );
    const { runId } = await rig.deliver();
    const claimed = (await rig.claim('first')) as Claimed;
    void rig.withStore((store) => rig.advance(claimed, store));
    await asked.promise;
    expect((await dayOf(rig))?.reserved_usd).toBeCloseTo(0.0101, 3);
    await rig.clock.sleep(13 * 3_600_000);
    await rig.drain('second');
    expect((await rig.ended(runId ?? '')).run.outcome).toBe('final');
    expect(await dayOf(rig)).toMatchObject({ usd: 0, reserved_usd: 0 });
    const next = await rig.withStore((store) => store.budgetOfDay('2026-11-22'));
    expect(next).toMatchObject({ usd: COST, reserved_usd: 0 });
  });

  it('pays for an answer that came after its run was cancelled', async () => {
    const [asked, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const rig = await rigWith(
      { usd_per_day: 1 },
      {
        models: async () => {
          asked.resolve();
          await slow.promise;
          return { text: 'Too late.', ...SPENT };
        },
      },
    );
    const { runId: id = '' } = await rig.deliver();
    const claimed = (await rig.claim('first')) as Claimed;
    const late = rig.withStore((store) => rig.advance(claimed, store));
    await asked.promise;
    await rig.withStore((store) =>
      cancelRun({ ...rig.harness, announce: rig.announce }, { persona: rig.persona, store, id: id ?? '', by: 'cli' }),
    );
    expect(await dayOf(rig)).toMatchObject({ usd: 0, tokens: 0, reserved_usd: 0 });
    slow.resolve();
    await expect(late).rejects.toThrow(FencedError);
    expect(await dayOf(rig)).toMatchObject({ usd: COST, tokens: 1000, reserved_usd: 0 });
    const { run } = await rig.ended(id ?? '');
    expect(run).toMatchObject({ status: 'cancelled', cost_usd: COST, model_calls: 0 });
  });

  it('keeps nothing aside for calls that failed', async () => {
    const failing: Model = () => {
      throw new EngineError('unavailable', 'gone', { retry: { afterMs: 0 } });
    };
    const rig = await rigWith({ usd_per_day: 2 * RESERVED }, { models: failing });
    const { run } = await rig.waits();
    expect(run).toMatchObject({ deferred_code: 'provider_unavailable' });
    expect(await dayOf(rig)).toMatchObject({ usd: 0, reserved_usd: 0 });
  });

  it('lets a run wait for what others have only set aside', async () => {
    const slow = Promise.withResolvers<void>();
    const rig = await rigWith(
      { usd_per_day: RESERVED + COST },
      {
        models: async (_request, asked) => {
          if (asked === 1) await slow.promise;
          return { text: 'Answered.' };
        },
      },
    );
    const accepted = [await rig.deliver(), await rig.deliver()];
    const lane = rig.laneOf('first');
    const work = async () => {
      const [claimed] = await rig.withStore((store) => lane.claim('ada', store, 1));
      return claimed && rig.withStore((store) => claimed(store, new AbortController().signal));
    };
    const first = work();
    while (rig.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await work();
    expect((await rig.ended(accepted[1]?.runId ?? '')).run).toMatchObject({ status: 'queued' });
    slow.resolve();
    await first;
    await rig.drain();
    expect((await rig.ended(accepted[1]?.runId ?? '')).run).toMatchObject({ outcome: 'final' });
  });
});

/** 128,000 tokens of output at 10 USD per million are 1.28 USD. */
const TALKATIVE = { max_output_tokens: 128_000, usd_per_million_tokens: { input: 1, output: 10 } };

describe('a persona with less money than its model may talk for', () => {
  it('is answered, with as much room as half of what is left pays for', async () => {
    const rig = await rigWith({ usd_per_day: 1 }, { info: TALKATIVE });
    for (let mail = 0; mail < 3; mail += 1) expect((await rig.answer()).run.outcome).toBe('final');
    const asked = rig.requests.map(({ maxOutputTokens }) => maxOutputTokens ?? 0);
    expect(asked[0]).toBeGreaterThan(48_000);
    expect(asked[0]).toBeLessThan(50_000);
    expect(asked[2]).toBeLessThan(asked[0] ?? 0);
  });

  it('is answered at full length where the budget has the room', async () => {
    const rig = await rigWith({ usd_per_day: 2 }, { info: TALKATIVE });
    expect((await rig.answer()).run.outcome).toBe('final');
    expect(rig.requests[0]?.maxOutputTokens).toBe(128_000);
  });

  it('is told that the budget cut its answer short', async () => {
    const rig = await rigWith(
      { usd_per_run: 0.06 },
      { info: TALKATIVE, models: () => ({ text: 'Half a sen', finish: 'length' }) },
    );
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'partial', code: 'budget' });
    expect(text).toMatch(/^This answer is not complete: the budget for this work is used up\.\n\nHalf a sen$/);
    expect(rig.requests[0]?.maxOutputTokens).toBe(4096);
  });

  it('is not answered with less room than any answer needs', async () => {
    const rig = await rigWith({ usd_per_day: 0.04 }, { info: TALKATIVE });
    expect((await rig.waits()).run).toMatchObject({ deferred_code: 'budget', model_calls: 0 });
  });

  it('without a price is not limited by money where its owner allows that', async () => {
    const info = { ...TALKATIVE, usd_per_million_tokens: null };
    const rig = await rigWith({ usd_per_day: 0 }, { info, inference: { allow_unpriced: true } });
    expect((await rig.answer()).run.outcome).toBe('final');
  });
});

describe('a persona with a budget per run', () => {
  it.each([
    ['usd_per_run', 0.015],
    ['tokens_per_run', 1500],
  ])(
    '%s lets the first call through, ends the run in part, and is there again for the next mail',
    async (key, limit) => {
      // Without what is recalled of the first mail, each prompt has the same length.
      const persona = { memory: { recall: false } };
      const rig = await rigWith({ [key]: limit }, { tools: { look }, models: looksFirst, persona });
      for (let mail = 0; mail < 2; mail += 1) {
        const { run, replies, jobs } = await rig.answer();
        expect(run).toMatchObject({ outcome: 'partial', code: 'budget', model_calls: 1 });
        expect(replies).toHaveLength(1);
        expect(jobs).toEqual([`notice:budget:${DAY}`]);
      }
    },
  );

  it('of nothing answers without asking a model', async () => {
    const rig = await rigWith({ tokens_per_run: 0 });
    expect((await rig.answer()).run).toMatchObject({ outcome: 'partial', code: 'budget', model_calls: 0 });
    expect(rig.requests).toEqual([]);
  });
});

describe('a persona with runs_per_day', () => {
  it('answers so many mails, and lets the rest of the day wait for the next', async () => {
    const rig = await rigWith({ runs_per_day: 2 });
    const outcomes: (string | null)[] = [];
    for (let mail = 0; mail < 4; mail += 1) outcomes.push((await rig.waits()).run.deferred_code);
    expect(outcomes).toEqual([null, null, 'budget', 'budget']);
    expect(rig.requests).toHaveLength(2);
    expect(await dayOf(rig)).toMatchObject({ runs: 2 });
    await rig.drain();
    expect(rig.requests).toHaveLength(4);
    expect(rig.clock.now()).toBe(Date.parse('2026-11-22T00:00:00Z'));
  });

  it('warns its owner once when four fifths are used up', async () => {
    const rig = await rigWith({ runs_per_day: 5 }, { security: { loop_guard: { max_fast_replies: 0 } } });
    const jobs: number[] = [];
    for (let mail = 0; mail < 5; mail += 1) {
      jobs.push((await rig.answer()).jobs.filter((id) => id === `waiting_notice:budget_near:${DAY}`).length);
    }
    expect(jobs).toEqual([0, 0, 0, 1, 1]);
  });

  it('counts a run once, however often it is put back', async () => {
    const rig = await rigWith(
      { runs_per_day: 1 },
      {
        models: (_request, asked) => {
          if (asked <= 2) throw new EngineError('unavailable', 'gone', { retry: { afterMs: 0 } });
          return { text: 'At last.' };
        },
      },
    );
    expect((await rig.answer()).run).toMatchObject({ outcome: 'final', model_calls: 1 });
    expect(await dayOf(rig)).toMatchObject({ runs: 1 });
  });
});

describe('a persona with runs_per_sender_per_hour', () => {
  it('answers what is over it when it is its turn, and tells the sender and the owner once an hour', async () => {
    const rig = await rigWith({ runs_per_sender_per_hour: 2 });
    await rig.answer();
    await rig.answer();
    for (let mail = 0; mail < 50; mail += 1) {
      expect(await rig.deliver()).toMatchObject({ decision: 'accepted', code: 'sender_rate_limited' });
    }
    expect(await rig.deliver({ from: 'zoe@member.example' })).toMatchObject({ decision: 'accepted', code: null });
    const jobs = await rig.withStore((store) => store.dueJobs(Number.MAX_SAFE_INTEGER, 10));
    // The one notice, and what tells of the others at the end of the hour; and one sentence to the sender.
    const told = jobs.map(({ kind }) => kind).filter((kind) => kind === 'notice' || kind === 'slowed_down');
    expect(told.toSorted()).toEqual(['notice', 'notice', 'slowed_down']);
    await rig.drain();
    const runs = (await rig.withStore((store) => store.listRuns({ limit: 200 }))).filter(
      ({ sender }) => sender !== 'zoe@member.example',
    );
    expect(runs.filter(({ outcome }) => outcome === 'final')).toHaveLength(52);
    const begun = runs.map(({ started_at: at }) => at ?? 0).toSorted((one, other) => one - other);
    for (const [at, time] of begun.entries()) expect(time - (begun[at - 2] ?? 0)).toBeGreaterThanOrEqual(3_600_000);
    await rig.clock.sleep(3_600_001);
    expect((await rig.answer()).run.outcome).toBe('final');
  });
});
