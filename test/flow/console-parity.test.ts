import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { SCREENS } from '../../engine/console/screens/screens.ts';
import { atRest } from './at-rest.ts';
import { type Browser, openConsole } from './console-rig.ts';
import { CARL, MEMBER, mailTo, OWNER, type Sent } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

// What a button of the console does, a command or a mail does by the same action: each is done in one of two workspaces
// in which the same has happened, and what is on record then is the same but for ids, times and who did it.

type Office = Awaited<ReturnType<typeof openConsole>>;

/** What is compared: all of it, or what a mail that says it leaves alone, too. */
const QUESTIONS = ['approvals', 'audit_log', 'undo_items', 'outbox_recipients'] as const;
const ALL = [...QUESTIONS, 'runs', 'outbox', 'threads', 'facts'] as const;
const TASKS = [...ALL, 'tasks', 'task_times'] as const;
type Table = (typeof TASKS)[number] | 'rules';

interface Pair<Had = unknown> {
  /** In which offices; absent: in those whose mail leaves as files. */
  readonly at?: keyof typeof OFFICES;
  /** What both have before; what it finds there is handed on. */
  prepare?(office: Office): Promise<Had>;
  press(office: Office, browser: Browser, had: Had): Promise<unknown>;
  /** The command, or the mail, as people know it. */
  readonly as: string;
  other(office: Office, had: Had): Promise<unknown>;
  readonly rows: readonly Table[];
  /** What is compared beside rows and files. */
  listed?(office: Office): Promise<unknown>;
  /** What is on record by the console alone: a new row of the table for each of these, in which this stands; and why. */
  readonly besides?: { readonly rows: Readonly<Partial<Record<Table, readonly string[]>>>; readonly why: string };
  /** It changes nothing, and what is said is compared: of the page and of the document of the command. */
  says?(page: unknown, told: unknown): void;
}

/** Keeps the type of what is handed on from one to the other. */
const pair = <Had>(one: Pair<Had>): Pair => one as Pair;

