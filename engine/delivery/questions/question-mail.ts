import type { Persona } from '../../config/types.ts';
import { languageOfOwner, ownWordsIn } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import { type LetterBlock, referencesFor, replySubject } from '../../mail/compose/compose.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import { question } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import { argumentsOf } from '../../storage/types/approvals.ts';
import type { OutgoingMail } from '../../storage/types/outbox.ts';
import type { OwnMail } from '../../suspensions/kind.ts';
import { askedKind } from '../../suspensions/kinds.ts';
import { stepsIn } from '../../suspensions/members.ts';
import { type MailToOwner, noticeOf, readersOf, remindersOf, writeInEach } from '../notices/owner-mail.ts';
import type { ApprovalMailDeps } from './approval-mail.ts';
import { answerAddress, choices, closing, howToAnswer, remindAtOf, visible } from './approval-text.ts';
import { headingOf, planQuestion, stepHeading } from './call-blocks.ts';
import type { Enclosed } from './enclosures.ts';
import { describeParts, partOf } from './question-parts.ts';
import {
  freshAmong,
  helperBlocks,
  originBlocks,
  type Request,
  readersAbout,
  requestBlocks,
  requestOf,
} from './requests.ts';

/**
 * Puts what one run asks before the owners, in a mail of its own under a token of its own: all that is answered to it is
 * the answer. An owner who wrote the mail is asked for words in its thread, and nobody else is.
 */
export function createQuestionWriter(deps: ApprovalMailDeps): JobHandler {
  return handleJobs(question, async (persona, job, store) => {
    const { approval_id: id } = job.payload;
    const approval = await store.getApproval(id);
    const request = approval && (await requestOf(store, persona, approval.run_id));
    const own = approval && askedKind(approval).mail;
    if (!request || !own || approval.state !== 'pending' || approval.notice_id !== null) return store.endJob(job.id);
    const token = deps.ids.random(16);
    const mail = await writeQuestion(deps, persona, { approval, own, request, token, store });
    const notice = noticeOf(deps, mail, token);
    await store.sendQuestion(notice, approval.id, mail, job.id, remindersOf(deps, notice));
  });
}

interface Asked {
  readonly approval: Approval;
  readonly own: OwnMail;
  readonly request: Request;
  readonly token: string;
  readonly store: Store;
}

async function writeQuestion(deps: ApprovalMailDeps, persona: Persona, asked: Asked): Promise<OutgoingMail> {
  const { approval, request, store } = asked;
  const inThread = askedKind(approval).answeredBy === 'words' ? threadOf(persona, request) : null;
  const { sender } = request.run;
  const readers =
    inThread === null
      ? await readersAbout(store, persona, { readers: readersOf(deps, persona), request })
      : [{ language: await languageOfOwner(store, persona, sender ?? '', ownWordsIn(request)), to: inThread.to }];
  return writeInEach(deps, persona, readers, (asking) => questionTo(deps, asking, { ...asked, inThread }));
}

async function questionTo(
  deps: ApprovalMailDeps,
  persona: Persona,
  { inThread, ...asked }: Asked & { readonly inThread: InThread | null },
): Promise<MailToOwner> {
  const { approval, own, request, token, store } = asked;
  const { language } = persona;
  const [place, now] = [{ language, zone: persona.timezone }, deps.clock.now()];
  const [kind, args] = [askedKind(approval), argumentsOf(approval)];
  const wantsWords = kind.answeredBy === 'words';
  const calls = kind.bySteps ? stepsIn(args).map((step) => step.arguments) : [args];
  const question = kind.bySteps ? planQuestion(stepsIn(args), language) : null;
  const asks = question === null ? null : say(language, 'mails.asks', { name: persona.name, question });
  const subject = inThread?.subject ?? asks ?? own.subject(language, persona.name, args);
  const opening = own.opening(language, args);
  const said = kind.question(args);
  const shown = await stepBlocks(deps, persona, asked);
  const to = answerAddress(persona, token);
  const text: LetterBlock[] = [
    ...(question === null ? [] : [{ kind: 'heading', text: headingOf(question, null) } as const]),
    ...(said === null ? [] : [{ kind: 'box', label: null, text: visible(said), code: false } as const]),
    ...(await originBlocks(store, approval, language)),
    ...(wantsWords
      ? []
      : [
          choices(to, subject, [
            { label: say(language, 'mails.buttons.approve'), tone: 'go', body: say(language, 'mails.answers.yes') },
            { label: say(language, 'mails.buttons.deny'), tone: 'stop', body: say(language, 'mails.answers.no') },
          ]),
        ]),
    { kind: 'text', text: howToAnswer([approval], language) },
    // Whoever asked for it knows what they wrote.
    ...(wantsWords && isOwn(persona, request) ? [] : requestBlocks(request, { persona, place, now, calls })),
    ...helperBlocks(request, language),
    ...(opening === null ? [] : [{ kind: 'text', text: opening } as const]),
    ...shown.blocks,
    ...closing({ ...timesOf(deps, approval, now), token, tapping: !wantsWords }, place),
  ];
  return {
    kind: wantsWords ? 'clarify' : 'approval',
    purpose: `${own.purpose}:${approval.id}`,
    text,
    files: shown.files,
    replyTo: to,
    headers: { 'X-Epistle-Approval': approval.id },
    ...(wantsWords ? { runId: request.run.id } : {}),
    ...(inThread === null ? { subject, namesItself: true } : { subject, inThread: inThread.inThread }),
  };
}

/** A plan is decided as a whole, so its steps are numbered and the answer names none of them. */
async function stepBlocks(
  deps: ApprovalMailDeps,
  persona: Persona,
  { approval, store }: Asked,
): Promise<{ readonly blocks: readonly LetterBlock[]; readonly files: readonly Enclosed[] }> {
  const { language } = persona;
  const steps = askedKind(approval).bySteps ? stepsIn(argumentsOf(approval)) : [];
  const calls = steps.map(({ tool, arguments: args }) => ({ tool, args }));
  const described = await describeParts(
    [
      ...calls.map((call, index) => ({ label: `step ${index + 1} `, ...call, preview: null, attached: [] })),
      { ...partOf(approval), tool: null, args: {} },
    ],
    deps.filesOf(persona.id).artifacts,
    { language, fresh: await freshAmong(store, calls) },
  );
  const blocks = calls.flatMap((call, index): LetterBlock[] => [
    { kind: 'heading', text: stepHeading(call, index, language) },
    ...(described.blocks[index] ?? []),
  ]);
  return { blocks: [...blocks, ...(described.blocks.at(-1) ?? [])], files: described.files };
}

const timesOf = (deps: ApprovalMailDeps, { expires_at }: Approval, now: number) => ({
  until: expires_at,
  remindAt: remindAtOf(deps.configs().security.approvals, now),
});

const isOwn = (persona: Persona, { run }: Request): boolean =>
  persona.owners.some((owner) => matchesPattern(run.sender ?? '', owner));

type InThread = Required<Pick<MailToOwner, 'to' | 'inThread'>> & Pick<MailToOwner, 'subject'>;

/** The thread of the mail, if the owner who is asked wrote it; null for anybody else's mail. */
function threadOf(persona: Persona, request: Request): InThread | null {
  const { run, message } = request;
  const to = message?.reply_to ?? message?.from_address;
  if (!isOwn(persona, request) || !message || !to) return null;
  const references = referencesFor({ messageId: message.message_id, references: message.references, inReplyTo: [] });
  return {
    subject: replySubject(message.subject),
    to: [to],
    inThread: { threadId: run.thread_id, inReplyTo: message.message_id, references },
  };
}
