import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AnswerToItems,
  readAnswer,
  readPlanAnswer,
  readReply,
} from '../../../../engine/mail/approval/approval-answer.ts';
import { lettersOf, lexLine } from '../../../../engine/mail/approval/lexer.ts';
import { pattern } from '../../../../engine/mail/approval/pattern.ts';
import { CLASS_NAMES, phrasesOf } from '../../../../engine/mail/approval/phrases.ts';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { computedMs } from '../../../computed.ts';
import { type AnswerCase, answerCases, type ExpectedAnswer } from '../../../corpus/approval-answers.ts';
import { LIMITS } from '../limits.ts';
import { writtenOf } from '../written.ts';

const ASKS_FOR_ALL = pattern('[all both] any* please | please any* [all both]');
const TOKEN = '0123456789abcdef0123456789abcdef';

async function newTextOf({ text }: AnswerCase): Promise<string> {
  if (typeof text === 'string') return /^\s*>/m.test(text) ? writtenOf(text) : text;
  const outcome = await readMail(text, LIMITS);
  expect(outcome.ok).toBe(true);
  return outcome.ok ? outcome.mail.newText : '';
}

function shortOf(answer: AnswerToItems): ExpectedAnswer {
  switch (answer.kind) {
    case 'approve':
      return ['approve', ...answer.items];
    case 'deny':
      return ['deny', answer.items, answer.reason];
    case 'mixed':
      return ['mixed', answer.approve, answer.deny, answer.reason];
    case 'edit':
      return ['edit', answer.item, answer.changes];
    case 'ambiguous':
      return ['ambiguous'];
    case 'none':
      return ['none'];
  }
}

const approvedBy = (answer: ExpectedAnswer): readonly number[] => {
  if (answer[0] === 'mixed') return answer[1];
  return answer[0] === 'approve' ? answer.slice(1).map(Number) : [];
};

/** Items that a reading lets through although the sender did not. */
const wronglyApproved = (read: ExpectedAnswer, meant: ExpectedAnswer): readonly number[] =>
  approvedBy(read).filter((item) => !approvedBy(meant).includes(item));

const readings = await Promise.all(
  answerCases.map(async (each) => ({
    name: each.name,
    meant: each.expect,
    read: shortOf(readAnswer(await newTextOf(each), each.items)),
  })),
);

describe('the corpus of answers', () => {
  it('is large enough to mean something', () => {
    expect(answerCases.length).toBeGreaterThan(600);
    expect(answerCases.filter(({ text }) => typeof text !== 'string').length).toBeGreaterThanOrEqual(60);
    expect(new Set(answerCases.map(({ name }) => name)).size).toBe(answerCases.length);
  });

  it('never lets through what the sender did not approve', () => {
    const wrong = readings.filter(({ read, meant }) => wronglyApproved(read, meant).length > 0);
    process.stdout.write(`approval answers: ${readings.length} read, ${wrong.length} falsely approved\n`);
    expect(wrong).toEqual([]);
  });

  it('is read rightly, 99 of 100 at least', () => {
    const right = readings.filter(({ read, meant }) => JSON.stringify(read) === JSON.stringify(meant));
    const share = right.length / readings.length;
    process.stdout.write(`approval answers: ${(share * 100).toFixed(2)} % read rightly\n`);
    expect(readings.filter((each) => !right.includes(each)).slice(0, Math.ceil(readings.length / 100))).toEqual([]);
    expect(share).toBeGreaterThanOrEqual(0.99);
  });
});

describe('the vocabulary', () => {
  it('gives every word one meaning', () => {
    const seen = new Map<string, string>();
    for (const name of CLASS_NAMES) {
      for (const phrase of phrasesOf(name)) {
        expect([phrase, seen.get(phrase) ?? name]).toEqual([phrase, name]);
        expect(phrase).not.toBe('');
        seen.set(phrase, name);
      }
    }
  });
});

