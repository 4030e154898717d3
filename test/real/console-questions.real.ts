import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayDesk } from '../../engine/app/console/gateway-desk.ts';
import { makeCode } from '../../engine/console/door/sessions.ts';
import { createPeople } from '../../engine/console/people.ts';
import { SCREENS } from '../../engine/console/screens/screens.ts';
import { createChanges } from '../../engine/lib/changes.ts';
import { silentLog } from '../../engine/lib/log/log.ts';
import { openWorkspace, type Workspace } from '../../engine/workspace.ts';
import records from '../corpus/console/records.json' with { type: 'json' };
import { makeWorkspace, type TestWorkspace } from '../flow/workspace.ts';

// Things that people come to the console with (test/corpus/console), as far as they are looked up among mail, runs, people and
// costs: found in a real browser by the keyboard alone, in the office of records.json. It is put into the databases as it
// stands there.

type Mail = (typeof records.mails)[number];
type Run = (typeof records.runs)[number];
const msOf = (time: string): number => Date.parse(time);
const NOW = msOf(records.now);
const OLGA = 'olga@linden.example.org';

let files: TestWorkspace;
let open: Workspace;
let server: Server;
let browser: Browser;
let page: Page;
let url = '';

beforeAll(async () => {
  files = makeWorkspace({
    'configs/security.json': { owners: [OLGA] },
    ...Object.fromEntries(
      records.personas.map(({ id, name, addresses: [address, ...aliases], owners, members }) => [
        `personas/${id}/persona.json`,
        {
          ...{ name, address, aliases, owners, access: { allow: members }, timezone: records.time_zone },
          budget: { usd_per_day: Number(records.budgets.find(({ of }) => of === id)?.usd) },
        },
      ]),
    ),
  });
  open = openWorkspace({
    root: files.root,
    settings: { testNow: NOW, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
  await open.extensions();
  for (const { id } of records.personas) await open.stores.use(id, (store) => store.overview(0));
  await open.gateway.newestSeen();
  fill(files.root);
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  const people = createPeople(
    { host: '127.0.0.1', port, publicUrl: null },
    {
      ports: open,
      desk: gatewayDesk({ workspace: open, receive: () => Promise.reject(new Error('no mail comes here')) }),
      acting: { announce: () => Promise.resolve(), ids: open.ids, pass: () => {} } as never,
      changes: createChanges(),
      log: silentLog,
      command: (words) => `epistle ${words}`,
      screens: SCREENS,
      wakeLogIns() {},
    },
  );
  server.on('request', people.handle);
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })).newPage();
  page.setDefaultTimeout(10_000);
  const { code } = await makeCode(open, { address: OLGA, role: 'owner' });
  await page.goto(`${url}/#${code}`);
  await page.waitForSelector('nav');
});
afterAll(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  await open?.close();
  files?.remove();
});

/** Puts a row into a table; what it leaves out and may not be missing is empty. */
function into(database: SQLite.Database, table: string, row: Readonly<Record<string, unknown>>): void {
  const columns = database
    .prepare<[], Column>(
      `select name, type, "notnull" as needed, dflt_value as preset, pk from pragma_table_info('${table}')`,
    )
    .all();
  const whole = Object.fromEntries(
    columns.flatMap(({ name, type, needed, preset, pk }) => {
      if (row[name] !== undefined) return [[name, row[name]]];
      if (needed === 0 || preset !== null || (pk > 0 && type === 'INTEGER')) return [];
      return [[name, name.endsWith('_json') ? '[]' : type === 'TEXT' ? '' : 0]];
    }),
  );
  const names = Object.keys(whole);
  database
    .prepare(`insert into ${table} (${names.join(', ')}) values (${names.map((name) => `@${name}`).join(', ')})`)
    .run(whole);
}
interface Column {
  readonly name: string;
  readonly type: string;
  readonly needed: number;
  readonly preset: string | null;
  readonly pk: number;
}

