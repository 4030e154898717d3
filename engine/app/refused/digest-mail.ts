import { z } from 'zod';
import type { Configs } from '../../config/types.ts';
import { noticeOf, type OwnerMailDeps, writeOwnerMail } from '../../delivery/notices/owner-mail.ts';
import { answerAddress, choices, closing, inLine } from '../../delivery/questions/approval-text.ts';
import type { Language } from '../../languages/language.ts';
import { languageOfOwner } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { defineJob, handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { SenderQuestion } from '../../storage/types/gateway.ts';
import { type RefusedDeps, type RefusedOne, refusedOnes } from '../../tools/capabilities/refused.ts';

const Digest = z.object({
  to: z.string(),
  notice_id: z.string(),
  is_answerable: z.boolean(),
  /** Of all, also of those who are not named. */
  unlisted: z.number(),
  unproven: z.number(),
});
type Digest = z.infer<typeof Digest>;
/** Tells an owner whose mail was refused, and asks whether they may write. */
export const refusedDigest = defineJob('refused_digest', Digest);

/** Writes the digest that one owner answers, under a token of its own. */
export function createRefusedDigestWriter(
  deps: OwnerMailDeps & SightOfRefused & { readonly gateway: Pick<GatewayStore, 'senderQuestions'> },
): JobHandler {
  return handleJobs(refusedDigest, async (persona, job, store) => {
    const { to, notice_id: id, is_answerable: isAnswerable } = job.payload;
    const questions = await deps.gateway.senderQuestions(id);
    const [first] = questions;
    if (!first) return store.endJob(job.id);
    const language = await languageOfOwner(store, persona, to);
    const subject = say(language, 'refusedSenders.subject', { count: job.payload.unlisted + job.payload.unproven });
    const token = deps.ids.random(16);
    const replyTo = isAnswerable ? answerAddress(persona, token) : null;
    const keptDays = deps.configs().security.quarantine_days;
    const place = { language, zone: persona.timezone };
    const mail = await writeOwnerMail(deps, persona, {
      kind: 'notice',
      purpose: job.id,
      subject,
      language,
      to: [to],
      replyTo,
      headers: {},
      text: [
        ...blocksOf(await seenOf(questions, { ...deps, persona, store }), job.payload, {
          language,
          keptDays,
          reply: replyTo === null ? null : { to: replyTo, subject },
        }),
        ...(replyTo === null ? [] : closing({ until: first.until, remindAt: null, token, tapping: true }, place)),
      ],
    });
    await store.sendNotice({ ...noticeOf(deps, mail, token), id }, mail, job.id);
  });
}

interface Shown {
  readonly language: Language;
  readonly keptDays: number;
  /** The address and the subject of an answer; null where none counts. */
  readonly reply: { readonly to: string; readonly subject: string } | null;
}

function blocksOf(
  questions: readonly SeenQuestion[],
  counts: Digest,
  { language, keptDays, reply }: Shown,
): LetterBlock[] {
  const listed = (code: SenderQuestion['code'], all: number): LetterBlock[] => {
    const named = questions.filter((one) => one.code === code);
    const more = all - named.length;
    return [
      ...named.flatMap((question): LetterBlock[] => [
        ...linesOf(question, language),
        ...(reply === null ? [] : buttonsOf(question, language, reply)),
      ]),
      ...(more > 0
        ? [text(say(language, 'refusedSenders.more', { count: more, command: '`epistle senders list`' }))]
        : []),
    ];
  };
  // No address stands in a command: it may hold what a shell would run.
  const letIn =
    reply === null
      ? [text(say(language, 'refusedSenders.allow', { command: '`epistle senders allow ADDRESS`', days: keptDays }))]
      : [text(howToAnswer(questions, language)), text(say(language, 'refusedAnswers.kept', { days: keptDays }))];
  return [
    ...(counts.unlisted > 0
      ? [text(say(language, 'refusedSenders.unlisted')), ...listed('sender_not_allowed', counts.unlisted), ...letIn]
      : []),
    ...(counts.unproven > 0
      ? [
          text(say(language, 'refusedSenders.unproven')),
          ...listed('auth_failed', counts.unproven),
          text(
            say(language, 'refusedSenders.prove', {
              list: '`epistle mail list --refused`',
              doctor: '`epistle doctor`',
            }),
          ),
        ]
      : []),
    text(say(language, 'refusedSenders.once')),
  ];
}

const text = (words: string): LetterBlock => ({ kind: 'text', text: words });

/**
 * An address as owners are shown it: letters that look like others, blanks and quotes as their numbers, so that it is
 * neither taken for another one nor for words. Pure.
 */
export const addressShown = (address: string): string =>
  inLine(
    address.replace(
      /[^!#-~]/gu,
      (letter) => `<U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`,
    ),
    300,
  );

/** A sender of a digest with what their mail says of itself. */
export interface SeenQuestion extends SenderQuestion, Pick<RefusedOne, 'name' | 'namesake' | 'isAnswer'> {
  /** As people call it. */
  readonly persona: string;
}

/** With what it is found out what refused mail says of itself, and how personas are called. */
export interface SightOfRefused {
  configs(): Configs;
  readonly gateway: RefusedDeps['gateway'];
  nameOf(personaId: string): string;
}

/** `persona`: who tells of them, and by whose mail names are known. */
export const seenOf = (
  questions: readonly SenderQuestion[],
  { configs, gateway, nameOf, persona, store }: SightOfRefused & Pick<RefusedDeps, 'persona' | 'store'>,
): Promise<readonly SeenQuestion[]> =>
  Promise.all(
    questions.map(async (question) => {
      const of = { ...persona, id: question.persona_id };
      const deps = { gateway, store, persona: of, access: configs().security.gateway_access };
      const [found] = (await refusedOnes(deps, { from: question.sender, limit: 1 })).senders;
      const { name = '', namesake = null, isAnswer = false } = found ?? {};
      return { ...question, persona: nameOf(question.persona_id), name, namesake, isAnswer };
    }),
  );

/** Whoever uses the name of somebody here, or answers what they never got, is not to be let in by the first word. */
const isInDoubt = ({ namesake, isAnswer }: SeenQuestion): boolean => namesake !== null || isAnswer;

const VERBS = {
  sender_not_allowed: ['allow', 'once', 'block'],
  auth_failed: ['block'],
} as const satisfies Record<SenderQuestion['code'], unknown>;

/** What can be answered about one of them. Pure. */
export const buttonsOf = (
  question: SeenQuestion,
  language: Language,
  reply: NonNullable<Shown['reply']>,
): readonly LetterBlock[] => {
  const verbs = VERBS[question.code];
  return [
    choices(
      reply.to,
      reply.subject,
      (isInDoubt(question) ? verbs.toReversed() : verbs).map((verb) => ({
        label: `${say(language, `refusedAnswers.buttons.${verb}`)} ${question.number}`,
        tone: verb === 'block' ? 'stop' : 'go',
        body: `${say(language, `refusedAnswers.verbs.${verb}`)} ${question.number}`,
      })),
    ),
  ];
};

/** How to answer about them. Pure. */
export const howToAnswer = (questions: readonly SeenQuestion[], language: Language): string =>
  say(language, questions.some(isInDoubt) ? 'refusedAnswers.howInDoubt' : 'refusedAnswers.how', {
    several: questions.length > 1,
  });

/** One sender of a digest, by its number, the subject of their newest mail, and what is to be doubted. Pure. */
export function linesOf(question: SeenQuestion, language: Language): readonly LetterBlock[] {
  const { number, sender, persona, mails, subject, name, namesake, isAnswer } = question;
  return [
    { kind: 'heading', text: `${number}. ${addressShown(sender)} → ${persona}${mails > 1 ? ` (${mails})` : ''}` },
    // So short that no program breaks the line in an answer: what came behind would stand there without its mark.
    { kind: 'said', text: inLine(subject, 60) },
    ...(namesake === null
      ? []
      : [text(say(language, 'refusedSenders.namesake', { name: inLine(name, 60), address: addressShown(namesake) }))]),
    ...(isAnswer ? [text(say(language, 'refusedSenders.isAnswer'))] : []),
  ];
}