const fieldIn = (text: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';

async function pressed(browser: Browser, path: string, form: Readonly<Record<string, string>> = {}): Promise<string> {
  const { status, text, headers } = await browser.press(path, form);
  expect({ path, status, said: status === 303 ? '' : text }).toEqual({ path, status: 303, said: '' });
  return String(headers.location);
}

interface Asked {
  readonly run: string;
  readonly id: string;
  /** Of the question in the console. */
  readonly path: string;
  readonly notice: Sent;
}

/** A mail that was taken in and worked on; the id of its run. */
async function worked(office: Office, text: string, status: 'done' | 'waiting_approval', from = MEMBER) {
  const { json } = await office.ask(text, from);
  expect(json.results).toMatchObject([{ decision: 'accepted', status, run_id: expect.any(String) }]);
  return String(json.results[0].run_id);
}

const listedAsked = async (office: Office, ...more: string[]) =>
  (await office.cli('approvals', 'list', ...more)).json.approvals.toReversed();

/** A request about which an owner is asked, once it is on record and the owner has the mail, which are a moment apart. */
async function questioned(office: Office, text: string): Promise<Asked> {
  const before = (await office.left('approval')).length;
  const run = await worked(office, text, 'waiting_approval');
  return onceRecorded(office.root, async () => {
    const own = (await listedAsked(office)).filter((one: { run_id: string }) => one.run_id === run);
    expect(own).toMatchObject([{ state: 'pending', persona: 'ada' }]);
    const notices = await office.left('approval');
    expect(notices).toHaveLength(before + 1);
    const [{ id }] = own;
    return { run, id, path: `/approvals/ada/${id}`, notice: notices.at(-1) as Sent };
  });
}

async function decided(browser: Browser, path: string, say: 'approve' | 'deny'): Promise<void> {
  const hash = fieldIn((await browser.get(path)).text, 'hash');
  await pressed(browser, `${path}/decide`, { say, hash });
}

const newestMail = async (office: Office): Promise<string> => (await office.cli('mail', 'list')).json.mails[0].id;

/** Two files that are there, and a question about both. */
async function twoDeletes(office: Office, name: string): Promise<Asked> {
  const files = ['a', 'b'].map((one) => `${name}-${one}.txt`);
  for (const path of files) await worked(office, `/write_file {"path":"${path}","content":"kept"}`, 'done');
  return questioned(office, files.map((path) => `/delete_file {"path":"${path}"}`).join('\n'));
}

const BOB = 'bob@example.com';
const FAY = 'fay@evil.example';
const KEPT = 'The harbour office opens at seven';
const REMEMBER = `/remember ${JSON.stringify({ text: KEPT, quote: KEPT, kind: 'state' })}\n${KEPT}.`;

const TASK = 'week-ahead';
const WEEK = `/tasks/ada/${TASK}`;
/** A gateway takes a file up within seconds. */
const seenTask = async (office: Office) => {
  const browser = await office.loggedIn();
  await onceRecorded(office.root, async () => expect((await browser.get(WEEK)).text).toContain(`${WEEK}/run`));
  await onceRecorded(office.root, async () =>
    expect((await browser.get(WEEK)).text).toMatch(/\/week-ahead\/(pause|resume)"/),
  );
};

const MAILBOX = { host: '127.0.0.1', port: 1, tls: 'none', auth: 'none', user: 'u', secret_env: 'MAIN_PASSWORD' };
const withMailbox = (parts: number) => ({
  smtp_listener: { port: 0 },
  mailboxes: [{ id: 'main', smtp: MAILBOX }],
  limits: { max_mime_parts: parts },
});

/** What the offices have that are compared. */
const OFFICES = {
  plain: {
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      aliases: ['assistant@agents.localhost'],
      access: { allow: ['*@member.example'] },
      memory: { facts: true },
    },
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', owners: [BOB] },
    [`personas/ada/tasks/${TASK}.md`]: '---\nschedule: "0 8 1 1 *"\nname: Week ahead\n---\nWhat is this week?\n',
  },
  /** No mail leaves, since nobody answers there, and none is read that has more than two parts. */
  mailbox: { 'configs/gateway.json': withMailbox(2) },
} as const;

/** A mail that could not be read, and could be by now. */
async function letter(office: Office): Promise<string> {
  const parts = ['one', 'two', 'three'].flatMap((word) => ['--x', 'Content-Type: text/plain', '', word]);
  const head = [`From: ${OWNER}`, 'To: ada@agents.localhost', 'Subject: Many parts', 'Message-ID: <m@example.com>'];
  const type = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=x', ''];
  await office.post({ from: OWNER, raw: [...head, ...type, ...parts, '--x--', ''].join('\r\n') });
  const id = await onceRecorded(office.root, async () => {
    const { json } = await office.cli('deadletters', 'list');
    expect(json.dead_letters).toHaveLength(1);
    return String(json.dead_letters[0].id);
  });
  const browser = await office.loggedIn();
  office.workspace.write('configs/gateway.json', withMailbox(77));
  await onceRecorded(office.root, async () =>
    expect((await browser.get('/settings?q=max_mime_parts')).text).toContain('77'),
  );
  return id;
}

/** The mail that was tried, and has not left. */
const unsent = (office: Office): Promise<string> =>
  onceRecorded(office.root, async () => {
    const { json } = await office.cli('outbox', 'list');
    const tried = json.outbox.filter(({ attempts }: { attempts: number }) => attempts > 0);
    expect(tried).not.toEqual([]);
    return String(tried.at(-1).id);
  });

/** What can be taken back, the newest first. */
function undosIn(root: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new SQLite(join(root, 'data/personas/ada/persona.db'), { readonly: true });
  try {
    return database.prepare<[], Record<string, unknown>>('select * from undo_items order by id desc').all();
  } finally {
    database.close();
  }
}

const testEnded = (office: Office) =>
  onceRecorded(office.root, async () => {
    const [newest] = (await office.cli('runs', 'list')).json.runs;
    expect(newest).toMatchObject({ kind: 'test', status: 'done' });
  });

const isPaused = async (office: Office) =>
  (await office.cli('persona', 'list')).json.personas.map(({ id, state }: { id: string; state: string }) => [
    id,
    state,
  ]);

const byFilesAlone =
  'whoever runs the command has the files, and writes into no database; there `git` and backups tell';

/** Each button with what does the same; or why nothing else has to. */
const PAIRS: Readonly<Record<string, Pair | { readonly alone: string }>> = {
  '/approvals/:persona/:id/decide': pair({
    prepare: (office) => questioned(office, mailTo(CARL, 'One')),
    press: (_, browser, { path }) => decided(browser, path, 'approve'),
    as: 'approvals approve',
    other: (office, { id }) => office.cli('approvals', 'approve', id),
    rows: ALL,
  }),
  '/passkeys/add': {
    alone: 'A device makes a passkey in a browser, for the page that asks it.',
  },
  '/passkeys/remove': {
    alone:
      'A device adds one before that: test/flow/console-passkeys.test.ts takes one away by the button and one by `passkeys remove`.',
  },
  '/approvals/:persona/:id/take-back': {
    alone: 'A mail and a command decide at once: nothing is about to be decided that could be taken back.',
  },
  '/approvals/:persona/:id/edit': pair({
    prepare: (office) => questioned(office, mailTo(CARL, 'Two')),
    async press(_, browser, { path }) {
      const hash = fieldIn((await browser.get(path)).text, 'hash');
      await pressed(browser, `${path}/edit`, { hash, 'arg.subject': 'Better' });
    },
    as: 'a mail: "edit 1", "Subject: …"',
    other: (office, { notice }) => office.answer(notice, 'edit 1\nSubject: Better'),
    rows: QUESTIONS,
  }),
  '/approvals/:persona/:id/split': pair({
    prepare: (office) => twoDeletes(office, 'split'),
    async press(office, browser, { path, run }) {
      const hash = fieldIn((await browser.get(path)).text, 'hash');
      await pressed(browser, `${path}/split`, { hash });
      const items = (await listedAsked(office, '--status', 'pending')).filter(
        (one: Asked & { run_id: string }) => one.run_id === run,
      );
      expect(items).toHaveLength(2);
      await decided(browser, `/approvals/ada/${items[0].id}`, 'approve');
      await decided(browser, `/approvals/ada/${items[1].id}`, 'deny');
    },
    as: 'a mail: "approve 1"',
    other: (office, { notice }) => office.answer(notice, 'approve 1'),
    rows: ['approvals', 'audit_log', 'undo_items'],
  }),
  '/approvals/:persona/:id/undo': pair({
    async prepare(office) {
      await worked(office, '/write_file {"path":"undone.txt","content":"kept"}', 'done');
      const { id, path } = await questioned(office, '/delete_file {"path":"undone.txt"}');
      await office.cli('approvals', 'approve', id);
      const browser = await office.loggedIn();
      return onceRecorded(office.root, async () => {
        const undo = fieldIn((await browser.get(path)).text, 'undo');
        expect(undo).not.toBe('');
        return { id, path, undo };
      });
    },
    press: (_, browser, { path, undo }) => pressed(browser, `${path}/undo`, { undo }),
    as: 'approvals undo',
    other: (office, { id }) => office.cli('approvals', 'undo', id),
    rows: ['approvals', 'audit_log', 'undo_items'],
  }),
  '/runs/:persona/:id/undo': pair({
    async prepare(office) {
      await worked(office, '/write_file {"path":"undone-again.txt","content":"kept"}', 'done');
      const { id } = await questioned(office, '/delete_file {"path":"undone-again.txt"}');
      await office.cli('approvals', 'approve', id);
      return onceRecorded(office.root, async () => {
        const [item] = undosIn(office.root);
        expect(item).toMatchObject({ state: 'open' });
        return { id, run: String(item?.run_id), undo: String(item?.id) };
      });
    },
    press: (_, browser, { run, undo }) => pressed(browser, `/runs/ada/${run}/undo`, { undo }),
    as: 'approvals undo',
    other: (office, { id }) => office.cli('approvals', 'undo', id),
    rows: ['approvals', 'audit_log', 'undo_items'],
  }),
  '/runs/:persona/:id/cancel': pair({
    prepare: (office) => questioned(office, mailTo(CARL, 'Three')),
    press: (_, browser, { run }) => pressed(browser, `/runs/ada/${run}/cancel`),
    as: 'runs cancel',
    other: (office, { run }) => office.cli('runs', 'cancel', run),
    rows: ALL,
  }),
  '/runs/:persona/:id/retry': pair({
    async prepare(office) {
      const { run } = await questioned(office, mailTo(CARL, 'Four'));
      await office.cli('runs', 'cancel', run);
      return run;
    },
    press: (_, browser, run) => pressed(browser, `/runs/ada/${run}/retry`),
    as: 'runs retry',
    other: (office, run) => office.cli('runs', 'retry', run),
    rows: ALL,
  }),
  '/mail/:id/take-in': pair({
    async prepare(office) {
      const { run } = await questioned(office, mailTo(CARL, 'Five'));
      const mail = await newestMail(office);
      await office.cli('runs', 'cancel', run);
      return mail;
    },
    press: (_, browser, mail) => pressed(browser, `/mail/${mail}/take-in`),
    as: 'mail retry',
    other: (office, mail) => office.cli('mail', 'retry', mail),
    rows: ALL,
  }),
  '/mail/:id/allow': {
    prepare: (office) => office.ask('Hello', FAY),
    press: async (office, browser) => pressed(browser, `/mail/${await newestMail(office)}/allow`),
    as: 'senders allow',
    other: (office) => office.cli('senders', 'allow', FAY),
    rows: ALL,
  },
  '/mail/:id/private': {
    press: async (office, browser) => pressed(browser, `/mail/${await newestMail(office)}/private`),
    as: 'threads private',
    other: (office) => office.cli('threads', 'private', 'last'),
    rows: ALL,
  },
  '/mail/test': {
    async press(office, browser) {
      await pressed(browser, '/mail/test', { persona: 'ada', as: 'member', subject: 'A try', text: 'Hello.' });
      await testEnded(office);
    },
    as: 'persona try',
    other: (office) => office.cli('persona', 'try', 'ada', '--as', 'member', '--subject', 'A try', '--text', 'Hello.'),
    rows: ALL,
  },
  '/people/:address/block': {
    press: (_, browser) => pressed(browser, `/people/${encodeURIComponent(FAY)}/block`, { persona: 'ada' }),
    as: 'senders block',
    other: (office) => office.cli('senders', 'block', FAY, '--persona', 'ada'),
    rows: ALL,
  },
  '/people/:address/allow': {
    press: (_, browser) => pressed(browser, `/people/${encodeURIComponent(FAY)}/allow`, { persona: 'ada' }),
    as: 'senders allow',
    other: (office) => office.cli('senders', 'allow', FAY, '--persona', 'ada'),
    rows: ALL,
  },
  '/people/:address/forget': {
    async prepare(office) {
      await office.ask(REMEMBER, OWNER);
      // Or nothing would be forgotten by either.
      expect((await office.cli('memory', 'list')).json.facts).toMatchObject([{ text: KEPT, subject: OWNER }]);
    },
    press: (_, browser) => pressed(browser, `/people/${encodeURIComponent(OWNER)}/forget`, { persona: 'ada' }),
    as: 'memory forget --person',
    other: (office) => office.cli('memory', 'forget', '--person', OWNER, '--persona', 'ada'),
    rows: ALL,
  },
  '/people/:address/facts/:fact/forget': pair({
    async prepare(office) {
      await office.ask(REMEMBER, OWNER);
      const { facts } = (await office.cli('memory', 'list')).json;
      expect(facts).toMatchObject([{ text: KEPT, subject: OWNER }]);
      return String(facts[0].id);
    },
    press: (_, browser, fact) =>
      pressed(browser, `/people/${encodeURIComponent(OWNER)}/facts/${fact}/forget`, { persona: 'ada' }),
    as: 'memory forget',
    other: (office, fact) => office.cli('memory', 'forget', fact),
    rows: ALL,
  }),
  '/costs/budget': {
    press: (_, browser) => pressed(browser, '/costs/budget', { persona: 'ada', usd: '2,50', was_ada: '' }),
    as: 'persona edit --budget',
    other: (office) => office.cli('persona', 'edit', 'ada', '--budget', '2.5'),
    rows: ALL,
  },
  '/tasks/:persona/:task/run': {
    prepare: seenTask,
    async press(_, browser) {
      await pressed(browser, `${WEEK}/run`, { seen: fieldIn((await browser.get(WEEK)).text, 'seen') });
    },
    as: 'tasks run',
    other: (office) => office.cli('tasks', 'run', `ada/${TASK}`),
    rows: TASKS,
  },
  '/tasks/:persona/:task/pause': {
    prepare: seenTask,
    press: (_, browser) => pressed(browser, `${WEEK}/pause`, { reason: 'On holiday' }),
    // The console adds who it was, whom the command does not know.
    as: 'tasks pause --reason',
    other: (office) => office.cli('tasks', 'pause', `ada/${TASK}`, '--reason', `On holiday (${OWNER})`),
    rows: TASKS,
  },
  '/tasks/:persona/:task/resume': {
    async prepare(office) {
      await seenTask(office);
      await office.cli('tasks', 'pause', `ada/${TASK}`);
    },
    press: (_, browser) => pressed(browser, `${WEEK}/resume`),
    as: 'tasks resume',
    other: (office) => office.cli('tasks', 'resume', `ada/${TASK}`),
    rows: TASKS,
  },
  '/tasks/add': {
    press: (_, browser) =>
      pressed(browser, '/tasks/add', {
        ...{ persona: 'ada', name: 'Stand up', often: 'weekdays', at: '09:30', day: '', prompt: 'Who is here?' },
      }),
    as: 'tasks add',
    other: (office) =>
      office.cli(
        ...['tasks', 'add', 'ada/stand-up', '--name', 'Stand up', '--schedule', '30 9 * * 1-5'],
        ...['--prompt', 'Who is here?'],
      ),
    rows: TASKS,
    listed: async (office) =>
      (await office.cli('tasks', 'list')).json.tasks.map(
        ({ id, name, schedule }: { id: string; name: string; schedule: string }) => [id, name, schedule],
      ),
  },
  '/personas/:persona/pause': {
    press: (_, browser) => pressed(browser, '/personas/ada/pause'),
    as: 'persona pause',
    other: (office) => office.cli('persona', 'pause', 'ada'),
    rows: ALL,
    listed: isPaused,
  },
  '/personas/:persona/resume': {
    prepare: (office) => office.cli('persona', 'pause', 'ada'),
    press: (_, browser) => pressed(browser, '/personas/ada/resume', { state: 'paused' }),
    as: 'persona resume',
    other: (office) => office.cli('persona', 'resume', 'ada'),
    rows: ALL,
    listed: isPaused,
  },
  '/personas/:persona/rules/:rule/end': pair({
    async prepare(office) {
      const quote = 'From now on never promise a date for the drawings.';
      await worked(
        office,
        `/remember_rule ${JSON.stringify({ quote, effect: 'words', tools: [], whom: [] })}`,
        'done',
        OWNER,
      );
      const { rules } = (await office.cli('rules', 'list')).json;
      expect(rules).toHaveLength(1);
      return String(rules[0].id);
    },
    press: (_, browser, rule) => pressed(browser, `/personas/ada/rules/${rule}/end`),
    as: 'rules remove',
    other: (office, rule) => office.cli('rules', 'remove', rule),
    rows: [...ALL, 'rules'],
  }),
  '/personas/:persona/budget': {
    async press(_, browser) {
      const { text } = await browser.get('/personas/ada');
      const was = ['usd_per_day', 'usd_per_run', 'tokens_per_run', 'runs_per_day', 'runs_per_sender_per_hour'].flatMap(
        (name) => {
          const now = fieldIn(text, `was_${name}`);
          return [
            [name, now],
            [`was_${name}`, now],
          ];
        },
      );
      await pressed(browser, '/personas/ada/budget', { ...Object.fromEntries(was), usd_per_day: '3.5' });
    },
    as: 'persona edit --budget',
    other: (office) => office.cli('persona', 'edit', 'ada', '--budget', '3.5'),
    rows: ALL,
  },
  '/log-ins/end': {
    prepare: (office) => office.loggedIn('--as', BOB),
    press: (_, browser) => pressed(browser, '/log-ins/end', { address: BOB }),
    as: 'console --log-out --as',
    other: (office) => office.cli('console', '--log-out', '--as', BOB),
    rows: [],
    async listed(office) {
      const { sessions } = (await office.cli('console', '--sessions')).json;
      const { audit } = (await office.cli('audit')).json;
      return {
        isIn: sessions.some(({ address, over }: { address: string; over: boolean }) => address === BOB && !over),
        audit: audit
          .filter(({ detail }: { detail: { address?: string } }) => detail.address === BOB)
          .map(({ event, actor, detail }: { event: string; actor: string; detail: object }) =>
            [event, plain(actor), plain(JSON.stringify(detail))].join(' '),
          ),
      };
    },
  },
  // What one of the two has more from here on stays: these are the last in their offices.
  '/settings/change': {
    async press(_, browser) {
      const typed = { file: 'security', key: 'approvals.ttl_hours', to: '100' };
      const { text } = await browser.get(`/settings/change?${new URLSearchParams(typed).toString()}`);
      await pressed(browser, '/settings/change', { ...typed, hash: fieldIn(text, 'hash') });
    },
    as: 'config set',
    other: (office) => office.cli('config', 'set', 'security', 'approvals.ttl_hours', '100'),
    rows: ALL,
  },
  '/system/outbox/:persona/:id/retry': pair({
    at: 'mailbox',
    prepare: unsent,
    press: (_, browser, id) => pressed(browser, `/system/outbox/ada/${id}/retry`),
    as: 'outbox retry',
    other: (office, id) => office.cli('outbox', 'retry', id),
    rows: ['audit_log', 'outbox'],
  }),
  '/system/outbox/:persona/:id/drop': pair({
    at: 'mailbox',
    prepare: unsent,
    press: (_, browser, id) => pressed(browser, `/system/outbox/ada/${id}/drop`),
    as: 'outbox drop',
    other: (office, id) => office.cli('outbox', 'drop', id),
    rows: ['audit_log', 'outbox'],
  }),
  '/system/letters/:id/requeue': pair({
    at: 'mailbox',
    prepare: letter,
    press: (_, browser, id) => pressed(browser, `/system/letters/${id}/requeue`),
    as: 'deadletters requeue',
    other: (office, id) => office.cli('deadletters', 'requeue', id),
    rows: ['audit_log', 'runs', 'threads', 'outbox'],
    listed: async (office) => (await office.cli('deadletters', 'list')).json.dead_letters.length,
  }),
  '/system/mailboxes/:id/test': {
    at: 'mailbox',
    async press(_, browser) {
      const { status, text } = await browser.press('/system/mailboxes/main/test');
      expect(status).toBe(200);
      return text;
    },
    as: 'mailbox test',
    other: async (office) => (await office.cli('mailbox', 'test', 'main')).json.mailboxes,
    rows: ['audit_log'],
    says(page, told) {
      expect(told).toMatchObject([{ id: 'main', imap: null, smtp: { ok: false, message: expect.any(String) } }]);
      const [{ smtp }] = told as [{ smtp: { message: string; cure: string | null } }];
      const words = String(page).replaceAll('&quot;', '"');
      expect(words).toContain('does not work');
      expect(words).toContain(smtp.message);
      if (smtp.cure !== null) expect(words).toContain(smtp.cure);
    },
  },
  '/system/backup': {
    at: 'mailbox',
    async press(office, browser) {
      await pressed(browser, '/system/backup');
      await onceRecorded(office.root, async () =>
        expect((await browser.get('/system')).text).toContain('was made and verified'),
      );
    },
    as: 'backup create --verify',
    other: (office) => office.cli('backup', 'create', '--verify'),
    rows: ['audit_log'],
    listed: async (office) => (await office.cli('backup', 'list')).json.backups.length,
    besides: {
      rows: { audit_log: ['event: backup_begun'] },
      why: `It is made for somebody who sits elsewhere; ${byFilesAlone}.`,
    },
  },
};

/** Who did it has another name in each; ids, hashes and times are those of each workspace. */
const plain = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/\bf[0-9a-f]{10}\b/g, 'FACT')
    .replace(/<[^<>\s]*@[^<>\s]*>/g, 'MAIL')
    .replace(/\b[0-9a-f]{16,64}\b/g, 'HASH')
    .replace(/\b1[6-9]\d{11}\b/g, 'TIME')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME')
    .replaceAll(OWNER, 'WHO')
    .replace(/\br[0-9a-f]{10}\b/g, 'RULE')
    .replace(/^(?:cli|command)$|(?<=")cli(?=")/g, 'WHO');

