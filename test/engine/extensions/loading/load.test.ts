import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadFrom, tool, working } from '../load-from.ts';

const states = (loaded: { all: readonly { kind: string; name: string; source: string; state: string }[] }) =>
  loaded.all.map(({ kind, name, source, state }) => `${kind} ${name} ${source} ${state}`);

const notCalled = { name: 'x', kind: 'tool', api: 1, summary: 'x', entry: 'index.ts' };

describe('extensions that nobody listed', () => {
  it('are on when bundled and off in the workspace', async () => {
    const { loaded } = await loadFrom({
      bundled: tool('fetch', working('bundled')),
      workspace: { ...tool('weather', working('w')), ...tool('fetch', working('mine')) },
    });
    expect(states(loaded)).toEqual([
      'tool fetch bundled loaded',
      'tool fetch workspace disabled',
      'tool weather workspace disabled',
    ]);
    expect(loaded.tools.names).toEqual(['fetch']);
    expect(loaded.problems).toEqual([]);
  });

  it('have their manifest checked while they are off, and their code left alone', async () => {
    const { loaded } = await loadFrom({
      workspace: {
        ...tool('quiet', '(() => { throw new Error("was run") })()'),
        ...tool('wrong', working('w'), { sumary: 'x' }),
      },
    });
    expect(states(loaded)).toEqual(['tool quiet workspace disabled', 'tool wrong workspace error']);
    expect(loaded.problems).toEqual([
      expect.objectContaining({ file: 'extensions/tools/wrong/manifest.json', key: 'sumary', nearest: 'summary' }),
    ]);
  });
});

describe('a listing', () => {
  it('switches a bundled extension off and a workspace one on', async () => {
    const { loaded } = await loadFrom({
      bundled: tool('fetch', working('b')),
      workspace: tool('weather', working('w')),
      listing: { tools: [{ name: 'fetch', enabled: false }, 'weather'] },
    });
    expect(states(loaded)).toEqual(['tool fetch bundled disabled', 'tool weather workspace loaded']);
  });

  it('puts a workspace extension in the place of the bundled one of its name', async () => {
    const { loaded } = await loadFrom({
      bundled: tool('fetch', working('bundled')),
      workspace: tool('fetch', working('mine')),
      listing: { tools: ['fetch'] },
    });
    expect(loaded.all).toEqual([
      expect.objectContaining({
        name: 'fetch',
        source: 'workspace',
        state: 'loaded',
        replaces: 'bundled',
        error: null,
      }),
    ]);
    expect(await loaded.tools.get('fetch')?.call({}, neverTouched())).toBe('mine');
  });

  it('does not fall back to the bundled one when its replacement is broken', async () => {
    const { loaded } = await loadFrom({
      bundled: tool('shell', working('dangerous')),
      workspace: tool('shell', '{ description: "" }'),
      listing: { tools: ['shell'] },
    });
    expect(loaded.tools.get('shell')).toBeUndefined();
    expect(loaded.all).toEqual([expect.objectContaining({ source: 'workspace', state: 'error', replaces: 'bundled' })]);
  });

  it('of a name without a folder is an error that names the nearest', async () => {
    const { loaded } = await loadFrom({ bundled: tool('weather', working('w')), listing: { tools: ['wether'] } });
    expect(loaded.all).toContainEqual({
      kind: 'tool',
      name: 'wether',
      source: 'workspace',
      path: null,
      version: null,
      state: 'error',
      replaces: null,
      error: {
        code: 'not_found',
        message: 'no folder extensions/tools/wether; did you mean "weather"?',
        file: 'extensions/extensions.json',
      },
    });
    expect(loaded.tools.names).toEqual(['weather']);
  });
});

