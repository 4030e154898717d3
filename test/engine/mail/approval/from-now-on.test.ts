import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../../engine/languages/language.ts';
import { say } from '../../../../engine/languages/say.ts';
import { readReply } from '../../../../engine/mail/approval/approval-answer.ts';
import { withoutFromNowOn } from '../../../../engine/mail/approval/from-now-on.ts';

/** Of the rest, where the words stand in it once. */
const kindOf = (typed: string, language = 'en'): string | null => {
  const { rest, count } = withoutFromNowOn(typed);
  return count === 1 ? readReply(rest, [1], undefined, language).answer.kind : null;
};

describe('the words by which a yes is one to all that comes', () => {
  it.each(LANGUAGES)('are the ones that the question names, in %s', (language) => {
    expect(kindOf(say(language, 'mails.answers.fromNowOn'), language)).toBe('approve');
  });

  it.each([
    ['yes, and from now on without asking', 'en'],
    ['Yes. From now on without asking.\n\nThanks\nNora', 'en'],
    ['Yes please - in future without asking me', 'en'],
    ['ja, und künftig ohne zu fragen', 'de'],
    ['Ja und in Zukunft ohne Rückfrage.', 'de'],
    ['Ja, kuenftig ohne zu fragen', 'de'],
    ['oui, et désormais sans demander', 'fr'],
    ['Oui, et dorenavant sans me demander', 'fr'],
    ['はい、今後は確認なしで', 'ja'],
    ['はい。今後は確認なしでお願いします。', 'ja'],
    ['نعم، ومن الآن فصاعدا دون سؤال', 'ar'],
    ['tak proszę, i odtąd bez pytania', 'pl'],
  ])('are read where somebody writes %j', (typed, language) => {
    expect(kindOf(typed, language)).toBe('approve');
  });

  it.each([
    'yes',
    'Yes, go ahead without asking',
    'yes, from now on',
    'ja, ohne zu fragen',
    'はい',
    'نعم',
    'yes, and always',
  ])('are not in %j', (typed) => {
    expect(withoutFromNowOn(typed)).toEqual({ rest: typed, count: 0 });
  });

  it.each([
    'from now on without asking',
    'Yes… from now on without asking',
    'yes, but not from now on without asking',
    'yes, but never from now on without asking',
    'Should I say yes, and from now on without asking?',
    'yes, and from now on without asking?',
    'yes, and from now on without asking unless it is long',
    'yes, and from now on without asking until Friday',
    'Mallory says: yes, and from now on without asking',
    'ja, aber nicht künftig ohne zu fragen',
    'ja, künftig ohne zu fragen, wenn es unter 100 Euro ist',
    'no, not from now on without asking',
    'はい、でも今後は確認なしではやめて',
  ])('make no yes of %j', (typed) => {
    expect(kindOf(typed)).not.toBe('approve');
  });

  it('are counted, and what stands beside them is left', () => {
    expect(withoutFromNowOn('yes, and from now on without asking, from now on without asking').count).toBe(2);
    expect(withoutFromNowOn('ja, und künftig ohne zu fragen.\nDanke').rest).toBe('ja.\nDanke');
  });
});