/** What is left out: how long it took, and in which order rows of one moment lie. */
const ELSEWHERE = new Set([
  ...['seq', 'active_ms', 'fence', 'attempts', 'version', 'number', 'notice_id', 'estimated_tokens'],
  // The mail itself has its date in it, and a token.
  'raw',
  // A run that is cancelled is ended by who cancels it or by the gateway, whoever is faster.
  ...['crashes', 'crash_seq'],
]);

function rowsOf(root: string, tables: readonly Table[]): Readonly<Record<string, readonly string[]>> {
  const database = new SQLite(join(root, 'data/personas/ada/persona.db'), { readonly: true });
  try {
    const found = tables.map((table) => {
      const rows = database.prepare<[], Record<string, unknown>>(`select * from ${table}`).all();
      const lines = rows.map((row) =>
        Object.entries(row)
          .filter(([name]) => !ELSEWHERE.has(name) && !/(_at|_ms|_usd|_tokens|_until)$/.test(name))
          .map(([name, value]) => `${name}: ${plain(String(value))}`)
          .join(', '),
      );
      return [table, lines.toSorted()];
    });
    const configs = readdirSync(join(root, 'configs')).filter((name) => name.endsWith('.json'));
    const files = [...configs.map((name) => `configs/${name}`), 'personas/ada/persona.json'].toSorted();
    const settings = files.map((file) => `${file}: ${readFileSync(join(root, file), 'utf8')}`);
    return { ...Object.fromEntries(found), settings };
  } finally {
    database.close();
  }
}

