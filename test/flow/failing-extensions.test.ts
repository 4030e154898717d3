import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  answered,
  extension,
  type Files,
  officeWith,
  saidToBeOff,
  standing,
  stateOf,
  switchedOff,
  switching,
  tool,
} from './failing-rig.ts';
import { type Office, OWNER } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

const open: { office?: Office; shared?: Office } = {};
afterEach(async () => {
  await open.office?.close();
  delete open.office;
});

async function started(files: Files, listing: object = { tools: ['bad'] }) {
  open.office = await officeWith(files, listing);
  return open.office;
}

describe('extensions: one that fails by itself', () => {
  const later = (code: string, ms = 100) => `setTimeout(() => { ${code} }, ${ms});`;

  const ways: readonly (readonly [what: string, top: string, message: RegExp])[] = [
    ['rejects at import', 'Promise.reject(new Error("rejected at import"));', /rejected at import/],
    ['rejects something that is no error', 'Promise.reject("words");', /words/],
    ['rejects a while after it was loaded', later('Promise.reject(new Error("rejected late"))'), /rejected late/],
    ['rejects in a function that nobody awaits', later('(async () => { await 1; throw 7; })()'), /: 7$/],
    ['throws in a timer', later('throw new Error("thrown late")'), /thrown late/],
    [
      'emits an error that nobody listens for',
      `import { EventEmitter } from 'node:events';\n${later('new EventEmitter().emit("error", new Error("emitted"))')}`,
      /emitted/,
    ],
    [
      'has a connection that fails',
      "import { connect } from 'node:net';\nconnect({ port: 1, host: '127.0.0.1' });",
      /ECONNREFUSED/,
    ],
    ['ends the process at import', 'process.exit(0);', /process\.exit/],
    ['ends the process in a timer', later('process.exit(0)'), /process\.exit/],
    ['aborts the process', later('process.abort()'), /process\.abort/],
    ['throws at import', 'throw new Error("thrown at import");', /thrown at import/],
  ];

  it(`extensions: the gateway comes up and answers beside ${ways.length} that each fail in a way of their own`, async () => {
    const named = ways.map(([, top, message], index) => ({ name: `bad_${index}`, top, message }));
    const office = await started(Object.assign({}, ...named.map(({ name, top }) => tool(top, undefined, {}, name))), {
      tools: named.map(({ name }) => name),
    });
    const later = named.filter(({ top }) => /setTimeout|connect/.test(top));
    await switching(
      office,
      later.map(({ name }) => name),
      'tool',
    );
    await saidToBeOff(office, Object.fromEntries(named.map(({ name, message }) => [name, message])), 'tool');
    // As many calls as one mail may ask for.
    for (const some of [named.slice(0, 6), named.slice(6)]) {
      const reply = await answered(office, ['/list_files {}', ...some.map(({ name }) => `/${name} {}`)].join('\n'));
      expect(reply).toContain('list_files: ok');
      for (const { name } of some) expect(reply).toContain(`${name}: error tool_unknown`);
    }
    expect((await office.cli('status')).json).toMatchObject({ running: true, unhandled_rejections: 0 });
  });

  it('extensions: the gateway comes up beside one that waits for ever at its top level', async () => {
    const office = await started(tool('await new Promise(() => {});'));
    await saidToBeOff(office, { bad: /took longer than 10000 ms/ }, 'tool');
    expect(await answered(office)).toContain('list_files: ok');
  });

  it('extensions: its owners are told once, also over a restart, and it works again once it is mended', async () => {
    const top = later('Promise.reject(new Error("rejected late"))');
    const office = await started({
      ...tool(top),
      'extensions/hooks/tick/manifest.json': { name: 'tick', kind: 'hook', api: 1, summary: 'x', entry: 'index.mjs' },
      'extensions/hooks/tick/index.mjs': 'export default { on: ["run_ended"], handle() {} };\n',
    });
    const notice = await office.arrival('notice', OWNER);
    expect(notice.mail.subject).toContain('Switched off: tool bad');
    expect(notice.mail.text).toContain('rejected late');
    await office.restart();
    await switchedOff(office, /rejected late/);
    // Loaded again with the others, and off as before: nobody has touched it.
    office.workspace.write('extensions/hooks/tick/manifest.json', {
      name: 'tick',
      kind: 'hook',
      api: 1,
      summary: 'other',
      entry: 'index.mjs',
    });
    await answered(office);
    expect(await standing(office)).toMatchObject({ state: 'error' });
    for (const [path, content] of Object.entries(tool('', undefined, { version: '2.0.0' }))) {
      office.workspace.write(path, content);
    }
    await vi.waitFor(async () => expect(await answered(office, '/bad {}')).toContain('bad: ok'), 90_000);
    expect(await standing(office)).toMatchObject({ state: 'loaded', error: null });
    expect(await office.left('notice', OWNER)).toHaveLength(1);
  });
});