describe('a bad extension', () => {
  it.each([
    ['is not JSON', { 'tools/x/manifest.json': '{' }, 'manifest.json', 'line 1'],
    ['has no manifest', { 'tools/x/index.ts': '' }, 'manifest.json', 'is missing'],
    [
      'calls itself otherwise',
      { 'tools/x/manifest.json': { ...notCalled, name: 'y' } },
      'manifest.json',
      'folder says "x"',
    ],
    [
      'is of another kind',
      { 'tools/x/manifest.json': { ...notCalled, kind: 'hook' } },
      'manifest.json',
      'folder says "tool"',
    ],
    ['is of another api', { 'tools/x/manifest.json': { ...notCalled, api: 2 } }, 'manifest.json', 'api'],
    [
      'asks for what is no capability',
      tool('x', working('w'), { capabilities: ['shel'] }),
      'manifest.json',
      'capabilities',
    ],
    ['has no entry', { 'tools/x/manifest.json': notCalled }, 'manifest.json', 'does not exist'],
    [
      'leaves its folder',
      { 'tools/x/manifest.json': { ...notCalled, entry: '../y.ts' }, 'tools/y.ts': '' },
      'manifest.json',
      'leaves',
    ],
    [
      'leaves to the root',
      { 'tools/x/manifest.json': { ...notCalled, entry: '/etc/passwd.js' } },
      'manifest.json',
      'does not exist',
    ],
    [
      'names what is no code',
      { 'tools/x/manifest.json': { ...notCalled, entry: 'x.sh' }, 'tools/x/x.sh': '' },
      'manifest.json',
      '.mjs',
    ],
    [
      'is a folder',
      { 'tools/x/manifest.json': { ...notCalled, entry: 'x.js' }, 'tools/x/x.js/y': '' },
      'manifest.json',
      'not a file',
    ],
    ['throws when imported', tool('x', '(() => { throw new Error("boom") })()'), 'index.ts', 'boom'],
    ['throws what is no error', tool('x', '(() => { throw "text" })()'), 'index.ts', 'text'],
    ['does not parse', tool('x', '{{{'), 'index.ts', ''],
    [
      'exports nothing',
      { ...tool('x', '1'), 'tools/x/index.ts': 'export const tool = {};' },
      'index.ts',
      'no default export',
    ],
    ['exports null', tool('x', 'null'), 'index.ts', 'default export is wrong'],
    ['exports a trap', tool('x', 'new Proxy({}, { get() { throw new Error("trap") } })'), 'index.ts', ''],
    [
      'says nothing of risk and scope',
      tool('x', '{ description: "d", input: { type: "object" }, run() {} }'),
      'index.ts',
      'risk',
    ],
    ['has a made-up risk', tool('x', working('w').replace("'read'", "'harmless'")), 'index.ts', 'risk'],
    ['has a made-up scope', tool('x', working('w').replace('web:read', 'world:rule')), 'index.ts', 'scope'],
    ['has no description', tool('x', working('w').replace("'Answers'", "''")), 'index.ts', 'description'],
    ['has an input that is no object', tool('x', working('w').replace("'object'", "'string'")), 'index.ts', 'object'],
    [
      'has an input that is no schema',
      tool('x', working('w').replace("type: 'object'", "type: 'object', required: 7")),
      'index.ts',
      'JSON Schema',
    ],
    [
      'has an input that refers elsewhere',
      tool('x', working('w').replace("type: 'object'", "type: 'object', $ref: 'http://127.0.0.1/x'")),
      'index.ts',
      'JSON Schema',
    ],
    [
      'has an endless input',
      tool('x', working('w').replace("type: 'object'", "type: 'object', title: 'x'.repeat(70000)")),
      'index.ts',
      'too large',
    ],
    ['does not want its config', tool('x', working('w').replace('{', '{ config: 7,')), 'index.ts', 'config'],
  ])('that %s is named with its file, and the others go on', async (_what, files, file, message) => {
    const { loaded } = await loadFrom({ bundled: { ...tool('good', working('g')), ...files } });
    expect(loaded.tools.names).toEqual(['good']);
    const record = loaded.all.find(({ name }) => name === 'x');
    expect(record).toMatchObject({
      state: 'error',
      error: { code: 'extension_invalid', file: `extensions/tools/x/${file}` },
    });
    expect(record?.error?.message).toContain(message);
    expect(loaded.problems.length).toBeGreaterThan(0);
  });

  it('that is a link to code outside its folder is refused', async () => {
    const { bundled, load } = await loadFrom({
      bundled: { 'tools/x/manifest.json': notCalled, 'evil.ts': 'export default {}' },
    });
    symlinkSync(join(bundled.path, 'evil.ts'), join(bundled.path, 'tools/x/index.ts'));
    expect((await load()).all).toEqual([
      expect.objectContaining({
        state: 'error',
        error: expect.objectContaining({ message: expect.stringContaining('leaves') }),
      }),
    ]);
  });

  it('that never finishes loading is given up', async () => {
    const { loaded } = await loadFrom({
      bundled: {
        ...tool('good', working('g')),
        ...tool('slow', 'await new Promise(() => setInterval(() => {}, 1e6).unref())'),
      },
      importMs: 500,
    });
    expect(states(loaded)).toEqual(['tool good bundled loaded', 'tool slow bundled error']);
  });
});

