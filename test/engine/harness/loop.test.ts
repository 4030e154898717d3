import { afterEach, describe, expect, it } from 'vitest';
import { defineTool, EngineError, type Json } from '#contract';
import { call, type Model, makeRig, type Rig, type RigOptions } from './rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

async function rigWith(options: RigOptions): Promise<Rig> {
  const rig = await makeRig(options);
  rigs.push(rig);
  return rig;
}

const anything = { type: 'object' } as const;
const look = defineTool({
  description: 'Looks',
  risk: 'read',
  scope: 'web:read',
  input: anything,
  run: (args) => args,
});
const make = defineTool({
  description: 'Makes',
  risk: 'create',
  scope: 'files:create',
  input: anything,
  run: (args) => args,
});
const failing = defineTool({
  description: 'Fails',
  risk: 'read',
  scope: 'web:read',
  input: anything,
  run() {
    throw new Error('no');
  },
});

const turnOf = (messages: Parameters<Model>[0]['messages']) =>
  messages.filter(({ role }) => role === 'assistant').length;
/** Calls what `next` says for ever, with arguments that are never the same. */
const tireless =
  (name: string): Model =>
  ({ messages, toolChoice }) =>
    toolChoice === 'none'
      ? { text: 'So far, so good.' }
      : { toolCalls: [call(`c${turnOf(messages)}`, name, { n: turnOf(messages) })] };

/** Every call that was recorded has a result under the same id. */
const unanswered = (rows: readonly { event_type: string; tool_call_id: string }[]) => {
  const answered = new Set(rows.filter((row) => row.event_type === 'tool_result').map((row) => row.tool_call_id));
  return rows.filter((row) => row.event_type === 'tool_call' && !answered.has(row.tool_call_id));
};

