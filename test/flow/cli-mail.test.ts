import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from './command-line.ts';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, startGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const OWNER = 'owner@example.com';
const ADA = 'ada@agents.localhost';

/** A provider that answers after a while, so that a run is under way when somebody looks. */
const SLOW = {
  'extensions/extensions.json': { providers: ['slow'] },
  'extensions/providers/slow/manifest.json': {
    name: 'slow',
    kind: 'provider',
    api: 1,
    summary: 'Answers late',
    entry: 'index.mjs',
  },
  'extensions/providers/slow/index.mjs': `import { setTimeout as sleep } from 'node:timers/promises';
export default { create: ({ name }) => ({ async generate(request, { signal }) {
  await sleep(3000, undefined, { signal });
  return { text: 'At last.', toolCalls: [], finish: 'stop', usage: { input: 1, output: 1, cached: 0, cacheWrite: 0 },
    providerParts: { provider: name, model: request.model, data: null }, reportedCostUsd: null };
} }) };
`,
  'configs/inference.json': { provider: 'slow' },
};

/** A provider with a mistake in its code: a mail that needs it fails for good. */
const BROKEN = {
  'extensions/extensions.json': { providers: ['broken'] },
  'extensions/providers/broken/manifest.json': {
    name: 'broken',
    kind: 'provider',
    api: 1,
    summary: 'Cannot answer',
    entry: 'index.mjs',
  },
  'extensions/providers/broken/index.mjs':
    "export default { create: () => ({ async generate() { throw new TypeError('no such thing'); } }) };\n",
  'configs/inference.json': { provider: 'broken' },
};

const mailFile = (workspace: TestWorkspace, text: string): string => {
  const path = join(workspace.root, 'mail.eml');
  writeFileSync(path, text);
  return path;
};

describe('writing without a gateway', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = makeWorkspace();
  });
  afterEach(() => workspace.remove());

  it('works the run in the command itself, up to the answer in data/outgoing', async () => {
    const sent = await epistle(workspace.root, ['send', '--to', ADA, '--subject', 'Hello', '--wait=180'], 'Hello');
    expect(sent.code).toBe(0);
    expect(sent.json).toMatchObject({
      ok: true,
      message_id: expect.stringMatching(/^<.+@.+>$/),
      results: [
        {
          recipient: ADA,
          persona: 'ada',
          decision: 'accepted',
          code: null,
          smtp: null,
          status: 'done',
          outcome: 'final',
          reply: { message_id: expect.any(String), text: expect.stringContaining('Hello') },
        },
      ],
    });
    expect(readdirSync(join(workspace.root, 'data/outgoing'))).toHaveLength(1);
  });

  it('only accepts when nobody waits, and the next gateway answers', async () => {
    const sent = await epistle(workspace.root, ['send', '--to', ADA], 'Hello');
    expect(sent.json.results[0]).not.toHaveProperty('status');
    expect((await epistle(workspace.root, ['status'])).json.queue).toEqual({
      queued: 1,
      running: 0,
      waiting_approval: 0,
      deferred: 0,
    });
    const gateway = await startGateway(workspace.root);
    const why = await eventually(
      () => epistle(workspace.root, ['why', sent.json.message_id]),
      ({ json }) => json.entries[0]?.run?.status === 'done',
    );
    await gateway.end();
    expect(why.json.entries[0].replies).toHaveLength(1);
  });

  it('lets two commands at once wait for each other', async () => {
    const both = await Promise.all(
      ['one', 'two'].map((text) => epistle(workspace.root, ['send', '--to', ADA, '--wait=180'], text)),
    );
    for (const { code, json } of both) {
      expect(code).toBe(0);
      expect(json.results).toMatchObject([{ decision: 'accepted', status: 'done' }]);
    }
  });

  it('tells each recipient apart, also two addresses of one persona', async () => {
    const to = `${ADA},assistant@agents.localhost,ben@agents.localhost`;
    const args = [
      'send',
      '--to',
      to,
      '--to',
      'nobody@agents.localhost',
      '--from',
      'Mia <mia@member.example>',
      '--wait=180',
    ];
    const { code, json } = await epistle(workspace.root, args, 'all');
    expect(code).toBe(1);
    expect(json.ok).toBe(false);
    expect(json.results).toMatchObject([
      { persona: 'ada', decision: 'accepted', status: 'done' },
      { persona: 'ada', decision: 'accepted', status: 'done' },
      { persona: 'ben', decision: 'accepted', status: 'done' },
      { persona: null, decision: 'refused', code: 'unknown_recipient', run_id: null, status: null, reply: null },
    ]);
    expect(json.results[0].run_id).toBe(json.results[1].run_id);
  });

  it('refuses a mail that is too large, as the listener would', async () => {
    workspace.write('configs/gateway.json', { smtp_listener: { port: 0 }, limits: { max_message_bytes: 2000 } });
    const { code, json } = await epistle(workspace.root, ['send', '--to', ADA], 'x'.repeat(3000));
    expect(code).toBe(1);
    expect(json.results).toMatchObject([{ decision: 'refused', code: 'message_too_large' }]);
  });

  it('ends with 3 when the mail waits for a model that has no key', async () => {
    workspace.write('configs/inference.json', { provider: 'openai' });
    const { code, json } = await epistle(workspace.root, ['send', '--to', ADA, '--wait=180'], 'Hello');
    expect(code).toBe(3);
    expect(json.results).toMatchObject([{ status: 'deferred', code: 'provider_setup', reply: null }]);
  });

  it('ends with 5 when the run failed', async () => {
    for (const [path, content] of Object.entries(BROKEN)) workspace.write(path, content);
    const { code, json } = await epistle(workspace.root, ['send', '--to', ADA, '--wait=180'], 'Hello');
    expect(code).toBe(5);
    expect(json.results).toMatchObject([
      { decision: 'accepted', status: 'failed', reply: { text: expect.any(String) } },
    ]);
  });
});

