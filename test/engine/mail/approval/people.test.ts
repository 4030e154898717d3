import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnswerToItems, readAnswer } from '../../../../engine/mail/approval/approval-answer.ts';
import { phrasesOf } from '../../../../engine/mail/approval/phrases.ts';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { plainMail } from '../../../corpus/answer-clients.ts';
import { answerCases } from '../../../corpus/approval-answers.ts';
import { type PeopleAnswer, peopleAnswers } from '../../../corpus/people-answers.ts';
import { LIMITS } from '../limits.ts';

const numbers = (of: number): number[] => Array.from({ length: of }, (_, index) => index + 1);

async function newTextOf(text: string): Promise<string> {
  const outcome = await readMail(plainMail(text), LIMITS);
  return outcome.ok ? outcome.mail.newText : '';
}

/** What an answer lets through and what it forbids; nothing of both is asked back. */
function decided(answer: AnswerToItems): { approve: readonly number[]; deny: readonly number[] } {
  switch (answer.kind) {
    case 'approve':
      return { approve: answer.items, deny: [] };
    case 'deny':
      return { approve: [], deny: answer.items };
    case 'mixed':
      return { approve: answer.approve, deny: answer.deny };
    case 'edit':
      return answer.beside ? decided(answer.beside) : { approve: [], deny: [] };
    default:
      return { approve: [], deny: [] };
  }
}

const isAsked = ({ kind }: AnswerToItems): boolean => kind === 'ambiguous' || kind === 'none';

const read = await Promise.all(
  peopleAnswers.map(async (meant) => ({
    meant,
    answer: readAnswer(await newTextOf(meant.text), numbers(meant.of)),
  })),
);

describe('a hundred answers as people write them', () => {
  it('are in ten languages, ten in each', () => {
    expect(peopleAnswers).toHaveLength(100);
    expect(new Set(peopleAnswers.map(({ language }) => language)).size).toBe(10);
  });

  it('let nothing through that nobody approved', () => {
    const wrong = read.filter(({ meant, answer }) =>
      decided(answer).approve.some((item) => !meant.approve.includes(item)),
    );
    process.stdout.write(`answers of people: ${read.length} read, ${wrong.length} falsely approved\n`);
    expect(wrong).toEqual([]);
  });

  it('are understood, 99 of 100 at least, and all others are asked back', () => {
    const isRight = ({ meant, answer }: { meant: PeopleAnswer; answer: AnswerToItems }) =>
      JSON.stringify(decided(answer)) === JSON.stringify({ approve: meant.approve, deny: meant.deny }) &&
      isAsked(answer) === (meant.verdict === 'ask') &&
      (answer.kind === 'edit') === meant.verdict.includes('edit');
    const wrong = read.filter((each) => !isRight(each));
    process.stdout.write(`answers of people: ${100 - wrong.length} % understood\n`);
    expect(wrong.slice(1)).toEqual([]);
    expect(wrong.filter(({ answer }) => !isAsked(answer))).toEqual([]);
  });
});

/** No yes, whatever else is written beside it: refusals, conditions, questions, in the languages of the corpus. */
const NO_YES = [
  ...peopleAnswers
    .filter(
      ({ verdict, text }) =>
        verdict === 'deny' || (verdict === 'ask' && /[?？吗]|if|wenn|si |se |mits|jeśli|如果|すれば/u.test(text)),
    )
    .map(({ text }) => text),
  ...answerCases
    .filter(({ expect: [kind], items, text }) => {
      const isDoubt =
        typeof text === 'string' && /[?？]|(?:^|\s)(?:if|but|wenn|aber|mais|pero|unless|ale)\s/iu.test(text);
      return items.length === 1 && (kind === 'deny' || (kind === 'ambiguous' && isDoubt));
    })
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : [])),
];

