import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { createGateway } from '../../../engine/app.ts';
import { processSettings } from '../../../engine/config/environment.ts';
import { makeCode } from '../../../engine/console/door/sessions.ts';
import { createLog } from '../../../engine/lib/log/log.ts';
import { openWorkspace, type Workspace } from '../../../engine/workspace.ts';
import records from '../../corpus/console/records.json' with { type: 'json' };
import { idOf, type Mail, msOf } from '../../corpus/console/rows.ts';
import { startImapPeer } from '../../fakes/imap-peer.ts';
import type { HeardRequest, Turn } from '../../fakes/model-script.ts';
import { startFakeModel } from '../../fakes/model-server.ts';
import { type HeardMail, startSmtpPeer } from '../../fakes/smtp-peer.ts';
import { eventually } from '../../flow/eventually.ts';
import { fileOf, fillRows, rawOf, taskWords } from './rows.ts';

// The office of records.json: what is over there stands in its databases from the beginning, and what goes on is done by
// a gateway of this process, whose clock is set to when it was.

export const ZONE = records.time_zone;
export const OLGA = 'olga@linden.example.org';
const BORDER = 'mx.linden.example.org';
const realNow = Date.now;
const clock = { aheadMs: 0 };

/** Sets the clock of this process. */
export function setClock(ms: number): void {
  Date.now = () => realNow() + clock.aheadMs;
  clock.aheadMs = ms - realNow();
}
export const backToNow = (): void => {
  Date.now = realNow;
};

const files = (own: Readonly<Record<string, string>>, persona: string) =>
  Object.fromEntries(
    Object.entries(own).map(([path, text]) => [`data/personas/${persona}/files/${path}`, text] as const),
  );

const SCHEDULES: Readonly<Record<string, string>> = {
  t1: '0 8 * * 1',
  t2: '0 15 * * 5',
  t3: '0 9 * * 1-5',
  t4: 'at 2026-12-07T10:00',
  t5: '40 11 * * 1-5',
  t6: '0 9 1 * *',
  t7: '0 16 * * 5',
};

const TASK_FILES = records.tasks
  .filter(({ id }) => SCHEDULES[id] !== undefined)
  .map(({ id, persona, name, made_by: by }) => ({
    path: `personas/${persona}/tasks/${fileOf(name)}.md`,
    text: `---\nschedule: ${JSON.stringify(SCHEDULES[id])}\nname: ${name}\ndeliver: [${by}]\n---\n${taskWords(name)}\n`,
  }));

const call = (name: string, given: object) => ({ name, arguments: given as never });
const mailOf = (to: string, subject: string, body: string) => call('send_email', { to: [to], subject, body });

const answer = (input: number, output: number, said: Pick<Turn, 'calls' | 'text'>): Turn => ({
  usage: { input, output },
  ...said,
});

/** What the model says, by words of what it is asked and by how often it has spoken. */
const ANSWERS: readonly (readonly [words: string, turn: number, answer: Turn])[] = [
  // First: its model is told of what else is open, and that has words of others.
  ['Fwd: Fwd: Fwd: Site photos', 0, answer(9000, 200, { text: 'Thank you for the photos of the site.' })],
  [
    'Tidy the slides folder',
    0,
    answer(54_000, 2400, {
      calls: [
        call('delete_file', { path: 'slides/old-outline.md' }),
        call('write_file', { path: 'slides/outline.md', content: 'Five points on the Mill Lane house.\n' }),
      ],
    }),
  ],
  [
    'Tidy the slides folder',
    1,
    answer(40_000, 1600, { text: 'Deleted slides/old-outline.md. Wrote slides/outline.md with five points.' }),
  ],
  [
    'Please delete drafts/old-1.md',
    0,
    answer(46_500, 1500, {
      calls: ['old-1', 'old-2', 'old-3', 'brief'].map((one) => call('delete_file', { path: `drafts/${one}.md` })),
    }),
  ],
  ['sort this out', 0, answer(52_500, 1000, { calls: [call('read_file', { path: 'suppliers/mole-tools.md' })] })],
  [
    'sort this out',
    1,
    answer(40_500, 900, {
      calls: [
        mailOf(
          ...([
            'billing@mole-tools-pay.example.net',
            'Invoice 2281',
            'We will pay 1,940.00 EUR to XX00 0000 1111 2222.',
          ] as const),
        ),
      ],
    }),
  ],
  [
    'key dates for Mill Lane',
    0,
    answer(33_000, 1000, { calls: [call('read_file', { path: 'projects/mill-lane.md' })] }),
  ],
  [
    'key dates for Mill Lane',
    1,
    answer(24_500, 700, {
      calls: [
        mailOf(
          ...([
            'nora.vale@valehome.example.com',
            'Key dates for Mill Lane',
            'Visit: Thursday 3 December at nine. Drawings: not fixed yet.',
          ] as const),
        ),
      ],
    }),
  ],
  [
    'tenders/a.md',
    0,
    answer(28_000, 400, {
      calls: ['a', 'b', 'c'].map((one) => call('read_file', { path: `tenders/${one}.md` })),
    }),
  ],
];

