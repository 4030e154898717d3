import { utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { gatewayDesk } from '../../../engine/app/console/gateway-desk.ts';
import { makeCode } from '../../../engine/console/door/sessions.ts';
import { createPeople } from '../../../engine/console/people.ts';
import { SCREENS } from '../../../engine/console/screens/screens.ts';
import { createChanges } from '../../../engine/lib/changes.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { tryLock } from '../../../engine/storage/sqlite/workspace-lock.ts';
import { openWorkspace } from '../../../engine/workspace.ts';
import { makeWorkspace } from '../../flow/workspace.ts';
import records from './records.json' with { type: 'json' };
import { eventsOf, idOf, into, type Mail, msOf, type Run, sha256 } from './rows.ts';

// The office of records.json, put into databases as it stands there, behind the console of a gateway that looks as if it were at work.

export const NOW = msOf(records.now);
export const OLGA = 'olga@linden.example.org';

/** What the files of a workspace say of it. */
const filesOf = (): Readonly<Record<string, string | object>> => ({
  'configs/security.json': { owners: [OLGA], approvals: { ttl_hours: 72 } },
  'configs/system.json': {
    console: { enabled: true, screens: true },
    backup: { schedule: '0 2 * * *', to: '/srv/backup' },
  },
  'configs/gateway.json': {
    domain: records.office.domain,
    smtp_listener: { enabled: false },
    mailboxes: records.system.mailboxes.map(({ id, address }) => ({ id, ...serversOf(address) })),
  },
  'configs/inference.json': {
    provider: 'offline',
    prices: Object.fromEntries(
      Object.entries(records.system.prices_usd_per_million_tokens).map(([name, { in: input, out: output }]) => [
        name,
        { input, output },
      ]),
    ),
  },
  'extensions/extensions.json': {
    providers: records.system.providers.map(({ id }) => ({ name: id, config: { base_url: 'http://127.0.0.1:9/v1' } })),
  },
  ...Object.fromEntries(
    records.system.providers.map(({ id }) => [
      `extensions/providers/${id}/manifest.json`,
      { name: id, kind: 'provider', api: 1, summary: 'Answers', adapter: 'openai-compatible' },
    ]),
  ),
  ...Object.fromEntries(
    records.personas.map(({ id, name, addresses: [address, ...aliases], owners, members, mailboxes, model }) => [
      `personas/${id}/persona.json`,
      {
        ...{ name, address, aliases, owners, access: { allow: members }, timezone: records.time_zone },
        ...{ mailbox: mailboxes[0], inference: { provider: model.split('/')[0], model: model.split('/')[1] } },
        budget: { usd_per_day: Number(records.budgets.find(({ of }) => of === id)?.usd) },
      },
    ]),
  ),
  ...Object.fromEntries(
    records.tasks.map(({ id, persona, name, state }) => [
      `personas/${persona}/tasks/${id}.md`,
      `---\nname: ${name}\nschedule: ${JSON.stringify(SCHEDULES[id])}\nenabled: ${state !== 'cancelled'}\n---\n${name}.\n`,
    ]),
  ),
});

const serversOf = (user: string) => ({
  imap: { host: 'imap.linden.example.org', user, secret_env: 'LINDEN_PASSWORD' },
  smtp: { host: 'smtp.linden.example.org', user, secret_env: 'LINDEN_PASSWORD' },
});

/** What `when` of each task says. */
const SCHEDULES: Readonly<Record<string, string>> = {
  ...{ t1: '0 8 * * 1', t2: '0 15 * * 5', t3: '0 9 * * 1-5', t4: 'at 2026-12-07T10:00' },
  ...{ t5: '40 11 * * 1-5', t6: '0 9 1 * *', t7: '0 16 * * 5', t8: 'at 2026-11-25T18:00' },
};

/** The console of the office; `link` lets somebody in as its owner. */
export async function openRecords() {
  const files = makeWorkspace(filesOf());
  const open = openWorkspace({
    root: files.root,
    settings: { testNow: NOW, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    variables: { LINDEN_PASSWORD: 'linden' },
    makeLog: () => silentLog,
  });
  await open.extensions();
  for (const { id } of records.personas) await open.stores.use(id, (store) => store.overview(0));
  await open.gateway.newestSeen();
  fill(files.root);
  const lock = seemsAtWork(open.dataDir);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const people = createPeople(
    { host: '127.0.0.1', port, publicUrl: null },
    {
      ports: open,
      desk: gatewayDesk({
        workspace: open,
        receive: () => Promise.reject(new Error('no mail comes here')),
        mailboxes: {
          start: async () => {},
          refresh: async () => {},
          stop: async () => {},
          hurry() {},
          states: () => [],
        },
      }),
      acting: { announce: () => Promise.resolve(), ids: open.ids, pass: () => {} } as never,
      changes: createChanges(),
      log: silentLog,
      command: (words) => `epistle ${words}`,
      screens: SCREENS,
      wakeLogIns() {},
    },
  );
  server.on('request', people.handle);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    link: async () => `${url}/session#${(await makeCode(open, { address: OLGA, role: 'owner' })).code}`,
    async close() {
      server.closeAllConnections();
      server.close();
      lock?.release();
      await open.close();
      files.remove();
    },
  };
}

/** What a gateway leaves behind for whoever asks whether it is at work. */
function seemsAtWork(dataDir: string) {
  const { pid } = process;
  const mailboxes = records.system.mailboxes.map(({ id, state, last_heard }) => ({
    ...{ id, state: state === 'deaf' ? 'retrying' : state, looked_at: msOf(last_heard) },
    error: records.failures.find((one) => one.mailbox === id)?.cause ?? null,
  }));
  const ready = join(dataDir, 'ready.json');
  writeFileSync(ready, JSON.stringify({ pid, smtp: null }));
  // Since when it works is told by the date of the file, by the clock of this machine.
  const since = (Date.now() - NOW + msOf(records.system.gateway_runs_since)) / 1000;
  utimesSync(ready, since, since);
  const state = { pid, mailboxes, cooldowns: [], persona_errors: [] };
  writeFileSync(join(dataDir, 'state.json'), JSON.stringify(state));
  return tryLock(join(dataDir, 'lock.db'));
}

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
      const runs = records.runs.filter((one) => one.persona === id && one.started.startsWith(day));
      const tokens = runs
        .flatMap((run) => run.model_calls)
        .reduce((all, { tokens_in, tokens_out }) => all + tokens_in + tokens_out, 0);
      if (usd > 0 || runs.length > 0) into(database, 'budget_days', { day, usd, tokens, runs: runs.length });
    }
  const failed = records.failures.find(({ what }) => what === 'failed backup');
  const at = msOf(failed?.at ?? '');
  const last = { due_at: at, ended_at: at, path: null, error: failed?.cause };
  into(gateway, 'settings', {
    ...{ key: 'scheduled_backup', value: JSON.stringify({ looked_until: at, last, failing_since: at }) },
  });
  for (const question of records.questions) asked(databases[question.persona] as SQLite.Database, question);
  for (const task of records.tasks) planned(databases[task.persona] as SQLite.Database, task);
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

