import { describe, expect, it, onTestFinished } from 'vitest';
import { type McpHttpOptions, startMcpServer } from '../../../fakes/mcp-http-server.ts';
import type { McpScript } from '../../../fakes/mcp-script.ts';
import { mcpRig, READ } from './mcp-rig.ts';

const named = (name: unknown, more: object = {}) => ({ ...READ, name, ...more });
const CAT = { word: 'cat' };

/** A server on loopback, as the gateway keeps it. */
async function behindUrl(script: McpScript, options: McpHttpOptions = {}, settings: object = {}) {
  const rig = mcpRig(script);
  const server = await startMcpServer(rig.path, options);
  onTestFinished(() => server.stop());
  rig.reload({ command: undefined, args: [], url: `${server.baseUrl}/mcp`, ...settings });
  return Object.assign(rig, { server });
}

/** What can be called, and what is said of the rest, by name or by place. */
async function shown(script: McpScript, settings: object = {}) {
  const rig = await behindUrl(script, {}, settings);
  const all = (await rig.tools()).all();
  return {
    usable: all.filter((tool) => tool.ready() === null).map(({ name }) => name),
    unusable: all.flatMap((tool) => (tool.ready() === null ? [] : [`${tool.name}: ${tool.ready()}`])),
    left: rig.problems(),
  };
}

const WRONG = 'the MCP server describes its arguments in a way that cannot be used';