const idOf = (id: string): string => `<${id}@linden.example.org>`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function fill(root: string): void {
  const gateway = new SQLite(join(root, 'data/gateway.db'));
  const databases = Object.fromEntries(
    records.personas.map(({ id }) => [id, new SQLite(join(root, `data/personas/${id}/persona.db`))]),
  );
  for (const mail of records.mails) {
    seen(gateway, mail);
    const database = databases[mail.persona ?? ''];
    if (database && mail.run !== null) message(database, mail);
  }
  for (const run of records.runs) work(databases[run.persona] as SQLite.Database, run);
  for (const { persona, about, text, told_by, since, id } of records.facts)
    into(databases[persona] as SQLite.Database, 'facts', {
      ...{
        id,
        subject: about,
        kind: 'fact',
        text,
        quote: text,
        status: 'kept',
        visibility: 'persona',
        said_by: told_by,
        source_tier: 'member',
      },
      ...{ valid_from: msOf(since), recorded_at: msOf(since), phrase: text.toLowerCase() },
    });
  for (const [day, sums] of Object.entries(records.costs.by_day))
    for (const [id, database] of Object.entries(databases)) {
      const usd = Number((sums as Readonly<Record<string, string>>)[id]);
      const runs = records.runs.filter((one) => one.persona === id && one.started.startsWith(day)).length;
      if (usd > 0 || runs > 0) into(database, 'budget_days', { day, usd, runs });
    }
  gateway.close();
  for (const database of Object.values(databases)) database.close();
}

const DECISIONS: Readonly<Record<string, string>> = {
  refused: 'refused',
  'dead letter': 'dead_letter',
  sent: 'sent',
  failed: 'failed',
};

const decisionOf = ({ fate }: Mail): string =>
  DECISIONS[fate] ?? (fate.startsWith('recorded') ? 'recorded' : 'accepted');

function codeOf(mail: Mail): string | null {
  if (mail.fate === 'dead letter') return 'unparsable';
  if (mail.fate !== 'refused') return null;
  const refused = mail.proven ? 'sender_not_allowed' : 'auth_failed';
  return mail.code ?? (mail.persona === null ? 'unknown_recipient' : refused);
}

function detailOf(mail: Mail): string {
  if ('server_said' in mail && typeof mail.server_said === 'string') return mail.server_said;
  if (mail.direction === 'out') return '250 ok';
  return mail.proven ? 'dmarc=pass dkim=pass spf=pass' : 'dmarc=fail dkim=none spf=none';
}

function seen(gateway: SQLite.Database, mail: Mail): void {
  const { id, direction, persona, from, subject, tier, run } = mail;
  if (mail.fate === 'queued') return;
  const decision = decisionOf(mail);
  const isKept = decision === 'refused' && mail.kept === true;
  into(gateway, 'seen', {
    ...{ message_id: idOf(id), persona_id: persona, direction, decision, tier: tier ?? null },
    ...{ recipient: [mail.to].flat()[0], from_address: from, subject: direction === 'out' ? '' : subject },
    ...{ received_at: msOf(mail.time), detail: detailOf(mail), code: codeOf(mail) },
    ...{ run_id: direction === 'in' ? run : null, thread_id: run === null ? null : `t-${run}` },
    kept_sha256: isKept ? sha256(id) : null,
  });
  if (!isKept) return;
  const raw = Buffer.from(
    `From: ${from}\r\nTo: ${[mail.to].flat().join(', ')}\r\nSubject: ${subject}\r\nMessage-ID: ${idOf(id)}\r\n\r\n${mail.text}\r\n`,
  );
  into(gateway, 'refused_mail', {
    ...{ raw_sha256: sha256(id), message_id: idOf(id), at: msOf(mail.time), bytes: raw.length, door: 'stranger', raw },
    ...{ recipients: JSON.stringify([mail.to].flat()) },
  });
}