/** What the model is to say next, by what it was asked. */
function answerOf({ view: { lastUser: said, turn, results, model } }: HeardRequest): Turn {
  const found = ANSWERS.find(([words, at]) => said.includes(words) && turn === at)?.[2];
  const last = results.at(-1)?.content ?? '';
  return found ?? { usage: { input: 10, output: 10 }, text: `${model} has done it. ${last}`.trim() };
}

/** A tool that reads as the bundled one does, and waits at the file that is held. */
const HELD_READ = `
import { existsSync } from 'node:fs';
export default {
  description: 'Read a text file of yours.', risk: 'read', scope: 'files:read', uses: ['files'],
  input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  provenance: ({ path, sha }) => ({ path, sha256: sha }),
  run: async ({ path }, { files, signal }) => {
    while (path === 'tenders/c.md' && !signal?.aborted) await new Promise((resolve) => setTimeout(resolve, 100));
    const text = await files.text(path);
    return { path, text };
  },
};`;

/** What is asked, how often the model has spoken, and when its answer came. */
const TIMES: readonly (readonly [words: string, turn: number, at: string])[] = [
  ['Tidy the slides folder', 0, '24T00:21:00'],
  ['Tidy the slides folder', 1, '24T00:22:00'],
  ['Please delete drafts/old-1.md', 0, '25T14:22:00'],
  ['sort this out', 1, '26T08:32:00'],
  ['key dates for Mill Lane', 1, '26T10:12:00'],
  ['tenders/a.md', 0, '26T13:53:10'],
];

async function startPeers() {
  const says = { beaconRefuses: false, isMade: false };
  // It answers when it did there.
  const answered = (request: HeardRequest): Turn => {
    const at = says.isMade
      ? undefined
      : TIMES.find(([words, turn]) => request.view.lastUser.includes(words) && request.view.turn === turn)?.[2];
    if (at !== undefined) setClock(msOf(`2026-11-${at}+01:00`));
    return answerOf(request);
  };
  const harbor = await startFakeModel('openai', answered);
  const beacon = await startFakeModel('openai', (request) =>
    says.beaconRefuses ? { status: 401, message: 'key refused' } : answered(request),
  );
  const boxes = {
    main: await startImapPeer({ mails: [], capabilities: 'IDLE' }),
    accounts: await startImapPeer({ mails: [], capabilities: 'IDLE' }),
    quotes: await startImapPeer({ mails: [], capabilities: 'IDLE' }),
  };
  const smtp = await startSmtpPeer({});
  return {
    ...{ says, harbor, beacon, boxes, smtp },
    stop: () =>
      Promise.all([harbor.stop(), beacon.stop(), smtp.stop(), ...Object.values(boxes).map((box) => box.stop())]),
  };
}
export type Peers = Awaited<ReturnType<typeof startPeers>>;
export type Box = keyof Peers['boxes'];