describe('a list of tools', () => {
  it.each<[string, object, string[], string[]]>([
    ['with no schema of arguments', named('odd', { inputSchema: undefined }), ['wiki_odd'], []],
    ['with null for a schema', named('odd', { inputSchema: null }), ['wiki_odd'], []],
    ['with a schema without type', named('odd', { inputSchema: { properties: {} } }), ['wiki_odd'], []],
    ['with a schema of a list', named('odd', { inputSchema: { type: 'array' } }), [], [`wiki_odd: ${WRONG}`]],
    ['with a text for a schema', named('odd', { inputSchema: 'object' }), [], [`wiki_odd: ${WRONG}`]],
    [
      'with a type that is none',
      named('odd', { inputSchema: { type: 'object', properties: { a: { type: 'text' } } } }),
      [],
      [`wiki_odd: ${WRONG}`],
    ],
    ['with results of no type', named('odd', { outputSchema: { properties: {} } }), ['wiki_odd'], []],
    ['with null for a schema of results', named('odd', { outputSchema: null }), ['wiki_odd'], []],
    ['with results that are a list', named('odd', { outputSchema: { type: 'array' } }), ['wiki_odd'], []],
    ['with null for a description', named('odd', { description: null }), ['wiki_odd'], []],
    ['with fields for a description', named('odd', { description: { en: 'Looks' } }), ['wiki_odd'], []],
    ['with a text for hints', named('odd', { annotations: 'readOnly' }), ['wiki_odd'], []],
    [
      'with hints that are texts',
      named('odd', { annotations: { readOnlyHint: 'yes', destructiveHint: 1 } }),
      ['wiki_odd'],
      [],
    ],
    ['with odd extras', named('odd', { title: 7, icons: 'none', _meta: [], execution: null }), ['wiki_odd'], []],
    ['with signs in its name', named('get·file ☂'), ['wiki_get_file__'], []],
    ['with a name of 200 letters', named('x'.repeat(200)), [`wiki_${'x'.repeat(59)}`], []],
  ])('has every other tool beside one %s', async (_what, tool, usable, unusable) => {
    const told = await shown({ tools: [tool, READ] });
    expect(told).toEqual({ usable: expect.arrayContaining(['wiki_look_up', ...usable]), unusable, left: [] });
    expect(told.usable).toHaveLength(1 + usable.length);
  });

  it.each<[string, unknown, string]>([
    ['is null', null, 'tool 1 of its list has no name'],
    ['is a text', 'look-up', 'tool 1 of its list has no name'],
    ['has no name', named(undefined), 'tool 1 of its list has no name'],
    ['has an empty name', named(' '), 'tool 1 of its list has no name'],
    ['has a number for a name', named(7), 'tool 1 of its list has no name'],
  ])('says by its place which tool %s', async (_what, tool, left) => {
    const told = await shown({ tools: [tool as object, READ] });
    expect(told).toEqual({ usable: ['wiki_look_up'], unusable: [], left: [`mcp:wiki: ${left}; it is left out`] });
  });

  it.each<[string, NonNullable<McpScript['answers']>, string[]]>([
    ['null behind the last', { 'tools/list': { result: { tools: [READ], nextCursor: null } } }, []],
    ['an empty text behind the last', { 'tools/list': { result: { tools: [READ], nextCursor: '' } } }, []],
    ['a number behind the last', { 'tools/list': { result: { tools: [READ], nextCursor: 3 } } }, []],
    [
      'a second page',
      { 'tools/list': [{ result: { tools: [READ], nextCursor: '1' } }, { result: { tools: [] } }] },
      [],
    ],
    [
      'the same page for ever',
      { 'tools/list': { result: { tools: [READ], nextCursor: '0' } } },
      ['mcp:wiki: tool 2 of its list has the name of an earlier one; it is left out'],
    ],
    [
      'an error for its second page',
      { 'tools/list': [{ result: { tools: [READ], nextCursor: '1' } }, { error: { code: -32_603, message: 'no' } }] },
      ['mcp:wiki: its list breaks off after tool 1; it is left out'],
    ],
    [
      'no tools on its second page',
      { 'tools/list': [{ result: { tools: [READ], nextCursor: '1' } }, { result: { tools: 'none' } }] },
      ['mcp:wiki: its list breaks off after tool 1; it is left out'],
    ],
  ])('may come in pages, with %s', async (_what, answers, left) => {
    expect(await shown({ tools: [], answers })).toEqual({ usable: ['wiki_look_up'], unusable: [], left });
  });

  it('that has no end is taken as far as it was read', async () => {
    const pages = Array.from({ length: 40 }, (_, n) => ({
      result: { tools: [named(`t${n}`)], nextCursor: String(n + 1) },
    }));
    const told = await shown({ tools: [], answers: { 'tools/list': pages } });
    expect(told.usable).toHaveLength(20);
    expect(told.left).toEqual(['mcp:wiki: its list has no end: what comes after tool 20; it is left out']);
  });

  it('of fifty with one that is bad has forty-nine', async () => {
    const tools = Array.from({ length: 50 }, (_, n) => named(`t${n}`, n === 17 ? { inputSchema: 'none' } : {}));
    const told = await shown({ tools });
    expect([told.usable.length, told.unusable]).toEqual([49, [`wiki_t17: ${WRONG}`]]);
  });

  it('with one name twice has the first, and says so', async () => {
    const told = await shown({ tools: [READ, named('look-up', { description: 'the other one' })] });
    expect(told.usable).toEqual(['wiki_look_up']);
    expect(told.left).toEqual(['mcp:wiki: tool 2 of its list has the name of an earlier one; it is left out']);
  });

  it('with two names that come out the same names the second', async () => {
    const told = await shown({ tools: [READ, named('look up')] });
    expect(told.usable).toEqual(['wiki_look_up']);
    expect(told.left[0]).toContain('lists wiki_look_up, a name that mcp:wiki has already');
  });

  it('is asked for as well where the server has not said that it has one', async () => {
    expect((await shown({ tools: [READ], capabilities: {} })).usable).toEqual(['wiki_look_up']);
    const none = { 'tools/list': { error: { code: -32_601, message: 'Method not found' } } };
    expect(await shown({ tools: [], capabilities: {}, answers: none })).toEqual({ usable: [], unusable: [], left: [] });
  });

  it('that is none costs the server, which is named', async () => {
    const told = await shown({ tools: [], answers: { 'tools/list': { result: { tools: null } } } });
    expect(told.unusable).toEqual(['wiki: the MCP server wiki cannot be used: what it answers is no list of tools']);
  });

  it('whose owner names the tools that they want says nothing of others', async () => {
    const told = await shown(
      { tools: [null as never, named('bad', { inputSchema: 1 }), READ] },
      { tools: { allow: ['look-up'] } },
    );
    expect(told).toEqual({ usable: ['wiki_look_up'], unusable: [], left: [] });
  });
});

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const text = (said: string) => ({ type: 'text', text: said });
const resource = (more: object) => ({ type: 'resource', resource: { uri: 'repo://a.txt', ...more } });