describe('whatever is written', () => {
  const approving = [
    ...phrasesOf('approve'),
    ...phrasesOf('yes'),
    ...phrasesOf('yesOrThanks'),
    ...phrasesOf('goAhead'),
    ...phrasesOf('sure'),
    ...phrasesOf('send'),
    ...phrasesOf('delete'),
  ];
  const word = fc.constantFrom(...CLASS_NAMES.flatMap((name) => phrasesOf(name)));
  const sign = fc.constantFrom(
    ' ',
    ' ',
    ' ',
    ', ',
    '. ',
    '! ',
    '? ',
    ': ',
    ' - ',
    '\n',
    '\n\n',
    ' 1 ',
    ' 2,3 ',
    '> ',
    ')',
  );
  const soup = fc.array(fc.tuple(word, sign), { maxLength: 8 }).map((pairs) => pairs.flat().join(''));
  const items = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 4 });
  const lets = (answer: AnswerToItems): boolean => answer.kind === 'approve' || answer.kind === 'mixed';

  it('is never an approval without a word that approves', () => {
    const others = CLASS_NAMES.filter(
      (name) => !['approve', 'yes', 'yesOrThanks', 'goAhead', 'sure', 'send', 'delete'].includes(name),
    );
    const harmless = fc.constantFrom(...others.flatMap((name) => phrasesOf(name)));
    const text = fc.array(fc.oneof(harmless, sign, fc.string({ unit: 'grapheme', maxLength: 6 })), { maxLength: 12 });
    fc.assert(
      fc.property(text, items, (pieces, numbers) => {
        const written = pieces.join(' ');
        // Pieces can join to an approving word by chance; then the text is another one.
        fc.pre(!approving.some((each) => written.normalize('NFKC').toLowerCase().includes(each)));
        // "Both, please" is a yes of its own, without such a word.
        const { answer, rules } = readReply(written, numbers);
        fc.pre(!(rules.includes('all of it, please') && ASKS_FOR_ALL.test(lettersOf(lexLine(written)))));
        expect(lets(answer)).toBe(false);
      }),
      { numRuns: 2000, seed: 20260302 },
    );
  });

  it('is never an approval of what stands behind a negation', () => {
    const negation = fc.constantFrom(...phrasesOf('not'), ...phrasesOf('noOrNot'), ...phrasesOf('no'));
    const tail = fc.constantFrom('', '.', '!', ' all', ' 1', ' 1,2', ', thanks', '\nMaria', '\n\nThanks\nMaria');
    const lead = fc.oneof(
      fc.constantFrom('', 'Hi Ada,\n', 'I ', 'thanks, ', 'approve ', 'yes, ', 'approve all\n'),
      soup,
    );
    fc.assert(
      fc.property(lead, negation, fc.constantFrom(...approving), tail, (before, no, yes, after) => {
        const answer = readAnswer(`${before}${no} ${yes}${after}`, [1, 2]);
        // "approve 2 / not ok 1" may still let 2 through, never everything.
        expect(answer.kind).not.toBe('approve');
      }),
      { numRuns: 3000, seed: 20260303 },
    );
  });

  it('is never an approval any more when a doubt is added to one', () => {
    const approvals = answerCases.filter(
      (each): each is AnswerCase & { text: string } => each.expect[0] === 'approve' && typeof each.text === 'string',
    );
    const doubts = fc.constantFrom(
      ...phrasesOf('hold'),
      ...phrasesOf('alter'),
      ...phrasesOf('not'),
      ...phrasesOf('unclear'),
      ...phrasesOf('praiseOrBefore'),
      ...phrasesOf('deny'),
      '?',
      '...',
      'xyzzy?',
    );
    const isName = /^(?:bo|ha|ma|om|se|kun)$/;
    fc.assert(
      fc.property(
        fc.constantFrom(...approvals),
        doubts,
        fc.constantFrom(' ', '\n', ', '),
        ({ text, items: numbers }, doubt, gap) => {
          fc.pre(!isName.test(doubt) && !/confidential|^>/m.test(text));
          expect(readAnswer(`${text.trimEnd()}${gap}${doubt}`, numbers).kind).not.toBe('approve');
        },
      ),
      { numRuns: 3000, seed: 20260304 },
    );
  });

  it('answers for nothing that the notice does not list, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary', maxLength: 200 })), items, (text, numbers) => {
        const short = shortOf(readAnswer(text, numbers));
        for (const item of approvedBy(short)) expect(numbers).toContain(item);
      }),
      { numRuns: 1000, seed: 20260305 },
    );
  });

  it('is read in a moment, however long and strange it is', () => {
    const long = 200_000;
    const texts = [
      'a'.repeat(long),
      'a.'.repeat(long / 2),
      'approve '.repeat(long / 8),
      'not '.repeat(long / 4),
      'yes, '.repeat(long / 5),
      'thanks Ada, '.repeat(long / 12),
      '1,'.repeat(long / 2),
      'no.\n'.repeat(long / 4),
      `edit 1\n${'a: b\n'.repeat(long / 5)}`,
      `edit 1\na:\n${' \n'.repeat(long / 2)}`,
      'approve\n'.repeat(long / 8),
      '承認'.repeat(long / 2),
      '+ok-'.repeat(long / 4),
      `ok-${'0'.repeat(long)}`,
      `[ok-${TOKEN}]`.repeat(long / 37),
      '[image: '.repeat(long / 8),
      ' '.repeat(long),
      '@'.repeat(long),
    ];
    for (const text of texts) {
      const before = computedMs();
      readAnswer(text, [1, 2]);
      expect([text.slice(0, 12), computedMs() - before < 15_000]).toEqual([text.slice(0, 12), true]);
    }
  });
});