describe('extensions: a tool that fails in a call', () => {
  const inACallback =
    'run: () => { setTimeout(() => { throw new Error("in a callback"); }, 50); return new Promise(() => {}); }';
  const misbehaving: readonly (readonly [name: string, run: string, message: RegExp, manifest?: object])[] = [
    ['floats', 'run: () => { Promise.reject(new Error("floating")); return "fine"; }', /floating/],
    ['waits', inACallback, /in a callback/],
    ['exits', 'run: () => process.exit(1)', /process\.exit/],
    [
      'forgets',
      'run: (args, { files }) => { files.read("nothing.txt"); return "fine"; }',
      /nothing\.txt/,
      { capabilities: ['files'] },
    ],
  ];
  beforeAll(async () => {
    const files = misbehaving.map(([name, run, , manifest]) => tool('', run, manifest, name));
    open.shared = await officeWith(Object.assign({}, ...files), { tools: misbehaving.map(([name]) => name) });
  });
  afterAll(() => open.shared?.close());
  function office(): Office {
    if (!open.shared) throw new Error('not started yet');
    return open.shared;
  }

  it('extensions: leaves a promise behind that is rejected, and is off from then on', async () => {
    await answered(office(), '/floats {}');
    await switching(office(), ['floats'], 'tool');
    expect(await answered(office(), '/floats {}')).toContain('floats: error tool_unknown');
  });

  it('extensions: a call that would wait for what has failed ends as failed', async () => {
    const reply = await answered(office(), '/waits {}\n/list_files {}');
    expect(reply).toContain('waits: error tool_failed');
    expect(reply).toContain('in a callback');
    await switching(office(), ['waits'], 'tool');
  });

  it('extensions: a call that ends the process does not', async () => {
    expect(await answered(office(), '/exits {}')).toContain('exits: error tool_failed');
    await switching(office(), ['exits'], 'tool');
  });

  it('extensions: what it was handed and forgot to wait for is its own failure', async () => {
    await answered(office(), '/forgets {}');
    await switching(office(), ['forgets'], 'tool');
    expect((await office().cli('status')).json).toMatchObject({ unhandled_rejections: 0 });
  });

  it('extensions: each is said to be off, and why', async () => {
    await saidToBeOff(office(), Object.fromEntries(misbehaving.map(([name, , message]) => [name, message])), 'tool');
  });
});

describe('extensions: another one that fails in a call', () => {
  it('extensions: a provider is one that cannot be reached, and its fallback answers', async () => {
    const office = await started(
      {
        'configs/inference.json': { provider: 'bad', model: 'm', fallback: ['offline/offline'] },
        ...extension(
          'provider',
          'bad',
          '',
          '{ create: () => ({ generate: () => { setTimeout(() => { throw new Error("stream broke"); }, 20); return new Promise(() => {}); } }) }',
        ),
      },
      { providers: ['bad'] },
    );
    expect(await answered(office)).toContain('list_files: ok');
    await switchedOff(office, /stream broke/, 'provider');
    expect(await answered(office)).toContain('list_files: ok');
    expect((await office.cli('status')).json.personas).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
  });

  it('extensions: a resolver leaves a part of the context out, and a hook is left out of what follows', async () => {
    const office = await started(
      {
        'configs/context.json': { profiles: { thread: ['bad', 'thread-history', 'current-input'] } },
        ...extension(
          'resolver',
          'bad',
          '',
          '{ resolve: () => { setTimeout(() => { throw new Error("no part"); }, 20); return new Promise(() => {}); } }',
        ),
        ...extension(
          'hook',
          'bad',
          '',
          '{ on: ["run_ended"], handle: () => { Promise.reject(new Error("no hook")); } }',
        ),
      },
      { resolvers: ['bad'], hooks: ['bad'] },
    );
    for (let mail = 0; mail < 2; mail += 1) expect(await answered(office)).toContain('list_files: ok');
    await switchedOff(office, /no part/, 'resolver');
    await switchedOff(office, /no hook/, 'hook');
    expect((await office.cli('status')).json.personas).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
  });
});

describe('extensions: what is no extension’s', () => {
  /** Code of nobody in the gateway's process, that waits for a file. */
  const stray = (root: string, code: string) => {
    const trigger = join(root, 'trigger');
    const text = `import { existsSync, rmSync } from 'node:fs';
      setInterval(() => {
        if (!existsSync(${JSON.stringify(trigger)})) return;
        rmSync(${JSON.stringify(trigger)});
        ${code}
      }, 20).unref();`;
    return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(text)}` };
  };

  it('extensions: a rejection is logged with its stack and counted, and mail goes on', async () => {
    const office = await started({ ...STEADY }, {});
    const gateway = await office.launch(stray(office.root, 'Promise.reject(new Error("of our own"));'));
    writeFileSync(join(office.root, 'trigger'), '');
    await vi.waitFor(() => expect(stateOf(office)).toMatchObject({ unhandled_rejections: 1 }), 90_000);
    expect((await office.cli('status')).json).toMatchObject({ running: true, unhandled_rejections: 1 });
    expect(gateway.log()).toMatch(/of our own\\n {4}at .*unhandled rejection/);
    expect(await answered(office)).toContain('list_files: ok');
  });

  it('extensions: an exception ends the gateway in order, for whoever starts it again', async () => {
    const office = await started({ ...STEADY }, {});
    const gateway = await office.launch(stray(office.root, 'throw new Error("of our own");'));
    const exited = new Promise((resolve) => gateway.process.once('exit', resolve));
    writeFileSync(join(office.root, 'trigger'), '');
    expect(await exited).toBe(5);
    expect(gateway.log()).toMatch(/of our own\\n {4}at .*uncaught exception/);
    // In order: it said that it stops, and took its state along.
    expect(existsSync(join(office.root, 'data/ready.json'))).toBe(false);
    expect(existsSync(join(office.root, 'data/state.json'))).toBe(false);
    await office.restart({});
    expect(await answered(office)).toContain('list_files: ok');
  });
});
