import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, startGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const OWNER = 'owner@example.com';
const ADA = 'ada@agents.localhost';

describe('what is on record of mail', () => {
  let workspace: TestWorkspace;
  beforeAll(() => {
    workspace = makeWorkspace({
      'configs/security.json': { owners: [OWNER], gateway_auth: { mode: 'monitor' } },
      'configs/gateway.json': { smtp_listener: { port: 0 }, limits: { max_mime_parts: 3 } },
    });
  });
  afterAll(() => workspace.remove());
  const ask = (...args: string[]) => epistle(workspace.root, args);
  const send = (id: string, text = 'hello') =>
    epistle(workspace.root, ['send', '--to', ADA, '--message-id', id, '--subject', 'Tea', '--wait=180'], text);

  it('is found by `why` from the mail and from its answer, with or without brackets', async () => {
    const sent = await send('first@example.com', '/list_files {}');
    const reply = sent.json.results[0].reply.message_id;
    for (const id of ['first@example.com', '<first@example.com>']) {
      const { code, json } = await ask('why', id);
      expect(code).toBe(0);
      expect(json).toMatchObject({ ok: true, message_id: '<first@example.com>' });
      expect(json.entries).toMatchObject([
        {
          persona: 'ada',
          direction: 'in',
          decision: 'accepted',
          from: OWNER,
          tier: 'owner',
          subject: 'Tea',
          run: { status: 'done', outcome: 'final', tool_calls: 1, tokens: { input: expect.any(Number) } },
          replies: [{ message_id: reply, state: 'sent', kind: 'reply', to: [{ address: OWNER, state: 'sent' }] }],
        },
      ]);
    }
    const back = await ask('why', reply);
    expect(back.json.entries).toMatchObject([
      {
        direction: 'out',
        decision: 'sent',
        persona: 'ada',
        subject: 'Re: Tea',
        run: { message_id: '<first@example.com>' },
      },
    ]);
  });

  it('has one entry for each time a mail came', async () => {
    const mail = `From: ${OWNER}\r\nTo: ${ADA}\r\nSubject: Twice\r\nMessage-ID: <twice@example.com>\r\n\r\nhello\r\n`;
    const file = join(workspace.root, 'twice.eml');
    writeFileSync(file, mail);
    const first = await ask('deliver', file, '--as-submission', '--wait=180');
    const second = await ask('deliver', file, '--as-submission', '--wait=180');
    expect(second).toMatchObject({
      code: 0,
      json: { results: [{ decision: 'duplicate', code: 'duplicate', status: 'done' }] },
    });
    expect(second.json.results[0].run_id).toBe(first.json.results[0].run_id);
    const { json } = await ask('why', 'twice@example.com');
    expect(json.entries).toMatchObject([{ decision: 'accepted' }, { decision: 'duplicate', code: 'duplicate' }]);
    expect(json.entries[1].run.id).toBe(json.entries[0].run.id);
  });

  it('ends with 1 for a mail that was never seen', async () => {
    expect(await ask('why', 'never@example.com')).toMatchObject({
      code: 1,
      json: { ok: false, message_id: '<never@example.com>', entries: [], error: { code: 'not_found' } },
    });
  });

  it('is listed newest first, in pages, by persona and by status', async () => {
    const all = await ask('runs', 'list');
    expect(all.json.runs.map(({ message_id }: { message_id: string }) => message_id)).toEqual([
      '<twice@example.com>',
      '<first@example.com>',
    ]);
    const page = await ask('runs', 'list', '--limit', '1');
    expect(page.json.next).toBe(page.json.runs[0].id);
    const rest = await ask('runs', 'list', '--limit', '1', '--after', page.json.next);
    expect(rest.json).toMatchObject({ runs: [{ message_id: '<first@example.com>' }], next: null });
    expect((await ask('runs', 'list', '--status', 'failed')).json.runs).toEqual([]);
    expect((await ask('runs', 'list', '--persona', 'ben')).json.runs).toEqual([]);
    expect(await ask('runs', 'list', '--persona', 'adda')).toMatchObject({
      code: 1,
      json: { error: { code: 'not_found', message: expect.stringContaining('did you mean "ada"?') } },
    });
  });

  it('is listed with its sender and subject, and found by an end of its id or as the last', async () => {
    const { runs } = (await ask('runs', 'list')).json;
    const about = runs.map(({ from, subject }: { from: string; subject: string }) => `${from} ${subject}`);
    expect(about).toEqual([`${OWNER} Twice`, `${OWNER} Tea`]);
    const [newest, oldest] = runs;
    const idOf = async (...args: string[]) => (await ask(...args)).json.run.id;
    expect(await idOf('runs', 'show', 'last')).toBe(newest.id);
    expect(await idOf('runs', 'show', oldest.id.slice(-12))).toBe(oldest.id);
    expect(await idOf('runs', 'show', oldest.id.slice(0, -1))).toBe(oldest.id);
    expect((await ask('runs', 'explain', oldest.id.slice(-12))).json.explained.run.id).toBe(oldest.id);
    expect(await ask('runs', 'show', newest.id.slice(0, 4))).toMatchObject({
      code: 2,
      json: { error: { code: 'usage', message: expect.stringContaining('more than one run fits') } },
    });
    expect((await ask('threads', 'show', 'last')).json.thread.subject).toBe('Twice');
    const { outbox } = (await ask('outbox', 'list')).json;
    expect(outbox[0]).toMatchObject({ from: OWNER, subject: 'Twice', created_at: expect.any(String) });
    expect((await ask('outbox', 'show', outbox[1].id.slice(-8))).json.outbox.id).toBe(outbox[1].id);
  });

  it('shows a conversation with its mails, oldest first', async () => {
    const { json } = await ask('threads', 'list');
    const thread = json.threads.find(({ subject }: { subject: string }) => subject === 'Tea');
    expect(thread).toMatchObject({ persona: 'ada', kind: 'thread', message_count: 2 });
    const shown = await ask('threads', 'show', thread.id);
    expect(shown.json.thread.messages).toMatchObject([
      { direction: 'in', from: OWNER, text: expect.stringContaining('/list_files') },
      { direction: 'out', from: ADA, to: [OWNER] },
    ]);
    expect(await ask('threads', 'show', 'nothing')).toMatchObject({ code: 1, json: { error: { code: 'not_found' } } });
  });

  it('adds up what was spent, and for whom', async () => {
    const { json } = await ask('usage');
    expect(json).toMatchObject({
      ok: true,
      total: { runs: 2, model_calls: 3, tokens: { input: 0, output: 0, cached: 0 }, cost_usd: 0 },
      by_persona: [{ persona: 'ada', runs: 2 }],
      by_provider: [{ provider: 'offline/offline', runs: 2 }],
      by_sender: [{ sender: OWNER, runs: 2 }],
      by_task: [],
    });
    expect(json.by_thread).toHaveLength(2);
    const before = await ask('usage', '--from', '2020-01-01T00:00:00Z', '--to', '2020-02-01T00:00:00Z');
    expect(before.json).toMatchObject({ from: '2020-01-01T00:00:00.000Z', total: { runs: 0 }, by_persona: [] });
  });

  it('has a mail that could not be taken in, which is taken in again once the limit allows it', async () => {
    const parts = ['one', 'two', 'three', 'four'].map((text) => `--x\r\nContent-Type: text/plain\r\n\r\n${text}\r\n`);
    const head = `From: ${OWNER}\r\nTo: ${ADA}\r\nSubject: Parts\r\nMessage-ID: <parts@example.com>\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n`;
    const file = join(workspace.root, 'parts.eml');
    writeFileSync(file, `${head}${parts.join('')}--x--\r\n`);
    const sent = await ask('deliver', file, '--to', ADA, '--from', OWNER, '--as-submission');
    expect(sent).toMatchObject({ code: 1, json: { results: [{ decision: 'dead_letter', code: 'mime_limit' }] } });
    const [entry] = (await ask('why', sent.json.message_id)).json.entries;
    expect(entry).toMatchObject({ decision: 'dead_letter', code: 'mime_limit', run: null, replies: [] });

    const { json } = await ask('deadletters', 'list');
    expect(json.dead_letters).toMatchObject([
      { persona: 'ada', stage: 'parse', code: 'mime_limit', from: OWNER, subject: 'Parts' },
    ]);
    expect((await ask('deadletters', 'show', 'last')).json.dead_letter.id).toBe(json.dead_letters[0].id);
    const [{ id }] = json.dead_letters;
    expect((await ask('deadletters', 'show', id)).json.dead_letter).toMatchObject({ id, raw_path: expect.any(String) });
    expect((await ask('deadletters', 'requeue', id)).code).toBe(1);

    workspace.write('configs/gateway.json', { smtp_listener: { port: 0 } });
    const again = await ask('deadletters', 'requeue', id);
    // By the door by which it came: with the rights that it had there, and no more.
    expect(again).toMatchObject({ code: 0, json: { results: [{ persona: 'ada', decision: 'accepted' }] } });
    expect((await ask('deadletters', 'list')).json.dead_letters).toEqual([]);
    const why = await ask('why', 'parts@example.com');
    expect(why.json.entries.at(-1)).toMatchObject({ decision: 'accepted', tier: 'owner' });
    expect(why.json.entries[0]).toMatchObject({ decision: 'dead_letter', code: 'mime_limit' });
  });
});