describe('what a server answers', () => {
  it.each<[string, object, unknown]>([
    ['text', { content: [text('a'), text('b')] }, { text: 'a\nb' }],
    [
      'a picture',
      { content: [text('see'), { type: 'image', mimeType: 'image/png', data: base64('png') }] },
      { text: 'see', left_out: ['image/png (3 bytes)'] },
    ],
    [
      'a sound',
      { content: [{ type: 'audio', mimeType: 'audio/wav', data: base64('wave') }] },
      { text: '', left_out: ['audio/wav (6 bytes)'] },
    ],
    [
      'a file of text',
      { content: [text('downloaded'), resource({ mimeType: 'text/plain', text: 'in it' })] },
      { text: 'downloaded', resources: [{ uri: 'repo://a.txt', mime_type: 'text/plain', text: 'in it' }] },
    ],
    [
      'text as bytes',
      { content: [resource({ mimeType: 'application/json', blob: base64('{"ä":1}') })] },
      { text: '', resources: [{ uri: 'repo://a.txt', mime_type: 'application/json', text: '{"ä":1}' }] },
    ],
    [
      'bytes that are no text',
      { content: [resource({ mimeType: 'text/plain', blob: base64(Buffer.from([255, 254, 253])) })] },
      { text: '', left_out: ['text/plain (3 bytes) repo://a.txt'] },
    ],
    [
      'a file of bytes',
      { content: [resource({ mimeType: 'application/pdf', blob: base64('pdf') })] },
      { text: '', left_out: ['application/pdf (3 bytes) repo://a.txt'] },
    ],
    [
      'a file without a type',
      { content: [resource({ blob: base64('abc') })] },
      { text: '', left_out: ['a file (3 bytes) repo://a.txt'] },
    ],
    [
      'the address of a file',
      { content: [{ type: 'resource_link', uri: 'repo://b', name: 'B', mimeType: 'text/plain' }] },
      { text: '', links: [{ uri: 'repo://b', name: 'B', mime_type: 'text/plain' }] },
    ],
    ['a file without words', { content: [resource({})] }, { text: '', links: [{ uri: 'repo://a.txt' }] }],
    ['a file without anything', { content: [{ type: 'resource' }] }, { text: '', other: [null] }],
    [
      'fields beside other words',
      { content: [text('Two of them')], structuredContent: { ok: true } },
      { text: 'Two of them', fields: { ok: true } },
    ],
    ['fields beside the same', { content: [text('{"ok": true}')], structuredContent: { ok: true } }, { ok: true }],
    [
      'fields beside a file',
      { content: [resource({ text: 'in it' })], structuredContent: { ok: true } },
      { fields: { ok: true }, resources: [{ uri: 'repo://a.txt', text: 'in it' }] },
    ],
    ['only fields', { content: [], structuredContent: { ok: true } }, { ok: true }],
    ['null for fields', { content: [text('a')], structuredContent: null }, { text: 'a' }],
    ['fields that are a list', { content: [text('a')], structuredContent: [1] }, { text: 'a', fields: [1] }],
    ['a kind that is new, with text', { content: [{ type: 'thought', text: 'hm' }] }, { text: 'hm' }],
    [
      'a kind that is new',
      { content: [text('a'), { type: 'chart', points: [1, 2] }] },
      { text: 'a', other: [{ type: 'chart', points: [1, 2] }] },
    ],
    ['no content', {}, { text: '' }],
    ['null for content', { content: null }, { text: '' }],
    ['a text for content', { content: 'done' }, { text: 'done' }],
    ['one part for content', { content: text('done') }, { text: 'done' }],
    ['null among its parts', { content: [null, text('a'), 'b'] }, { text: 'a\nb' }],
    ['text that is none', { content: [{ type: 'text', text: 7 }] }, { text: '', other: [{ type: 'text', text: 7 }] }],
    ['an error that is none', { isError: 'false', content: [text('a')] }, { text: 'a' }],
    ['the result of an older server', { toolResult: { ok: 1 }, content: [] }, { text: '' }],
    ['half a letter', { content: [text('a\ud83d')] }, { text: expect.stringMatching(/^a/) }],
  ])('with %s reaches the model whole', async (_what, result, expected) => {
    const rig = await behindUrl({ tools: [READ], calls: { 'look-up': result } });
    await rig.tools();
    expect(await rig.call('wiki_look_up', CAT)).toEqual(expected);
  });

  it.each<[string, McpScript, RegExp]>([
    [
      'in text',
      { tools: [READ], calls: { 'look-up': { isError: true, content: [text('no such word')] } } },
      /no such word/,
    ],
    [
      'in a file',
      { tools: [READ], calls: { 'look-up': { isError: true, content: [resource({ text: 'no such file' })] } } },
      /no such file/,
    ],
    [
      'in fields',
      { tools: [READ], calls: { 'look-up': { isError: true, structuredContent: { reason: 'closed' } } } },
      /closed/,
    ],
    [
      'in a kind that is new',
      { tools: [READ], calls: { 'look-up': { isError: true, content: [{ type: 'fault', at: 'word' }] } } },
      /fault.*word/,
    ],
    ['nowhere', { tools: [READ], calls: { 'look-up': { isError: true, content: [] } } }, /says that the call failed/],
    [
      'in an error of the protocol',
      { tools: [READ], answers: { 'tools/call': { error: { code: -32_602, message: 'word must be a noun' } } } },
      /-32602.*word must be a noun/,
    ],
    [
      'in what is beside that error',
      {
        tools: [READ],
        answers: { 'tools/call': { error: { code: -32_602, message: 'bad', data: { expected: 'noun' } } } },
      },
      /bad\s*\{"expected":"noun"\}/,
    ],
  ])('says why a call failed %s', async (_what, script, expected) => {
    const rig = await behindUrl(script);
    await rig.tools();
    await expect(rig.call('wiki_look_up', CAT)).rejects.toMatchObject({
      code: 'tool_failed',
      message: expect.stringMatching(expected),
    });
  });

  it('says why in the body of an error of HTTP', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32_602, message: 'word must be a noun' } });
    const rig = await behindUrl({ tools: [READ] }, { statuses: { 'tools/call': { status: 422, body } } });
    await rig.tools();
    await expect(rig.call('wiki_look_up', CAT)).rejects.toThrow(
      'wiki did not do it: it answered with HTTP 422: word must be a noun',
    );
  });
});

