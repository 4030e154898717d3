import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandsFor } from '../../engine/cli/commands/index.ts';
import type { HeardRequest, ScriptedCall, Turn } from '../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { run, withoutKeys } from './command-line.ts';
import { createCommands } from './commands.ts';
import { ADA, CARL, MEMBER, mailTo, type Office, OWNER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

const CLEO = 'cleo@agents.localhost';
const ZONE = 'America/Argentina/Buenos_Aires';
/** Commands of a machine whose clock is there. */
const commandThere = createCommands({ ...withoutKeys(process.env), TZ: ZONE });
const runThere = (...args: string[]) =>
  commandThere({ args: [...args, '--workspace', office.root], stdin: '', environment: {} });
/** It has an older name, too. */
const NAMED = /America\/(?:Argentina\/)?Buenos_Aires|\bUTC\b|[+-]\d\d:00\b/g;

/** Commands that change something, or ask what stands elsewhere; what they say of times are sentences of their own tests. */
const DO: ReadonlySet<string> = new Set([
  ...['setup', 'init', 'demo', 'start', 'stop', 'restart', 'send', 'deliver', 'chat', 'console', 'uninstall', 'update'],
  ...[
    'mail retry',
    'senders allow',
    'senders block',
    'senders remove',
    'runs replay',
    'runs resolve',
    'runs cancel',
    'runs retry',
  ],
  ...[
    'threads private',
    'threads take',
    'threads give',
    'tasks add',
    'tasks run',
    'tasks pause',
    'tasks resume',
    'approvals approve',
    'approvals deny',
  ],
  ...[
    'rules remove',
    'rules undo',
    'approvals undo',
    'outbox retry',
    'outbox drop',
    'memory edit',
    'memory forget',
    'memory rebuild',
    'learn use',
  ],
  ...['learn refine', 'learn baseline', 'learn add', 'learn reset', 'learn feedback', 'deadletters requeue'],
  ...[
    'persona create',
    'persona edit',
    'persona rename',
    'persona delete',
    'persona try',
    'persona pause',
    'persona resume',
  ],
  ...['mailbox add', 'mailbox remove', 'mailbox test', 'mailbox find', 'mailbox login', 'mailbox resync'],
  ...['providers models', 'providers test', 'extensions allow', 'extensions login', 'extensions new', 'backup restore'],
  ...['passkeys remove', 'service install', 'service uninstall', 'config set', 'completion', 'backup create'],
]);
/** What prints JSON for other programs, also without --json. */
const JSON_ALWAYS: ReadonlySet<string> = new Set([
  ...['memory export', 'config show', 'config schema', 'learn inspect', 'learn diff'],
]);
/** Ids of what is shown are looked up in the list of the same name. */
const FIRST: Readonly<Record<string, string>> = {
  'runs show': 'runs',
  'runs explain': 'runs',
  'runs issue': 'runs',
  'threads show': 'threads',
  'invitations show': 'invitations',
  'outbox show': 'outbox',
  'memory show': 'facts',
  'rules show': 'rules',
  'backup verify': 'backups',
};
/** What other commands need beside their name. One that takes an argument has to be named in one of these. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'memory search': ['ada'],
  'mail show': ['last'],
  'approvals show': ['last'],
  'tasks show': ['ada/brief'],
  'persona show': ['ada'],
  'persona today': ['ada'],
  why: ['last'],
};
/** Nothing of these is there. */
const NONE: ReadonlySet<string> = new Set(['deadletters show']);

const WISH = 'I like window seats';
const RULE = 'From now on answer me in two lines.';
/** Keeps a wish, and invites to a meeting. */
function model({ view }: HeardRequest): Turn {
  if (view.results.length > 0) return { text: 'Done.' };
  const call = (name: string, args: NonNullable<ScriptedCall['arguments']>): Turn => ({
    calls: [{ name, arguments: args }],
  });
  const meeting = { to: [MEMBER], title: 'Tea', start: '2099-11-21T15:00' };
  if (view.lastUser.includes('to tea')) return call('invite', meeting);
  if (view.lastUser.includes(RULE)) return call('remember_rule', { quote: RULE, for: 'me' });
  return call('remember', { text: WISH, quote: WISH, kind: 'preference' });
}

let office: Office;
let service: FakeModel;
beforeAll(async () => {
  service = await startFakeModel('openai', model);
  office = await openOffice({
    'personas/ada/tasks/brief.md': "---\nschedule: '0 9 * * 1'\ntimezone: Pacific/Auckland\n---\nSay what is new.\n",
    'configs/system.json': { console: { enabled: false }, backup: { schedule: '0 3 * * *', to: 'backups' } },
    'personas/cleo/persona.json': {
      name: 'Cleo',
      address: CLEO,
      memory: { facts: true, recall: false },
      inference: { provider: 'steady', model: 'm' },
    },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: service.baseUrl } }] },
    ...STEADY,
  });
  for (const text of [`${WISH}.`, RULE, `Please invite ${MEMBER} to tea, a meeting.`])
    await office.cli('send', '--to', CLEO, '--from', OWNER, '--wait=180', '--text', text);
  const asked = (await office.cli('approvals', 'list', '--persona', 'cleo')).json.approvals;
  for (const { id } of asked) expect((await office.cli('approvals', 'approve', id)).code).toBe(0);
  await office.left('reply');
  await office.ask('Hello there', OWNER);
  await office.ask(mailTo(CARL));
  await office.ask('Let me in', 'stranger@nowhere.example');
  expect((await office.cli('tasks', 'run', 'ada/brief', '--wait=180')).code).toBe(0);
  expect((await office.cli('backup', 'create', '--to', `${office.root}/backups`)).code).toBe(0);
});
afterAll(async () => {
  await office.close();
  await service.stop();
});