describe('a model that never stops calling tools', () => {
  it('is asked once more without tools after max_tool_turns, and what it then says is a partial answer', async () => {
    const rig = await rigWith({ tools: { look }, models: tireless('look'), inference: { max_tool_turns: 3 } });
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'partial', code: 'max_tool_turns', model_calls: 4 });
    expect(text).toContain('So far, so good.');
    expect(rig.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto', 'none']);
  });

  it('is stopped by max_tool_calls in the same way', async () => {
    const rig = await rigWith({ tools: { look }, models: tireless('look'), inference: { max_tool_calls: 2 } });
    expect((await rig.answer()).run).toMatchObject({ outcome: 'partial', code: 'max_tool_calls', tool_calls: 2 });
  });

  it.each(['look_away', 'look'])('is bounded also when none of its calls may run: %s', async (name) => {
    const rig = await rigWith({
      tools: { look, make },
      models: tireless(name),
      persona: { tools: { deny: ['look'] } },
      inference: { max_tool_turns: 3, max_consecutive_failures: 1000 },
    });
    const { run } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'partial', code: 'max_tool_turns' });
    expect(run.model_calls).toBeLessThanOrEqual(4);
  });

  it('gets `skipped` for what is over max_calls_per_turn, and a reply that counts none of it as done', async () => {
    const rig = await rigWith({
      tools: { look },
      models: ({ messages }) =>
        turnOf(messages) === 0
          ? { toolCalls: [1, 2, 3, 4].map((n) => call(`c${n}`, 'look', { n })) }
          : { text: 'Two looks.' },
      inference: { max_calls_per_turn: 2 },
    });
    const { rows, run } = await rig.answer();
    expect(run.outcome).toBe('final');
    expect(unanswered(rows)).toEqual([]);
    const last = rig.requests[1]?.messages.at(-1);
    const codes =
      last?.role === 'tool' ? last.results.map(({ content }) => JSON.parse(content).error?.code ?? 'ok') : [];
    expect(codes).toEqual(['ok', 'ok', 'skipped', 'skipped']);
  });

  it('is stopped when it makes the same call three times, and the third is never made', async () => {
    const made: unknown[] = [];
    const counting = { ...look, run: (args: Json) => made.push(args) };
    const rig = await rigWith({
      tools: { look: counting },
      models: ({ messages }) => ({ toolCalls: [call(`c${turnOf(messages)}`, 'look', { b: 1, a: 2 })] }),
    });
    const { run, rows } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'partial', code: 'duplicate_calls' });
    expect(made).toHaveLength(2);
    expect(unanswered(rows)).toEqual([]);
  });

  it('and says what it knows when it may call no longer, has answered', async () => {
    const rig = await rigWith({
      tools: { look },
      models: ({ messages, toolChoice }) =>
        toolChoice === 'none'
          ? { text: 'It is five.' }
          : { toolCalls: [call(`c${turnOf(messages)}`, 'look', { b: 1, a: 2 })] },
    });
    const { run, text, decisions, rows } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'final', code: null, model_calls: 4 });
    expect(text).toBe('It is five.');
    expect(decisions.slice(-2)).toEqual(['last_call_duplicate_calls', 'answered']);
    expect(unanswered(rows)).toEqual([]);
  });

  it('is not taken for repeating itself while every turn has something new', async () => {
    const rig = await rigWith({
      tools: { look },
      models: ({ messages }) => {
        const turn = turnOf(messages);
        if (turn === 4) return { text: 'Seen.' };
        return { toolCalls: [call(`a${turn}`, 'look'), call(`b${turn}`, 'look', { turn })] };
      },
    });
    expect((await rig.answer()).run).toMatchObject({ outcome: 'final', tool_calls: 8 });
  });

  it('asks nobody for approval in the answer that was to be without tools', async () => {
    const rig = await rigWith({
      tools: { look, burn: defineTool({ ...make, risk: 'destructive' }) },
      models: ({ toolChoice }, asked) => ({
        toolCalls: [call(`c${asked}`, toolChoice === 'none' ? 'burn' : 'look', { asked })],
      }),
      inference: { max_tool_turns: 1 },
    });
    const { run, rows, events } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'partial', code: 'max_tool_turns' });
    expect(unanswered(rows)).toEqual([]);
    expect(events.filter(({ type }) => type === 'approval_requested' || type === 'permission')).toHaveLength(1);
  });

  it('is stopped after max_consecutive_failures, with what failed in the reply', async () => {
    const rig = await rigWith({ tools: { failing }, models: tireless('failing') });
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'partial', code: 'consecutive_failures', tool_calls: 3, model_calls: 4 });
    expect(text).toContain('So far, so good.');
    expect(text).toContain('several steps failed in a row');
  });

  it('hears of calls that failed side by side, and answers', async () => {
    const rig = await rigWith({
      tools: { failing },
      models: ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? { text: 'None of the three is there.' }
          : { text: '', toolCalls: ['a', 'b', 'c'].map((id) => call(id, 'failing', { id })) },
    });
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'final', code: null, tool_calls: 3, model_calls: 2 });
    expect(text).toContain('None of the three is there.');
  });

  it('has a last word after three turns that failed', async () => {
    const rig = await rigWith({
      tools: { failing },
      models: ({ toolChoice }, count) =>
        toolChoice === 'none'
          ? { text: 'It does not work today.' }
          : { text: '', toolCalls: [call(`c${count}`, 'failing', { count })] },
    });
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'partial', code: 'consecutive_failures', tool_calls: 3, model_calls: 4 });
    expect(text).toContain('It does not work today.');
  });

  it('has failed once where all calls of one turn fail, and may do better', async () => {
    const rig = await rigWith({
      tools: { look, failing },
      models: ({ messages }) => {
        const turn = turnOf(messages);
        if (turn === 0) return { toolCalls: ['a', 'b', 'c'].map((id) => call(id, 'looks', { id })) };
        return turn === 1 ? { toolCalls: [call('d', 'look', {})] } : { text: 'Seen.' };
      },
    });
    expect(await rig.answer()).toMatchObject({ run: { outcome: 'final', tool_calls: 4 }, text: 'Seen.' });
  });

  it('is stopped by the time limit, and every call that it made has a result', async () => {
    const slow = defineTool({
      ...look,
      async run() {
        await rigs[0]?.clock.sleep(400_000);
        return null;
      },
    });
    const rig = await rigWith({ tools: { slow }, models: tireless('slow') });
    const { run, rows } = await rig.answer();
    expect(run).toMatchObject({ outcome: 'partial', code: 'timeout' });
    expect(unanswered(rows)).toEqual([]);
  });
});