describe('a gateway that starts while a command works', () => {
  it('waits for the command, then takes over', async () => {
    const workspace = makeWorkspace(SLOW);
    const sending = epistle(workspace.root, ['send', '--to', ADA, '--wait=180'], 'Hello');
    await eventually(
      () => epistle(workspace.root, ['status']),
      ({ json }) => json.queue.running === 1,
    );
    const gateway = await startGateway(workspace.root);
    expect((await sending).json.results).toMatchObject([
      { status: 'done', reply: { text: expect.stringContaining('At last.') } },
    ]);
    expect((await epistle(workspace.root, ['status'])).json).toMatchObject({ running: true, pid: gateway.ready.pid });
    await gateway.end();
    workspace.remove();
  });
});

describe('a gateway without a listener', () => {
  it('works the mail that a command puts beside it', async () => {
    const workspace = makeWorkspace({ 'configs/gateway.json': { smtp_listener: { enabled: false } } });
    const gateway = await startGateway(workspace.root);
    expect(gateway.ready.smtp).toBeNull();
    const { code, json } = await epistle(workspace.root, ['send', '--to', ADA, '--wait=180'], 'Hello');
    expect(code).toBe(0);
    expect(json.results).toMatchObject([{ decision: 'accepted', status: 'done', smtp: null }]);
    await gateway.end();
    workspace.remove();
  });
});

describe('waiting for an answer that takes long', () => {
  let workspace: TestWorkspace;
  let gateway: Gateway;
  beforeAll(async () => {
    workspace = makeWorkspace(SLOW);
    gateway = await startGateway(workspace.root);
  });
  afterAll(async () => {
    await gateway.end();
    workspace.remove();
  });

  it('ends with 3 and the state of the run when the time is over', async () => {
    const { code, json } = await epistle(workspace.root, ['send', '--to', ADA, '--wait=0.5'], 'Hello');
    expect(code).toBe(3);
    expect(json).toMatchObject({
      ok: true,
      results: [{ decision: 'accepted', status: expect.stringMatching(/queued|running/), outcome: null, reply: null }],
    });
  });

  it('can be cut short: a cancelled run is told of once, whatever its model says later', async () => {
    const sent = await epistle(workspace.root, ['send', '--to', ADA, '--wait=0.5'], 'Work on this');
    const [{ run_id: id }] = sent.json.results;
    const cancelled = await epistle(workspace.root, ['runs', 'cancel', id]);
    expect(cancelled).toMatchObject({ code: 0, json: { run: { id, status: 'cancelled', outcome: 'cancelled' } } });
    expect(await epistle(workspace.root, ['runs', 'cancel', id])).toMatchObject({
      code: 1,
      json: { error: { code: 'wrong_state' } },
    });
    await eventually(
      () => gateway.log(),
      (log) => log.includes('taken over or cancelled'),
    );
    const shown = await epistle(workspace.root, ['runs', 'show', id]);
    expect(shown.json.run).toMatchObject({ status: 'cancelled', model_calls: 0 });
    const { replies } = (await epistle(workspace.root, ['why', sent.json.message_id])).json.entries[0];
    expect(replies.map((mail: { message_id: string }) => mail.message_id)).toEqual([shown.json.run.reply_message_id]);
  });
});

describe('delivering a file', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = makeWorkspace();
  });
  afterEach(() => workspace.remove());
  const text = `From: ${OWNER}\nTo: ${ADA}\nSubject: No id\n\nhello\n`;
  const hash = createHash('sha256').update(text.replaceAll('\n', '\r\n')).digest('hex');

  it.each(['with a gateway', 'without one'])(
    'gives a mail without Message-ID one that `why` knows, %s',
    async (how) => {
      const gateway = how === 'with a gateway' ? await startGateway(workspace.root) : null;
      const file = mailFile(workspace, text);
      const { code, json } = await epistle(workspace.root, ['deliver', file, '--as-submission', '--wait=180']);
      expect(json.message_id).toBe(`<sha256-${hash.slice(0, 32)}@content.invalid>`);
      expect(json.results).toMatchObject([{ decision: 'accepted', status: 'done' }]);
      expect(code).toBe(0);
      const why = await epistle(workspace.root, ['why', json.message_id]);
      expect(why.json.entries).toMatchObject([{ decision: 'accepted', subject: 'No id' }]);
      await gateway?.end();
    },
  );

  it('treats it as a stranger’s unless told otherwise, whoever it says wrote it', async () => {
    const { code, json } = await epistle(workspace.root, [
      'deliver',
      mailFile(workspace, text.replace(OWNER, 'mia@member.invalid')),
    ]);
    expect(code).toBe(1);
    expect(json.results).toMatchObject([{ decision: 'refused' }]);
  });

  it('says which file it could not read', async () => {
    const { code, stderr } = await run(['deliver', 'nowhere.eml', '--workspace', workspace.root]);
    expect(code).toBe(1);
    expect(stderr).toContain('nowhere.eml');
  });
});
