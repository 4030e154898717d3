import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../../engine/languages/language.ts';
import { readReply } from '../../../../engine/mail/approval/approval-answer.ts';
import { ANSWERS, type Answers, UNKNOWN_YES } from '../../../corpus/bare-quotes/tongues.ts';

const kindOf = (text: string, { language = 'en', name = '' } = {}): string =>
  readReply(text, [1], undefined, LANGUAGES.some((one) => one === language) ? language : 'en', name).answer.kind;

/** As people write it: alone, below a greeting, above a closing and a name, and above the line of a telephone. */
function forms(line: string, { greetings, closings, name, footer }: Answers): string[] {
  return [
    line,
    ...greetings.map((greeting) => `${greeting}\n\n${line}`),
    ...closings.map((closing) => `${line}\n\n${closing}\n${name}`),
    `${line}\n\n${footer}`,
  ];
}

/** Danish and Swedish say "again" with that word: alone it is asked back. */
const ASKED = /^(?:Igen|(?:Szia|Kedves) Ada!\n\nIgen|Igen\n\n.*)$/su;
const not = (kind: string, lines: readonly string[], answers: Answers): string[] =>
  lines.flatMap((line) => forms(line, answers)).filter((text) => !ASKED.test(text) && kindOf(text, answers) !== kind);

describe.each(ANSWERS.map((answers) => [answers.language, answers] as const))('an answer in %s', (_, answers) => {
  it('is a yes, as people write it', () => {
    expect(not('approve', answers.yes, answers)).toEqual([]);
  });

  it('is a no, as people write it', () => {
    expect(not('deny', answers.no, answers)).toEqual([]);
  });

  it('is no yes with a no, a condition, a later day or another amount in it', () => {
    const { negation, condition, later, amount, undecided } = answers;
    const doubts = [negation, condition, later, amount, undecided].flat();
    expect(doubts.filter((line) => kindOf(line, answers) === 'approve')).toEqual([]);
  });
});

describe('a word of two meanings', () => {
  it('is a yes beside a word that only its language has', () => {
    expect(['Igen, köszönöm.', 'Tak, dziękuję.'].map((text) => kindOf(text))).toEqual(['approve', 'approve']);
    expect(['Igen', 'Igen tak', 'Tak', 'Tak, mange tak'].map((text) => kindOf(text))).not.toContain('approve');
  });

  it('is no refusal in Dutch, where "nu" is now', () => {
    expect(kindOf('Nu.')).toBe('deny');
    expect(['Nu.', 'Nu graag.'].map((text) => kindOf(text, { language: 'nl' }))).not.toContain('deny');
  });
});

describe('the name of whoever answers', () => {
  const named = (text: string, name: string): string => kindOf(text, { name });

  it('is a signature in a script without capitals', () => {
    expect(named('מאשרת.\nדנה', 'דנה לוי')).toBe('approve');
    expect(named('승인\n\n김민지 드림', '김민지')).toBe('approve');
  });

  it('is none where it is a word of an answer, where another line stands there, or above the answer', () => {
    expect(named('מאשרת.\nלא', 'לא לוי')).not.toBe('approve');
    expect(named('מאשרת.\nדנה חכה', 'דנה לוי')).not.toBe('approve');
    expect(named('מאשרת.\nמשה', 'דנה לוי')).not.toBe('approve');
  });
});

describe('an answer in a language that nobody has written down', () => {
  it('is no yes', () => {
    expect(UNKNOWN_YES.filter((line) => kindOf(line) === 'approve')).toEqual([]);
  });
});