describe('a turn of several calls', () => {
  it('runs what may run although three others may not', async () => {
    const rig = await rigWith({
      tools: { look },
      models: ({ messages }) =>
        turnOf(messages) === 0
          ? { toolCalls: ['look', 'x', 'y', 'z'].map((name, n) => call(`c${n}`, name, { n })) }
          : { text: 'One of four.' },
    });
    const { run, rows } = await rig.answer();
    expect(run.outcome).toBe('final');
    expect(rows.filter(({ event_type }) => event_type === 'tool_result')).toHaveLength(4);
  });

  it('makes changes one after the other, and none after one that failed', async () => {
    const made: unknown[] = [];
    const rig = await rigWith({
      tools: {
        look,
        make: {
          ...make,
          run(args: Json) {
            made.push(args);
            if (made.length === 2) throw new Error('full');
            return args;
          },
        },
      },
      models: ({ messages }) =>
        turnOf(messages) === 0
          ? { toolCalls: [1, 2, 3].map((n) => call(`c${n}`, 'make', { n })).concat(call('c4', 'look', { n: 4 })) }
          : { text: 'One was made.' },
    });
    const { events } = await rig.answer();
    const codes = events.filter(({ type }) => type === 'observation').map(({ data }) => data.code);
    expect(codes).toEqual([null, 'tool_failed', 'skipped', null]);
    expect(made).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('of which some say the same changes something once, and each gets the result', async () => {
    const made: unknown[] = [];
    const rig = await rigWith({
      tools: { make: { ...make, run: (args: Json) => made.push(args) } },
      models: ({ messages }) =>
        turnOf(messages) === 0
          ? { toolCalls: [call('c1', 'make', { a: 1, b: 2 }), call('c2', 'make', { b: 2, a: 1 }), call('c3', 'make')] }
          : { text: 'Made.' },
      inference: { max_calls_per_turn: 2 },
    });
    const { events, rows } = await rig.answer();
    expect(made).toHaveLength(2);
    expect(unanswered(rows)).toEqual([]);
    const last = rig.requests[1]?.messages.at(-1);
    expect(last?.role === 'tool' && last.results.map(({ callId }) => callId)).toEqual(['c1', 'c2', 'c3']);
    const seen = events.filter(({ type }) => type === 'observation').map(({ data }) => data);
    expect(seen.map(({ call_id, same_as, ok }) => [call_id, same_as, ok])).toEqual([
      ['c1', undefined, true],
      ['c2', 'c1', true],
      ['c3', undefined, true],
    ]);
  });

  it('with two calls under one id is not trusted', async () => {
    const rig = await rigWith({
      tools: { look },
      models: ({ messages }, asked) =>
        asked === 1
          ? { toolCalls: [call('same', 'look', { n: 1 }), call('same', 'look', { n: 2 })] }
          : { text: `Turn ${turnOf(messages)}` },
    });
    const { run, decisions } = await rig.answer();
    expect(decisions).toEqual(['begin', 'repair', 'answered']);
    expect(run.tool_calls).toBe(0);
  });
});

describe('a tool that', () => {
  const answering = (tool: object, more: Partial<RigOptions> = {}) =>
    rigWith({
      tools: { odd: defineTool({ ...look, ...tool }) },
      models: ({ messages }) => (turnOf(messages) === 0 ? { toolCalls: [call('c1', 'odd')] } : { text: 'Seen.' }),
      ...more,
    });
  const seenBy = (rig: Rig) => {
    const last = rig.requests.at(-1)?.messages.at(-1);
    return last?.role === 'tool' ? JSON.parse(last.results[0]?.content ?? 'null') : undefined;
  };
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  class Unprintable {
    toString(): string {
      throw new Error('not even that');
    }
  }
  const throwing = (thrown: unknown) => ({
    run() {
      throw thrown;
    },
  });

  it.each<[string, object, string]>([
    ['throws no error', throwing('words'), 'tool_failed'],
    ['throws null', throwing(null), 'tool_failed'],
    ['throws what cannot be printed', throwing(new Unprintable()), 'tool_failed'],
    ['throws an object without a prototype', throwing(Object.create(null)), 'tool_failed'],
    ['throws a code of the engine that is not its own', throwing(new EngineError('policy_denied', 'x')), 'tool_failed'],
    ['returns a circle', { run: () => cyclic }, 'invalid_result'],
    ['returns a function', { run: () => () => 1 }, 'invalid_result'],
    ['returns a BigInt', { run: () => 7n }, 'invalid_result'],
    ['returns endless nesting', { run: () => nested(20_000) }, 'invalid_result'],
    ['returns nesting that JSON still takes', { run: () => nested(3000) }, 'invalid_result'],
    ['returns what its own schema forbids', { output: { type: 'string' }, run: () => 5 }, 'invalid_result'],
    ['rejects later', { run: () => Promise.reject(new Error('later')) }, 'tool_failed'],
  ])('%s is a failed call and no more', async (_what, tool, code) => {
    const rig = await answering(tool);
    const { run, rows } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'final', crashes: 0 });
    expect(seenBy(rig)).toMatchObject({ ok: false, error: { code } });
    expect(unanswered(rows)).toEqual([]);
  });

  it('throws with a path of this machine is told without it, and URLs and own paths stay', async () => {
    const words =
      "ENOENT: no such file, open '/srv/mail/data/keys/x.pem'; see https://x.example/a/b/c and notes/a/b.md";
    const rig = await answering(throwing(new Error(words)));
    await rig.answer();
    expect(seenBy(rig).error.message).toBe(
      "ENOENT: no such file, open '<path>'; see https://x.example/a/b/c and notes/a/b.md",
    );
  });

  it('returns nothing has succeeded with null', async () => {
    const rig = await answering({ run: () => undefined });
    await rig.answer();
    expect(seenBy(rig)).toMatchObject({ ok: true, result: null });
  });

  it('hangs is left behind at its deadline, and told so by its signal', async () => {
    const aborted = Promise.withResolvers<boolean>();
    const run = (_args: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => aborted.resolve(true));
      return new Promise(() => {});
    };
    const rig = await answering({ run }, { inference: { tool_timeout_s: 0.05 } });
    await rig.answer();
    expect(seenBy(rig)).toMatchObject({ ok: false, error: { code: 'tool_timeout' } });
    expect(await aborted.promise).toBe(true);
  });

  it('returns 50 MB is shown in part, kept in whole and only once', async () => {
    const bytes = 50 * 1024 * 1024;
    const rig = await answering({ run: () => 'x'.repeat(bytes) });
    const { rows, events } = await rig.answer();
    const shown = seenBy(rig);
    expect(shown).toMatchObject({ ok: true, truncated: true });
    expect(JSON.stringify(shown).length).toBeLessThan(25_000);
    const artifact = String(events.find(({ type }) => type === 'observation')?.data.artifact);
    const { artifacts } = rig.harness.filesOf('ada');
    expect((await artifacts.get(artifact)).length).toBe(bytes + 2);
    const stored = JSON.parse(rows.find(({ event_type }) => event_type === 'tool_result')?.payload_json ?? '{}');
    expect(stored).toEqual({ ok: true, artifact });
  });

  it('returns control and bidi characters has them removed before a model sees them', async () => {
    const rig = await answering({ run: () => ({ 'a\u202eb': 'x\u0000\u001b[31m\u2066y\nz' }) });
    await rig.answer();
    expect(seenBy(rig)).toMatchObject({ ok: true, result: { ab: 'x[31my\nz' } });
  });

  it.each(['unsupported_runtime_action', 'outbound_transport_not_configured'] as const)(
    'throws %s ends the run with a stated reply and one word to the owner',
    async (code) => {
      const rig = await answering(throwing(new EngineError(code, 'inner words')));
      const { run, text, rows, jobs, replies } = await rig.answer();
      expect(run).toMatchObject({ status: 'failed', outcome: 'failed', code, model_calls: 1 });
      expect(replies).toHaveLength(1);
      expect(text).toContain('I could not work on your mail');
      expect(text).not.toContain('inner words');
      expect(unanswered(rows)).toEqual([]);
      expect(jobs).toEqual([`notice:run_failed:${run.id}`]);
    },
  );
});

describe('the settings that a run is pinned to', () => {
  it('are one file for all mails of a persona, whatever each of them asks for', async () => {
    const rig = await rigWith({ tools: { look }, models: () => ({ text: 'Hello.' }) });
    const one = await rig.answer({ text: 'What did cost centre 4711 spend?' });
    const other = await rig.answer({
      text: 'Bitte schick mir eine Tabelle der Hotels in Kiel, die im März noch frei sind.',
    });
    const frameOf = ({ events }: typeof one) => events.find(({ type }) => type === 'context_built')?.data.frame;
    expect(frameOf(one)).not.toEqual(frameOf(other));
    expect(one.run.settings_sha256).toBe(other.run.settings_sha256);
  });
});
