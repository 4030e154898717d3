import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { dayAndTime, type ReaderLocale } from '../../languages/times.ts';
import { sha256 } from '../../lib/ids.ts';
import { HOUR_MS } from '../../lib/time.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { matchesPattern } from '../../mail/mime/address.ts';
import { approvalNotice, approvalNoticeJob } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import { argumentsOf, type Likeness, likenessIn } from '../../storage/types/approvals.ts';
import { askedKind } from '../../suspensions/kinds.ts';
import { stepsIn } from '../../suspensions/members.ts';
import { likenessInWords, mayOffer, YESES_BEFORE_OFFER } from '../../suspensions/offered.ts';
import {
  approvalReminder,
  noticeOf,
  type OwnerMailDeps,
  readersOf,
  remindersOf,
  writeInEach,
} from '../notices/owner-mail.ts';
import { answerAddress, choices, closing, howToAnswer, inLine, remindAtOf, visible } from './approval-text.ts';
import { headingOf, planQuestion, questionOf, questionOfAll, sentenceOf } from './call-blocks.ts';
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

export interface ApprovalMailDeps extends OwnerMailDeps {
  filesOf(personaId: string): { readonly [Folder in 'mail' | 'artifacts']: Pick<Blobs, 'get'> };
}

/**
 * Writes one notice about the held calls of a run, numbered, under a token of its own. Whoever can have calls held could
 * have thousands of them held: what is more than owners can look at in an hour is gathered into one mail for all runs.
 */
export function createApprovalNoticeWriter(deps: ApprovalMailDeps): JobHandler {
  return handleJobs(approvalNotice, async (persona, job, store) => {
    const { run_id: runId = null } = job.payload;
    const waiting = await store.unnoticedApprovals(runId);
    if (waiting.length === 0) return store.endNoticeJob(job.id, runId);
    const gatherMs = runId === null ? 0 : await gathersFor(deps, store, runId, waiting);
    if (gatherMs > 0) return store.delayJob(job.id, deps.clock.now() + gatherMs);
    const later = runId === null ? null : await laterNotice(deps, store);
    if (later !== null) {
      await store.addJobs([approvalNoticeJob(null, later)]);
      return store.endJob(job.id);
    }
    const token = deps.ids.random(16);
    const requests = await requestsOf(store, persona, waiting);
    const request = requests.get(waiting[0]?.run_id ?? '') ?? null;
    const readers = await readersAbout(store, persona, { readers: readersOf(deps, persona), request });
    const offered = await offeredBy(deps, store, { persona, waiting, request });
    const mail = await writeInEach(deps, persona, readers, async (asking) => ({
      kind: 'approval',
      purpose: `approval:${sha256(token).slice(0, 32)}`,
      ...(await writeQuestions(deps, asking, store, { waiting, requests, token, offered })),
      namesItself: true,
      replyTo: answerAddress(persona, token),
      headers: { 'X-Epistle-Approval': waiting.map(({ id }) => id).join(', ') },
    }));
    const notice = noticeOf(deps, mail, token);
    const nextAt = notice.created_at + deps.configs().security.approvals.batch_window_s * 1000;
    await store.sendApprovalNotice(
      notice,
      waiting.map(({ id }, index) => ({
        id,
        number: index + 1,
        ...(offered === null ? {} : { offers: true as const }),
      })),
      mail,
      { id: job.id, runId, again: approvalNoticeJob(runId, nextAt) },
      remindersOf(deps, notice),
    );
  });
}

const GATHER_MS = 10_000;
const LOOK_MS = 500;

/** How long what child runs ask for waits for what others beside them may ask for: they work at the same time. */
async function gathersFor(
  { clock }: ApprovalMailDeps,
  store: Store,
  runId: string,
  waiting: readonly Approval[],
): Promise<number> {
  const since = Math.min(...waiting.map(({ created_at }) => created_at));
  if (waiting.every(({ run_id: id }) => id === runId) || clock.now() - since >= GATHER_MS) return 0;
  return (await store.worksBelow(runId)) ? LOOK_MS : 0;
}

/** Rules that were ended lately are among so many. */
const RULES_LOOKED_AT = 1000;

