import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { openStore } from '../../engine/storage/sqlite/persona/store.ts';
import { atRest } from './at-rest.ts';
import { type Browser, openConsole } from './console-rig.ts';
import { CARL, launchOffice, MEMBER, mailTo, OWNER } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

const open: { office?: { close(): Promise<void> } } = {};
afterEach(async () => {
  await open.office?.close();
  delete open.office;
});

const BOB = 'bob@example.com';
const PERSONA = {
  name: 'Ada',
  address: 'ada@agents.localhost',
  access: { allow: ['*@member.example'] },
  delegation: { enabled: true },
  memory: { facts: true, recall: false },
};
/** Of the workspace, and so nobody knows what it does: it says of itself that it only reads, and leaves a file each time. */
const PEEK = {
  'extensions/tools/peek/manifest.json': { name: 'peek', kind: 'tool', api: 1, summary: 'Peeks', entry: 'index.js' },
  'extensions/tools/peek/index.js': `import { writeFileSync } from 'node:fs';
    const mark = (how) => writeFileSync(new URL('../../../peeked-' + how, import.meta.url), '');
    export default { description: 'For a test.', risk: 'read', scope: 'web:read',
      input: { type: 'object', properties: {} },
      effects() { mark('effects'); return {}; },
      async run() { mark('run'); return 'peeked'; } };`,
  'extensions/extensions.json': { tools: ['peek'] },
};
const FILES = {
  'configs/inference.json': { provider: 'offline', max_calls_per_turn: 16 },
  'personas/ada/persona.json': PERSONA,
  'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', owners: [BOB] },
  ...PEEK,
};

/** What a model does that does all that it can. */
const TRIES = {
  send_email: mailTo(CARL).split('\n')[0] ?? '',
  write_file: '/write_file {"path":"made.txt","content":"x"}',
  delete_file: '/delete_file {"path":"kept.txt"}',
  web_fetch: '/web_fetch {"url":"https://example.com/"}',
  peek: '/peek {}',
  schedule_task:
    '/schedule_task {"action":"create","task":"tea","name":"Tea","schedule":"0 17 * * *","prompt":"Tea at five"}',
  delegate: '/delegate {"task":"Count the files","tools":["read_file"]}',
  remember: '/remember {"text":"Tea is at five","quote":"Tea is at five","kind":"state"}',
} as const;
const ALL = [...Object.values(TRIES), '/list_files {}', 'Tea is at five, says the xylophone.'].join('\n');

interface Shown {
  readonly run: {
    readonly id: string;
    readonly status: string;
    readonly outcome: string;
    readonly code: string | null;
    readonly kind: string;
    readonly thread_id: string;
    readonly message_id: string;
    readonly model_calls: number;
  };
  readonly tier: string;
  readonly from: string;
  readonly answer: { readonly subject: string; readonly text: string } | null;
  readonly held: readonly { readonly tool: string; readonly would: string; readonly by: string }[];
  readonly made: readonly string[];
}

type Cli = (...args: string[]) => ReturnType<Awaited<ReturnType<typeof openConsole>>['cli']>;

async function tried(cli: Cli, as: string, text: string, ...more: string[]): Promise<Shown> {
  const told = await cli('persona', 'try', 'ada', '--as', as, '--subject', 'A try', '--text', text, ...more);
  expect(told.json).toEqual(expect.objectContaining({ turned_away: null, test: expect.anything() }));
  return told.json.test;
}

const verdictsOf = ({ held }: Shown) => Object.fromEntries(held.map(({ tool, would }) => [tool, would]));

/** The tables in which something would stand that came of a run. */
const LEFT = [
  'outbox',
  'approvals',
  'undo_items',
  'suspensions',
  'facts',
  'rules',
  'jobs',
  'tasks',
  'task_times',
  'playbook_outcomes',
  'thread_participants',
  'message_viewers',
  'drafts',
] as const;

/** All that is there, in rows and in files, but for the record of runs. */
function left(root: string): Readonly<Record<string, unknown>> {
  const database = new SQLite(join(root, 'data/personas/ada/persona.db'), { readonly: true });
  const counted = (table: string) => database.prepare<[], number>(`select count(*) from ${table}`).pluck().get();
  try {
    const folders = ['data/personas/ada/files', 'personas/ada/tasks', 'data/outgoing', 'data/personas'];
    return {
      ...Object.fromEntries(LEFT.map((table) => [table, counted(table)])),
      // What was tried is worked by one run, and by no other that it began.
      others: database.prepare("select count(*) from runs where kind <> 'test'").pluck().get(),
      ...Object.fromEntries(
        folders.map((name) => [name, existsSync(join(root, name)) ? readdirSync(join(root, name)).toSorted() : []]),
      ),
      peeked: readdirSync(root).filter((name) => name.startsWith('peeked')),
    };
  } finally {
    database.close();
  }
}

