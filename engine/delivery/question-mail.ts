import type { Persona } from '../config/types.ts';
import { iso } from '../lib/clock.ts';
import { matchesPattern } from '../mail/address.ts';
import { referencesFor, replySubject } from '../mail/compose.ts';
import type { ApprovalRow } from '../storage/approval-tables.ts';
import type { OutgoingMail, Store } from '../storage/store.ts';
import type { JobRow, MessageRow, RunRow } from '../storage/tables.ts';
import type { ApprovalMailDeps } from './approval-mail.ts';
import { describeOrigins, howToAnswer, visible } from './approval-text.ts';
import { noticeOf, type OwnerMailDeps, remindersOf, writeOwnerMail } from './owner-mail.ts';
import { describeParts, partOf } from './question-parts.ts';

/**
 * Puts a question of a run before the owners, under a token of its own: all that is answered to it is the answer. An
 * owner who wrote the mail is asked in its thread, and nobody else is.
 */
export function createQuestionWriter(deps: ApprovalMailDeps) {
  return async (persona: Persona, job: JobRow, store: Store): Promise<void> => {
    const { approval_id: id } = JSON.parse(job.payload_json) as { approval_id: string };
    const approval = await store.getApproval(id);
    const run = approval && (await store.getRun(approval.run_id));
    if (!run || approval.state !== 'pending' || approval.notice_id !== null) return store.endJob(job.id);
    const message = await store.messageById(run.message);
    const token = deps.ids.random(16);
    const write = approval.kind === 'plan' ? writePlan : writeQuestion;
    const mail = await write(deps, persona, { approval, run, message, token });
    const notice = noticeOf(deps, mail, token);
    await store.sendQuestion(notice, approval.id, mail, job.id, remindersOf(deps, notice));
  };
}

/** A plan is decided as a whole, so its steps are numbered and the answer names none of them. */
async function writePlan(
  deps: ApprovalMailDeps,
  persona: Persona,
  { approval, token }: { approval: ApprovalRow; token: string },
): Promise<OutgoingMail> {
  const { steps } = JSON.parse(approval.arguments_json) as { steps: readonly { tool: string; arguments: object }[] };
  const described = await describeParts(
    [
      ...steps.map((step, index) => ({
        label: `step ${index + 1} `,
        argumentsJson: JSON.stringify(step.arguments),
        preview: null,
        attached: [],
      })),
      { ...partOf(approval), argumentsJson: '{}' },
    ],
    deps.filesOf(persona.id).artifacts,
  );
  const text = [
    `${persona.name} wants to do the following, in this order, and needs your approval.`,
    '',
    ...steps.flatMap((step, index) => [`**${index + 1}. ${step.tool}**`, '', ...(described.lines[index] ?? []), '']),
    ...(described.lines.at(-1) ?? []),
    ...describeOrigins(approval.origins_json),
    `Open until ${iso(approval.expires_at)}; after that it is not done.`,
    '',
    ...howToAnswer([approval]),
  ];
  return writeOwnerMail(deps, persona, {
    kind: 'approval',
    purpose: `plan:${approval.id}`,
    subject: `Approve a plan of ${steps.length} steps? [ok-${token}]`,
    text: text.join('\n'),
    files: described.files,
    replyTo: persona.address.replace('@', `+ok-${token}@`),
    headers: { 'X-Epistle-Approval': approval.id },
  });
}

function writeQuestion(
  deps: OwnerMailDeps,
  persona: Persona,
  about: { approval: ApprovalRow; run: RunRow; message: MessageRow | undefined; token: string },
): Promise<OutgoingMail> {
  const { approval, run, message, token } = about;
  const { question } = JSON.parse(approval.arguments_json) as { question: string };
  const isOwn = persona.owners.some((owner) => matchesPattern(run.sender ?? '', owner));
  const lines = [
    visible(question),
    '',
    ...(isOwn || !message
      ? []
      : [`It is about the mail "${visible(message.subject)}" of ${message.from_address}.`, '']),
    `Answer this mail in your own words; what you write is handed on as it is. Open until ${iso(approval.expires_at)}.`,
  ];
  const mail = {
    kind: 'clarify',
    purpose: `question:${approval.id}`,
    text: lines.join('\n'),
    replyTo: persona.address.replace('@', `+ok-${token}@`),
    headers: { 'X-Epistle-Approval': approval.id },
    runId: run.id,
  } as const;
  const to = message?.reply_to ?? message?.from_address;
  if (!isOwn || !message || !to) {
    return writeOwnerMail(deps, persona, { ...mail, subject: `A question [ok-${token}]` });
  }
  const references = referencesFor({
    messageId: message.message_id,
    references: JSON.parse(message.references_json) as string[],
    inReplyTo: [],
  });
  const inThread = { threadId: run.thread_id, inReplyTo: message.message_id, references };
  return writeOwnerMail(deps, persona, { ...mail, subject: replySubject(message.subject), to: [to], inThread });
}