function message(database: SQLite.Database, mail: Mail): void {
  const { id, direction, from, subject, text, tier, run } = mail;
  const at = msOf(mail.time);
  if (!database.prepare('select 1 from threads where id = ?').get(`t-${run}`))
    into(database, 'threads', { id: `t-${run}`, kind: 'thread', subject, created_at: at, updated_at: at });
  into(database, 'messages', {
    ...{
      id,
      thread_id: `t-${run}`,
      direction,
      message_id: idOf(id),
      from_address: from,
      to_json: JSON.stringify([mail.to].flat()),
      subject,
    },
    ...{ text, new_text: text, received_at: at, tier: tier ?? null },
  });
}

function work(database: SQLite.Database, run: Run): void {
  const [begin, end] = [msOf(run.started), run.ended === null ? null : msOf(run.ended)];
  const mailId = run.mail ?? run.id;
  const thread_id = `t-${run.id}`;
  if (!database.prepare('select 1 from threads where id = ?').get(thread_id))
    into(database, 'threads', { id: thread_id, kind: 'task', created_at: begin, updated_at: begin });
  if (run.mail === null) {
    const subject = records.tasks.find(({ id }) => id === run.task)?.name ?? '';
    const row = { id: run.id, thread_id, direction: 'in', message_id: idOf(run.id), subject, received_at: begin };
    into(database, 'messages', row);
  }
  const reply = records.mails.find(
    (mail) => mail.run === run.id && mail.direction === 'out' && [mail.to].flat().includes(run.asked_by ?? ''),
  );
  const [provider = null, model = null] = run.model_calls[0]?.model.split('/') ?? [];
  const sum = (of: 'tokens_in' | 'tokens_out') => run.model_calls.reduce((all, call) => all + call[of], 0);
  into(database, 'runs', {
    ...{ id: run.id, thread_id, message: mailId, message_id: idOf(mailId), sender: run.asked_by, tier: 'member' },
    ...{ kind: run.task === null ? 'message' : 'task', status: STATES[run.state] ?? run.state },
    ...{ provider, model, model_calls: run.model_calls.length, tool_calls: run.tool_calls.length },
    ...{ input_tokens: sum('tokens_in'), output_tokens: sum('tokens_out'), cost_usd: Number(run.cost_usd) },
    ...{ created_at: begin, started_at: begin, ended_at: end, due_at: begin },
    ...{ reply_message_id: reply ? idOf(reply.id) : null, outcome: run.state === 'done' ? 'final' : null },
    ...{ code: run.state === 'failed' ? 'provider_setup' : null },
  });
  for (const [seq, { at, type, data }] of eventsOf(run).entries())
    into(database, 'run_events', { run_id: run.id, seq, type, v: 1, payload_json: JSON.stringify(data), at });
}

interface Event {
  readonly at: number;
  readonly type: string;
  readonly data: object;
}
type Tool = Run['tool_calls'][number];

/** What is on record of a run: its calls, each as long after the one before as the times of records.json leave. */
function eventsOf(run: Run): readonly Event[] {
  const events: Event[] = [{ at: msOf(run.started), type: 'run_started', data: {} }];
  for (const [place, call] of run.model_calls.entries()) {
    const at = events.at(-1)?.at ?? 0;
    const tool = run.tool_calls[place];
    const [provider, model] = call.model.split('/');
    events.push({ at, type: 'model_call_started', data: { call: call.n, provider, model } });
    events.push({ at: at + 2000, type: 'model_call_ended', data: { provider, model, ms: 2000, ...endOf(call, tool) } });
    if (tool) events.push(...eventsOfCall(tool, at + 2000));
  }
  const data = { status: run.state === 'failed' ? 'failed' : 'done', outcome: 'final', code: null };
  return run.ended === null ? events : [...events, { at: msOf(run.ended), type: 'run_ended', data }];
}

function endOf(call: Run['model_calls'][number], tool: Tool | undefined): object {
  const cost_usd = Number(call.cost_usd);
  if ('error' in call) return { ok: false, cost_usd, code: 'auth', message: call.error };
  const usage = { input: call.tokens_in, output: call.tokens_out, cached: 0, cacheWrite: 0 };
  const calls = [tool ?? []].flat().map(({ n, tool: name, arguments: given }) => {
    return { id: `c${n}`, name, arguments: given, rawArguments: JSON.stringify(given) };
  });
  const finish = tool ? 'tool_calls' : 'stop';
  return { ok: true, cost_usd, response: { text: '', toolCalls: calls, finish, usage } };
}

