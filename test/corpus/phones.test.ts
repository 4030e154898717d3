import { describe, expect, it } from 'vitest';
import { type AboutCall, type AnswerToItems, readReply } from '../../engine/mail/approval/approval-answer.ts';
import { readMail } from '../../engine/mail/reading/read-mail.ts';
import { LIMITS } from '../engine/mail/limits.ts';
import { plainMail } from './answer-clients.ts';
import { laterAnswers, type PhoneAnswer, phoneAnswers } from './phones/index.ts';

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
const LEAST_LATER: Readonly<Record<string, number>> = { a: 0.91, b: 0.88, c: 0.74 };
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

const places = new Map(
  [...Map.groupBy(phoneAnswers, ({ language }) => language).values()].flatMap((list) =>
    list.map((said, at) => [said, at] as const),
  ),
);
function isSeen({ said }: Read): boolean {
  return (places.get(said) ?? 0) % 2 === 0;
}