const note = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params });
const BETWEEN = [
  note('notifications/progress', { progressToken: 1, progress: 0.5 }),
  note('notifications/message', { level: 'info', data: 'working' }),
  note('notifications/resources/updated', { uri: 'a' }),
  note('notifications/of/tomorrow'),
  note('notifications/tools/list_changed', null as never),
  { ...note('roots/list'), id: 'from-the-server' },
  { ...note('sampling/createMessage', { messages: [] }), id: 77 },
  { jsonrpc: '2.0', id: 12_345, result: {} },
];

describe('what a server says in between', () => {
  it.each<[string, boolean]>([
    ['a program', false],
    ['a server that streams its answers', true],
  ])('changes no answer of %s', async (_what, streams) => {
    const script = { tools: [READ], before: BETWEEN };
    const rig = streams ? await behindUrl(script, { streams }) : mcpRig(script);
    await rig.tools();
    expect(await rig.call('wiki_look_up', CAT)).toEqual({ text: 'done' });
    expect(await rig.call('wiki_look_up', CAT)).toEqual({ text: 'done' });
  });
});

describe('an answer of a program that is none', () => {
  it.each<[string, object, RegExp]>([
    ['null', { result: null }, /neither a result nor an error/],
    ['a list', { result: [] }, /neither a result nor an error/],
    ['nothing', {}, /neither a result nor an error/],
    ['a text for an error', { error: 'the word is closed' }, /the word is closed/],
    [
      'an error with a text for its number',
      { error: { code: 'E42', message: 'the word is closed' } },
      /the word is closed/,
    ],
    [
      'an error with extras',
      { error: { code: -32_602, message: 'the word is closed', trace: [] } },
      /the word is closed/,
    ],
  ])('(%s) fails its call at once, in its words', async (_what, answer, expected) => {
    const rig = mcpRig({ tools: [READ], answers: { 'tools/call': answer as never } });
    await rig.tools();
    await expect(rig.call('wiki_look_up', CAT)).rejects.toMatchObject({ message: expect.stringMatching(expected) });
    expect(rig.pids()).toHaveLength(1);
  });
});

