import { afterEach, describe, expect, it } from 'vitest';
import { defineTool, EngineError, type ProviderCode, type Retry, type Whose } from '#contract';
import { call, type Model, makeRig, NOON, type Rig, type RigOptions } from '../harness/rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

async function rigWith(options: RigOptions): Promise<Rig> {
  const rig = await makeRig(options);
  rigs.push(rig);
  return rig;
}

const SOON: Retry = { afterMs: 0 };
const failing =
  (code: ProviderCode, retry: Retry = SOON, whose?: Whose): Model =>
  () => {
    throw new EngineError(code, `the vendor's own words`, { retry, ...(whose && { whose }) });
  };
const answering =
  (text: string): Model =>
  () => ({ text });
const CHAIN = { fallback: ['second/m2', 'third/m3'] };
const asked = (rig: Rig) => rig.requests.map(({ provider, model }) => `${provider}/${model}`);
const look = defineTool({
  description: 'Looks',
  risk: 'read',
  scope: 'web:read',
  input: { type: 'object' },
  run: () => 'seen',
});

describe('a provider that fails', () => {
  it.each<[ProviderCode, number]>([
    ['rate_limited', 3],
    ['overloaded', 3],
    ['unavailable', 3],
    ['timeout', 2],
    ['auth', 1],
  ])('with %s and has no fallback is asked %i times at once, then its mail waits', async (code, times) => {
    const rig = await rigWith({ models: failing(code) });
    const { run, replies, jobs } = await rig.waits();
    expect(run).toMatchObject({ status: 'queued', deferred_code: 'provider_unavailable', model_calls: 0 });
    expect(rig.requests).toHaveLength(times);
    expect(replies).toEqual([]);
    expect(jobs).toHaveLength(2);
    expect(jobs.every((id) => /^waiting_not(e|ice):provider_unavailable:\d+/.test(id))).toBe(true);
  });

  it('with a request that it refuses ends in a reply that says so, and the owner hears once', async () => {
    const rig = await rigWith({ models: failing('bad_request') });
    const { run, text, replies, jobs } = await rig.answer();
    expect(run).toMatchObject({ status: 'failed', outcome: 'failed', code: 'bad_request', model_calls: 0 });
    expect(rig.requests).toHaveLength(1);
    expect(replies).toHaveLength(1);
    expect(text).toContain('I could not work on your mail');
    expect(text).not.toContain("vendor's own words");
    expect(jobs).toEqual([`notice:run_failed:${run.id}`]);
  });

  it('after something was done ends in part, with what was done', async () => {
    const rig = await rigWith({
      tools: { look },
      models: ({ messages }) => {
        if (messages.some(({ role }) => role === 'tool')) throw new EngineError('bad_request', 'no');
        return { text: 'I look first.', toolCalls: [call('c1', 'look')] };
      },
    });
    const { run, text, jobs } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'partial', code: 'provider' });
    expect(text).toContain('I look first.');
    expect(text).not.toContain('Done');
    expect(jobs).toEqual([`notice:run_failed:${run.id}`]);
  });

  it('and asks for a wait gets it, while another thread is answered', async () => {
    const rig = await rigWith({
      models: (_request, count) => {
        if (count === 1) throw new EngineError('rate_limited', 'slow down', { retry: { afterMs: 90_000 } });
        return { text: `Answer ${count}` };
      },
    });
    const first = await rig.deliver();
    const second = await rig.deliver();
    await rig.drain();
    const ends = await Promise.all([first, second].map(({ runId }) => rig.ended(runId ?? '')));
    expect(ends.map(({ run }) => (run.ended_at ?? 0) - NOON)).toEqual([90_000, 0]);
    expect(ends.map(({ run }) => run.active_ms)).toEqual([0, 0]);
  });

  it('and wants a day of patience is asked once an hour', async () => {
    const rig = await rigWith({ models: failing('rate_limited', { afterMs: 86_400_000 }) });
    const { run } = await rig.waits();
    expect(run.deferred_until).toBe(NOON + 3_600_000);
    expect(rig.requests).toHaveLength(1);
  });

  it('for two days is given up, with one word to its sender and one to its owner', async () => {
    const rig = await rigWith({ models: failing('unavailable') });
    const { run, replies, text, jobs } = await rig.answer();
    expect(run).toMatchObject({ status: 'failed', outcome: 'gave_up', code: 'provider_unavailable' });
    expect(rig.clock.now() - NOON).toBeGreaterThanOrEqual(48 * 3_600_000);
    // Half a minute apart at first, an hour in the end.
    expect(rig.requests.length).toBeLessThan(80);
    expect(replies).toHaveLength(1);
    expect(text).toContain('the model service did not work, and I have waited for 48 hours');
    expect(jobs).toContain(`notice:gave_up:${run.id}`);
  });

  it('with something that is no error of the contract counts as unavailable', async () => {
    const rig = await rigWith({
      models: () => {
        throw new Error('the upstream is sad');
      },
    });
    expect((await rig.waits()).run).toMatchObject({ deferred_code: 'provider_unavailable' });
  });

  it('by a mistake in the code of its adapter fails the mail at once: no time mends that', async () => {
    const rig = await rigWith({
      models: () => {
        throw new TypeError('undefined is not a function');
      },
    });
    const { run, replies, events } = await rig.answer();
    expect(run).toMatchObject({ status: 'failed', code: 'bad_request', deferred_at: null });
    expect(rig.requests).toHaveLength(1);
    expect(replies).toHaveLength(1);
    const ended = events.find(({ type }) => type === 'model_call_ended');
    expect(ended?.data.message).toBe('a mistake in the adapter: TypeError: undefined is not a function');
  });

  it('by not answering is cut off at its time limit', async () => {
    const rig = await rigWith({ models: () => new Promise(() => {}), inference: { model_timeout_s: 0.05 } });
    expect((await rig.waits()).run).toMatchObject({ deferred_code: 'provider_unavailable' });
    expect(rig.requests).toHaveLength(2);
  });
});

