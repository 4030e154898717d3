import { visible } from '../../delivery/questions/approval-text.ts';
import type { ReaderLocale } from '../../languages/times.ts';
import { whenSeenFrom } from '../../languages/times.ts';
import { clarifyWords } from '../../languages/to-owners/clarify.ts';
import { type RefusedAnswerWords, refusedAnswerWords } from '../../languages/to-owners/refused-answers.ts';
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
  const words = refusedAnswerWords(reader.language);
  if (said.kind === 'decide') return outcomes.map((one) => text(outcomeSaid(one, words, reader)));
  if (said.kind === 'late') return questions.map((one) => text(stateSaid(one, words, reader)));
  const clarify = clarifyWords(reader.language);
  const open = questions.filter((one) => isOpen(one, reader.now));
  return [
    text(clarify.nothingDone),
    text(whySaid(said, reader)),
    ...(open.length === 0
      ? []
      : [text(clarify.again), ...open.flatMap(linesOf), text(words.how(questions.length > 1))]),
  ];
}

const text = (words: string): Block => ({ kind: 'text', text: words });

const isOpen = ({ verdict, until }: SenderQuestion, now: number): boolean => verdict === null && until > now;

function outcomeSaid(outcome: Outcome, words: RefusedAnswerWords, reader: Reader): string {
  const { question, became } = outcome;
  const sender = addressShown(question.sender);
  const persona = reader.nameOf(question.persona_id);
  switch (became) {
    case 'allowed':
    case 'once':
      return `${words[became](sender, persona)} ${words.taken(outcome.taken)}`;
    case 'settled':
      return stateSaid(question, words, reader);
    default:
      return words[became](sender, persona);
  }
}

function stateSaid(question: SenderQuestion, words: RefusedAnswerWords, reader: Reader): string {
  const sender = addressShown(question.sender);
  const { verdict, decided_by: by, decided_at: at } = question;
  if (verdict !== null) {
    return words.settled(sender, words.verbs[verdict], by ?? '', whenSeenFrom(reader.now, at ?? 0, reader));
  }
  return isOpen(question, reader.now) ? words.open(sender) : words.expired(sender);
}

/** In the words of answers to questions where those say it, too. */
function whySaid({ why, detail }: Extract<Told['said'], { kind: 'unclear' }>, { language }: Reader): string {
  const [own, general] = [refusedAnswerWords(language).why, clarifyWords(language).why];
  const known = Object.entries({ ...general, ...own }).find(([name]) => name === why)?.[1] ?? own.more_words;
  return known.replace('{detail}', () => visible(detail ?? ''));
}