describe('a run that failed and mail that could not leave', () => {
  let workspace: TestWorkspace;
  let gateway: Gateway;
  beforeAll(async () => {
    workspace = makeWorkspace({
      // A mistake in the code of a provider is no outage: the mail fails for good.
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
      'configs/gateway.json': {
        smtp_listener: { port: 0 },
        // Nobody listens on port 1.
        mailboxes: [
          { id: 'out', smtp: { host: '127.0.0.1', port: 1, tls: 'none', auth: 'none', user: 'x', secret_env: 'X' } },
        ],
      },
    });
    gateway = await startGateway(workspace.root);
  });
  afterAll(async () => {
    await gateway.end();
    workspace.remove();
  });
  const ask = (...args: string[]) => epistle(workspace.root, args);

  it('can be tried again, once, and then the new run is what `why` shows', async () => {
    const sent = await epistle(workspace.root, ['send', '--to', ADA, '--wait=180'], 'hello');
    expect(sent).toMatchObject({ code: 5, json: { results: [{ status: 'failed' }] } });
    const [{ run_id: id }] = sent.json.results;
    workspace.write('configs/inference.json', { provider: 'offline' });
    await eventually(
      () => ask('providers', 'list'),
      ({ json }) =>
        json.providers.some(({ name, used }: { name: string; used: boolean }) => name === 'offline' && used),
    );
    const retried = await ask('runs', 'retry', id);
    expect(retried).toMatchObject({ code: 0, json: { run: { status: 'queued', message_id: sent.json.message_id } } });
    const why = await eventually(
      () => ask('why', sent.json.message_id),
      ({ json }) => json.entries[0].run.status !== 'queued' && json.entries[0].run.status !== 'running',
    );
    expect(why.json.entries[0].run.id).toBe(retried.json.run.id);
    expect(why.json.entries[0].replies).toHaveLength(2);
    expect(await ask('runs', 'retry', id)).toMatchObject({ code: 1, json: { error: { code: 'wrong_state' } } });
    expect(await ask('runs', 'cancel', id)).toMatchObject({ code: 1, json: { error: { code: 'wrong_state' } } });
    expect(await ask('runs', 'retry', 'nothing')).toMatchObject({ code: 1, json: { error: { code: 'not_found' } } });
  });

  it('shows what waits in the outbox, and can drop it and put it back', async () => {
    const tried = await eventually(
      () => ask('outbox', 'list'),
      ({ json }) => json.outbox.length >= 2 && json.outbox.every(({ attempts }: { attempts: number }) => attempts > 0),
    );
    const [mail] = tried.json.outbox;
    expect(mail).toMatchObject({
      persona: 'ada',
      state: 'queued',
      to: [{ state: 'queued', smtp: expect.any(String) }],
      next_attempt_at: expect.any(String),
      last_error: expect.any(String),
    });
    expect((await ask('status')).json.outbox.queued).toBe(tried.json.outbox.length);
    // It would be tried again in an hour at the latest; an owner who has mended the server need not wait.
    for (const words of [[mail.id], ['--all']]) {
      const attempts = (await ask('outbox', 'show', mail.id)).json.outbox.attempts;
      expect(await ask('outbox', 'retry', ...words)).toMatchObject({ code: 0 });
      await eventually(
        () => ask('outbox', 'show', mail.id),
        ({ json }) => json.outbox.attempts > attempts,
        60_000,
      );
    }
    expect(await ask('outbox', 'retry')).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    expect(await ask('outbox', 'retry', mail.id, '--all')).toMatchObject({ code: 2 });
    expect((await ask('outbox', 'drop', mail.id)).json.outbox).toMatchObject({
      id: mail.id,
      state: 'dropped',
      next_attempt_at: null,
    });
    expect((await ask('outbox', 'list', '--status', 'dropped')).json.outbox).toMatchObject([{ id: mail.id }]);
    const back = await ask('outbox', 'retry', mail.id);
    expect(back.json.outbox).toMatchObject({ state: expect.stringMatching(/queued|sending/) });
    const shown = await eventually(
      () => ask('outbox', 'show', mail.id),
      ({ json }) => json.outbox.attempts > 0,
    );
    expect(shown.json.outbox.raw).toContain('Auto-Submitted: auto-');
    expect(await ask('outbox', 'drop', 'nothing')).toMatchObject({ code: 1, json: { error: { code: 'not_found' } } });
    expect(await ask('memory', 'rebuild', 'ada')).toMatchObject({ code: 0, json: { ok: true, persona: 'ada' } });
    expect(await ask('memory', 'rebuild', 'bob')).toMatchObject({ code: 1, json: { error: { code: 'not_found' } } });
  });
});