function eventsOfCall(tool: Tool, after: number): readonly Event[] {
  const at = 'at' in tool && typeof tool.at === 'string' ? msOf(tool.at) : after;
  const of = { call_id: `c${tool.n}`, tool: tool.tool };
  const verdict = tool.permission.startsWith('asks') ? 'approve' : 'allow';
  const permission = { at, type: 'permission', data: { ...of, verdict, risk: 'read', by: tool.permission } };
  const content = JSON.stringify({ result: tool.result, source: tool.arguments });
  const made = (when: number): Event[] => [
    { at: when, type: 'tool_call_intended', data: { ...of, risk: 'read' } },
    { at: when, type: 'tool_call_ended', data: { ...of, ok: true, code: null, ms: 40 } },
    { at: when, type: 'observation', data: { ...of, ok: true, code: null, content, artifact: null } },
  ];
  const question = records.questions.find(({ id }) => 'question' in tool && id === tool.question);
  if (!question) return [permission, ...made(at)];
  const item = { approval_id: question.id, ...of, risk: 'write' };
  const asked = { at: msOf(question.asked_at), type: 'approval_requested', data: { items: [item] } };
  if (!('decided_at' in question) || typeof question.decided_at !== 'string') return [permission, asked];
  const when = msOf(question.decided_at);
  const state = question.state.startsWith('approved') ? 'executed' : 'rejected';
  const data = { approval_id: question.id, call_id: of.call_id, state, by: question.decided_by };
  return [permission, asked, { at: when, type: 'approval_decided', data }, ...made(when)];
}

const STATES: Readonly<Record<string, string>> = {
  'waiting for an answer': 'waiting_approval',
  waiting: 'waiting_approval',
};

// What hands do.

