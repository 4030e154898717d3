import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, startGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const OWNER = 'owner@example.com';
/** Two seconds are promised; the rest is for starting a command on a busy machine. */
const SOON = 60_000;

describe('a gateway whose files change while it runs', () => {
  let workspace: TestWorkspace;
  let gateway: Gateway;
  beforeAll(async () => {
    workspace = makeWorkspace();
    gateway = await startGateway(workspace.root);
  });
  afterAll(async () => {
    await gateway.end();
    workspace.remove();
  });

  const say = async (text: string, to = 'ada@agents.localhost') => {
    const { json } = await epistle(workspace.root, ['send', '--to', to, '--from', OWNER, '--wait=180'], text);
    return json.results[0];
  };
  const saysSoon = (text: string, answer: RegExp, to?: string) =>
    eventually(
      () => say(text, to),
      (result) => answer.test(result.reply?.text ?? ''),
      SOON,
    );

  it('calls a tool that was added after it started', async () => {
    expect((await say('/shout {"text": "hello"}')).reply.text).toContain('shout: error tool_unknown');
    const made = await epistle(workspace.root, ['extensions', 'new', 'tool', 'shout']);
    expect(made).toMatchObject({ code: 0, json: { extension: { kind: 'tool', name: 'shout' } } });
    await saysSoon('/shout {"text": "hello"}', /shout: ok \{"text":"hello"\}/);
  });

  it('takes up an edit of the tool when its manifest changes', async () => {
    const source = `export default { description: 'Shout', risk: 'read', scope: 'files:read',
      input: { type: 'object', properties: { text: { type: 'string' } } }, run: ({ text }) => ({ text: text.toUpperCase() }) };\n`;
    workspace.write('extensions/tools/shout/index.ts', source);
    const manifest = { name: 'shout', kind: 'tool', api: 1, summary: 'Shouts', entry: 'index.ts' };
    workspace.write('extensions/tools/shout/manifest.json', manifest);
    await saysSoon('/shout {"text": "hello"}', /shout: ok \{"text":"HELLO"\}/);
  });

  it('takes up an edit of its code', async () => {
    const source = `export default { description: 'Shout', risk: 'read', scope: 'files:read',
      input: { type: 'object', properties: { text: { type: 'string' } } }, run: ({ text }) => ({ text: text.toUpperCase() + '!' }) };\n`;
    workspace.write('extensions/tools/shout/index.ts', source);
    await saysSoon('/shout {"text": "hello"}', /shout: ok \{"text":"HELLO!"\}/);
  });

  it('goes on with the last good one when an edit breaks it, and says so in status', async () => {
    workspace.write('extensions/tools/shout/manifest.json', '{ "name": "shout", "risk": 1 }');
    const { json } = await epistle(workspace.root, ['status']);
    expect(json.config_errors).toContainEqual(
      expect.objectContaining({ file: 'extensions/tools/shout/manifest.json' }),
    );
    // Long enough for the edit to have been noticed: another one after it is in force.
    workspace.write('personas/cleo/persona.json', { name: 'Cleo', address: 'cleo@agents.localhost' });
    await saysSoon('/shout {"text": "still"}', /shout: ok \{"text":"STILL!"\}/, 'cleo@agents.localhost');
  });

  it('drops a tool that is no longer listed', async () => {
    workspace.write('extensions/extensions.json', { tools: [] });
    await saysSoon('/shout {"text": "hello"}', /shout: error tool_unknown/);
  });

  it('answers for a persona that was added, and refuses mail for one that is gone', async () => {
    const made = await epistle(workspace.root, ['persona', 'create', 'dora']);
    expect(made.json).toMatchObject({
      persona: { id: 'dora', address: 'dora@agents.localhost', owners: [OWNER], state: 'ready' },
      created: ['personas/dora/persona.json', 'personas/dora/PERSONA.md'],
    });
    await saysSoon('hello', /hello/, 'dora@agents.localhost');
    mkdirSync(join(workspace.root, 'gone'));
    renameSync(join(workspace.root, 'personas/dora'), join(workspace.root, 'gone/dora'));
    await eventually(
      () => say('hello', 'dora@agents.localhost'),
      ({ code }) => code === 'unknown_recipient',
      SOON,
    );
    rmSync(join(workspace.root, 'gone'), { recursive: true });
  });

  it('keeps answering for a persona whose file an edit broke', async () => {
    workspace.write('personas/ben/persona.json', '{ "name": ');
    const { json } = await epistle(workspace.root, ['status']);
    expect(json.config_errors).toContainEqual(expect.objectContaining({ file: 'personas/ben/persona.json' }));
    expect(json.personas.find(({ id }: { id: string }) => id === 'ben')).toMatchObject({ state: 'ready', error: null });
    await saysSoon('hello', /hello/, 'ben@agents.localhost');
    expect(await epistle(workspace.root, ['persona', 'validate'])).toMatchObject({
      code: 1,
      json: { ok: false, problems: [{ file: 'personas/ben/persona.json', code: 'invalid_json' }] },
    });
  });

  it('lets the mail of a paused persona wait until it is resumed', async () => {
    expect((await epistle(workspace.root, ['persona', 'pause', 'ada'])).json.persona).toMatchObject({
      state: 'paused',
    });
    expect(await say('hello?')).toMatchObject({ decision: 'deferred', code: 'persona_paused' });
    expect((await epistle(workspace.root, ['persona', 'resume', 'ada'])).json.persona).toMatchObject({
      state: 'ready',
    });
    expect(await say('hello!')).toMatchObject({ decision: 'accepted', status: 'done' });
  });
});