/** Each command that shows something, with what it needs. */
async function shown(): Promise<readonly string[]> {
  const all = (await commandsFor([])).flatMap((entry) => ('commands' in entry ? entry.commands : [entry]));
  const looks = all.filter(({ name }) => ![DO, JSON_ALWAYS, NONE].some((names) => names.has(name)));
  const lines: string[] = [];
  for (const { name, arguments: needs = [] } of looks) {
    const key = FIRST[name];
    const group = name.split(' ')[0] ?? '';
    const found = key === undefined ? undefined : (await office.cli(group, 'list')).json[key][0];
    const own = found === undefined ? (ARGUMENTS[name] ?? []) : [found.id ?? found.thread_id ?? found.path];
    const isNeeded = needs.some((argument) => String(argument).startsWith('<'));
    expect([name, isNeeded && own.length === 0, key !== undefined && found === undefined]).toEqual([
      name,
      false,
      false,
    ]);
    lines.push([name, ...own].join(' '));
  }
  return lines;
}

it('every command shows the clock of whoever looks, and names its zone once; JSON stays UTC', async () => {
  const wrong: string[] = [];
  const timed: string[] = [];
  for (const name of await shown()) {
    const { stdout, stderr } = await runThere(...name.split(' '));
    expect(stdout, `${name}: ${stderr}`).not.toBe('');
    const named = stdout.match(NAMED)?.length ?? 0;
    const hasTimes = /\d{4}-\d\d-\d\d \d\d:\d\d/.test(stdout);
    if (hasTimes) timed.push(name.split(' ').slice(0, 2).join(' '));
    const [iso] = /.{0,30}\d{4}-\d\d-\d\dT\d\d:\d\d.{0,12}/.exec(stdout) ?? [];
    if (iso !== undefined) wrong.push(`${name} shows an ISO time: ${iso}`);
    if (named !== 1 && (named > 1 || hasTimes)) wrong.push(`${name} names the zone ${named} times`);
    if (!/ list$|^(?:usage|status|tasks next|why last|persona today ada)$/.test(name)) continue;
    // A task's own clock stands beside its instant, as that of a meeting does; mail is found by the clock of the persona.
    if (/^tasks next|^memory search|^invitations|^approvals/.test(name)) continue;
    const { json } = await office.cli(...name.split(' '));
    const times = [...JSON.stringify(json).matchAll(/"\d{4}-\d\d-\d\dT[^"]*"/g)].map(([time]) => time);
    wrong.push(...times.filter((time) => !time.endsWith('Z"')).map((time) => `${name} --json has ${time}`));
  }
  expect(wrong).toEqual([]);
  expect(timed).toEqual(
    expect.arrayContaining([
      ...[
        'mail list',
        'runs list',
        'outbox list',
        'approvals list',
        'audit',
        'threads list',
        'tasks history',
        'status',
      ],
      ...['tasks list', 'senders list', 'invitations list', 'backup schedule'],
    ]),
  );
});

it('approvals show what would be done, and `why` says first what nobody agreed to', async () => {
  const list = await run(['approvals', 'list', '--workspace', office.root]);
  expect(list.stdout).toContain('Dear Carl');
  expect(list.stdout).toContain(CARL);
  const [asked] = (await office.cli('approvals', 'list')).json.approvals;
  expect(Object.keys(asked)).toContain('arguments_hash');
  const { mails } = (await office.cli('mail', 'list', '--from', MEMBER)).json;
  const [, first] = (await run(['why', mails[0].message_id, '--workspace', office.root])).stdout.split('\n');
  expect(first).toBe(`  → send_email ${CARL} Offer waits for an owner to agree`);
  expect((await office.cli('approvals', 'deny', asked.id)).code).toBe(0);
  const [, after] = (await run(['why', mails[0].message_id, '--workspace', office.root])).stdout.split('\n');
  expect(after).toBe(`  → send_email ${CARL} Offer was not done: an owner said no`);
});

it('a persona tells its day: mail, answers, what waits, what was done and what it cost', async () => {
  const { today } = (await office.cli('persona', 'today', 'ada')).json;
  expect(today).toMatchObject({ persona: 'ada', cost_usd: 0, from: expect.stringMatching(/Z$/) });
  expect(today.mails.map(({ from }: { from: string }) => from)).toEqual(
    expect.arrayContaining([OWNER, MEMBER, 'stranger@nowhere.example']),
  );
  expect(today.open_questions).toEqual([]);
  await office.ask('/write_file {"path":"plan.txt","content":"Tea"}', OWNER, 'A plan');
  await office.ask(mailTo(CARL, 'Second'));
  const { stdout } = await runThere('persona', 'today', 'ada');
  expect(stdout).toMatch(/^ada on \d{4}-\d\d-\d\d: \d+ mails, \d+ answers, 1 open question, 0\.0000 USD$/m);
  expect(stdout).toContain('plan.txt');
  expect(stdout).toMatch(/Waits for an owner:\n {2}[0-9a-f]{12} {2}send_email/);
  expect((await office.cli('persona', 'today', 'nobody')).code).toBe(1);
});

it('a week is told as a day is, and a date is a day on the clock of the machine', async () => {
  const { stdout: week } = await runThere('persona', 'today', 'ada', '--since', '7d');
  expect(week).toMatch(/^ada from \d{4}-\d\d-\d\d \d\d:\d\d to \d{4}-\d\d-\d\d \d\d:\d\d: \d+ mails, \d+ answers/m);
  expect(week).toMatch(/^ {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}stranger@nowhere\.example {2}/m);
  const { stdout: spent } = await runThere('usage', '--from', '2026-11-02', '--to', '2026-11-03', '--json');
  const begins = (text: string) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'short' }).format(new Date(text));
  const { from, to } = JSON.parse(spent);
  expect([begins(from), begins(to)]).toEqual(['2026-11-02 00:00', '2026-11-03 00:00']);
  expect((await runThere('usage', '--from', '2026-02-30')).code).toBe(2);
});

it('a mail stands at the same time in every list', async () => {
  const { mails } = (await office.cli('mail', 'list', '--from', OWNER)).json;
  const at = new Date(mails[0].received_at);
  const here = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'short' }).format(at);
  const { stdout } = await runThere('mail', 'list', '--from', OWNER);
  expect(stdout).toContain(here);
  expect(ADA).toContain('@');
});