describe('a provider that fails and has fallbacks', () => {
  it('hands over, and the next one does not get its thinking', async () => {
    const rig = await rigWith({
      tools: { look },
      models: {
        main: ({ messages }) => {
          if (messages.length > 1) throw new EngineError('overloaded', 'busy', { retry: SOON });
          const providerParts = { provider: 'main', model: 'm1', data: { thinking: 'secret' } };
          return { toolCalls: [call('c1', 'look')], providerParts };
        },
        second: answering('From the second.'),
      },
      inference: { fallback: ['second/m2'] },
    });
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'final', provider: 'second', model: 'm2' });
    expect(text).toBe('From the second.');
    expect(asked(rig)).toEqual(['main/m1', 'main/m1', 'second/m2']);
    expect(JSON.stringify(rig.requests.at(-1)?.messages)).not.toContain('secret');
  });

  it.each<[ProviderCode, number]>([
    ['rate_limited', 1],
    ['overloaded', 1],
    ['auth', 1],
    ['bad_request', 1],
    ['timeout', 1],
    ['unavailable', 2],
  ])('with %s hands over after %i tries', async (code, tries) => {
    const rig = await rigWith({
      models: { main: failing(code), second: answering('Here.') },
      inference: { fallback: ['second/m2'] },
    });
    expect((await rig.answer()).run).toMatchObject({ outcome: 'final', provider: 'second' });
    expect(asked(rig)).toEqual([...Array.from({ length: tries }, () => 'main/m1'), 'second/m2']);
  });

  it('goes down the whole chain, then a reply says so', async () => {
    const rig = await rigWith({
      models: { main: failing('overloaded'), second: failing('auth'), third: failing('bad_request') },
      inference: CHAIN,
    });
    const { run, jobs } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'failed', code: 'bad_request' });
    expect(asked(rig)).toEqual(['main/m1', 'second/m2', 'third/m3']);
    expect(jobs).toHaveLength(1);
  });

  it('rests for a minute, shown by its end, and is asked again afterwards', async () => {
    const rig = await rigWith({
      models: {
        main: (_request, count) => {
          if (count === 1) throw new EngineError('overloaded', 'busy', { retry: SOON, whose: 'vendor' });
          return { text: 'From the first.' };
        },
        second: answering('From the second.'),
      },
      inference: { fallback: ['second/m2'] },
    });
    await rig.answer();
    const until = NOON + 60_000;
    expect(rig.cooldowns.list(rig.clock.now())).toEqual([{ provider: 'main', until }]);
    expect((await rig.answer()).run.provider).toBe('second');
    await rig.clock.sleep(60_001);
    expect(rig.cooldowns.list(rig.clock.now())).toEqual([]);
    expect((await rig.answer()).run.provider).toBe('main');
    expect(asked(rig)).toEqual(['main/m1', 'second/m2', 'second/m2', 'main/m1']);
  });

  it('is not handed over to a model that cannot call the tools of the run, and the trace says so', async () => {
    const rig = await rigWith({
      tools: { look },
      models: { main: failing('overloaded'), second: answering('A guess.'), third: answering('Looked up.') },
      inference: CHAIN,
      withoutTools: ['second'],
    });
    const { run, events } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'final', provider: 'third' });
    const failed = events.find(({ type, data }) => type === 'model_call_ended' && data.ok === false);
    expect(failed?.data).toMatchObject({ without_tools: ['second/m2'] });
    expect(asked(rig)).toEqual(['main/m1', 'third/m3']);
  });

  it('waits when no other can call them', async () => {
    const rig = await rigWith({
      tools: { look },
      models: { main: failing('auth'), second: answering('A guess.') },
      inference: { fallback: ['second/m2'] },
      withoutTools: ['second'],
    });
    const { run } = await rig.waits();
    expect(run).toMatchObject({ deferred_code: 'provider_unavailable' });
    expect(asked(rig)).toEqual(['main/m1']);
  });

  it('may hand over to such a model where the run has no tools', async () => {
    const rig = await rigWith({
      models: { main: failing('auth'), second: answering('Words alone.') },
      inference: { fallback: ['second/m2'] },
      withoutTools: ['second'],
    });
    expect((await rig.answer()).run).toMatchObject({ outcome: 'final', provider: 'second' });
  });

  it('that cannot call tools itself is shown none, and answers', async () => {
    const rig = await rigWith({ tools: { look }, models: answering('Words.'), withoutTools: ['main'] });
    expect((await rig.answer()).run.outcome).toBe('final');
    expect(rig.requests[0]?.tools).toEqual([]);
  });

  it('rests as long as it asked for when that is longer', async () => {
    const rig = await rigWith({
      models: { main: failing('rate_limited', { afterMs: 300_000 }, 'vendor'), second: answering('Here.') },
      inference: { fallback: ['second/m2'] },
    });
    await rig.answer();
    expect(rig.cooldowns.list(rig.clock.now())).toEqual([{ provider: 'main', until: NOON + 300_000 }]);
  });

  it('is passed over while it rests, and what comes after it is not failed in its name', async () => {
    const rig = await rigWith({
      models: { main: answering('Rested.'), second: failing('bad_request'), third: answering('From the third.') },
      inference: CHAIN,
    });
    await rig.cooldowns.rest('main', NOON + 60_000);
    expect((await rig.answer()).run).toMatchObject({ outcome: 'final', provider: 'third' });
    expect(asked(rig)).toEqual(['second/m2', 'third/m3']);
  });

  it('is asked although it rests when all others rest too', async () => {
    const rig = await rigWith({
      models: { main: answering('Awake after all.'), second: answering('Never.'), third: answering('Never.') },
      inference: CHAIN,
    });
    for (const provider of ['main', 'second', 'third']) await rig.cooldowns.rest(provider, NOON + 60_000);
    expect((await rig.answer()).run).toMatchObject({ outcome: 'final', provider: 'main' });
  });
});