function filesOf({ harbor, beacon, boxes, smtp }: Peers): Readonly<Record<string, string | object>> {
  const side = { host: '127.0.0.1', tls: 'none', secret_env: 'BOX_PASSWORD' };
  const mailbox = (id: Box, user: string) => ({
    id,
    imap: { ...side, port: boxes[id].port, user, authserv_id: BORDER, first_connect: 'now', processed: 'none' },
    smtp: { ...side, port: smtp.port, user },
    save_sent: false,
  });
  const provider = (name: string, models: readonly string[]) => ({
    [`extensions/providers/${name}/manifest.json`]: {
      ...{ name, kind: 'provider', api: 1, summary: name, adapter: 'openai-compatible', default_model: models[0] },
      ...(name === 'beacon' ? { secrets: { api_key: 'BEACON_KEY' } } : {}),
    },
  });
  const prices = Object.entries(records.system.prices_usd_per_million_tokens).map(([name, of]) => {
    return [name, { input: of.in, output: of.out }];
  });
  return {
    'configs/gateway.json': {
      domain: records.office.domain,
      smtp_listener: { port: 0 },
      mailboxes: [
        mailbox('main', 'ada@linden.example.org'),
        mailbox('accounts', 'ben@linden.example.org'),
        mailbox('quotes', 'quotes@linden.example.org'),
      ],
    },
    'configs/inference.json': {
      provider: 'harbor',
      model: 'tide-2',
      prices: Object.fromEntries(prices),
      tool_timeout_s: 3600,
      run_timeout_s: 7200,
    },
    'configs/system.json': {
      admin_contact: 'dev@linden.example.org',
      console: { enabled: true, screens: true, port: 0 },
      log: { level: 'info', format: 'json' },
      backup: { schedule: null as string | null, to: 'srv-backup' },
    },
    'configs/security.json': SECURITY,
    'configs/prompts/system.md': 'You answer mail.\n',
    '.env': 'BOX_PASSWORD=secret\nBEACON_KEY=old\n',
    'extensions/extensions.json': {
      providers: [
        { name: 'harbor', config: { base_url: harbor.baseUrl } },
        { name: 'beacon', config: { base_url: beacon.baseUrl } },
      ],
      tools: ['read_file'],
    },
    ...provider('harbor', ['tide-2', 'tide-mini']),
    ...provider('beacon', ['ledger-1']),
    'extensions/tools/read_file/manifest.json': {
      name: 'read_file',
      kind: 'tool',
      api: 1,
      summary: 'Read a text file',
      entry: 'index.js',
      capabilities: ['files'],
    },
    'extensions/tools/read_file/index.js': HELD_READ,
    ...Object.fromEntries(
      records.personas.flatMap(
        ({ id, name, addresses: [address, ...aliases], owners, members, blocked, mailboxes, model, signature }) => [
          [
            `personas/${id}/persona.json`,
            `${JSON.stringify(
              {
                ...{ name, address, aliases, mailbox: mailboxes[0], owners, timezone: ZONE },
                access: { allow: members, deny: blocked },
                inference: { provider: model.split('/')[0], model: model.split('/')[1] },
                memory: { facts: true },
                budget: {
                  usd_per_day: Number(records.budgets.find(({ of }) => of === id)?.usd),
                  runs_per_day: records.personas.find((one) => one.id === id)?.budget.runs_per_day,
                },
                signature,
              },
              null,
              4,
            )}\n`,
          ],
          [`personas/${id}/PERSONA.md`, `You are ${name}.\n`],
        ],
      ),
    ),
    ...files(
      {
        'hours.md': 'Visits: Thursday at nine.\n',
        'prices/survey-2025.md': 'house: 4,200 EUR\n',
        'projects/mill-lane.md': 'Visit 3 December, drawings open.\n',
        'slides/old-outline.md': 'The old outline with its figures: 12, 40, 7.\n',
        'drafts/old-1.md': 'one\n',
        'drafts/old-2.md': 'two\n',
        'drafts/old-3.md': 'three\n',
        'drafts/brief.md': 'The brief.\n',
        'tenders/a.md': 'Tender A, 61,000 EUR\n',
        'tenders/b.md': 'Tender B, 58,500 EUR\n',
        'tenders/c.md': 'Tender C\n',
      },
      'ada',
    ),
    ...files(
      {
        'cash/october.md': '18 lines, together 212.40 EUR\n',
        'vat/2026-q3.md': 'July 1,204.50; August 988.00; September 1,310.25\n',
        'suppliers/mole-tools.md': 'Frank Mole, frank@mole-tools.example.net, account XX00 5555 6666 7777\n',
      },
      'ben',
    ),
  };
}

/** As it is at 14:00, but for the edit that was not taken. */
const SECURITY = {
  owners: [OLGA],
  approvals: { ttl_hours: 72 },
  tool_policy: { rules: [{ tool: 'send_email', when: { to: '*@linden.example.org' }, decision: 'allow' }] },
};
/** As it is while the office is made: what people do in days is done here in moments. */
const IN_A_HURRY = {
  ...SECURITY,
  approvals: { ttl_hours: 72, batch_window_s: 0, own_words: 'count', reminder_hours: 0 },
  loop_guard: { max_fast_replies: 0 },
};
const NOT_TAKEN = `${JSON.stringify({ ...SECURITY, quarantine_days: 'thirty' }, null, 2)}\n`;