const settled = () => page.waitForLoadState('load');
async function go(letter: string): Promise<void> {
  const left = page.waitForEvent('framenavigated');
  await page.keyboard.press('g');
  await page.keyboard.press(letter);
  await left;
  await settled();
}
async function enter(): Promise<void> {
  const left = page.waitForEvent('framenavigated');
  await page.keyboard.press('Enter');
  await left;
  await settled();
}
async function search(text: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await enter();
}
/** Tabs to the first thing of which this is true, as a person does who sees where the focus is. */
async function tabTo(script: string): Promise<void> {
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate<boolean>(`(() => { const at = document.activeElement; return ${script}; })()`)) return;
  }
  throw new Error(`no Tab leads to ${script}`);
}
const follow = async (text: string): Promise<void> => {
  await tabTo(`at.closest('main') !== null && at.tagName === 'A' && at.textContent.includes(${JSON.stringify(text)})`);
  await enter();
};
const openAll = async (): Promise<void> => {
  const count = await page.locator('main details.step > summary').count();
  for (let at = 0; at < count; at += 1) {
    await tabTo(
      `at.tagName === 'SUMMARY' && at.closest('details:not([open]).step') !== null && at.parentElement.classList.contains('step')`,
    );
    await page.keyboard.press('Enter');
  }
};
const shows = async (...texts: readonly (string | RegExp)[]): Promise<void> => {
  const text = ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' ');
  for (const one of texts)
    expect(text).toMatch(typeof one === 'string' ? new RegExp(one.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')) : one);
};

const QUESTIONS: readonly (readonly [id: string, ask: () => Promise<void>])[] = [
  [
    'q05',
    async () => {
      await search('bob');
      await follow('Running late');
      await shows(
        'It is proven to come from bob.hale@post.example.net, but no rule lets that address write to Ada',
        /kept until 2026-12-10/,
        'access.allow',
      );
    },
  ],
  [
    'q06',
    async () => {
      await search('transfer');
      await follow('URGENT: transfer today');
      await shows(
        'nothing proves that',
        'No work was begun and nobody was answered',
        'olga@linden.example.org',
        /Came2026-11-25/,
      );
    },
  ],
  [
    'q07',
    async () => {
      await search('pia.lund');
      await follow('Our visit on 9 December');
      await shows('It did not reach pia.lund@lund.example.com', '550 5.1.1 no such user');
    },
  ],
  [
    'q08',
    async () => {
      await search('nora.vale');
      await follow('Offer: survey Mill Lane');
      await shows(
        'Dear Nora, we survey the house in Mill Lane for 4,350 EUR, travel included.',
        '250 ok',
        'nora.vale@valehomes.example.com',
      );
    },
  ],
  [
    'q09',
    async () => {
      await search('marek');
      await shows('could not be read', 'marek');
    },
  ],
  [
    'q10',
    async () => {
      await search('nora.vale');
      await shows('adaa@linden.example.org');
      await follow(records.mails.find(({ id }) => id === 'm35')?.subject ?? '');
      await shows('an address that no persona has', /kept until 2026-12-10/);
    },
  ],
  [
    'q14',
    async () => {
      await go('r');
      await follow('Offer to Vale Homes');
      await openAll();
      await shows('prices/survey-2025.md', '4,200 EUR');
    },
  ],
  [
    'q15',
    async () => {
      await go('r');
      await follow('Offer to Vale Homes');
      await shows('3 h 48 min 1 s', '3 h 46 min 39 s', OLGA);
    },
  ],
  [
    'q16',
    async () => {
      await go('r');
      await follow('Unpaid invoices');
      await shows('failed', 'the model has to be set up', 'beacon/ledger-1', '$0.00');
    },
  ],
  [
    'q17',
    async () => {
      await go('r');
      await follow('Tidy the slides folder');
      await openAll();
      await shows('delete_file', "the owner's own mail was the yes", 'slides/old-outline.md', OLGA);
    },
  ],
  [
    'q18',
    async () => {
      await go('r');
      await follow('When can you measure?');
      await openAll();
      await shows('hours.md', 'No earlier mail of anybody');
    },
  ],
  [
    'q25',
    async () => {
      await go('p');
      await follow('nora.vale@valehomes.example.com');
      await shows(
        'Nora Vale wants lengths in metres.',
        'said by nora.vale@valehomes.example.com',
        'Vale Homes closes at noon on Fridays.',
        'said by sam@linden.example.org',
      );
    },
  ],
  [
    'q26',
    async () => {
      await go('p');
      await follow('bob@linden.example.org');
      await shows('$1.54', '3 runs');
    },
  ],
  [
    'q27',
    async () => {
      await go('p');
      await follow('anna@stern-bau.example.com');
      await shows('a stranger', 'refused', '$0.00', 'Survey for a house in Elm Row', 'Nothing.');
      await follow('Survey for a house in Elm Row');
      await shows(/kept until 2026-12-09/, 'nobody was answered');
    },
  ],
  [
    'q28',
    async () => {
      await go('c');
      await follow('Tue 2026-11-24');
      await shows('$2.12', 'in 3 runs', /Ada\$1\.49/, /Ben\$0\.63/);
    },
  ],
  [
    'q29',
    async () => {
      await go('c');
      await shows(/\$0\.92 Offer to Vale Homes Ada for bob@linden\.example\.org/);
      await follow('Offer to Vale Homes');
      await shows('3 questions to a model', '167,000 in', '3,400 out', 'harbor/tide-2');
    },
  ],
  [
    'q30',
    async () => {
      await go('c');
      await shows(/harbor\/tide-2\$2\.97/, /harbor\/tide-mini\$0\.18/, /beacon\/ledger-1\$1\.26/);
    },
  ],
  [
    'q31',
    async () => {
      await go('c');
      await shows(
        'This month so far $4.41',
        'If each of the 4 days that are left costs',
        /the month comes to \$[5-9]\.\d\d/,
      );
    },
  ],
];

describe('what people come with, by the keyboard alone', () => {
  it.each(QUESTIONS)('%s', async (_, ask) => {
    // Whatever the one before has left.
    await page.goto(`${url}/mail`);
    await ask();
  });
});