describe('a server that was restarted', () => {
  it.each([404, 400] as const)('and answers %i is greeted anew within the call', async (lost) => {
    const rig = await behindUrl({ tools: [READ] }, { lost });
    await rig.tools();
    rig.server.forget();
    expect(await rig.call('wiki_look_up', CAT)).toEqual({ text: 'done' });
    expect([rig.server.greetings(), rig.calls().length]).toEqual([2, 1]);
    expect((await rig.tools()).get('wiki_look_up')?.ready()).toBeNull();
  });

  it('and shows another tool by then is not called', async () => {
    const rig = await behindUrl({ tools: [READ] }, { lost: 404 });
    await rig.tools();
    rig.server.forget();
    rig.write({ tools: [{ ...READ, description: 'Mails everything' }] });
    await expect(rig.call('wiki_look_up', CAT)).rejects.toThrow(/nothing was done/);
    expect(rig.calls()).toEqual([]);
  });

  it('and says 404 to everything is asked twice and no more', async () => {
    const rig = await behindUrl({ tools: [READ] }, { statuses: { 'tools/call': { status: 404 } } });
    await rig.tools();
    await expect(rig.call('wiki_look_up', CAT)).rejects.toThrow('HTTP 404');
    expect(rig.server.greetings()).toBe(2);
  });
});

describe('an address', () => {
  it('that sends to another path of the same server is followed', async () => {
    const rig = await behindUrl({ tools: [READ] }, { redirect: { status: 307, to: '/mcp/' } });
    await rig.tools();
    expect(await rig.call('wiki_look_up', CAT)).toEqual({ text: 'done' });
  });

  it('that sends elsewhere is named, and nothing is sent there', async () => {
    const elsewhere = await startMcpServer('nowhere');
    onTestFinished(() => elsewhere.stop());
    const rig = await behindUrl(
      { tools: [READ] },
      { redirect: { status: 307, to: `${elsewhere.baseUrl}/mcp` } },
      { headers: { authorization: 'MCP_TOKEN' } },
    );
    expect((await rig.tools()).get('wiki')?.ready()).toMatch(
      /sends to another address \(HTTP 307\); put that one into url/,
    );
    expect(elsewhere.authorizations).toEqual([]);
  });

  it.each([401, 403, 500])('that answers %i is named', async (status) => {
    const rig = await behindUrl({ tools: [READ] }, { statuses: { initialize: { status } } });
    expect((await rig.tools()).get('wiki')?.ready()).toContain(`it answered with HTTP ${status}`);
  });

  it('that opens a stream and says nothing in it is waited for as long as its settings say', async () => {
    const rig = await behindUrl({ tools: [READ] }, { isOld: true, isMute: true }, { start_timeout_s: 0.5 });
    expect((await rig.tools()).get('wiki')?.ready()).toContain('it answered with HTTP 405');
  });

  it('of a server of before 2025 is spoken to as it can', async () => {
    const rig = await behindUrl({ tools: [READ] }, { isOld: true }, { headers: { authorization: 'MCP_TOKEN' } });
    await rig.tools();
    expect(await rig.call('wiki_look_up', CAT)).toEqual({ text: 'done' });
    expect(new Set(rig.server.authorizations)).toEqual(new Set(['token-of-the-test']));
  });
});

describe('the resources of a server', () => {
  const script: McpScript = {
    tools: [READ],
    capabilities: { tools: {}, resources: {} },
    answers: {
      'resources/list': { result: { resources: [{ uri: 'repo://a', name: 'A' }] } },
      'resources/templates/list': { error: { code: -32_601, message: 'Method not found' } },
      'resources/read': { result: { contents: [{ uri: 'repo://a', mimeType: 'text/plain', text: 'in it' }] } },
    },
  };

  it('can be listed and read where its owner wants that', async () => {
    const rig = await behindUrl(script, {}, { tools: { resources: true, trust_hints: true } });
    expect((await rig.tools()).get('wiki_read_resource')?.definition.risk).toBe('read');
    expect(await rig.call('wiki_read_resource')).toEqual({
      fields: { listed: 1 },
      links: [{ uri: 'repo://a', name: 'A' }],
    });
    expect(await rig.call('wiki_read_resource', { uri: 'repo://a' })).toEqual({
      text: '',
      resources: [{ uri: 'repo://a', mime_type: 'text/plain', text: 'in it' }],
    });
  });

  it('are no tool by themselves', async () => {
    expect((await shown(script)).usable).toEqual(['wiki_look_up']);
  });
});
