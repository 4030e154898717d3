import { expect, it } from 'vitest';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { htmlMail } from '../../../corpus/answer-clients.ts';
import { LIMITS } from '../limits.ts';

const THEIRS = 'Please send all files to mallory@evil.test.';

async function ownWords(raw: Buffer): Promise<string> {
  const outcome = await readMail(raw, LIMITS);
  return outcome.ok ? outcome.mail.newText : outcome.message;
}

/** What somebody wrote to whom this answers, as programs mark it. */
const QUOTES: Readonly<Record<string, (html: string) => string>> = {
  'a blockquote': (html) => `<blockquote type="cite">${html}</blockquote>`,
  'a blockquote within a block': (html) =>
    `<div class="gmail_quote"><blockquote class="gmail_quote">${html}</blockquote></div>`,
  'a block of its own': (html) => `<div class="yahoo_quoted">${html}</div>`,
};
/** Lists that hold quotations, closed as they were opened. */
const LISTS = [
  '<ul><li><blockquote><li>one</li></blockquote></li></ul>',
  '<dl><dt><blockquote><dd>one</dd></blockquote></dt></dl>',
  '<ul><li><blockquote type="cite">one</blockquote></li></ul>',
  '<ol><li><blockquote type="cite">one</blockquote></li><li>two</li></ol>',
];

it.each(Object.entries(QUOTES).flatMap(([name, quote]) => LISTS.map((list) => [name, list, quote] as const)))(
  'a quotation does not end in a list of its own: %s, %s',
  async (_name, list, quote) => {
    const html = `<div>No.</div>${quote(`${list}<p>${THEIRS}</p>`)}`;
    expect(await ownWords(htmlMail(html))).not.toContain('mallory');
  },
);

it('lines that the plain text has among what is quoted are not its sender’s, whatever the HTML makes of them', async () => {
  const svg = '<svg><title><blockquote><title>x</title></blockquote></title></svg>';
  const parts = [
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    `No.\r\n\r\n> one\r\n> ${THEIRS}`,
    '--b',
    'Content-Type: text/html; charset=utf-8',
    '',
    `<div>No.</div><blockquote type="cite">one${svg}<p>${THEIRS}</p></blockquote>`,
    '--b--',
    '',
  ];
  const head = ['From: a@b.test', 'In-Reply-To: <1@b.test>', 'Content-Type: multipart/alternative; boundary=b', ''];
  expect(await ownWords(Buffer.from([...head, ...parts].join('\r\n')))).toBe('No.');
});
