import { describe, expect, it } from 'vitest';
import { type AboutCall, type AnswerToItems, readReply } from '../../engine/mail/approval/approval-answer.ts';
import { readMail } from '../../engine/mail/reading/read-mail.ts';
import { LIMITS } from '../engine/mail/limits.ts';
import { plainMail } from './answer-clients.ts';
import { laterAnswers, type NumberedAnswer, numberedAnswers, type PhoneAnswer, phoneAnswers } from './phones/index.ts';

const ABOUT: readonly AboutCall[] = [
  { keys: ['to', 'subject', 'body'], long: [], people: ['bob'], act: 'send' },
  { keys: ['path'], long: [], act: 'delete' },
];

async function read(said: PhoneAnswer): Promise<{ said: PhoneAnswer; answer: AnswerToItems; all: boolean }> {
  const outcome = await readMail(plainMail(said.text), LIMITS);
  const items = Array.from({ length: said.acts }, (_, at) => at + 1);
  const text = outcome.ok ? outcome.mail.newText : '';
  const { answer } = readReply(text, items, (item) => ABOUT[item - 1], said.language, '', 'Ada');
  return { said, answer, all: answer.kind === 'approve' && answer.items.length === items.length };
}

const all = await Promise.all(phoneAnswers.map(read));
type Read = (typeof all)[number];

const letsThrough = ({ answer }: Read): boolean =>
  answer.kind === 'approve' || answer.kind === 'mixed' || (answer.kind === 'edit' && answer.beside !== undefined);
const isActedOn = (each: Read): boolean => (each.said.expected === 'yes' ? each.all : each.answer.kind === 'deny');
const clear = all.filter(({ said }) => said.clear && said.expected !== 'unclear');
const share = (some: readonly Read[]): number => some.filter(isActedOn).length / some.length;

/** Every second one was looked at while the reader was made. Of the others one was: it had been read as a yes. */
const LEAST = { seen: 0.97, unseen: 0.92 } as const;

describe('400 answers as people type them on telephones, in twelve languages', () => {
  it('are as many', () => {
    expect(all).toHaveLength(400);
    expect(new Set(phoneAnswers.map(({ language }) => language)).size).toBe(12);
  });

  it('let nothing through that is no yes, nor a part of it', () => {
    const wrong = all.filter((each) => letsThrough(each) && (each.said.expected !== 'yes' || !each.all));
    expect(wrong.map(({ said, answer }) => ({ id: said.id, text: said.text, answer }))).toEqual([]);
  });

  it('refuse nothing that is clearly a yes', () => {
    expect(all.filter(({ said, answer }) => said.expected === 'yes' && answer.kind === 'deny')).toEqual([]);
  });

  it('are acted on where they are clear, and all others are asked back', () => {
    const halves = { seen: clear.filter((each) => isSeen(each)), unseen: clear.filter((each) => !isSeen(each)) };
    const found = { seen: share(halves.seen), unseen: share(halves.unseen) };
    process.stdout.write(`answers of telephones acted on: ${JSON.stringify(found)}\n`);
    expect(found.seen).toBeGreaterThanOrEqual(LEAST.seen);
    expect(found.unseen).toBeGreaterThanOrEqual(LEAST.unseen);
  });

  it('hand on what stands beside a yes, in the words of its sender', () => {
    const taken = all.filter(({ answer }) => answer.kind === 'approve' && answer.beside !== undefined);
    expect(taken.length).toBeGreaterThanOrEqual(20);
    const lost = taken.filter(({ said, answer }) => {
      const words = answer.kind === 'approve' ? (answer.beside ?? '') : '';
      return said.beside === null || !words.replaceAll(/\s+/g, ' ').includes(said.beside.replaceAll(/\s+/g, ' '));
    });
    expect(lost.map(({ said, answer }) => ({ id: said.id, text: said.text, answer }))).toEqual([]);
    // A yes whose other words nobody would read is none.
    const dropped = all.filter(
      ({ said, answer }) => said.beside !== null && answer.kind === 'approve' && !answer.beside,
    );
    expect(dropped.map(({ said }) => said.text)).toEqual([]);
  });
});

