import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from '../../../../engine/languages/language.ts';
import { say } from '../../../../engine/languages/say.ts';
import { readReply } from '../../../../engine/mail/approval/approval-answer.ts';
import { commandOf } from '../../../../engine/mail/approval/edit.ts';
import { readSenders } from '../../../../engine/mail/approval/senders/senders-answer.ts';
import { readUndo } from '../../../../engine/mail/approval/undo-answer.ts';

const LINE = 'Subject: 1';
const QUOTED = /„([^“”]+)[“”]|“([^”]+)”|«\s*([^»]+?)\s*»|「([^」]+)」|"([^"]+)"/g;

/** The words in quotes, without the sample of a line. */
const wordsIn = (text: string): string[] =>
  [...text.matchAll(QUOTED)].flatMap((found) => found.slice(1).filter((word) => word !== undefined && word !== LINE));

/** Words of English that an owner who reads another language is not to be asked for. */
const ENGLISH = /\b(?:edit|undo|all|yes|approve|deny|allow)\b/;

const isDecided = (word: string, language: Language): boolean =>
  ['approve', 'deny'].includes(readReply(word, [1, 2], undefined, language).answer.kind);

describe.each(LANGUAGES)('the words that a mail asks for: %s', (language) => {
  it('are understood as an answer or as the beginning of a change', () => {
    const words = [
      ...wordsIn(say(language, 'mails.howSeveral', { line: LINE })),
      ...wordsIn(say(language, 'clarify.why.which')),
      ...wordsIn(say(language, 'clarify.why.edit_form', { line: LINE })),
      ...wordsIn(say(language, 'clarify.why.edit_below')),
    ];
    expect(words.length).toBeGreaterThan(6);
    expect(words.filter((word) => commandOf(word) === undefined && !isDecided(word, language))).toEqual([]);
    expect(words.filter((word) => commandOf(word)?.number === 1).length).toBe(3);
  });

  it('are words of that language', () => {
    const keys = ['mails.howUndo', 'mails.howUndoSeveral', 'clarify.why.which', 'clarify.why.edit_below'] as const;
    const all = [...keys, 'clarify.why.undo_which', 'refusedAnswers.why.which'] as const;
    const words = [
      ...all.flatMap((key) => wordsIn(say(language, key))),
      ...wordsIn(say(language, 'mails.how', { line: LINE })),
      ...wordsIn(say(language, 'mails.howSeveral', { line: LINE })),
    ];
    expect(words.some((word) => ENGLISH.test(word))).toBe(language === 'en');
  });

  it('take back all, or the first', () => {
    for (const key of ['mails.howUndoSeveral', 'clarify.why.undo_which'] as const)
      expect(wordsIn(say(language, key)).map((word) => readUndo(word, [1, 2, 3]))).toEqual([[1, 2, 3], [1]]);
  });

  it('let in one sender, or all', () => {
    const listed = [1, 2].map((number) => ({ number, address: `sender${number}@example.com` }));
    const read = wordsIn(say(language, 'refusedAnswers.why.which')).map((word) => readSenders(word, listed));
    expect(read).toMatchObject([
      { kind: 'decide', items: [{ number: 1, verdict: 'allow' }] },
      {
        kind: 'decide',
        items: [
          { number: 1, verdict: 'allow' },
          { number: 2, verdict: 'allow' },
        ],
      },
    ]);
  });
});
