import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type SQLite from 'better-sqlite3';
import { placeKey } from '../../../engine/lib/ids.ts';
import records from '../../corpus/console/records.json' with { type: 'json' };
import { eventsOf, idOf, into, type Mail, msOf, type Run, sha256 } from '../../corpus/console/rows.ts';

// What is over in the office of records.json, put into its databases as it stands there. What goes on, or can still be
// changed by somebody who looks, is done by a gateway (office.ts).

type Databases = Readonly<Record<string, SQLite.Database>>;

/** What a gateway does by itself while the office is made: these mails come, and this is worked on. */
export const REAL_RUNS = ['r04', 'r08', 'r09', 'r10', 'r12'] as const;
const COME_REALLY = [
  ...['m09', 'm10', 'm25', 'm26', 'm27', 'm29', 'm30', 'm31', 'm33', 'm34', 'm35', 'm36', 'm37', 'm38', 'm40', 'm42'],
];
const isReal = (run: string | null): boolean => REAL_RUNS.some((id) => id === run);

/** Fills the databases of a workspace that nobody works on. `data`: its folder. */
export function fillRows(gateway: SQLite.Database, databases: Databases, data: string): void {
  const of = (persona: string): SQLite.Database => databases[persona] as SQLite.Database;
  for (const mail of records.mails) if (!COME_REALLY.includes(mail.id)) mailRows(gateway, databases, mail, data);
  for (const run of records.runs) if (!isReal(run.id)) work(of(run.persona), run);
  for (const question of records.questions) if (question.state !== 'open') asked(of(question.persona), question);
  for (const fact of records.facts) factRow(of(fact.persona), fact);
  for (const persona of records.personas) ruleRows(of(persona.id), persona);
  for (const task of records.tasks) taskRows(of(task.persona), task);
  for (const { id } of records.personas) budgetRows(of(id), id);
  into(of('ada'), 'rules', {
    ...{ id: `r${sha256('own').slice(0, 10)}`, text: 'Send mail for me without asking.', effect: 'allow' },
    ...{ tools_json: '["send_email"]', scope: 'person', scope_of: 'olga@linden.example.org' },
    ...{ said_by: 'olga@linden.example.org', said_tier: 'owner', origin: 'command' },
    made_at: msOf('2026-11-19T14:30:00+01:00'),
  });
}

function mailRows(gateway: SQLite.Database, databases: Databases, mail: Mail, data: string): void {
  const database = databases[mail.persona ?? ''];
  if (mail.fate === 'queued' || mail.fate === 'failed') outbox(database as SQLite.Database, mail);
  if (mail.fate === 'queued') return;
  seen(gateway, mail, data);
  if (database && mail.run !== null) message(database, mail);
}

function factRow(database: SQLite.Database, { about, text, told_by, since, id }: (typeof records.facts)[number]): void {
  into(database, 'facts', {
    ...{ id, subject: about, kind: 'fact', text, quote: text, status: 'kept', visibility: 'persona', said_by: told_by },
    source_tier: 'member',
    ...{ valid_from: msOf(since), recorded_at: msOf(since), phrase: text.toLowerCase() },
  });
}

function ruleRows(database: SQLite.Database, { rules }: (typeof records.personas)[number]): void {
  for (const rule of rules)
    into(database, 'rules', {
      ...{ id: `r${sha256(rule.id).slice(0, 10)}`, text: rule.text, effect: 'words', scope: 'persona' },
      ...{ said_by: rule.by, said_tier: 'owner', origin: 'mail', made_at: msOf(rule.since) },
    });
}

function budgetRows(database: SQLite.Database, persona: string): void {
  for (const day of Object.keys(records.costs.by_day)) {
    const own = records.runs.filter((one) => one.persona === persona && one.started.startsWith(day) && !isReal(one.id));
    const usd = own.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0);
    if (own.length > 0) into(database, 'budget_days', { day, usd, runs: own.length });
  }
}

