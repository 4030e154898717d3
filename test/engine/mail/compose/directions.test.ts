import { expect, it } from 'vitest';
import { composeBody } from '../../../../engine/mail/compose/body.ts';
import { renderLetter } from '../../../../engine/mail/compose/letter.ts';

const ARABIC = 'أهلاً سارة، العرض جاهز وهذه هي الأسعار للطراز Mini.';
const bodyOf = (text: string, more: object = {}) =>
  composeBody({ text, signature: ['Ada', 'AI assistant'], language: 'en', quote: null, ...more }).html;

it.each([
  [ARABIC, 'ar'],
  ['שלום שרה, ההצעה מוכנה ואלה המחירים.', 'he'],
  ['سلام سارا، پیشنهاد آماده است و قیمت‌ها اینجاست.', 'fa'],
  ['سارہ، پیشکش تیار ہے اور قیمتیں یہ ہیں، آپ کے لیے بڑی خوشی ہے۔', 'ur'],
])('a text that runs from right to left says so, and in which language it is: %s', (text, language) => {
  const html = bodyOf(text);
  expect(html).toContain(`<html lang="${language}" dir="rtl">`);
  // Many programs keep the body alone.
  expect(html).toContain(`<body><div lang="${language}" dir="rtl"`);
  expect(html).toContain('<div class="moz-signature" dir="auto"');
});

it('any other text is in the language that it was said to be in, with a word of Arabic, too', () => {
  for (const text of ['The word is أهلاً, and it means hello to you.', '', '12,50', '请把报价发给李先生。'])
    expect(bodyOf(text)).toContain('<html lang="en"><head>');
});

it('words beside it run as their own letters do, and the edge of a quote stands where its lines begin', () => {
  const quote = { attribution: 'On Saturday, Sara wrote:', text: ARABIC };
  const html = bodyOf(ARABIC, { below: 'Done: mail to carol@example.com', quote });
  expect(html).toMatch(/<div dir="auto" style="[^"]*">Done: mail to carol@example\.com/);
  expect(html).toMatch(/<blockquote [^>]*dir="auto" style="[^"]*border-right:2px/);
  expect(bodyOf('Hello', { quote: { ...quote, text: 'Hello' } })).toMatch(/<blockquote [^>]*border-left:2px/);
  expect(renderLetter([{ kind: 'said', text: ARABIC }]).html).toContain('border-right:3px');
});

it('a mail that is to be sent looks as it will, and its links lead nowhere and say where they would', () => {
  const text =
    '**Prices** [here](https://evil.example/x?a=1&b=2), <https://example.com>\n\n| A | B |\n| --- | --- |\n| 1 | 2 |';
  const { html, text: plain } = renderLetter([{ kind: 'written', label: null, text }]);
  expect(html).toContain('<strong>Prices</strong>');
  expect(html).toContain('<td style="border:1px solid #999;padding:4px 8px">1</td>');
  expect(html).not.toMatch(/<a\b|href=/);
  expect(html).toContain('<u>here</u> (https://evil.example/x?a=1&amp;b=2)');
  expect(html).toContain('<u>https://example.com</u>');
  expect(plain).toContain('  | **Prices** [here](https://evil.example/x?a=1&b=2)');
});
