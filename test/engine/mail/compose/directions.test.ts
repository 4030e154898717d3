import { expect, it } from 'vitest';
import { composeBody } from '../../../../engine/mail/compose/body.ts';
import { composeMail } from '../../../../engine/mail/compose/compose.ts';
import { keptInOrder } from '../../../../engine/mail/compose/directions.ts';
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
  expect(html).toMatch(/<blockquote [^>]*dir="rtl" style="[^"]*border-right:2px/);
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

it('what is read from left to right keeps its order within one that runs from right to left', () => {
  const text = `${ARABIC} +49 171 555 0142، DE89 3704 0044 0532 0130 00، 2026-12-04، 10:30، 1.234,50 EUR: https://example.com/a/`;
  const html = bodyOf(text);
  for (const kept of ['+49 171 555 0142', 'DE89 3704 0044 0532 0130 00', '2026-12-04'])
    expect(html).toContain(`<span dir="ltr">${kept}</span>`);
  expect(html).toContain('<span dir="ltr"><a href="https://example.com/a/">https://example.com/a/</a></span>');
  // One group of digits turns nothing about.
  expect(html).toContain('10:30، 1.234,50 EUR: ');
  // Nor does anything in a text that runs from left to right, nor in what an older version has written.
  expect(bodyOf('Call +49 171 555 0142')).not.toContain('dir="ltr"');
  expect(bodyOf(text, { keepsOrder: false })).not.toContain('dir="ltr"');
  // What is to be sent is shown as it will look.
  expect(renderLetter([{ kind: 'written', label: null, text }]).html).toContain(
    '<span dir="ltr">+49 171 555 0142</span>',
  );
});

it('a quote that runs from right to left does so below an answer that does not', () => {
  const quote = { attribution: 'On Saturday, Sara wrote:', text: `${ARABIC} +49 171 555 0142` };
  const html = bodyOf('Hello', { quote });
  expect(html).toMatch(/<blockquote [^>]*dir="rtl" style="[^"]*border-right:2px/);
  expect(html).toContain('<span dir="ltr">+49 171 555 0142</span>');
  expect(bodyOf('Hello', { quote, keepsOrder: false })).not.toMatch(/<blockquote [^>]*dir=/);
  expect(renderLetter([{ kind: 'said', text: quote.text }]).html).toContain('<span dir="ltr">+49 171 555 0142</span>');
});

it('the bytes of a mail say whether it was written so, and are the same where nothing was to be kept', async () => {
  const bytesOf = (text: string, quoted: string, keepsOrder: boolean) =>
    composeMail({
      from: { name: 'Ada', address: 'ada@agents.localhost' },
      to: [{ name: '', address: 'sara@example.com' }],
      cc: [],
      replyTo: null,
      subject: 'Offer',
      messageId: '<a@agents.localhost>',
      inReplyTo: null,
      references: [],
      date: 0,
      kind: 'reply',
      runId: null,
      autoSubmitted: null,
      recursion: null,
      text,
      signature: [],
      quote: { attribution: 'Sara wrote:', text: quoted },
      keepsOrder,
      attachments: [],
      extraHeaders: {},
    });
  const phone = `${ARABIC} ${'كلمة '.repeat(9)}+49 171 555 0142`;
  for (const [text, quoted] of [
    [phone, 'Hello'],
    ['Hello', ARABIC],
  ] as const) {
    expect(keptInOrder(await bytesOf(text, quoted, true))).toBe(true);
    expect(keptInOrder(await bytesOf(text, quoted, false))).toBe(false);
  }
  expect(await bytesOf(ARABIC, 'Hello', true)).toEqual(await bytesOf(ARABIC, 'Hello', false));
});