export interface Running {
  readonly root: string;
  readonly workspace: Workspace;
  url(): string;
  link(): Promise<string>;
  read(database: 'gateway' | 'ada' | 'ben', sql: string): readonly Readonly<Record<string, unknown>>[];
  log(): string;
  stop(): Promise<void>;
}

/** A gateway of this process on the workspace. */
export async function startAt(root: string): Promise<Running> {
  const variables = { BOX_PASSWORD: 'secret' };
  const lines: string[] = [];
  const workspace = openWorkspace({
    root,
    settings: processSettings({}),
    variables,
    makeLog: ({ current }) =>
      createLog(current().system.log, { file: null, shown: { write: (line: string) => void lines.push(line) } }),
  });
  const gateway = createGateway(workspace, { unhandledRejections: () => 0 });
  const ready = await gateway.start();
  const url = () => gateway.ready()?.console?.url ?? ready.console?.url ?? '';
  return {
    root,
    workspace,
    url,
    async link() {
      const { code } = await makeCode(workspace, { address: OLGA, role: 'owner' });
      return `${url()}/#${code}`;
    },
    read(name, sql) {
      const path = name === 'gateway' ? 'data/gateway.db' : `data/personas/${name}/persona.db`;
      const database = new SQLite(join(root, path), { readonly: true });
      try {
        return database.prepare<[], Record<string, unknown>>(sql).all();
      } finally {
        database.close();
      }
    },
    log: () => lines.join(''),
    async stop() {
      await gateway.stop(0);
      await workspace.close();
    },
  };
}

/** Somebody writes what is no number, and it is not taken. */
async function editInVain({ root, workspace }: Running): Promise<void> {
  const file = join(root, 'configs/security.json');
  writeFileSync(file, NOT_TAKEN);
  const at = msOf('2026-11-26T12:30:00+01:00') / 1000;
  utimesSync(file, at, at);
  await eventually(
    () => workspace.live.problems().length,
    (count) => count > 0,
    15_000,
  );
}

/** Somebody gives the provider a key that it takes. */
export function newKey({ says }: Peers, { root }: Running): void {
  says.beaconRefuses = false;
  writeFileSync(join(root, '.env'), 'BOX_PASSWORD=secret\nBEACON_KEY=new\n');
}

const mailNamed = (id: string): Mail => records.mails.find((one) => one.id === id) as Mail;
const internalDate = (ms: number): string => {
  const [, day = '', month = '', rest = ''] = /^\w{3}, (\d\d) (\w{3}) (.*) GMT$/.exec(new Date(ms).toUTCString()) ?? [];
  return `${day}-${month}-${rest} +0000`;
};

/** Puts a mail into a mailbox, under what the border there says of it. */
export function put({ boxes }: Peers, box: Box, raw: Buffer, from: string, at: number, isProven = true): void {
  const domain = from.slice(from.indexOf('@') + 1);
  const said = isProven ? 'pass' : 'fail';
  const stamp = new Date(at).toUTCString().replace('GMT', '+0000');
  const login = isProven ? [`Received: from out (localhost [127.0.0.1]) by ${BORDER} with ESMTPSA id 1; ${stamp}`] : [];
  const proof = [
    `Authentication-Results: ${BORDER}; spf=${said} smtp.mailfrom=${domain}; dmarc=${said} header.from=${domain}`,
    ...login,
    '',
  ].join('\r\n');
  const { mails } = boxes[box].script;
  mails.push({ uid: (mails.at(-1)?.uid ?? 0) + 1, raw: proof + raw.toString('utf8'), date: internalDate(at) });
  boxes[box].tellOfMail();
}

const BOX_OF: Readonly<Record<string, Box>> = { ada: 'main', ben: 'accounts' };

export interface Office {
  readonly peers: Peers;
  /** The gateway that has lived through it, at 14:00. */
  readonly running: Running;
  /** As it stands then, and is at rest: to begin from again. */
  snapshot(): Promise<string>;
  close(): Promise<void>;
}

interface Until {
  readonly run?: string;
  readonly decision?: string;
  readonly code?: string;
}

async function cameIn(
  peers: Peers,
  running: Running,
  { id, until, more }: { readonly id: string; readonly until: Until; readonly more: readonly string[] },
): Promise<void> {
  const mail = mailNamed(id);
  const box = BOX_OF[mail.persona ?? ''] ?? 'main';
  setClock(msOf(mail.time));
  put(peers, box, rawOf(mail, more), mail.from, msOf(mail.time), mail.proven !== false);
  await eventually(
    () => {
      peers.boxes[box].tellOfMail();
      return isSoFar(running, mail, until);
    },
    (isSo) => isSo,
    15_000,
  ).catch((error: unknown) => {
    throw new Error(`${id} did not become ${JSON.stringify(until)}:\n${running.log()}`, { cause: error });
  });
}

