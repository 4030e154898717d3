import { describe, expect, it } from 'vitest';
import type { GenerateResponse, ModelMessage } from '#contract';
import { adapterOf, never, requestTo, user } from './adapter.ts';

const ask = async (text: string, messages: ModelMessage[] = [user(text)], change = {}) =>
  (await adapterOf('offline')).generate(requestTo('offline', { messages, input: { text }, ...change }), never());

function withResults(mail: string, first: GenerateResponse, contents: string[]): ModelMessage[] {
  return [
    user(mail),
    { role: 'assistant', text: first.text, toolCalls: first.toolCalls, providerParts: first.providerParts },
    {
      role: 'tool',
      results: first.toolCalls.map(({ id, name }, at) => {
        const content = contents[at] ?? '';
        return { callId: id, name, content, isError: content.startsWith('{"ok":false') };
      }),
    },
  ];
}

describe('a mail to a persona without a model', () => {
  it('is told so and quoted', async () => {
    expect(await ask('Hello Ada,\nhow are you?')).toEqual({
      text: 'No model read this mail: the offline provider only runs the tool calls that a mail spells out. To have a model read your mail, run setup.\n\nYour mail begins:\n\nHello Ada,\nhow are you?',
      toolCalls: [],
      finish: 'stop',
      usage: { input: 0, output: 0, cached: 0, cacheWrite: 0, unknown: [] },
      providerParts: { provider: 'offline', model: 'offline', data: 'final' },
      reportedCostUsd: null,
    });
  });

  it('is quoted for 500 characters and never for half a character', async () => {
    const { text } = await ask('😀'.repeat(600));
    expect(text.endsWith(`\n\n${'😀'.repeat(500)}`)).toBe(true);
  });

  it('has its calls made in order and all at once', async () => {
    const { toolCalls, finish, text } = await ask(
      'Please:\r\n/list_files\r\n/read_file {"path": "a.txt"}\r\nThanks\n/write_file   {"path":"b","content":"c"}  ',
    );
    expect(toolCalls).toEqual([
      { id: 'call_1', name: 'list_files', arguments: {} },
      { id: 'call_2', name: 'read_file', arguments: { path: 'a.txt' } },
      { id: 'call_3', name: 'write_file', arguments: { path: 'b', content: 'c' } },
    ]);
    expect({ finish, text }).toEqual({ finish: 'tool_calls', text: '' });
  });

  it.each([
    ['/read_file {"path": ', '{"path": '.trim()],
    ['/read_file plan.txt', 'plan.txt'],
    [`/anything ${'{"a":'.repeat(100)}1${'}'.repeat(100)}`, `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`],
  ])('has a call without usable arguments handed on as text: %s', async (line, rawArguments) => {
    const { toolCalls } = await ask(line);
    expect(toolCalls).toHaveLength(1);
    expect(toolCalls[0]).toMatchObject({ arguments: undefined, rawArguments });
  });

  it.each([
    '/usr/bin is where it lives',
    '/unknown tool in prose',
    ' /list_files',
    '> /list_files',
    'see /list_files {}',
    '/List_Files {}',
    `/${'a'.repeat(65)} {}`,
  ])('makes no call of prose: %s', async (text) => {
    expect((await ask(text)).toolCalls).toEqual([]);
  });

  it('makes no call where none is allowed', async () => {
    expect(await ask('/list_files', undefined, { tools: [] })).toMatchObject({ finish: 'stop', toolCalls: [] });
    expect(await ask('/list_files', undefined, { toolChoice: 'none' })).toMatchObject({
      finish: 'stop',
      toolCalls: [],
    });
  });

  it('is told what became of each call, in one line each', async () => {
    const mail = '/list_files\n/read_file {"path":"x"}\n/read_file {"path":"y"}';
    const messages = withResults(mail, await ask(mail), [
      '{"ok":true,"result":{"files":["a","b"]}}',
      '{"ok":false,"error":{"code":"tool_not_found","message":"no file x"}}',
      JSON.stringify({ ok: true, result: `line 1\nline 2 ${'z'.repeat(500)}` }),
    ]);
    const { text, finish } = await ask(mail, messages);
    expect(finish).toBe('stop');
    expect(text.split('\n').slice(-3)).toEqual([
      'list_files: ok {"files":["a","b"]}',
      'read_file: error tool_not_found no file x',
      `read_file: ok line 1 line 2 ${'z'.repeat(200 - 'line 1 line 2 '.length)}`,
    ]);
  });

  it.each(['', 'not JSON', 'null', '7', '{"ok":false}', '{"ok":true}', '{"ok":false,"error":7}'])(
    'survives a result that is %j',
    async (content) => {
      const messages = withResults('/list_files', await ask('/list_files'), [content]);
      expect((await ask('/list_files', messages)).text).toMatch(/\nlist_files: (ok|error tool_failed)( .*)?$/);
    },
  );

  it('does not repeat calls when something is said after their results', async () => {
    const messages = [
      ...withResults('/list_files', await ask('/list_files'), ['{"ok":true,"result":1}']),
      user('Act directly.'),
    ];
    const { toolCalls, text } = await ask('/list_files', messages);
    expect(toolCalls).toEqual([]);
    expect(text).toContain('list_files: ok 1');
  });

  it('reports the results of a vendor that failed in mid-run', async () => {
    const mail = '/list_files';
    const [asked, said, results] = withResults(mail, await ask(mail), ['{"ok":true,"result":1}']);
    const foreign: ModelMessage[] =
      said?.role === 'assistant' ? [{ role: 'assistant', text: '', toolCalls: said.toolCalls }] : [];
    const messages = [asked, ...foreign, results].filter((message) => message !== undefined);
    expect(await ask(mail, messages)).toMatchObject({ toolCalls: [], finish: 'stop' });
  });

  it('makes the calls of this mail although earlier ones of the thread made some', async () => {
    const earlier: ModelMessage[] = [user('/list_files'), { role: 'assistant', text: 'list_files: ok', toolCalls: [] }];
    const { toolCalls } = await ask('/read_file {"path":"a"}', [...earlier, user('/read_file {"path":"a"}')]);
    expect(toolCalls).toHaveLength(1);
  });

  it('gets the same bytes for the same input, and quickly', async () => {
    const mail = `/list_files\n/read_file {"path":"x"}\n${'word '.repeat(400)}`;
    const messages = withResults(mail, await ask(mail), ['{"ok":true,"result":1}', '{"ok":true,"result":2}']);
    const adapter = await adapterOf('offline');
    const request = requestTo('offline', { messages, input: { text: mail } });
    const once = JSON.stringify(await adapter.generate(request, never()));
    const before = process.cpuUsage();
    for (let n = 0; n < 500; n++) {
      if (JSON.stringify(await adapter.generate(request, never())) !== once) throw new Error('the bytes differ');
    }
    const { user: userUs, system } = process.cpuUsage(before);
    expect((userUs + system) / 500 / 1000).toBeLessThan(1);
  });

  it('is not overrun by a million calls in one mail', async () => {
    const { toolCalls } = await ask('/list_files {}\n'.repeat(1_000_000));
    expect(toolCalls).toHaveLength(256);
  });
});