/** What they came to when the reader was last changed; the README of that folder says what they came to before. */
const LEAST_LATER: Readonly<Record<string, number>> = { a: 0.93, b: 0.9, c: 0.8 };
const HOW_MANY: Readonly<Record<string, number>> = { a: 200, b: 200, c: 400 };
const later = await Promise.all(
  laterAnswers.map(async ({ set, answers }) => ({ set, read: await Promise.all(answers.map(read)) })),
);

describe.each(later.map(({ set, read: answers }) => [set, answers] as const))(
  'more of them, set %s',
  (set, answers) => {
    it('let nothing through that is no yes, and refuse no yes', () => {
      expect(answers).toHaveLength(HOW_MANY[set] ?? 0);
      const wrong = answers.filter(
        (each) =>
          (letsThrough(each) && (each.said.expected !== 'yes' || !each.all)) ||
          (each.said.expected === 'yes' && each.answer.kind === 'deny'),
      );
      expect(wrong.map(({ said, answer }) => ({ id: said.id, text: said.text, answer }))).toEqual([]);
    });

    it('are acted on where they are clear, with all that stands beside a yes', () => {
      const clearOnes = answers.filter(({ said }) => said.clear && said.expected !== 'unclear');
      process.stdout.write(`answers of telephones acted on, set ${set}: ${share(clearOnes).toFixed(3)}\n`);
      expect(share(clearOnes)).toBeGreaterThanOrEqual(LEAST_LATER[set] ?? 0.95);
      const dropped = answers.filter(
        ({ said, answer }) => said.beside !== null && answer.kind === 'approve' && !answer.beside,
      );
      expect(dropped.map(({ said }) => said.text)).toEqual([]);
    });
  },
);

/** Which numbers of an answer are approved, and which denied. */
async function decidedIn(said: NumberedAnswer) {
  const outcome = await readMail(plainMail(said.text), LIMITS);
  const items = Array.from({ length: said.questions }, (_, at) => at + 1);
  const text = outcome.ok ? outcome.mail.newText : '';
  const { answer } = readReply(text, items, undefined, said.language, '', 'Ada');
  const decided = answer.kind === 'edit' ? answer.beside : answer;
  const means = items.map((item) => (typeof said.means === 'string' ? said.means : said.means[item]));
  const yes = decided?.kind === 'mixed' ? decided.approve : decided?.kind === 'approve' ? decided.items : [];
  const no = decided?.kind === 'mixed' ? decided.deny : decided?.kind === 'deny' ? decided.items : [];
  const has = (item: number, what: string): boolean => (what === 'yes' ? yes : no).includes(item);
  return {
    text: said.text,
    isClear: !means.includes('unclear'),
    isActedOn: items.every((item, at) => has(item, means[at] ?? 'no')),
    wrong: items.filter(
      (item, at) => (has(item, 'yes') && means[at] !== 'yes') || (has(item, 'no') && means[at] === 'yes'),
    ),
  };
}

/** What they come to now; the README of that folder says what they came to before anybody had looked at them. */
const LEAST_NUMBERED = { d: 0.85, e: 0.33 } as const;
const numbered = await Promise.all(
  numberedAnswers.map(async ({ set, answers }) => ({ set, read: await Promise.all(answers.map(decidedIn)) })),
);

describe.each(numbered.map(({ set, read: answers }) => [set, answers] as const))(
  'of one question and of several, set %s',
  (set, answers) => {
    it('let nothing through that is no yes, and refuse no yes', () => {
      expect(answers).toHaveLength(400);
      expect(answers.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
    });

    it('are acted on where they are clear', () => {
      const clearOnes = answers.filter(({ isClear }) => isClear);
      const found = clearOnes.filter(({ isActedOn }) => isActedOn).length / clearOnes.length;
      process.stdout.write(`answers of telephones acted on, set ${set}: ${found.toFixed(3)}\n`);
      expect(found).toBeGreaterThanOrEqual(LEAST_NUMBERED[set]);
    });
  },
);

const places = new Map(
  [...Map.groupBy(phoneAnswers, ({ language }) => language).values()].flatMap((list) =>
    list.map((said, at) => [said, at] as const),
  ),
);
function isSeen({ said }: Read): boolean {
  return (places.get(said) ?? 0) % 2 === 0;
}
