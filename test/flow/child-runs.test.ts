import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ADA, type Office, OWNER, openOffice } from './governance-rig.ts';

const open: { office?: Office } = {};
afterEach(() => open.office?.close());

/** A model that hands one file on; the child tries to read more than that, and answers with what it got. */
const MODEL = `
  const base = { usage: { input: 1, output: 1, cached: 0, cacheWrite: 0 }, reportedCostUsd: null };
  export default { create: () => ({ async generate({ messages, model }) {
    const parts = { ...base, providerParts: { provider: 'head', model, data: null } };
    const words = messages.flatMap((one) => (one.role === 'user' ? one.content : [])).map(({ text }) => text ?? '').join();
    const results = messages.flatMap((one) => (one.role === 'tool' ? one.results : []));
    const said = results.map(({ content }) => content).join();
    const ask = (...toolCalls) => ({ ...parts, text: '', toolCalls, finish: 'tool_calls' });
    if (results.length > 0) return { ...parts, text: 'Found: ' + said, toolCalls: [], finish: 'stop' };
    if (!words.includes('Task:'))
      return ask({ id: 'd', name: 'delegate', arguments: {
        task: 'Sum it up', context: [{ file: 'plan.txt' }], tools: ['read_file'] } });
    return ask(
      { id: 'f', name: 'read_file', arguments: { path: 'plan.txt' } },
      { id: 's', name: 'search_mail', arguments: { query: 'kestrel' } });
  } }) };`;

async function household() {
  const office = await openOffice({
    'configs/inference.json': { provider: 'head', model: 'm1' },
    'extensions/extensions.json': { providers: ['head'] },
    'extensions/providers/head/manifest.json': {
      name: 'head',
      kind: 'provider',
      api: 1,
      summary: 'h',
      entry: 'index.mjs',
      models: { m1: { context_tokens: 100_000, max_output_tokens: 1000, tools: true } },
    },
    'extensions/providers/head/index.mjs': MODEL,
    'personas/ada/persona.json': { name: 'Ada', address: ADA, delegation: { enabled: true } },
  });
  open.office = office;
  const files = join(office.root, 'data/personas/ada/files');
  if (!existsSync(files)) mkdirSync(files, { recursive: true });
  writeFileSync(join(files, 'plan.txt'), 'The plan is blue.');
  return office;
}

describe('a mail whose work is handed on', () => {
  it('A-24: shows the child its file and nothing of the thread, on record of both', async () => {
    const office = await household();
    await office.post({ subject: 'Plan', text: 'The kestrel is red.' });
    const { mail } = await office.arrival('reply', OWNER);
    expect(mail.text).toContain('The plan is blue.');
    expect(mail.text).toContain(
      "Context access denied: a child run cannot read its parent's transcript. Request a handoff from the parent.",
    );
    const { runs } = (await office.cli('runs', 'list')).json;
    const child = runs.find(({ kind }: { kind: string }) => kind === 'delegation');
    const parent = runs.find(({ kind }: { kind: string }) => kind === 'message');
    const { run } = (await office.cli('runs', 'show', child.id)).json;
    expect(run.events[0].data).toMatchObject({ parent_run_id: parent.id, packet: { files: ['plan.txt'] } });
    const prompt = JSON.stringify((await office.cli('runs', 'show', child.id, '--prompt')).json.prompt);
    expect(prompt).toContain('Sum it up');
    expect(prompt).not.toContain('kestrel is red');
    const told = (await office.cli('runs', 'show', parent.id)).json.run.events;
    const handed = run.events[0].data.packet;
    expect(handed).toMatchObject({ task: 'Sum it up', tools: ['read_file'], depth: 1 });
    expect(handed.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(told.find(({ type }: { type: string }) => type === 'child_started').data).toEqual({
      child_run_id: child.id,
      ...handed,
    });
    expect(told.find(({ type }: { type: string }) => type === 'child_ended').data).toMatchObject({
      child_run_id: child.id,
      denied: ['search_mail'],
    });
    for (const id of [parent.id, child.id])
      expect((await office.cli('runs', 'replay', id)).json.replay).toMatchObject({ difference: null, stale: null });
    expect(await office.left('reply')).toHaveLength(1);
  });

  it('A-25: waits for the child over a kill, and answers once', async () => {
    const office = await household();
    await office.stop();
    const dying = await office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: 'run.event.suspended' });
    await office.post({ subject: 'Plan', text: 'The kestrel is red.' });
    await dying.death();
    await office.restart({});
    const { mail } = await office.arrival('reply', OWNER);
    expect(mail.text).toContain('The plan is blue.');
    expect(await office.left('reply')).toHaveLength(1);
  });
});
