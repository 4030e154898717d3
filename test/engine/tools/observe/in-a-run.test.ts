import { afterEach, describe, expect, it } from 'vitest';
import { EngineError, type Json, type ToolDefinition } from '#contract';
import { createArtifacts } from '../../../../engine/tools/capabilities/artifacts.ts';
import { call, type Model, makeRig, type Rig, type RigOptions } from '../../harness/rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

const reading = (run: ToolDefinition['run']): ToolDefinition => ({
  description: 'Reads',
  risk: 'read',
  scope: 'files:read',
  input: { type: 'object' },
  run,
});
const BOOK = `${'A line of the story.\n'.repeat(3000)}The end.`;
const SHORT = { path: 'short.md', text: 'short story '.repeat(300) };
const TOOLS = { book: reading(() => BOOK), short: reading(() => SHORT) };

async function rigWith(models: Model, more: Partial<RigOptions> = {}) {
  const rig = await makeRig({ tools: TOOLS, models, ...more });
  rigs.push(rig);
  return rig;
}

/** Calls these tools, one in each turn, then answers. */
const calling =
  (...names: readonly string[]): Model =>
  ({ messages }) => {
    const made = messages.filter(({ role }) => role === 'tool').length;
    const name = names[made];
    return name === undefined ? { text: 'Done.' } : { toolCalls: [call(`c${made}`, name)] };
  };

const refsOf = (events: Awaited<ReturnType<Rig['ended']>>['events']) =>
  events.filter(({ type }) => type === 'observation').map(({ data }) => String(data.ref));

const resultsOf = (request: Pick<Rig['requests'][number], 'messages'> | undefined) =>
  (request?.messages ?? []).flatMap((message) => (message.role === 'tool' ? message.results : []));

function readAll(rig: Rig, threadId: string, address: string | null, ref: string) {
  return rig.withStore(async (store) => {
    const { artifacts } = rig.harness.filesOf('ada');
    const capability = createArtifacts({
      store,
      artifacts,
      run: { id: 'another', thread_id: threadId, sender: address, tier: address === null ? 'owner' : 'member' },
    });
    const texts: string[] = [];
    for (let page: number | null = 1; page !== null; ) {
      const found: { text: string; next_page: number | null } = await capability.readPage({ ref, page });
      texts.push(found.text);
      page = found.next_page;
    }
    return texts;
  });
}