const DECISIONS: Readonly<Record<string, string>> = {
  refused: 'refused',
  'dead letter': 'dead_letter',
  sent: 'sent',
  failed: 'failed',
};
const decisionOf = ({ fate }: Mail): string =>
  DECISIONS[fate] ?? (fate.startsWith('recorded') || fate.startsWith('accepted, read') ? 'recorded' : 'accepted');

function codeOf(mail: Mail): string | null {
  if (mail.fate === 'dead letter') return mail.id === 'm19' ? 'unparsable' : 'not_handed_over';
  if (mail.fate.startsWith('recorded')) return 'auto_submitted';
  if (mail.fate.startsWith('accepted, read')) return 'approval_answer';
  if (mail.fate !== 'refused') return null;
  if (mail.reason === 'the sender is blocked') return 'sender_denied';
  const refused = mail.proven ? 'sender_not_allowed' : 'auth_failed';
  return mail.code ?? (mail.persona === null ? 'unknown_recipient' : refused);
}

function detailOf(mail: Mail): string {
  if ('server_said' in mail && typeof mail.server_said === 'string') return mail.server_said;
  if (mail.fate === 'dead letter') return mail.reason ?? '';
  return mail.proven ? 'dmarc=pass dkim=pass spf=pass' : 'dmarc=fail dkim=none spf=none';
}

/** Where m28 lies. */
export const LIES_AT = { mailbox: 'main', uidvalidity: '7', uid: 1 } as const;

export const rawOf = (
  mail: Pick<Mail, 'id' | 'from' | 'to' | 'subject' | 'text' | 'time'>,
  more: readonly string[] = [],
) =>
  Buffer.from(
    [
      ...more,
      `From: ${mail.from}`,
      `To: ${[mail.to].flat().join(', ')}`,
      `Subject: ${mail.subject}`,
      `Message-ID: ${idOf(mail.id)}`,
      `Date: ${new Date(msOf(mail.time)).toUTCString().replace('GMT', '+0000')}`,
      ...['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', '', mail.text.replaceAll('\n', '\r\n'), ''],
    ].join('\r\n'),
  );

function seen(gateway: SQLite.Database, mail: Mail, data: string): void {
  const { id, direction, persona, from, subject, tier, run } = mail;
  const decision = decisionOf(mail);
  // Kept mail that a rule could let in is offered again at each start; of this nobody asks.
  const isKept = decision === 'refused' && mail.kept === true && id !== 'm01';
  const isDead = decision === 'dead_letter';
  const at = msOf(mail.time);
  into(gateway, 'seen', {
    ...{ message_id: idOf(id), persona_id: persona, direction, decision, tier: tier ?? null },
    ...{ recipient: [mail.to].flat()[0], from_address: from, subject: direction === 'out' ? '' : subject },
    ...{ received_at: at, detail: detailOf(mail), code: codeOf(mail) },
    ...{ run_id: direction === 'in' ? run : null, thread_id: run === null ? null : `t-${run}` },
    ...(id === 'm28' ? LIES_AT : {}),
    kept_sha256: isKept ? sha256(id) : null,
  });
  if (isDead) {
    const path = join(data, `${id}.eml`);
    if (id === 'm19') writeFileSync(path, rawOf(mail));
    into(gateway, 'dead_letters', {
      id: id === 'm28' ? placeKey(LIES_AT).slice(0, 40) : sha256(id).slice(0, 40),
      ...{ persona_id: persona, message_id: idOf(id), stage: 'fetch', code: codeOf(mail), message: detailOf(mail) },
      ...{ raw_path: id === 'm19' ? path : null, at },
    });
  }
  if (!isKept) return;
  const raw = rawOf(mail);
  into(gateway, 'refused_mail', {
    ...{ raw_sha256: sha256(id), message_id: idOf(id), at, bytes: raw.length, door: 'stranger', raw },
    ...{ recipients: JSON.stringify([mail.to].flat()) },
  });
}