/** By what the call is like those that may go without a question from now on; null: the mail offers nothing. */
async function offeredBy(
  { configs, clock }: ApprovalMailDeps,
  store: Store,
  asked: { readonly persona: Persona; readonly waiting: readonly Approval[]; readonly request: Request | null },
): Promise<Likeness | null> {
  const [only, ...others] = asked.waiting;
  const likeness = only?.likeness ?? null;
  // Of several things it would not be clear which of them such an answer is about.
  if (!only || others.length > 0 || likeness === null || only.teaches !== 1) return null;
  const run = configs().security.approvals.offer_rule ? await store.getRun(only.run_id) : undefined;
  if (!run) return null;
  const before = await store.likeQuestions({ likeness, limit: YESES_BEFORE_OFFER });
  if (before.length < YESES_BEFORE_OFFER) return null;
  const now = clock.now();
  const rules = await store.listRules({ all: true, limit: RULES_LOOKED_AT, now });
  const isOwner = (address: string): boolean => asked.persona.owners.some((owner) => matchesPattern(address, owner));
  return mayOffer({ ...only, tier: run.tier }, { before, rules, isOwner, now }) ? likenessIn(likeness) : null;
}

const AT_ONCE_PER_HOUR = 20;

/** When what is held now can be told of, where so much was told in the last hour that it has to be gathered. */
async function laterNotice({ configs, clock }: ApprovalMailDeps, store: Store): Promise<number | null> {
  const newest = await store.newestNotices(AT_ONCE_PER_HOUR);
  const [last = 0, oldest] = [newest[0], newest[AT_ONCE_PER_HOUR - 1]];
  const now = clock.now();
  const windowMs = configs().security.approvals.batch_window_s * 1000;
  // Those that a clock dated which was ahead are of no hour that can be waited for.
  if (oldest === undefined || Math.abs(now - oldest) >= HOUR_MS || windowMs === 0) return null;
  return Math.max(now, Math.min(last, now) + windowMs);
}

async function writeQuestions(
  deps: ApprovalMailDeps,
  persona: Persona,
  store: Store,
  asked: {
    readonly waiting: readonly Approval[];
    readonly requests: ReadonlyMap<string, Request>;
    readonly token: string;
    readonly offered: Likeness | null;
  },
) {
  const { waiting, requests, token, offered } = asked;
  const { language } = persona;
  const place = { language, zone: persona.timezone };
  const several = waiting.length > 1;
  const calls = waiting.map((approval) => ({ tool: approval.tool, args: argumentsOf(approval) }));
  const questions = calls.map((call) => questionOf(call, language));
  const question = several
    ? (questionOfAll(calls, language) ?? say(language, 'mails.may.several', { count: waiting.length }))
    : (questions[0] ?? '');
  const subject = say(language, 'mails.asks', { name: persona.name, question });
  const fresh = await freshAmong(store, calls);
  const parts = waiting.map((approval, index) => partOf(approval, several ? `${index + 1} ` : ''));
  const described = await describeParts(parts, deps.filesOf(persona.id).artifacts, { language, fresh });
  const to = answerAddress(persona, token);
  const now = deps.clock.now();
  const answers = choices(to, subject, [
    {
      label: several ? say(language, 'mails.buttons.approveAll') : say(language, 'mails.buttons.approve'),
      tone: 'go',
      body: several ? say(language, 'mails.answers.yesToAll') : say(language, 'mails.answers.yes'),
    },
    ...(offered === null
      ? []
      : [
          {
            label: say(language, 'mails.buttons.fromNowOn'),
            tone: 'go' as const,
            body: say(language, 'mails.answers.fromNowOn'),
          },
        ]),
    {
      label: several ? say(language, 'mails.buttons.denyAll') : say(language, 'mails.buttons.deny'),
      tone: 'stop',
      body: several ? say(language, 'mails.answers.noToAll') : say(language, 'mails.answers.no'),
    },
  ]);
  // On a phone the first screen is what is read: the question, what is doubtful about it, and how to answer.
  const text: LetterBlock[] = [
    { kind: 'heading', text: headingOf(question, null) },
    ...(several ? [] : await originBlocks(store, waiting[0], language)),
    answers,
    { kind: 'text', text: howToAnswer(waiting, language) },
    ...(offered === null ? [] : [{ kind: 'text', text: howFromNowOn(offered, language) } as const]),
  ];
  for (const [index, approval] of waiting.entries()) {
    text.push(...whoBlocks(requests, waiting, index, { persona, place, now, language }));
    const call = { tool: approval.tool, args: argumentsOf(approval) };
    const number = index + 1;
    const said = sentenceOf(call, language);
    if (several) {
      text.push(
        { kind: 'heading', text: headingOf(questions[index] ?? '', `${number}.`) },
        ...(await originBlocks(store, approval, language)),
        choices(to, subject, [
          {
            label: `${say(language, 'mails.buttons.approve')} ${number}`,
            tone: 'go',
            body: `${say(language, 'mails.answers.yes')} ${number}`,
          },
          {
            label: `${say(language, 'mails.buttons.deny')} ${number}`,
            tone: 'stop',
            body: `${say(language, 'mails.answers.no')} ${number}`,
          },
        ]),
      );
    } else if (said !== null) text.push({ kind: 'text', text: said });
    text.push(...(described.blocks[index] ?? []));
  }
  text.push(...closing({ ...timesOf(deps, waiting), token, tapping: true }, place));
  return { subject, text, files: described.files };
}