describe('the config of an extension', () => {
  const configured = `{ ...${working('w')}, config: z.strictObject({ hosts: z.array(z.string()), limit: z.object({ bytes: z.int(), pages: z.int() }), mode: z.string().default('fast') }) }`;
  const files = {
    ...tool('weather', configured, { config: { hosts: ['a', 'b'], limit: { bytes: 1, pages: 2 } } }),
    'tools/weather/index.ts': `import { z } from ${JSON.stringify(import.meta.resolve('zod'))};\nexport default ${configured};\n`,
  };

  it('is that of the listing over that of the manifest: objects merge, lists replace', async () => {
    const config = { hosts: ['c'], limit: { bytes: 9 } };
    const { loaded } = await loadFrom({ bundled: files, listing: { tools: [{ name: 'weather', config }] } });
    expect(loaded.tools.get('weather')?.config).toEqual({ hosts: ['c'], limit: { bytes: 9, pages: 2 }, mode: 'fast' });
  });

  it('is refused by the schema of the extension, in the file in which it stands', async () => {
    const config = { hosts: 'c', moed: 'slow' };
    const { loaded } = await loadFrom({ bundled: files, listing: { tools: [{ name: 'weather', config }] } });
    expect(loaded.problems).toEqual([
      expect.objectContaining({ file: 'extensions/extensions.json', key: 'config.hosts', code: 'invalid_value' }),
      expect.objectContaining({ file: 'extensions/extensions.json', key: 'config.moed', nearest: 'mode' }),
    ]);
  });

  it('cannot reach a prototype', async () => {
    const { loaded } = await loadFrom({
      bundled: tool('plain', working('w'), { config: { a: 1 } }),
      listing: JSON.parse('{"tools":[{"name":"plain","config":{"__proto__":{"polluted":true}}}]}'),
    });
    expect(loaded.tools.get('plain')?.config).toMatchObject({ a: 1 });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('what was loaded', () => {
  it('cannot be changed', async () => {
    const { loaded } = await loadFrom({ bundled: tool('fetch', working('b')) });
    const fetch = loaded.tools.get('fetch');
    expect(Object.isFrozen(loaded)).toBe(true);
    expect(Object.isFrozen(loaded.tools)).toBe(true);
    expect(Object.isFrozen(fetch)).toBe(true);
    expect(Object.isFrozen(fetch?.manifest)).toBe(true);
    expect(Object.isFrozen(loaded.all[0])).toBe(true);
    expect(Object.isFrozen(loaded.tools.all())).toBe(true);
  });

  it('shows no secret when it is dumped', async () => {
    const { loaded } = await loadFrom({
      bundled: tool('fetch', working('b'), { secrets: { api_key: 'KEY', other: 'UNSET' } }),
      secrets: { KEY: 'hunter2' },
    });
    expect(loaded.tools.get('fetch')?.secrets()).toEqual({ api_key: 'hunter2' });
    expect(JSON.stringify(loaded.tools.all())).not.toContain('hunter2');
  });

  it('is what stands on disk when it is loaded again', async () => {
    const { workspace, loaded, load } = await loadFrom({
      workspace: tool('note', working('one')),
      listing: { tools: ['note'] },
    });
    expect(await loaded.tools.get('note')?.call({}, neverTouched())).toBe('one');
    writeFileSync(join(workspace.path, 'tools/note/index.ts'), `export default ${working('two')};`);
    expect(await (await load()).tools.get('note')?.call({}, neverTouched())).toBe('two');
  });

  it('is bundled alone when the package is its own workspace', async () => {
    const { bundled, workspace, load } = await loadFrom({ bundled: tool('fetch', working('b')) });
    workspace.write({ '.': null });
    symlinkSync(bundled.path, workspace.path);
    expect(states(await load())).toEqual(['tool fetch bundled loaded']);
  });
});

describe('resolvers and hooks', () => {
  const files = {
    'resolvers/clock/manifest.json': {
      name: 'clock',
      kind: 'resolver',
      api: 1,
      summary: 's',
      entry: './index.mjs',
      version: '1.2.0',
    },
    'resolvers/clock/index.mjs': 'export default { resolve: () => null };',
    'hooks/audit/manifest.json': {
      name: 'audit',
      kind: 'hook',
      api: 1,
      summary: 's',
      entry: 'index.js',
      config: { a: 1 },
    },
    'hooks/audit/index.js': 'export default { on: ["run_ended"], handle() {} };',
    'hooks/wrong/manifest.json': { name: 'wrong', kind: 'hook', api: 1, summary: 's', entry: 'index.js' },
    'hooks/wrong/index.js': 'export default { on: ["run_stopped"], handle() {} };',
  };

  it('are loaded from any of the three kinds of file', async () => {
    const { loaded } = await loadFrom({ bundled: files });
    expect(loaded.resolvers.names).toEqual(['clock']);
    expect(loaded.hooks.get('audit')?.config).toEqual({ a: 1 });
    expect(loaded.all.find(({ name }) => name === 'clock')?.version).toBe('1.2.0');
    expect(loaded.problems).toEqual([expect.objectContaining({ file: 'extensions/hooks/wrong/index.js' })]);
  });
});

function neverTouched(): never {
  return new Proxy({}, { get: () => undefined }) as never;
}