function outbox(database: SQLite.Database, mail: Mail): void {
  const at = msOf(mail.time);
  const isFailed = mail.fate === 'failed';
  const said = 'server_said' in mail ? mail.server_said : '';
  into(database, 'outbox', {
    ...{ id: mail.id, run_id: mail.run ?? 'late', purpose: 'reply', kind: isFailed ? 'send_email' : 'notice' },
    ...{ message_id: idOf(mail.id), mailbox: null, envelope_from: mail.from, raw: rawOf(mail) },
    ...{ state: isFailed ? 'failed' : 'queued', attempts: 'tries' in mail ? mail.tries : 0, last_error: said },
    ...{ next_attempt_at: 'next_try' in mail ? msOf(mail.next_try as string) : at, created_at: at, updated_at: at },
  });
  into(database, 'outbox_recipients', {
    ...{ outbox_id: mail.id, address: [mail.to].flat()[0], state: isFailed ? 'failed' : 'queued', smtp: said },
  });
}

function message(database: SQLite.Database, mail: Mail): void {
  const { id, direction, from, subject, text, tier, run } = mail;
  const at = msOf(mail.time);
  thread(database, `t-${run}`, subject, at);
  into(database, 'messages', {
    ...{ id, thread_id: `t-${run}`, direction, message_id: idOf(id), from_address: from, subject },
    ...{ to_json: JSON.stringify([mail.to].flat()), text, new_text: text, received_at: at, tier: tier ?? null },
  });
  // Whom an owner has put there may go on there, as those who are known in records.json.
  if (tier === 'known')
    database
      .prepare('insert or ignore into thread_participants (thread_id, address, role) values (?, ?, ?)')
      .run(`t-${run}`, from, 'known');
}

function thread(database: SQLite.Database, id: string, subject: string, at: number, kind = 'thread'): void {
  if (!database.prepare('select 1 from threads where id = ?').get(id))
    into(database, 'threads', { id, kind, subject, created_at: at, updated_at: at });
}

function work(database: SQLite.Database, run: Run): void {
  const [begin, end] = [msOf(run.started), run.ended === null ? null : msOf(run.ended)];
  const mailId = run.mail ?? run.id;
  const thread_id = `t-${run.id}`;
  const task = records.tasks.find(({ id }) => id === run.task);
  thread(database, thread_id, task?.name ?? '', begin, 'task');
  if (run.mail === null) askedByTask(database, run, task?.name ?? '');
  const reply = records.mails.find(
    (mail) => mail.run === run.id && mail.direction === 'out' && [mail.to].flat().includes(run.asked_by ?? ''),
  );
  const [provider = null, model = null] = run.model_calls[0]?.model.split('/') ?? [];
  const sum = (of: 'tokens_in' | 'tokens_out') => run.model_calls.reduce((all, call) => all + call[of], 0);
  into(database, 'runs', {
    ...{ id: run.id, thread_id, message: mailId, message_id: idOf(mailId), sender: run.asked_by },
    ...{ tier: run.mail === null ? 'owner' : (records.mails.find(({ id }) => id === run.mail)?.tier ?? 'member') },
    ...{ kind: run.task === null ? 'message' : 'task', status: run.state, recursion: 3 },
    ...{ provider, model, model_calls: run.model_calls.length, tool_calls: run.tool_calls.length },
    ...{ input_tokens: sum('tokens_in'), output_tokens: sum('tokens_out'), cost_usd: Number(run.cost_usd) },
    ...{ created_at: begin, started_at: begin, ended_at: end, due_at: begin },
    ...{ reply_message_id: reply ? idOf(reply.id) : null, outcome: run.state === 'done' ? 'final' : null },
    ...{ code: run.state === 'failed' ? 'provider_setup' : null },
  });
  for (const [seq, { at, type, data }] of eventsOf(run).entries())
    into(database, 'run_events', { run_id: run.id, seq, type, v: 1, payload_json: JSON.stringify(data), at });
  if (task) timesOf(database, run, task);
}