const howFromNowOn = (offered: Likeness, language: Language): string =>
  say(language, 'mails.howFromNowOn', {
    answer: say(language, 'mails.answers.fromNowOn'),
    what: visible(likenessInWords(offered, language)),
  });

/** Whose request it is, before the first call of each run, and that a helper asks. */
function whoBlocks(
  requests: ReadonlyMap<string, Request>,
  waiting: readonly Approval[],
  index: number,
  { language, ...shown }: Omit<Parameters<typeof requestBlocks>[1], 'calls'> & { readonly language: Language },
): LetterBlock[] {
  const [before, id = ''] = [waiting[index - 1]?.run_id ?? '', waiting[index]?.run_id];
  const request = requests.get(id);
  if (!request || id === before) return [];
  const isFirst = request.run.id !== requests.get(before)?.run.id;
  const calls = waiting.filter(({ run_id }) => run_id === id).map(argumentsOf);
  return [...(isFirst ? requestBlocks(request, { ...shown, calls }) : []), ...helperBlocks(request, language)];
}

const timesOf = (deps: ApprovalMailDeps, waiting: readonly Approval[]) => ({
  until: Math.min(...waiting.map(({ expires_at }) => expires_at)),
  remindAt: remindAtOf(deps.configs().security.approvals, deps.clock.now()),
});

async function requestsOf(
  store: Store,
  persona: Persona,
  waiting: readonly Approval[],
): Promise<ReadonlyMap<string, Request>> {
  const requests = new Map<string, Request>();
  for (const { run_id: id } of waiting) {
    if (requests.has(id)) continue;
    const request = await requestOf(store, persona, id);
    if (request) requests.set(id, request);
  }
  return requests;
}

/** Once per notice, while something of it is still open. The token is not known any more, so the first mail is named. */
export function createApprovalReminder(deps: ApprovalMailDeps): JobHandler {
  return handleJobs(approvalReminder, async (persona, job, store) => {
    const { notice_id: noticeId } = job.payload;
    const found = await store.findNotice({ id: noticeId });
    const open = (found?.items ?? []).filter(({ state }) => state === 'pending');
    if (!found || open.length === 0 || found.notice.reminded_at !== null) return store.endJob(job.id);
    const request = await requestOf(store, persona, open[0]?.run_id ?? '');
    const readers = await readersAbout(store, persona, { readers: readersOf(deps, persona), request });
    const mail = await writeInEach(deps, persona, readers, ({ language }) => {
      const place = { language, zone: persona.timezone };
      const text: LetterBlock[] = [
        { kind: 'text', text: say(language, 'mails.stillOpen', { count: open.length }) },
        ...open.map(
          (approval) => ({ kind: 'heading', text: openLine(approval, found.items.length === 1, place) }) as const,
        ),
        { kind: 'text', text: say(language, 'mails.firstMailHasAll') },
        { kind: 'text', text: howToAnswer(found.items, language) },
        {
          kind: 'text',
          text: say(language, 'mails.nothingUntil', { when: dayAndTime(timesOf(deps, open).until, place) }),
        },
      ];
      return {
        kind: 'notice',
        purpose: job.id,
        subject: say(language, 'mails.stillWaiting', { name: persona.name }),
        namesItself: true,
        text,
        replyTo: null,
        headers: {},
        about: found.notice.message_id,
      };
    });
    await store.queueAboutNotice({ id: noticeId, column: 'reminded_at', now: deps.clock.now() }, job.id, mail);
  });
}

function openLine(approval: Approval, isOnly: boolean, { language }: ReaderLocale): string {
  const { tool, number } = approval;
  const [kind, args] = [askedKind(approval), argumentsOf(approval)];
  const question = kind.question(args);
  if (question !== null) return inLine(question, 300);
  if (kind.bySteps) return headingOf(planQuestion(stepsIn(args), language), null);
  return headingOf(questionOf({ tool, args }, language), isOnly ? null : `${number}.`);
}
