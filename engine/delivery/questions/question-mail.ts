import { z } from 'zod';
import type { Persona } from '../../config/types.ts';
import { type Block, referencesFor, replySubject } from '../../mail/compose/compose.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import { question } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import { argumentsOf } from '../../storage/types/approvals.ts';
import type { OutgoingMail } from '../../storage/types/outbox.ts';
import { mailWords } from '../../wording/mails.ts';
import { noticeOf, remindersOf, writeOwnerMail } from '../notices/owner-mail.ts';
import type { ApprovalMailDeps } from './approval-mail.ts';
import { howToAnswer, visible } from './approval-text.ts';
import { answerAddress, choices, closing, remindAtOf } from './ask.ts';
import { headingOf, questionOf } from './call-blocks.ts';
import { describeParts, partOf } from './question-parts.ts';
import { freshAmong, originBlocks, type Request, requestBlocks, requestOf } from './requests.ts';

/**
 * Puts a question of a run before the owners, under a token of its own: all that is answered to it is the answer. An
 * owner who wrote the mail is asked in its thread, and nobody else is.
 */
export function createQuestionWriter(deps: ApprovalMailDeps): JobHandler {
  return handleJobs(question, async (persona, job, store) => {
    const { approval_id: id } = job.payload;
    const approval = await store.getApproval(id);
    const request = approval && (await requestOf(store, persona, approval.run_id));
    if (!request || approval.state !== 'pending' || approval.notice_id !== null) return store.endJob(job.id);
    const token = deps.ids.random(16);
    const write = approval.kind === 'plan' ? writePlan : writeQuestion;
    const mail = await write(deps, persona, { approval, request, token, store });
    const notice = noticeOf(deps, mail, token);
    await store.sendQuestion(notice, approval.id, mail, job.id, remindersOf(deps, notice));
  });
}

interface Asked {
  readonly approval: Approval;
  readonly request: Request;
  readonly token: string;
  readonly store: Store;
}

const planned = z.object({ steps: z.array(z.object({ tool: z.string(), arguments: z.record(z.string(), z.json()) })) });

/** A plan is decided as a whole, so its steps are numbered and the answer names none of them. */
async function writePlan(
  deps: ApprovalMailDeps,
  persona: Persona,
  { approval, request, token, store }: Asked,
): Promise<OutgoingMail> {
  const { language } = request;
  const [words, place, now] = [mailWords(language), { language, zone: persona.timezone }, deps.clock.now()];
  const steps = planned.parse(argumentsOf(approval)).steps.map(({ tool, arguments: args }) => ({ tool, args }));
  const described = await describeParts(
    [
      ...steps.map(({ tool, args }, index) => ({
        label: `step ${index + 1} `,
        ...{ tool, args, preview: null, attached: [] },
      })),
      { ...partOf(approval), tool: null, args: {} },
    ],
    deps.filesOf(persona.id).artifacts,
    { language, fresh: await freshAmong(store, steps) },
  );
  const subject = words.asks(persona.name, words.may.plan(steps.length));
  const { buttons, answers } = words;
  const text: Block[] = [
    ...requestBlocks(request, { persona, place, now }),
    { kind: 'text', text: words.would.plan(steps.length) },
    ...steps.flatMap((step, index): Block[] => [
      { kind: 'heading', text: headingOf(questionOf(step, words), `${words.labels.step} ${index + 1}:`) },
      ...(described.blocks[index] ?? []),
    ]),
    ...(described.blocks.at(-1) ?? []),
    ...(await originBlocks(store, approval.origins, language)),
    choices(answerAddress(persona, token), subject, [
      { label: buttons.approve, tone: 'go', body: answers.yes },
      { label: buttons.deny, tone: 'stop', body: answers.no },
    ]),
    ...howToAnswer([approval], language).map((line) => ({ kind: 'text', text: line }) as const),
    ...closing({ ...timesOf(deps, approval, now), token, tapping: true }, place),
  ];
  return writeOwnerMail(deps, persona, {
    kind: 'approval',
    purpose: `plan:${approval.id}`,
    ...{ subject, namesItself: true, text, language },
    files: described.files,
    replyTo: answerAddress(persona, token),
    headers: { 'X-Epistle-Approval': approval.id },
  });
}

const timesOf = (deps: ApprovalMailDeps, { expires_at }: Approval, now: number) => ({
  until: expires_at,
  remindAt: remindAtOf(deps.configs().security.approvals, now),
});

function writeQuestion(
  deps: ApprovalMailDeps,
  persona: Persona,
  { approval, request, token }: Asked,
): Promise<OutgoingMail> {
  const { run, message, language } = request;
  const [words, place, now] = [mailWords(language), { language, zone: persona.timezone }, deps.clock.now()];
  const { question } = argumentsOf(approval);
  const isOwn = persona.owners.some((owner) => matchesPattern(run.sender ?? '', owner));
  const text: Block[] = [
    // Whoever asked for it knows what they wrote.
    ...(isOwn ? [] : requestBlocks(request, { persona, place, now })),
    { kind: 'box', label: null, text: visible(String(question)), code: false },
    { kind: 'text', text: words.howQuestion },
    ...closing({ ...timesOf(deps, approval, now), token, tapping: false }, place),
  ];
  const mail = {
    kind: 'clarify',
    purpose: `question:${approval.id}`,
    ...{ text, language },
    replyTo: answerAddress(persona, token),
    headers: { 'X-Epistle-Approval': approval.id },
    runId: run.id,
  } as const;
  const to = message?.reply_to ?? message?.from_address;
  if (!isOwn || !message || !to) {
    return writeOwnerMail(deps, persona, { ...mail, subject: words.hasQuestion(persona.name), namesItself: true });
  }
  const references = referencesFor({
    messageId: message.message_id,
    references: message.references,
    inReplyTo: [],
  });
  const inThread = { threadId: run.thread_id, inReplyTo: message.message_id, references };
  return writeOwnerMail(deps, persona, { ...mail, subject: replySubject(message.subject), to: [to], inThread });
}
