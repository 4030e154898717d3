import { EngineError } from '#contract';
import type { Configs, Persona } from '../config/types.ts';
import { type Clock, iso } from '../lib/clock.ts';
import { type Ids, sha256 } from '../lib/ids.ts';
import { composeMail, referencesFor, replySubject } from '../mail/compose.ts';
import type { OutgoingMail, Store } from '../storage/store.ts';
import type { JobRow, MailKind } from '../storage/tables.ts';
import { howToAnswer, noticeText, subjectOf } from './approval-text.ts';

export interface ApprovalMailDeps {
  configs(): Configs;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Writes one notice about every held call that is in none yet, numbered, under a token of its own. */
export function createApprovalNoticeWriter(deps: ApprovalMailDeps) {
  return async (persona: Persona, job: JobRow, store: Store): Promise<void> => {
    const waiting = await store.unnoticedApprovals();
    if (waiting.length === 0) return store.endNoticeJob(job.id);
    const now = deps.clock.now();
    const token = deps.ids.random(16);
    const items = waiting.map((approval, index) => ({ approval, number: index + 1 }));
    const mail = await writeMail(deps, persona, {
      kind: 'approval',
      purpose: `approval:${sha256(token).slice(0, 32)}`,
      subject: `${subjectOf(waiting)} [ok-${token}]`,
      text: noticeText(items, persona),
      replyTo: persona.address.replace('@', `+ok-${token}@`),
      headers: { 'X-Epistle-Approval': waiting.map(({ id }) => id).join(', ') },
    });
    const id = deps.ids.next();
    const notice = {
      id,
      token_sha256: sha256(token),
      message_id: mail.row.message_id,
      created_at: now,
      reminded_at: null,
      clarified_at: null,
    };
    const remindMs = deps.configs().security.approvals.reminder_hours * 3_600_000;
    const reminder = {
      id: `approval_reminder:${id}`,
      kind: 'approval_reminder' as const,
      due_at: now + remindMs,
      payload: { notice_id: id },
    };
    await store.sendApprovalNotice(
      notice,
      items.map(({ approval, number }) => ({ id: approval.id, number })),
      mail,
      job.id,
      remindMs > 0 ? [reminder] : [],
    );
  };
}

/** Once per notice, while something of it is still open. The token is not known any more, so the first mail is named. */
export function createApprovalReminder(deps: ApprovalMailDeps) {
  return async (persona: Persona, job: JobRow, store: Store): Promise<void> => {
    const { notice_id: noticeId } = JSON.parse(job.payload_json) as { notice_id: string };
    const found = await store.findNotice({ id: noticeId });
    const open = (found?.items ?? []).filter(({ state }) => state === 'pending');
    if (!found || open.length === 0 || found.notice.reminded_at !== null) return store.endJob(job.id);
    const text = [
      `${open.length === 1 ? 'A call is' : `${open.length} calls are`} still waiting for your answer:`,
      '',
      ...open.map((approval) => `- ${approval.number}: ${approval.tool}, until ${iso(approval.expires_at)}`),
      '',
      ...howToAnswer(found.items.length),
      'What exactly it is stands in the first mail about it; `epistle approvals list` shows it, too.',
    ].join('\n');
    const mail = await writeMail(deps, persona, {
      kind: 'notice',
      purpose: job.id,
      subject: 'Still waiting for your approval',
      text,
      replyTo: null,
      headers: {},
      about: found.notice.message_id,
    });
    await store.queueAboutNotice({ id: noticeId, column: 'reminded_at', now: deps.clock.now() }, job.id, mail);
  };
}

/** Tells the person who asked that somebody else has to agree first; at most once per run. */
export function createWaitNoticeWriter(deps: ApprovalMailDeps) {
  return async (persona: Persona, job: JobRow, store: Store): Promise<void> => {
    const { run_id: runId } = JSON.parse(job.payload_json) as { run_id: string };
    const run = await store.getRun(runId);
    const message = run && (await store.messageById(run.message));
    const to = message?.reply_to ?? message?.from_address;
    if (run?.status !== 'waiting_approval' || !message || !to) return store.endJob(job.id);
    const now = deps.clock.now();
    const id = deps.ids.next();
    const messageId = `<${id}@${deps.configs().gateway.domain}>`;
    const raw = await composeMail({
      from: { name: persona.name, address: persona.address },
      to: [{ name: '', address: to }],
      cc: [],
      subject: replySubject(message.subject),
      messageId,
      inReplyTo: message.message_id,
      references: referencesFor({
        messageId: message.message_id,
        references: JSON.parse(message.references_json) as string[],
        inReplyTo: [],
      }),
      date: now,
      kind: 'wait',
      runId,
      autoSubmitted: 'auto-generated',
      replyTo: null,
      recursion: null,
      text: 'Part of what you asked for needs the approval of my owner, whom I have asked. You will get my answer when it is decided.',
      personaName: persona.name,
      quote: null,
      attachments: [],
      extraHeaders: {},
    });
    await store.queueNotice(job.id, {
      row: rowOf({
        id,
        messageId,
        runId,
        purpose: 'wait',
        kind: 'wait',
        inReplyTo: message.message_id,
        threadId: run.thread_id,
        raw,
        now,
        persona,
      }),
      recipients: [to],
    });
  };
}

/** One mail per notice when an answer could not be acted on: what is open and which words are understood. */
export function createClarifier(deps: ApprovalMailDeps) {
  return async (persona: Persona, job: JobRow, store: Store): Promise<void> => {
    const {
      to,
      why,
      notice_id: noticeId,
    } = JSON.parse(job.payload_json) as { to: string; why: string; notice_id: string };
    const found = await store.findNotice({ id: noticeId });
    if (!found || found.notice.clarified_at !== null) return store.endJob(job.id);
    const { items } = found;
    const text = [
      `I could not act on your answer: ${why}.`,
      '',
      ...items.map(({ number, tool, state }) => `- ${number}: ${tool} is ${state}`),
      '',
      ...(items.some(({ state }) => state === 'pending') ? howToAnswer(items.length) : []),
    ].join('\n');
    const mail = {
      kind: 'clarify',
      purpose: job.id,
      subject: 'About your answer',
      text,
      replyTo: null,
      headers: {},
      to: [to],
      about: found.notice.message_id,
    } as const;
    const about = { id: noticeId, column: 'clarified_at', now: deps.clock.now() } as const;
    await store.queueAboutNotice(about, job.id, await writeMail(deps, persona, mail));
  };
}

async function writeMail(
  deps: ApprovalMailDeps,
  persona: Persona,
  mail: {
    kind: MailKind;
    purpose: string;
    subject: string;
    text: string;
    replyTo: string | null;
    headers: Readonly<Record<string, string>>;
    to?: readonly string[];
    /** The notice that this mail is about. Who answers this mail answers the notice, found by its References. */
    about?: string;
  },
): Promise<OutgoingMail> {
  const { gateway, system } = deps.configs();
  const admins = system.admin_contact === null ? [] : [system.admin_contact];
  const recipients = mail.to ?? (persona.owners.length > 0 ? persona.owners : admins);
  if (recipients.length === 0) throw new EngineError('not_found', `${persona.id} has no owner who could be asked`);
  const now = deps.clock.now();
  const id = deps.ids.next();
  const messageId = `<${id}@${gateway.domain}>`;
  const raw = await composeMail({
    from: { name: persona.name, address: persona.address },
    to: recipients.map((address) => ({ name: '', address })),
    cc: [],
    subject: `[${persona.name}] ${mail.subject}`,
    messageId,
    inReplyTo: mail.about ?? null,
    references: mail.about === undefined ? [] : [mail.about],
    date: now,
    kind: mail.kind,
    runId: null,
    autoSubmitted: 'auto-generated',
    replyTo: mail.replyTo,
    recursion: null,
    text: mail.text,
    personaName: persona.name,
    quote: null,
    attachments: [],
    extraHeaders: mail.headers,
  });
  return {
    row: rowOf({
      id,
      messageId,
      runId: '',
      purpose: mail.purpose,
      kind: mail.kind,
      inReplyTo: null,
      threadId: null,
      raw,
      now,
      persona,
    }),
    recipients: [...recipients],
  };
}

function rowOf(mail: {
  id: string;
  messageId: string;
  runId: string;
  purpose: string;
  kind: MailKind;
  inReplyTo: string | null;
  threadId: string | null;
  raw: Uint8Array;
  now: number;
  persona: Persona;
}): OutgoingMail['row'] {
  return {
    id: mail.id,
    run_id: mail.runId,
    purpose: mail.purpose,
    ordinal: 0,
    thread_id: mail.threadId,
    message_id: mail.messageId,
    in_reply_to: mail.inReplyTo,
    kind: mail.kind,
    mailbox: mail.persona.mailbox,
    envelope_from: mail.persona.address,
    raw: mail.raw,
    state: 'queued',
    leased_by: null,
    next_attempt_at: mail.now,
    unknown_since: null,
    last_error: null,
    created_at: mail.now,
    updated_at: mail.now,
  };
}