/** What a task asks stands as a mail to its persona. */
function askedByTask(database: SQLite.Database, { id, started, persona }: Run, name: string): void {
  const row = { id, thread_id: `t-${id}`, direction: 'in', message_id: idOf(id), subject: name };
  const text = taskWords(name);
  into(database, 'messages', {
    ...{ ...row, received_at: msOf(started), date: msOf(started), text, new_text: text, run_id: id, tier: 'owner' },
    to_json: JSON.stringify([`${persona}@linden.example.org`]),
  });
}

function timesOf(database: SQLite.Database, run: Run, task: (typeof records.tasks)[number]): void {
  for (const time of task.history)
    if ('run' in time && time.run === run.id)
      into(database, 'task_times', {
        ...{ task: fileOf(task.name), due_at: msOf(time.due), decision: 'run', run_id: run.id },
        decided_at: msOf(run.started),
        snapshot_json: JSON.stringify({
          ...{ task: fileOf(task.name), name: task.name, due_at: msOf(time.due), timezone: records.time_zone },
          ...{ file_sha256: '', prompt_sha256: '', deliver: [task.made_by], sticky: false },
          ...{ condition: null, pinned: null, answer: null, previous: null },
        }),
      });
}

/** Who made it, who paused it, and the due times of which no run is told. */
function taskRows(database: SQLite.Database, task: (typeof records.tasks)[number]): void {
  const name = fileOf(task.name);
  const told = (event: string, by: string, at: string) =>
    into(database, 'audit_log', {
      ...{ id: sha256(`${task.id}${event}`).slice(0, 32), at: msOf(at), actor: by, event },
      detail_json: JSON.stringify({ task: name }),
    });
  told('task_added', task.made_by, task.made_at);
  if ('paused_at' in task && typeof task.paused_at === 'string')
    told('task_paused', task.paused_by as string, task.paused_at);
  for (const time of task.history)
    if (time.fate === 'missed')
      into(database, 'task_times', {
        ...{ task: name, due_at: msOf(time.due), decision: 'missed', code: 'late' },
        decided_at: msOf('2026-11-20T15:35:00+01:00'),
      });
}

export const fileOf = (name: string): string => name.toLowerCase().replaceAll(/\W+/g, '-');
/** What the task asks for. */
export const taskWords = (name: string): string => `${name}: write to me about it.`;

type Asked = (typeof records.questions)[number];

/** A question that somebody has decided. */
function asked(database: SQLite.Database, question: Asked): void {
  const [call] = question.calls;
  if (!call || !('decided_at' in question) || typeof question.decided_at !== 'string') return;
  const { tool, ...given } = call;
  const isChanged = 'change' in question;
  const text = 'text' in given ? String(given.text) : '';
  const body = isChanged ? text.replace('4,200 EUR', '4,350 EUR') : text;
  const args = JSON.stringify({
    body,
    subject: 'subject' in given ? given.subject : '',
    to: ['to' in given ? given.to : ''],
  });
  const [at, decided] = [msOf(question.asked_at), msOf(question.decided_at)];
  into(database, 'approvals', {
    ...{ id: question.id, run_id: question.run, thread_id: `t-${question.run}`, call_id: 'c9', kind: 'call', tool },
    ...{ arguments_json: args, arguments_hash: sha256(args), fingerprint: 'x', risk: 'write' },
    ...{ state: question.state === 'denied' ? 'rejected' : 'executed', expires_at: msOf(question.open_until) },
    ...{ decided_by: question.decided_by, decided_at: decided, reason: 'words' in question ? question.words : null },
    ...{ created_at: at, updated_at: decided },
  });
  const told = (event: string, when: number, detail: object) =>
    into(database, 'audit_log', {
      ...{ id: sha256(`${question.id}${event}`).slice(0, 32), at: when, actor: question.decided_by, event },
      ...{ run_id: question.run, approval_id: question.id, tool, detail_json: JSON.stringify(detail) },
    });
  if (isChanged) told('approval_edited', decided, {});
}
