import { visible } from '../../delivery/questions/approval-text.ts';
import { whySaid } from '../../delivery/questions/clarify-mail.ts';
import { isKey, say } from '../../languages/say.ts';
import type { ReaderLocale } from '../../languages/times.ts';
import { whenSeenFrom } from '../../languages/times.ts';
import type { Block } from '../../mail/compose/compose.ts';
import type { SendersAnswered } from '../../record/jobs/job-kinds.ts';
import type { SenderQuestion } from '../../storage/types/gateway.ts';
import type { Untouched } from './judge-answer.ts';
import { addressShown, linesOf } from './sender-lines.ts';

/** What became of one sender of whom an owner has answered. */
export type Outcome =
  | { readonly question: SenderQuestion; readonly became: 'allowed' | 'once'; readonly taken: number }
  | { readonly question: SenderQuestion; readonly became: 'blocked' | 'notWritten' | Untouched };

interface Told {
  readonly said: SendersAnswered['said'];
  readonly outcomes: readonly Outcome[];
  /** All of the digest, as they are now. */
  readonly questions: readonly SenderQuestion[];
}

type Reader = ReaderLocale & { readonly now: number; nameOf(personaId: string): string };

/** What is said of an answer: what became of each sender in it; that nothing was done, why, and the question again. Pure. */
export function answerBlocks({ said, outcomes, questions }: Told, reader: Reader): Block[] {
  if (said.kind === 'decide') return outcomes.map((one) => text(outcomeSaid(one, reader)));
  if (said.kind === 'late') return questions.map((one) => text(stateSaid(one, reader)));
  const open = questions.filter((one) => isOpen(one, reader.now));
  return [
    text(say(reader.language, 'clarify.nothingDone')),
    text(notUnderstood(said, reader)),
    ...(open.length === 0
      ? []
      : [
          text(say(reader.language, 'clarify.again')),
          ...open.flatMap(linesOf),
          text(say(reader.language, 'refusedAnswers.how', { several: questions.length > 1 })),
        ]),
  ];
}

const text = (words: string): Block => ({ kind: 'text', text: words });

const isOpen = ({ verdict, until }: SenderQuestion, now: number): boolean => verdict === null && until > now;

function outcomeSaid(outcome: Outcome, reader: Reader): string {
  const { language } = reader;
  const { question, became } = outcome;
  const sender = addressShown(question.sender);
  const persona = reader.nameOf(question.persona_id);
  switch (became) {
    case 'allowed':
    case 'once':
      return `${say(language, `refusedAnswers.${became}`, { sender, persona })} ${say(language, 'refusedAnswers.taken', { mails: outcome.taken })}`;
    case 'settled':
      return stateSaid(question, reader);
    default:
      return say(language, `refusedAnswers.${became}`, { sender, persona });
  }
}

function stateSaid(question: SenderQuestion, reader: Reader): string {
  const { language } = reader;
  const sender = addressShown(question.sender);
  const { verdict, decided_by: by, decided_at: at } = question;
  if (verdict !== null) {
    return say(language, 'refusedAnswers.settled', {
      sender,
      verb: say(language, `refusedAnswers.verbs.${verdict}`),
      by: by ?? '',
      at: whenSeenFrom(reader.now, at ?? 0, reader),
    });
  }
  return isOpen(question, reader.now)
    ? say(language, 'refusedAnswers.open', { sender })
    : say(language, 'refusedAnswers.expired', { sender });
}

/** In the words of answers to questions where those say it, too. */
function notUnderstood({ why, detail }: Extract<Told['said'], { kind: 'unclear' }>, { language }: Reader): string {
  const own = `refusedAnswers.why.${why}` as const;
  if (isKey(own)) return say(language, own, { detail: visible(detail ?? '') });
  return isKey(`clarify.why.${why}`)
    ? whySaid(why, { detail }, language)
    : say(language, 'refusedAnswers.why.more_words');
}