describe('a model that is slow', () => {
  it('and cut off because the run has no time left, is not made to rest for it', async () => {
    const rig = await rigWith({
      models: async () => {
        await rigs[0]?.clock.sleep(600_000);
        throw new EngineError('timeout', 'took too long', { retry: SOON });
      },
    });
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'partial', code: 'timeout' });
    expect(text).toContain('it took longer than one mail may take');
    expect(rig.requests).toHaveLength(1);
    expect(rig.cooldowns.list(rig.clock.now())).toEqual([]);
  });
});

describe('a prompt that does not fit', () => {
  const short: Model = ({ messages }) => {
    if (messages.length > 1) throw new EngineError('context_overflow', 'too long');
    return { text: 'It fits.' };
  };

  it('is sent once more without its history', async () => {
    const rig = await rigWith({ models: short });
    await rig.answer({ id: '<a@member.example>' });
    const { run, decisions } = await rig.answer({ inReplyTo: '<a@member.example>' });
    expect(run.outcome).toBe('final');
    expect(decisions).toEqual(['begin', 'begin', 'answered']);
    expect(rig.requests.map(({ messages }) => messages.length)).toEqual([1, 3, 1]);
  });

  it('even then goes to the next model, or the reply says so', async () => {
    const rig = await rigWith({
      models: { main: failing('context_overflow', 'never'), second: answering('A larger window.') },
      inference: { fallback: ['second/m2'] },
    });
    expect((await rig.answer()).run).toMatchObject({ outcome: 'final', provider: 'second' });
    const alone = await rigWith({ models: failing('context_overflow', 'never') });
    expect((await alone.answer()).run).toMatchObject({ outcome: 'failed', code: 'context_overflow' });
    expect(alone.requests).toHaveLength(2);
  });
});

describe('an answer', () => {
  it('that cannot be read is asked for once more, and told what was wrong, then the run ends in part', async () => {
    const rig = await rigWith({ models: failing('unparsable') });
    const { run, text, jobs } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'partial', code: 'unparsable' });
    expect(rig.requests).toHaveLength(2);
    expect(JSON.stringify(rig.requests[1]?.messages.at(-1))).toContain('could not be read');
    expect(text).toContain('could not be read');
    expect(jobs).toEqual([`notice:run_failed:${run.id}`]);
  });

  it('of nothing is not shown to the model again, but told', async () => {
    const rig = await rigWith({ models: (_request, count) => ({ text: count === 1 ? ' \n' : 'Words.' }) });
    expect((await rig.answer()).text).toBe('Words.');
    expect(rig.requests.map(({ messages }) => messages.length)).toEqual([1, 2]);
    expect(JSON.stringify(rig.requests[1]?.messages.at(-1))).toContain('Your answer was empty');
  });

  it('that broke off at the limit of tokens is sent and said to be incomplete', async () => {
    const rig = await rigWith({ models: () => ({ text: 'Half a sen', finish: 'length' }) });
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'partial', code: 'cut_off', model_calls: 3 });
    expect(text).toMatch(/^This answer is not complete: it broke off .*\n\nHalf a sen$/);
  });

  it('of a model without a price is refused where prices are a must', async () => {
    const rig = await rigWith({
      models: answering('Dear.'),
      info: { usd_per_million_tokens: null },
      inference: { allow_unpriced: false },
    });
    expect((await rig.waits()).run).toMatchObject({ deferred_code: 'provider_setup' });
    expect(rig.requests).toEqual([]);
  });
});