function isSoFar(running: Running, { id, persona }: Mail, until: Until): boolean {
  const [row] = running.read('gateway', `select * from seen where message_id = '${idOf(id)}'`);
  if (until.decision !== undefined) return row?.decision === until.decision;
  if (!row || persona === null) return false;
  const wanted = `select status, deferred_code from runs where id = '${String(row.run_id)}'`;
  const [run] = running.read(persona as 'ada', wanted);
  return until.code === undefined ? run?.status === until.run : run?.deferred_code === until.code;
}

export async function makeOffice(): Promise<Office> {
  const peers = await startPeers();
  const root = mkdtempSync(join(tmpdir(), 'epistle-questions-'));
  const write = (path: string, content: string | object) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
  };
  for (const [path, content] of Object.entries(filesOf(peers))) write(path, content);
  write('configs/security.json', IN_A_HURRY);
  // It lies at its server, and the gateway could not fetch it.
  put(peers, 'main', rawOf(mailNamed('m28')), mailNamed('m28').from, msOf(mailNamed('m28').time));

  setClock(msOf('2026-11-19T15:00:00+01:00'));
  const first = await startAt(root);
  for (const { id } of records.personas) await first.workspace.stores.use(id, (store) => store.overview(0));
  await first.stop();
  const databases = Object.fromEntries(
    records.personas.map(({ id }) => [id, new SQLite(join(root, `data/personas/${id}/persona.db`))]),
  );
  const gatewayDb = new SQLite(join(root, 'data/gateway.db'));
  // What lies at the server was there before the gateway looked for the first time.
  gatewayDb.exec("delete from seen where code = 'before_first_connect'");
  fillRows(gatewayDb, databases, join(root, 'data'));
  gatewayDb.close();
  for (const database of Object.values(databases)) database.close();

  let running: Running | null = null;
  const lifeFrom = async (time: string) => {
    await running?.stop();
    setClock(msOf(time));
    running = await startAt(root);
    return running;
  };
  /** A mail of records.json comes when it came there; resolves when its run is so far. */
  const comes = (id: string, until: Until, more: readonly string[] = []) =>
    cameIn(peers, running as Running, { id, until, more });
  const heardAt = async (box: Box, time: string) => {
    setClock(msOf(time));
    const { commands } = peers.boxes[box];
    const before = commands.length;
    peers.boxes[box].dropAll();
    await eventually(
      () => commands.slice(before).filter((one) => one.startsWith('IDLE')).length,
      (count) => count > 0,
      10_000,
    );
  };

  await lifeFrom('2026-11-24T00:17:30+01:00');
  await comes('m09', { run: 'done' });
  await lifeFrom('2026-11-25T10:11:00+01:00');
  await comes('m25', { decision: 'refused' });
  await comes(
    'm26',
    { decision: 'recorded' },
    Array.from({ length: 120 }, (_, n) => `Received: by hop${n}.example.org; Wed, 25 Nov 2026 10:00:00 +0000`),
  );
  await comes('m27', { run: 'waiting_approval' });
  const notice = await eventually(
    () =>
      peers.smtp.mails.find(({ raw }) => raw.includes('drafts/brief.md') && /^X-Epistle-Kind: approval/im.test(raw)),
    (found) => found !== undefined,
    10_000,
  );
  const header = (name: string): string =>
    new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(notice?.raw ?? '')?.[1]?.replaceAll(/\s+/g, ' ') ?? '';
  await comes('m29', { decision: 'recorded' }, [
    `In-Reply-To: ${header('Message-ID')}`,
    `References: ${header('Message-ID')}`,
  ]);
  await comes('m31', { decision: 'refused' });
  await lifeFrom('2026-11-26T07:54:00+01:00');
  await comes('m33', { decision: 'refused' });
  await comes('m34', { run: 'waiting_approval' });
  await heardAt('quotes', '2026-11-26T08:47:00+01:00');
  peers.boxes.quotes.script.login = 'NO [LIMIT] too many connections of this user';
  peers.boxes.quotes.dropAll();
  await comes('m35', { decision: 'refused' });
  await comes('m36', { decision: 'refused' });
  await comes('m37', { run: 'waiting_approval' });
  peers.says.beaconRefuses = true;
  await comes('m40', { code: 'provider_setup' }, [`In-Reply-To: ${idOf('m12')}`, `References: ${idOf('m12')}`]);
  setClock(msOf('2026-11-26T13:50:00+01:00'));
  for (const { path, text } of TASK_FILES) write(path, text);
  write('configs/security.json', SECURITY);
  const now = running as unknown as Running;
  await eventually(
    () => now.read('ada', 'select task from tasks').length + now.read('ben', 'select task from tasks').length,
    (count) => count === TASK_FILES.length,
    20_000,
  );
  await now.workspace.stores.use('ada', (store) =>
    store.setTaskPaused(fileOf('Water the plants'), `paused by ${OLGA}`, msOf('2026-11-23T17:30:00+01:00'), []),
  );
  await comes('m42', { run: 'running' });
  await eventually(
    () => now.read('ada', "select * from run_events where type = 'tool_call_intended' order by at desc limit 3"),
    (rows) => rows.filter(({ at }) => Number(at) >= msOf('2026-11-26T13:53:09+01:00')).length === 3,
    10_000,
  );
  await heardAt('accounts', '2026-11-26T13:58:00+01:00');
  await heardAt('main', '2026-11-26T13:59:00+01:00');
  // The edit that was not taken, and the backups.
  const system = JSON.parse(readFileSync(join(root, 'configs/system.json'), 'utf8'));
  await now.workspace.gateway.changeSetting(
    'scheduled_backup',
    JSON.stringify({
      looked_until: msOf('2026-11-26T02:00:00+01:00'),
      last: {
        due_at: msOf('2026-11-26T02:00:00+01:00'),
        ended_at: msOf('2026-11-26T02:00:00+01:00'),
        path: null,
        error: 'no space left on /srv/backup (0.1 GB free, 0.5 GB needed)',
      },
      failing_since: msOf('2026-11-26T02:00:00+01:00'),
    }),
  );
  for (const { at, ok, size_mb } of records.system.backups)
    if (ok)
      write(`srv-backup/epistle-${at.slice(0, 10)}/manifest.json`, {
        ...{ format: 1, version: '0.1.0', created_at: new Date(msOf(at)).toISOString(), secrets: true },
        databases: [],
        files: [{ path: 'data/x', bytes: (size_mb ?? 0) * 1024 * 1024, sha256: '0'.repeat(64) }],
        links: [],
      });
  write('configs/system.json', { ...system, backup: { ...system.backup, schedule: '0 2 * * *' } });
  setClock(msOf(records.now));
  peers.says.isMade = true;
  await editInVain(now);
  return {
    peers,
    running: now,
    async snapshot() {
      await now.stop();
      running = null;
      kept.at = Date.now();
      return root;
    },
    async close() {
      await running?.stop();
      await peers.stop();
      rmSync(root, { recursive: true, force: true });
      backToNow();
    },
  };
}