type Rows = Readonly<Record<string, readonly string[]>>;

/** All but these, each taken out once. */
function without(rows: readonly string[], these: readonly string[]): string[] {
  const left = [...rows];
  for (const row of these) {
    const at = left.indexOf(row);
    if (at !== -1) left.splice(at, 1);
  }
  return left;
}

/** Those of the console without what stands there by it alone. Throws where one of these is not there, or is not new. */
function withoutBesides(now: Rows, before: Rows, besides: Pair['besides']): Rows {
  const rest = Object.entries(now).map(([table, rows]) => {
    // Several may read the same: of each those that are more than before.
    const fresh = without(rows, before[table] ?? []);
    const own = (besides?.rows[table as Table] ?? []).map((words) => {
      const at = fresh.findIndex((row) => row.includes(words));
      if (at === -1) throw new Error(`of ${table} nothing is new with ${words}`);
      return fresh.splice(at, 1).join('');
    });
    return [table, without(rows, own)] as const;
  });
  return Object.fromEntries(rest);
}

const opened = new Map<keyof typeof OFFICES, { readonly here: Office; readonly there: Office }>();
/** Two in which the same has happened. */
async function twoOf(kind: keyof typeof OFFICES) {
  const known = opened.get(kind);
  if (known) return known;
  const two = { here: await openConsole(OFFICES[kind]), there: await openConsole(OFFICES[kind]) };
  opened.set(kind, two);
  // What is on record begins with a mail.
  for (const office of [two.here, two.there]) await worked(office, 'Hello', 'done');
  return two;
}
afterAll(async () => {
  for (const { here, there } of opened.values()) {
    await here.close();
    await there.close();
  }
});