async function office(files: Readonly<Record<string, string | object>> = {}) {
  const opened = await openConsole({ ...FILES, ...files });
  open.office = opened;
  return opened;
}

describe('a test mail', () => {
  it('is worked with the eyes of an owner, a member or a stranger, and none of its calls is made', async () => {
    const here = await office({
      'configs/security.json': {
        owners: [OWNER],
        approvals: { batch_window_s: 0 },
        gateway_access: { default_decision: 'allow' },
      },
    });
    await here.ask('/write_file {"path":"kept.txt","content":"kept"}', OWNER);
    await here.ask('The heron nests in the reeds.', MEMBER);
    await atRest(here.root);
    const before = left(here.root);

    const owner = await tried(here.cli, 'owner', ALL);
    expect(owner).toMatchObject({ tier: 'owner', from: OWNER, run: { kind: 'test', status: 'done' } });
    expect(owner.answer?.subject).toBe('Re: A try');
    // As it would be mailed: with what stands below every mail of hers.
    expect(owner.answer?.text).toContain('-- \nAda');
    expect(verdictsOf(owner)).toEqual({
      send_email: 'be_asked_about',
      write_file: 'be_done',
      delete_file: 'be_asked_about',
      web_fetch: 'be_done',
      peek: 'be_done',
      schedule_task: 'be_asked_about',
      delegate: 'be_done',
      remember: 'be_done',
    });
    expect(owner.held.find(({ tool }) => tool === 'delete_file')?.by).toBe('risk destructive');
    expect(owner.made).toEqual(['list_files']);
    expect(left(here.root)).toEqual(before);

    const member = await tried(here.cli, 'member', ALL);
    expect(member).toMatchObject({ tier: 'member', from: 'somebody@member.example' });
    expect(verdictsOf(member)).toMatchObject({ send_email: 'be_asked_about', write_file: 'be_done' });
    const stranger = await tried(here.cli, 'stranger', ALL);
    // Its model is shown no tool, as for any mail of a stranger.
    expect(stranger).toMatchObject({ tier: 'stranger', held: [], made: [], run: { status: 'done' } });
    expect(left(here.root)).toEqual(before);

    // Each sees what somebody of that tier sees.
    const looks = '/search_mail {"query":"heron"}';
    const seen = async (as: string) => {
      const { run } = await tried(here.cli, as, looks);
      const { events } = (await here.cli('runs', 'show', run.id)).json.run;
      return JSON.stringify(events).includes('nests in the reeds');
    };
    expect([await seen('owner'), await seen('member'), await seen('stranger')]).toEqual([true, false, false]);
    expect(left(here.root)).toEqual(before);
  });

  it('of a stranger whom no rule lets in is refused with the cure, and no model is asked', async () => {
    const here = await office();
    const { json, code } = await here.cli('persona', 'try', 'ada', '--as', 'stranger', '--text', 'Hello.');
    expect(code).toBe(1);
    expect(json).toMatchObject({ test: null, turned_away: { would: 'be refused', code: 'sender_not_allowed' } });
    expect(json.turned_away.cure).toContain('senders allow');
    expect((await here.cli('runs', 'list')).json.runs).toEqual([]);
    await here.cli('persona', 'pause', 'ada');
    const paused = await here.cli('persona', 'try', 'ada', '--as', 'owner', '--text', 'Hello.');
    expect(paused.json.turned_away).toMatchObject({ would: 'wait', code: 'persona_paused' });
    await here.cli('persona', 'resume', 'ada');
    // What would be obeyed is not: nothing is stopped by it.
    const stop = await here.cli('persona', 'try', 'ada', '--as', 'owner', '--text', 'STOP');
    expect(stop.json.turned_away).toMatchObject({ would: 'be recorded', code: 'stop_command' });
    expect((await here.cli('persona', 'list')).json.personas[0]).toMatchObject({ id: 'ada', state: 'ready' });
    const nobody = await here.cli('persona', 'try', 'ben', '--as', 'member', '--text', 'Hello.');
    expect(nobody.json.error.message).toContain('nobody is a member here');
  });

  it('is found, remembered, joined and counted by nobody, and stays a test whatever is done to it', async () => {
    const here = await office();
    const { run } = await tried(here.cli, 'owner', ALL);
    const { thread_id: thread, message_id: message } = run;
    const found = await here.ask('/search_mail {"query":"xylophone"}\n/list_threads {}', OWNER, 'Look');
    const text = JSON.stringify((await here.cli('runs', 'show', found.json.results[0].run_id)).json.run.events);
    expect(text).toContain(String.raw`\"total\":0`);
    expect(text).not.toContain('A try');
    expect(JSON.stringify((await here.cli('threads', 'list')).json)).not.toContain('A try');
    expect(JSON.stringify((await here.cli('mail', 'list')).json)).not.toContain('A try');
    for (const args of [
      ['threads', 'private', thread, '--off'],
      ['threads', 'take', thread],
    ])
      expect((await here.cli(...args)).json).toMatchObject({ ok: false, error: { code: 'not_found' } });
    // Whoever names its Message-ID does not come into its thread.
    await here.post({ subject: 'Re: A try', inReplyTo: message, references: [message], text: 'And?' });
    await onceRecorded(here.root, async () => {
      const [newest] = (await here.cli('runs', 'list')).json.runs;
      expect(newest).toMatchObject({ kind: 'message', status: 'done' });
      expect(newest.thread_id).not.toBe(thread);
    });
    expect((await here.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
    const explained = (await here.cli('runs', 'explain', run.id)).json;
    expect(JSON.stringify(explained)).toContain('"missing":[]');
    expect((await here.cli('audit')).json.audit).toContainEqual(
      expect.objectContaining({ event: 'test_mail', actor: 'cli', run_id: run.id }),
    );
    await atRest(here.root);
    const usage = (await here.cli('usage', '--by', 'person')).json;
    expect(JSON.stringify(usage)).not.toContain('stranger.invalid');
    await here.stop();
    const store = openStore(join(here.root, 'data/personas/ada/persona.db'));
    const week = await store.week(0, Date.now() + 1000);
    await store.close();
    // The two that were mailed.
    expect(week).toMatchObject({ answered: 2, incomplete: 0, people: 1 });
  });

  it('is paid out of the budget of the day, which stops it, and tells nobody', async () => {
    const here = await office({
      'personas/ada/persona.json': { ...PERSONA, budget: { runs_per_day: 1 } },
    });
    await tried(here.cli, 'owner', 'Hello.');
    const before = left(here.root);
    const spent = await tried(here.cli, 'owner', 'Hello again.');
    expect(spent).toMatchObject({ run: { status: 'failed', outcome: 'gave_up', code: 'budget', model_calls: 0 } });
    expect(spent.answer).toBeNull();
    expect(left(here.root)).toEqual(before);
    const again = await here.cli('runs', 'retry', spent.run.id);
    expect(again.json.run.kind).toBe('test');
    await onceRecorded(here.root, async () =>
      expect((await here.cli('runs', 'list')).json.runs[0]).toMatchObject({ kind: 'test', status: 'failed' }),
    );
    expect(left(here.root)).toEqual(before);
  });
});

const KILLED_AT = [
  'dispatch.claimed',
  'run.event.run_started',
  'run.event.context_built',
  'run.context_committed',
  'run.event.model_call_started',
  'run.model_replied',
  'run.event.model_call_ended',
  'run.event.decision',
  'run.event.permission',
  'run.event.tool_call_intended',
  'run.step_intended',
  'run.tool_executed',
  'run.event.tool_call_ended',
  'run.event.observation',
  'run.event.run_ended',
  'run.finished',
] as const;

describe('a gateway that is killed over a test mail', () => {
  it('goes on with it as a test, wherever it died', async () => {
    const here = await launchOffice(FILES);
    open.office = here;
    await here.ask('/write_file {"path":"kept.txt","content":"kept"}', OWNER);
    const before = left(here.root);
    for (const label of KILLED_AT) {
      const dying = await here.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
      const { json } = await here.cli('persona', 'try', 'ada', '--as', 'owner', '--text', ALL, '--wait', '0');
      await dying.death();
      await here.launch({});
      const id = json.test.run.id;
      const ended = await onceRecorded(here.root, async () => {
        const { run } = (await here.cli('runs', 'show', id)).json;
        expect({ label, status: run.status }).toEqual({ label, status: 'done' });
        return run;
      });
      expect(ended).toMatchObject({ kind: 'test', outcome: expect.stringMatching(/final|partial/) });
      await atRest(here.root);
      expect({ label, left: left(here.root) }).toEqual({ label, left: before });
      const verdicts = ended.events.filter(({ type }: { type: string }) => type === 'permission');
      const told = new Set(verdicts.map(({ data }: { data: { tool: string } }) => data.tool));
      // A read that is made again is judged again, and not told of again.
      told.delete('list_files');
      expect({ label, told }).toEqual({ label, told: new Set(Object.keys(TRIES)) });
    }
  });
});

describe('a test mail that is written in the console', () => {
  const FORM = { persona: 'ada', as: 'member', subject: 'A try', text: ALL };

  const pressed = async (browser: Browser, form: Readonly<Record<string, string>> = FORM) => {
    await browser.get('/mail/test');
    return browser.press('/mail/test', form);
  };

  it('is answered on a page that works without script, by operators and owners of that persona', async () => {
    const here = await office();
    await here.ask('/write_file {"path":"kept.txt","content":"kept"}', OWNER);
    const before = left(here.root);
    const owner = await here.loggedIn();
    expect((await owner.get('/mail')).text).toContain('href="/mail/test"');
    expect((await owner.get('/personas/ada')).text).toContain('href="/mail/test?persona=ada"');
    expect((await owner.get('/mail/test?persona=ada')).text).toContain('<option value="ada" selected>');
    const begun = await pressed(owner, { ...FORM, subject: '</pre><script>', as: 'owner' });
    expect(begun.status).toBe(303);
    const page = String(begun.headers.location);
    const shown = await onceRecorded(here.root, async () => {
      const found = await owner.get(page);
      expect(found.text).toContain('The answer, as it would be mailed');
      return found;
    });
    for (const words of ['would be done', 'would be asked about', 'risk destructive', 'its run', 'data-live', OWNER])
      expect(shown.text).toContain(words);
    expect(shown.text).not.toContain('</pre><script>');
    expect((await owner.get('/runs')).text).toContain('<span class="pill soft">test</span>');
    const [, id = ''] = /\/mail\/test\/ada\/([0-9a-f-]+)/.exec(page) ?? [];
    expect((await owner.get(`/runs/ada/${id}`)).text).toContain(`href="${page}"`);
    expect(left(here.root)).toEqual(before);

    const operator = await here.loggedIn('--role', 'operator');
    expect(await pressed(operator)).toMatchObject({ status: 303 });
    const turned = await pressed(operator, { ...FORM, as: 'stranger' });
    expect(turned).toMatchObject({ status: 200 });
    expect(turned.text).toContain('would be refused');
    const { audit } = (await here.cli('audit')).json;
    expect(audit).toContainEqual(
      expect.objectContaining({
        event: 'test_mail',
        actor: OWNER,
        detail: expect.objectContaining({ as: 'stranger' }),
      }),
    );

    const viewer = await here.loggedIn('--role', 'viewer');
    expect((await viewer.get('/mail')).text).not.toContain('/mail/test');
    expect((await viewer.get('/mail/test')).status).toBe(404);
    expect((await viewer.get(page)).status).toBe(404);
    await viewer.get('/mail');
    expect(await viewer.press('/mail/test', FORM)).toMatchObject({ status: 403 });
    const bob = await here.loggedIn('--as', BOB);
    expect(await pressed(bob)).toMatchObject({ status: 404 });
    expect((await bob.get(page)).status).toBe(404);
    expect(await owner.send('/mail/test', { method: 'POST', form: FORM })).toMatchObject({ status: 403 });
    for (const wrong of [{ text: ' ' }, { text: 'x'.repeat(10_001) }, { subject: 'x'.repeat(151) }, { as: 'god' }])
      expect(await pressed(owner, { ...FORM, ...wrong })).toMatchObject({ status: 422 });
  });

  it('is one of ten at most in an hour and session address, also when they are sent at once', async () => {
    const here = await office();
    const owner = await here.loggedIn();
    await owner.get('/mail/test');
    const all = await Promise.all(Array.from({ length: 14 }, () => owner.press('/mail/test', { ...FORM, text: 'Hi' })));
    expect(all.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(303), ...Array(4).fill(422)]);
    const operator = await here.loggedIn('--role', 'operator');
    const more = await pressed(operator);
    expect(more.text).toContain('test mails an hour');
    // Another owner has tried nothing yet.
    const bob = await here.loggedIn('--as', BOB);
    expect(await pressed(bob, { ...FORM, persona: 'ben', as: 'owner' })).toMatchObject({ status: 303 });
  });
});