describe('the reference of a result', () => {
  it('leads to the whole, page by page, large or small, also when the run is long over', async () => {
    const rig = await rigWith(calling('book', 'short'));
    const { run, events } = await rig.answer();
    const [book = '', short = ''] = refsOf(events);
    const pages = await readAll(rig, run.thread_id, 'mia@member.example', book);
    expect(pages.length).toBeGreaterThan(4);
    expect(pages.join('')).toBe(BOOK);
    expect(JSON.parse((await readAll(rig, run.thread_id, null, short)).join(''))).toEqual(SHORT);
  });

  it('is told to the models of later mails, of whatever had to be left out', async () => {
    const rig = await rigWith((request, asked, signal) =>
      request.input.text.includes('books') ? calling('book', 'short')(request, asked, signal) : { text: 'Yes.' },
    );
    const first = await rig.answer({ text: 'Read the books.', id: '<first@member.example>' });
    const later = await rig.answer({ text: 'Did you?', inReplyTo: '<first@member.example>' });
    expect(later.run.thread_id).toBe(first.run.thread_id);
    const prompt = JSON.stringify(rig.requests.at(-1)?.messages);
    expect(prompt.length).toBeLessThan(3000);
    for (const whole of refsOf(first.events)) {
      const ref = whole.slice(0, 16);
      expect(prompt).toContain(ref);
      expect(prompt).not.toContain(whole);
      expect((await readAll(rig, later.run.thread_id, 'mia@member.example', ref)).join('')).toContain('story');
    }
  });

  it('says which page is the last one', async () => {
    const rig = await rigWith(calling('short'));
    const { run, events } = await rig.answer();
    await rig.withStore(async (store) => {
      const { artifacts } = rig.harness.filesOf('ada');
      const capability = createArtifacts({ store, artifacts, run: { ...run, tier: 'owner' } });
      const [ref = ''] = refsOf(events);
      await expect(capability.readPage({ ref, page: 2 })).rejects.toMatchObject({
        code: 'invalid_arguments',
        message: 'there is no page 2; the last one is 1',
      });
    });
  });

  it('opens nothing in another thread, and nothing for another sender but the owner', async () => {
    const rig = await rigWith((request, asked, signal) =>
      request.input.text.includes('book') ? calling('book')(request, asked, signal) : { text: 'Nothing to read.' },
    );
    const { run, events } = await rig.answer({ text: 'Read the book.' });
    const other = await rig.answer({ text: 'Hello.' });
    const [ref = ''] = refsOf(events);
    const closed = expect.objectContaining({ name: 'EngineError', code: 'not_found' });
    await expect(readAll(rig, other.run.thread_id, null, ref)).rejects.toEqual(closed);
    await expect(readAll(rig, run.thread_id, 'eve@member.example', ref)).rejects.toEqual(closed);
    await expect(readAll(rig, run.thread_id, '', ref)).rejects.toEqual(closed);
    expect((await readAll(rig, run.thread_id, null, ref)).join('')).toBe(BOOK);
    expect((await readAll(rig, run.thread_id, 'mia@member.example', ref)).join('')).toBe(BOOK);
  });

  it.each([
    ['a path', '../../persona.db'],
    ['a hash that nothing has', 'ab'.repeat(32)],
    ['part of a hash', 'ab'],
    ['a pattern', '%'],
    ['nothing', ''],
  ])('is none where it is %s', async (_what, ref) => {
    const rig = await rigWith(calling('book'));
    const { run } = await rig.answer();
    await expect(readAll(rig, run.thread_id, null, ref)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not made by writing the hash of a file into a result', async () => {
    const settings: { sha256: Json } = { sha256: null };
    const rig = await rigWith(calling('echo'), {
      tools: { echo: reading(() => ({ ref: settings.sha256, artifact: settings.sha256, pad: 'x'.repeat(2000) })) },
    });
    const first = await rig.answer();
    settings.sha256 = first.run.settings_sha256;
    const { run } = await rig.answer();
    await expect(readAll(rig, run.thread_id, null, String(settings.sha256))).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the observations of a run', () => {
  it('are shown to the model to the byte as before when the run is taken up again', async () => {
    const rig = await rigWith(
      (request, asked, signal) => {
        if (asked === 5) throw new EngineError('overloaded', 'busy', { retry: { afterMs: 1 } });
        return calling('book', 'short', 'short', 'book')(request, asked, signal);
      },
      { info: { context_tokens: 12_000 } },
    );
    const { run } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'final' });
    const [before, after] = rig.requests.slice(4);
    expect(resultsOf(after)).toEqual(resultsOf(before));
    expect(after?.messages).toEqual(before?.messages);
  });

  it('refer to the first where one repeats it', async () => {
    const rig = await rigWith(calling('short', 'book', 'short'));
    await rig.answer();
    const [first, , again] = resultsOf(rig.requests.at(-1)).map(({ content }) => JSON.parse(content));
    expect(first.result).toEqual(SHORT);
    expect(again).toMatchObject({ ok: true, same_as: 'c0', source: { tool: 'short', path: 'short.md' } });
  });

  it('give way, largest first, where the model is small; what they were is still there by reference', async () => {
    const rig = await rigWith(calling('short', 'book'), { info: { context_tokens: 8000 } });
    const { run } = await rig.answer();
    const results = resultsOf(rig.requests.at(-1)).map(({ content }) => JSON.parse(content));
    expect(results[0].result).toEqual(SHORT);
    expect(results[1]).toMatchObject({ truncated: true, total_bytes: BOOK.length + 3002 });
    expect(JSON.stringify(results[1]).length).toBeLessThan(1200);
    expect((await readAll(rig, run.thread_id, null, results[1].ref)).join('')).toBe(BOOK);
  });

  it('that the vendor refuses as too long are sent once more, much shorter', async () => {
    const rig = await rigWith(
      (request, asked, signal) => {
        if (resultsOf(request).reduce((sum, { content }) => sum + content.length, 0) > 12_000) {
          throw new EngineError('context_overflow', 'too long');
        }
        return calling('book', 'short')(request, asked, signal);
      },
      { info: { context_tokens: 20_000 } },
    );
    const { run, events } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'final', code: null });
    const failed = events.filter(({ type, data }) => type === 'model_call_ended' && data.ok === false);
    expect(failed.map(({ data }) => data.next)).toEqual(['compact']);
  });

  it('that are too long even then end the run as a stated partial', async () => {
    const rig = await rigWith((request, asked, signal) => {
      if (resultsOf(request).length > 0) throw new EngineError('context_overflow', 'too long');
      return calling('book')(request, asked, signal);
    });
    const { run, text } = await rig.answer();
    expect(run).toMatchObject({ status: 'done', outcome: 'partial' });
    expect(rig.requests).toHaveLength(3);
    expect(text).toMatch(/^This answer is not complete: /);
  });
});

describe('what a tool declares of its results', () => {
  it('is on record with the observation, and is what the answer is judged by', async () => {
    const table: ToolDefinition = {
      ...reading(() => ({ rows: ['one'], path: 'not this one' })),
      provenance: () => ({ id: 'table 7' }),
      freshness: () => ({ asOf: '2026-10-01T00:00:00Z' }),
      next: () => ({ more: true, share: { shown: 1, total: 5, unit: 'rows' } }),
    };
    const { events } = await (await rigWith(calling('table'), { tools: { table } })).answer();
    const [seen] = events.filter(({ type }) => type === 'observation').map(({ data }) => data);
    expect(JSON.parse(String(seen?.content)).source).toEqual({ tool: 'table', id: 'table 7' });
    expect(seen?.facts).toMatchObject({ source: { id: 'table 7' }, as_of: '2026-10-01T00:00:00Z' });
    const judged = events.findLast(({ type }) => type === 'decision')?.data.limitations;
    expect(judged).toEqual([
      { call_id: 'c0', source: 'table 7', kind: 'cut', detail: '1 of 5 rows' },
      { call_id: 'c0', source: 'table 7', kind: 'old', detail: '2026-10-01 00:00 UTC' },
    ]);
  });
});
