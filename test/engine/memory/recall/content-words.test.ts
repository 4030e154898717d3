import { expect, it } from 'vitest';
import { contentWords } from '../../../../engine/memory/recall/content-words.ts';

it.each([
  ['Which hotel did I book in Falkenau?', ['hotel', 'book', 'falkenau']],
  ['Welches Hotel habe ich in Falkenau gebucht?', ['hotel', 'falkenau', 'gebucht']],
  // A stop word in German.
  ['What do you know about the war?', ['war']],
  ['Quel hôtel avez-vous réservé à Nîmes ?', ['hotel', 'reserve', 'nimes']],
  ['青葉台の廊下は何色ですか。', ['青葉台', '廊下', '何色']],
  ['Thanks, see you soon!', []],
  ['', []],
])('%s: %j', (text, words) => {
  expect(contentWords({ subject: '', text })).toEqual(words);
});

it('takes names, numbers and long words of a mail that has too many', () => {
  const text = `${Array.from({ length: 40 }, (_, n) => `word${String.fromCharCode(97 + (n % 26))}${n > 25 ? 'x' : ''}`).join(' ')} Falkenau 4711`;
  const words = contentWords({ subject: 'Hotel', text });
  expect(words).toHaveLength(24);
  expect(words).toEqual(expect.arrayContaining(['hotel', 'falkenau', '4711']));
});
