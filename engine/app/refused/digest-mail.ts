import { z } from 'zod';
import { noticeOf, type OwnerMailDeps, writeOwnerMail } from '../../delivery/notices/owner-mail.ts';
import { answerAddress, choices, closing, inLine } from '../../delivery/questions/approval-text.ts';
import type { Language } from '../../languages/language.ts';
import { languageOfOwner } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { defineJob, handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { SenderQuestion } from '../../storage/types/gateway.ts';

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
  deps: OwnerMailDeps & { readonly gateway: Pick<GatewayStore, 'senderQuestions'> },
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
        ...blocksOf(questions, job.payload, {
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
  questions: readonly SenderQuestion[],
  counts: Digest,
  { language, keptDays, reply }: Shown,
): LetterBlock[] {
  const listed = (
    code: SenderQuestion['code'],
    verbs: readonly ('allow' | 'once' | 'block')[],
    all: number,
  ): LetterBlock[] => {
    const named = questions.filter((one) => one.code === code);
    const more = all - named.length;
    return [
      ...named.flatMap((question): LetterBlock[] => [
        ...linesOf(question),
        ...(reply === null ? [] : [buttonsOf(question.number, verbs)]),
      ]),
      ...(more > 0
        ? [text(say(language, 'refusedSenders.more', { count: more, command: '`epistle senders list`' }))]
        : []),
    ];
  };
  const buttonsOf = (number: number, verbs: readonly ('allow' | 'once' | 'block')[]): LetterBlock =>
    choices(
      reply?.to ?? '',
      reply?.subject ?? '',
      verbs.map((verb) => ({
        label: `${say(language, `refusedAnswers.buttons.${verb}`)} ${number}`,
        tone: verb === 'block' ? 'stop' : 'go',
        body: `${say(language, `refusedAnswers.verbs.${verb}`)} ${number}`,
      })),
    );
  // No address stands in a command: it may hold what a shell would run.
  const letIn =
    reply === null
      ? [text(say(language, 'refusedSenders.allow', { command: '`epistle senders allow ADDRESS`', days: keptDays }))]
      : [
          text(say(language, 'refusedAnswers.how', { several: questions.length > 1 })),
          text(say(language, 'refusedAnswers.kept', { days: keptDays })),
        ];
  return [
    ...(counts.unlisted > 0
      ? [
          text(say(language, 'refusedSenders.unlisted')),
          ...listed('sender_not_allowed', ['allow', 'once', 'block'], counts.unlisted),
          ...letIn,
        ]
      : []),
    ...(counts.unproven > 0
      ? [
          text(say(language, 'refusedSenders.unproven')),
          ...listed('auth_failed', ['block'], counts.unproven),
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

/** One sender of a digest, by its number, and the subject of their newest mail. Pure. */
export const linesOf = ({
  number,
  sender,
  persona_id: persona,
  mails,
  subject,
}: SenderQuestion): readonly LetterBlock[] => [
  { kind: 'heading', text: `${number}. ${addressShown(sender)} → ${persona}${mails > 1 ? ` (${mails})` : ''}` },
  // So short that no program breaks the line in an answer: what came behind would stand there without its mark.
  { kind: 'said', text: inLine(subject, 60) },
];