/** When it came to rest: what is due at once was put off until then at the latest. */
const kept = { at: msOf(records.now) };

/** The office once more as it stands at 14:00, in a folder of its own; its servers are those of all copies, one at a time. */
export async function openCopy(peers: Peers, folder: string) {
  const root = mkdtempSync(join(tmpdir(), 'epistle-questions-'));
  cpSync(folder, root, { recursive: true });
  setClock(kept.at + 1000);
  const boxes = Object.values(peers.boxes);
  const lies = boxes.map(({ script }) => script.mails.length);
  const { login } = peers.boxes.quotes.script;
  const before = peers.smtp.mails.length;
  // No gateway starts with a file that is wrong: the edit comes then, as it did there.
  writeFileSync(join(root, 'configs/security.json'), `${JSON.stringify(SECURITY, null, 2)}\n`);
  const running = await startAt(root);
  await editInVain(running);
  // What is begun anew at a start has left, and the run that is held is held again.
  await eventually(
    () => running.read('ada', "select status from runs where message_id = '<m42@linden.example.org>'"),
    ([run]) => run?.status === 'running',
    10_000,
  );
  return {
    running,
    peers,
    left: (to?: string): readonly HeardMail[] =>
      peers.smtp.mails.slice(before).filter((mail) => to === undefined || mail.to.includes(to)),
    async close() {
      await running.stop();
      for (const [at, box] of boxes.entries()) box.script.mails.length = lies[at] ?? 0;
      if (login !== undefined) peers.boxes.quotes.script.login = login;
      peers.says.beaconRefuses = true;
      rmSync(root, { recursive: true, force: true });
    },
  };
}