describe('a refusal, a condition or a question', () => {
  const yesWord = fc.constantFrom(...phrasesOf('yes'), ...phrasesOf('approve'), ...phrasesOf('goAhead'), '👍', 'OK');
  const sign = fc.constantFrom('.', ',', '!', ' -', ':', ';', '…', ')', '"');
  const mutation = fc.oneof(
    fc.record({
      kind: fc.constant('word' as const),
      word: yesWord,
      gap: fc.constantFrom(' ', ', ', '. ', '\n', '\n\n'),
    }),
    fc.record({ kind: fc.constant('sign' as const), sign }),
    fc.record({ kind: fc.constant('break' as const), gap: fc.constantFrom('\n', '\r\n', '\n\n', '\n \n') }),
    fc.record({ kind: fc.constant('quote' as const), word: yesWord }),
    fc.record({ kind: fc.constant('signed' as const), word: yesWord }),
  );
  type Mutation = typeof mutation extends fc.Arbitrary<infer Each> ? Each : never;

  /** Changed in one place between two words; quotes stand on lines of their own, above or below. */
  function mutate(text: string, change: Mutation, at: number): string {
    const gaps = [0, ...[...text.matchAll(/\s+/gu)].map(({ index }) => index), text.length];
    const place = gaps[at % gaps.length] ?? 0;
    const [before, after] = [text.slice(0, place), text.slice(place)];
    switch (change.kind) {
      case 'word':
        return at % 3 === 0 ? `${change.word}${change.gap}${text}` : `${before}${change.gap}${change.word} ${after}`;
      case 'sign':
        return `${before}${change.sign}${after}`;
      case 'break':
        return `${before}${change.gap}${after}`;
      case 'quote':
        return at % 2 === 0 ? `> ${change.word}\n\n${text}` : `${text}\n\n> ${change.word}\n`;
      case 'signed':
        return `${change.word}.\n\nBest regards\nMaria\n\n${text}`;
    }
  }

  it('is never a yes, whatever word, sign, break or quote gets into it: 2,000 of them', () => {
    let seen = 0;
    fc.assert(
      fc.property(fc.constantFrom(...NO_YES), mutation, fc.nat(400), (text, change, at) => {
        seen += 1;
        const answer = readAnswer(mutate(text, change, at), [1]);
        expect([mutate(text, change, at), answer.kind]).not.toEqual([expect.anything(), 'approve']);
      }),
      { numRuns: 2000, seed: 20261122 },
    );
    process.stdout.write(`mutations of refusals, conditions and questions: ${seen}, 0 falsely approved\n`);
  });
});

/** What the buttons of a question put into a mail, and what programs and offices put below it. */
const TAPPED: readonly (readonly [string, string, string, string])[] = [
  ['yes', 'no', 'yes to all', 'no to all'],
  ['ja', 'nein', 'ja, alle', 'nein, alle'],
  ['oui', 'non', 'oui, tout', 'non, tout'],
  ['oui', 'non', 'oui pour tout', 'non pour tout'],
  ['sí', 'no', 'sí, todo', 'no, todo'],
  ['sí', 'no', 'sí a todo', 'no a todo'],
  ['sì', 'no', 'sì, tutto', 'no, tutto'],
  ['sì', 'no', 'sì a tutto', 'no a tutto'],
  ['ja', 'nee', 'ja, alles', 'nee, alles'],
  ['sim', 'não', 'sim, tudo', 'não, tudo'],
  ['sim', 'não', 'sim a tudo', 'não a tudo'],
  ['zatwierdzam', 'odrzucam', 'zatwierdzam wszystko', 'odrzucam wszystko'],
  ['はい', 'いいえ', '全部承認します', '全部却下します'],
  ['はい', 'いいえ', 'はい、すべて', 'いいえ、すべて'],
  ['同意', '拒绝', '全部同意', '全部拒绝'],
];
const BELOW = [
  '',
  '\n\nSent from my iPhone',
  '\n\nVon meinem iPhone gesendet',
  '\n\nEnvoyé de mon iPhone',
  '\n\nEnviado desde mi iPhone',
  '\n\nInviato da iPhone',
  '\n\nVerzonden vanaf mijn iPhone',
  '\n\nEnviado do meu iPhone',
  '\n\nWysłane z iPhone’a',
  '\n\niPhoneから送信',
  '\n\n发自我的iPhone',
  '\n\nGet Outlook for iOS<https://aka.ms/o0ukef>',
  '\n\n-- \nTom Baker\nnever say yes',
  '\n\nKind regards,\n\nTom Baker | Head of Ops | ACME Ltd\nT: +44 20 7946 0123 | www.acme.example\nRegistered in England No. 1234567',
  '\n\nMit freundlichen Grüßen\ni. A. Maria Keller\nKeller GmbH\nAmtsgericht Hamburg HRB 12345',
  '\n\nDisclaimer: This e-mail is confidential. If you are not the intended recipient, do not approve anything.',
];

describe('a tap on a button', () => {
  it.each(TAPPED)('is understood whatever stands below it: %s, %s', async (yes, no, all, none) => {
    for (const below of BELOW) {
      const read = async (word: string, items: readonly number[]) => readAnswer(await newTextOf(word + below), items);
      expect([below, await read(yes, [1])]).toEqual([below, { kind: 'approve', items: [1] }]);
      expect([below, (await read(no, [1])).kind]).toEqual([below, 'deny']);
      expect([below, await read(all, [1, 2])]).toEqual([below, { kind: 'approve', items: [1, 2] }]);
      expect([below, await read(none, [1, 2])]).toMatchObject([below, { kind: 'deny', items: [1, 2] }]);
    }
  });
});
