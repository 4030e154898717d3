import type { Persona } from '../config/types.ts';
import { iso } from '../lib/clock.ts';
import { sha256 } from '../lib/ids.ts';
import { asksForSilence } from '../mail/classify.ts';
import { composeMail, referencesFor, replySubject } from '../mail/compose.ts';
import { readHeaders } from '../mail/mime/headers.ts';
import type { Blobs } from '../storage/blobs.ts';
import { queuedMail } from '../storage/queued-mail.ts';
import type { Store } from '../storage/store.ts';
import type { JobRow } from '../storage/tables.ts';
import { howToAnswer, noticeText, subjectOf } from './approval-text.ts';
import { noticeOf, type OwnerMailDeps, remindersOf, writeOwnerMail } from './owner-mail.ts';
import { describeParts, partOf } from './question-parts.ts';

export interface ApprovalMailDeps extends OwnerMailDeps {
  filesOf(personaId: string): { readonly [Folder in 'mail' | 'artifacts']: Pick<Blobs, 'get'> };
}

/** Writes one notice about every held call that is in none yet, numbered, under a token of its own. */
export function createApprovalNoticeWriter(deps: ApprovalMailDeps) {
  return async (persona: Persona, job: JobRow, store: Store): Promise<void> => {
    const waiting = await store.unnoticedApprovals();
    if (waiting.length === 0) return store.endNoticeJob(job.id);
    const token = deps.ids.random(16);
    const several = waiting.length > 1;
    const parts = waiting.map((approval, index) => partOf(approval, several ? `${index + 1} ` : ''));
    const { lines, files } = await describeParts(parts, deps.filesOf(persona.id).artifacts);
    const items = waiting.map((approval, index) => ({ approval, number: index + 1, lines: lines[index] ?? [] }));
    const mail = await writeOwnerMail(deps, persona, {
      kind: 'approval',
      purpose: `approval:${sha256(token).slice(0, 32)}`,
      subject: `${subjectOf(waiting)} [ok-${token}]`,
      text: noticeText(items, persona),
      files,
      replyTo: persona.address.replace('@', `+ok-${token}@`),
      headers: { 'X-Epistle-Approval': waiting.map(({ id }) => id).join(', ') },
    });
    const notice = noticeOf(deps, mail, token);
    await store.sendApprovalNotice(
      notice,
      items.map(({ approval, number }) => ({ id: approval.id, number })),
      mail,
      job.id,
      remindersOf(deps, notice),
      notice.created_at + deps.configs().security.approvals.batch_window_s * 1000,
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
      ...howToAnswer(found.items),
      'What exactly it is stands in the first mail about it; `epistle approvals list` shows it, too.',
    ].join('\n');
    const mail = await writeOwnerMail(deps, persona, {
      kind: 'notice',
      purpose: job.id,
      subject: 'Still waiting for your answer',
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
    if (await wantsSilence(deps.filesOf(persona.id).mail, message.raw_sha256)) return store.endJob(job.id);
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
      row: queuedMail({
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

/** The sender's server asks for no notices (X-Auto-Response-Suppress); the answer itself still comes. */
export async function wantsSilence(mail: Pick<Blobs, 'get'>, rawSha256: string | null): Promise<boolean> {
  if (rawSha256 === null) return false;
  const raw = await mail.get(rawSha256);
  return asksForSilence(readHeaders(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)).lines);
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
      ...(items.some(({ state }) => state === 'pending') ? howToAnswer(items) : []),
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
    await store.queueAboutNotice(about, job.id, await writeOwnerMail(deps, persona, mail));
  };
}