/** By which it came; a persona reads one of its own. */
const mailboxOf = ({ persona }: Mail): string =>
  records.personas.find(({ id }) => id === persona)?.mailboxes[0] ?? records.system.mailboxes[0]?.id ?? '';

function seen(gateway: SQLite.Database, mail: Mail): void {
  const { id, direction, persona, from, subject, tier, run } = mail;
  if (mail.fate === 'queued') return;
  const decision = decisionOf(mail);
  const isKept = decision === 'refused' && mail.kept === true;
  into(gateway, 'seen', {
    ...{ message_id: idOf(id), persona_id: persona, direction, decision, tier: tier ?? null },
    ...{
      recipient: [mail.to].flat()[0],
      from_address: from,
      subject: direction === 'out' && run !== null ? '' : subject,
    },
    ...{ received_at: msOf(mail.time), detail: detailOf(mail), code: codeOf(mail) },
    ...{ run_id: direction === 'in' ? run : null, thread_id: run === null ? null : `t-${run}` },
    ...{ kept_sha256: isKept ? sha256(id) : null, mailbox: direction === 'in' ? mailboxOf(mail) : null },
  });
  if (decision === 'dead_letter')
    into(gateway, 'dead_letters', {
      ...{ id, persona_id: persona, message_id: idOf(id), stage: 'parse', code: codeOf(mail) },
      ...{ message: mail.reason, at: msOf(mail.time) },
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

const STATES: Readonly<Record<string, string>> = {
  'waiting for an answer': 'waiting_approval',
  waiting: 'waiting_approval',
  'waits for approval': 'waiting_approval',
};

type Question = (typeof records.questions)[number];

const DECIDED: Readonly<Record<string, string>> = {
  open: 'pending',
  denied: 'rejected',
  approved: 'executed',
  'approved with a change': 'executed',
};

/** A question that was asked of owners, with what has become of it. */
function asked(database: SQLite.Database, question: Question): void {
  const { id, run, calls, state } = question;
  const [first] = calls;
  const steps = calls.map(({ tool, ...given }) => ({ tool, arguments: argumentsOf(given) }));
  const isPlan = steps.length > 1;
  const json = JSON.stringify(isPlan ? { steps } : steps[0]?.arguments);
  const origins = Object.entries(('origins' in question && question.origins) || {}).map(([value, origin]) => ({
    ...{ kind: value.includes('@') ? 'address' : 'text', value, at: value.includes('@') ? 'to' : 'body', origin },
  }));
  const isDecided = 'decided_at' in question && typeof question.decided_at === 'string';
  const at = msOf(question.asked_at);
  into(database, 'approvals', {
    ...{ id, run_id: run, thread_id: `t-${run}`, call_id: 'c1', kind: isPlan ? 'plan' : 'call' },
    ...{
      tool: isPlan ? 'submit_plan' : first?.tool,
      arguments_json: json,
      arguments_hash: sha256(json),
      fingerprint: id,
    },
    ...{ basis: isPlan ? JSON.stringify(steps.map((_, place) => [id, null, `c${place + 1}`, 'destructive'])) : null },
    ...{ risk: first?.tool === 'delete_file' ? 'destructive' : 'write', state: DECIDED[state], number: 1 },
    ...{ origins_json: JSON.stringify(origins), expires_at: msOf(question.open_until), created_at: at },
    ...{
      decided_by: isDecided ? question.decided_by : null,
      decided_at: isDecided ? msOf(String(question.decided_at)) : null,
    },
    ...{ reason: 'words' in question ? question.words : null, updated_at: at },
  });
}

const argumentsOf = ({ to, text, ...rest }: Readonly<Record<string, unknown>>): object => ({
  ...(to === undefined ? {} : { to: [to] }),
  ...rest,
  ...(text === undefined ? {} : { body: text }),
});

type Task = (typeof records.tasks)[number];

function planned(database: SQLite.Database, { id, made_at, state, history, ...task }: Task): void {
  into(database, 'tasks', {
    ...{ task: id, file_sha256: id, schedule_key: id, anchor_at: msOf(made_at), settled_to: NOW, updated_at: NOW },
    paused_reason: state === 'paused' && 'paused_by' in task ? `paused by ${task.paused_by}` : null,
  });
  for (const { due, fate, ...time } of history)
    into(database, 'task_times', {
      ...{ task: id, due_at: msOf(due), decision: fate === 'missed' ? 'missed' : 'run', decided_at: msOf(due) },
      ...{ run_id: 'run' in time ? time.run : null, code: fate === 'missed' ? 'late' : null },
    });
}
