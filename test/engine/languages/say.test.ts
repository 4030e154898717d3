import { expect, it } from 'vitest';
import { isKey, say } from '../../../engine/languages/say.ts';

it('a sentence is said with its values, in the language', () => {
  const values = { name: 'Ada', question: 'why?' };
  expect(say('en', 'mails.asks', values)).toBe('Ada asks: why?');
  expect(say('fr', 'mails.asks', values)).toBe('Ada demande : why?');
  expect(say('de', 'mails.assistant')).toBe('KI-Assistenz');
});

it.each(['{name}', "'{name}'", "it''s", '<b>Ada</b>', '#', '{', '', '$&'])(
  'a value is put in as it is: %j',
  (subject) => {
    expect(say('en', 'notices.failedSubject', { subject })).toBe(`No answer to "${subject}"`);
  },
);

it('a number chooses its form and is written without groups of digits', () => {
  const said = (count: number) => say('en', 'relay.more', { count });
  expect([said(1), said(2), said(12_345)]).toEqual([
    '… and 1 more character.',
    '… and 2 more characters.',
    '… and 12345 more characters.',
  ]);
  expect(say('fr', 'mails.stillOpen', { count: 0 })).toBe('0 choses attendent toujours votre réponse :');
});

it('a sentence may begin with a value', () => {
  const values = { who: 'Bob', subject: 'Lamps', cause: 'ärgerlich' };
  expect(say('de', 'notices.failed', values)).toContain('nicht beantworten: Ärgerlich.');
  expect(say('en', 'notices.failed', values)).toContain('of Bob: ärgerlich.');
});

it('what has no words is told from what has', () => {
  expect(isKey('notices.causes.timeout')).toBe(true);
  expect(isKey('notices.causes.constructor')).toBe(false);
  expect(isKey('toString')).toBe(false);
});