describe('what the console does', () => {
  it('has beside it for every button what a command or a mail does', () => {
    const acts = SCREENS.flatMap(({ acts = [] }) => acts.map(({ address }) => address));
    expect(Object.keys(PAIRS).toSorted()).toEqual(acts.toSorted());
  });

  for (const [address, one] of Object.entries(PAIRS)) {
    if ('alone' in one) continue;
    it(`is by ${address} what it is by ${one.as}`, async () => {
      const { rows, besides, says, listed = async () => null } = one;
      // The commands of each show what both have.
      const shown = async () => {
        const [its, others] = [await listed(here), await listed(there)];
        expect(its).toEqual(others);
        return its;
      };
      const { here, there } = await twoOf(one.at ?? 'plain');
      const had = [];
      for (const office of [here, there]) {
        had.push(await one.prepare?.(office));
        await atRest(office.root);
      }
      // What follows from that, as what is mailed then, is on record a moment later.
      const before = await onceRecorded(here.root, async () => {
        const found = rowsOf(here.root, rows);
        expect(found).toEqual(rowsOf(there.root, rows));
        return { found, listed: await shown() };
      });
      const browser = await here.loggedIn();
      const [page, told] = [await one.press(here, browser, had[0]), await one.other(there, had[1])];
      await onceRecorded(here.root, async () => {
        const now = { found: rowsOf(here.root, rows), listed: await shown() };
        if (says) expect(now).toEqual(before);
        else expect(now).not.toEqual(before);
        expect(withoutBesides(now.found, before.found, besides)).toEqual(rowsOf(there.root, rows));
      });
      says?.(page, told);
    });
  }
});