describe('an edit', () => {
  it('sets keys of its own only, whatever they are called', () => {
    const answer = readAnswer('edit 1\ntoString: x\nvalueOf: y', [1]);
    expect(answer).toEqual({
      kind: 'edit',
      item: 1,
      changes: Object.fromEntries([
        ['toString', 'x'],
        ['valueOf', 'y'],
      ]),
    });
    expect(readAnswer('edit 1\n__proto__: x', [1]).kind).toBe('ambiguous');
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it('loses a token that stands in a value', () => {
    expect(readAnswer(`edit 1\nto: ada+ok-${TOKEN}@agents.localhost`, [1])).toMatchObject({
      changes: { to: 'ada@agents.localhost' },
    });
  });
});

describe('a reason', () => {
  it('is kept in the words of the sender and bounded', () => {
    const answer = readAnswer(`Deny because ${'Äpfel '.repeat(500)}`, [1]);
    expect(answer.kind === 'deny' && answer.reason?.startsWith('Äpfel Äpfel')).toBe(true);
    expect(answer.kind === 'deny' && (answer.reason?.length ?? 0)).toBeLessThanOrEqual(500);
  });

  it('holds no token', () => {
    const answer = readAnswer(`No, because ok-${TOKEN} is old`, [1]);
    expect(answer).toEqual({ kind: 'deny', items: [1], reason: 'is old' });
  });
});

describe('an answer to a plan of three steps', () => {
  it.each(['approve', 'yes', 'Ja, bitte.', 'approve all', 'approve 1,2,3'])('is a yes to all of it: %j', (text) => {
    expect(readPlanAnswer(text, 3)).toEqual({ kind: 'approve', items: [1] });
  });
  it.each(['deny', 'no', 'deny 2', 'deny because it is too much'])('is a no to all of it: %j', (text) => {
    expect(readPlanAnswer(text, 3)).toMatchObject({ kind: 'deny', items: [1] });
  });
  it.each(['approve 1', 'approve 1,3', 'approve 1,2\ndeny 3', 'edit 1\npath: b.txt', 'approve, but only the first'])(
    'is asked about: %j',
    (text) => expect(readPlanAnswer(text, 3).kind).toBe('ambiguous'),
  );
  it('may be none', () => expect(readPlanAnswer('What is in them?', 3).kind).not.toBe('approve'));
});
