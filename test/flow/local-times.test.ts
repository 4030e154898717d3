import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandsFor } from '../../engine/cli/commands/index.ts';
import { run } from './command-line.ts';
import { ADA, CARL, MEMBER, mailTo, type Office, OWNER, openOffice } from './governance-rig.ts';

const ZONE = 'America/Argentina/Buenos_Aires';
/** It has an older name, too. */
const NAMED = /America\/(?:Argentina\/)?Buenos_Aires|\bUTC\b|[+-]\d\d:00\b/g;

/** What a list needs beside its name. Another that takes an argument has to be named here. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'memory search': ['ada'],
};
/** No tables, and yet they show times of many things. */
const ALSO = [
  'usage',
  'status',
  'tasks next',
  'why last',
  'mail show last',
  'approvals show last',
  'tasks show ada/brief',
  'persona today ada',
];

let office: Office;
beforeAll(async () => {
  office = await openOffice({
    'personas/ada/tasks/brief.md': "---\nschedule: '0 9 * * 1'\ntimezone: Pacific/Auckland\n---\nSay what is new.\n",
  });
  await office.ask('Hello there', OWNER);
  await office.ask(mailTo(CARL));
  await office.ask('Let me in', 'stranger@nowhere.example');
  expect((await office.cli('tasks', 'run', 'ada/brief', '--wait=180')).code).toBe(0);
  expect((await office.cli('backup', 'create', '--to', `${office.root}/backups`)).code).toBe(0);
});
afterAll(() => office.close());

const lists = async (): Promise<readonly string[]> => {
  const all = (await commandsFor([])).flatMap((entry) => ('commands' in entry ? entry.commands : [entry]));
  // The models are those of a service, and nobody runs one here.
  const shown = all.filter((one) => one.lists && one.name !== 'providers models');
  const needs = shown.filter((one) => one.arguments.some((argument) => String(argument).startsWith('<')));
  expect(needs.map(({ name }) => name).filter((name) => !Object.hasOwn(ARGUMENTS, name))).toEqual([]);
  return shown.map(({ name }) => [name, ...(ARGUMENTS[name] ?? [])].join(' '));
};

it('every list shows the clock of whoever looks, and names its zone once; JSON stays UTC', async () => {
  const wrong: string[] = [];
  const timed: string[] = [];
  for (const name of [...(await lists()), ...ALSO]) {
    const words = [...name.split(' '), '--workspace', office.root];
    const environment = { TZ: ZONE };
    const { stdout, stderr } = await run(words, { environment });
    expect(stdout, `${name}: ${stderr}`).not.toBe('');
    const named = stdout.match(NAMED)?.length ?? 0;
    const hasTimes = /\d{4}-\d\d-\d\d \d\d:\d\d/.test(stdout);
    if (hasTimes) timed.push(name);
    if (/\d{4}-\d\d-\d\dT\d\d:\d\d/.test(stdout)) wrong.push(`${name} shows an ISO time`);
    if (named > 1 || (hasTimes && named !== 1)) wrong.push(`${name} names the zone ${named} times`);
    const { json } = await office.cli(...name.split(' '));
    for (const [time] of JSON.stringify(json).matchAll(/"\d{4}-\d\d-\d\dT[^"]*"/g)) {
      // A task's own clock stands beside its instant, and mail is found by the clock of the persona.
      if (!/Z"$/.test(time) && !/^tasks next|^memory search/.test(name)) wrong.push(`${name} --json has ${time}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(timed).toEqual(expect.arrayContaining(['mail list', 'runs list', 'outbox list', 'approvals list', 'audit']));
  expect(timed).toEqual(
    expect.arrayContaining(['threads list', 'tasks history', 'tasks list', 'senders list', 'status']),
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
  const { stdout } = await run(['persona', 'today', 'ada', '--workspace', office.root], { environment: { TZ: ZONE } });
  expect(stdout).toMatch(/^ada on \d{4}-\d\d-\d\d: \d+ mails, \d+ answers, 1 open question, 0\.0000 USD$/m);
  expect(stdout).toContain('plan.txt');
  expect(stdout).toMatch(/Waits for an owner:\n {2}[0-9a-f]{12} {2}send_email/);
  expect((await office.cli('persona', 'today', 'nobody')).code).toBe(1);
});

it('a mail stands at the same time in every list', async () => {
  const { mails } = (await office.cli('mail', 'list', '--from', OWNER)).json;
  const at = new Date(mails[0].received_at);
  const here = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'short' }).format(at);
  const { stdout } = await run(['mail', 'list', '--from', OWNER, '--workspace', office.root], {
    environment: { TZ: ZONE },
  });
  expect(stdout).toContain(here);
  expect(ADA).toContain('@');
});
