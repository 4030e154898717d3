import { wordLike } from '../html.ts';
import { headerDate } from './dates.ts';
import { attributed, codingBy, headed, OUTLOOK_TEXT, type Program, program, who } from './program.ts';

const CITE = ['<blockquote type="cite">', '</blockquote>'] as const;
const WESTERN = {
  en: 'iso-8859-1',
  de: 'iso-8859-15',
  fr: 'iso-8859-15',
  es: 'iso-8859-1',
  it: 'windows-1252',
  nl: 'iso-8859-1',
};

export const DESKTOP: readonly Program[] = [
  program({
    id: 'Apple Mail',
    headers: ['X-Mailer: Apple Mail (2.3864.200.81.1.6)'],
    shape: attributed((s) => s.wording.apple(s.moment, ...who(s)), {
      open: '<div><br><blockquote type="cite">',
      head: ['<div>', '</div><br class="Apple-interchange-newline">'],
      quote: ['<div>', '</div>'],
      close: '</blockquote></div><br>',
    }),
    document: (html) =>
      `<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body style="overflow-wrap: break-word; -webkit-nbsp-mode: space; line-break: after-white-space;">${html}</body></html>`,
    signature: {
      open: '<div><meta charset="UTF-8"><div style="font-family: Helvetica; font-size: 12px;">',
      close: '</div></div>',
      mark: '',
    },
  }),
  program({
    id: 'Outlook Windows',
    headers: [
      'X-Mailer: Microsoft Outlook 16.0',
      'Thread-Index: AdxBk0n1mJ2o0b0yTQ2l5nqQ8V4zXA==',
      'Content-Language: en-us',
    ],
    reply: ({ reply }) => reply,
    coding: codingBy(
      {
        ...WESTERN,
        pl: 'iso-8859-2',
        sv: 'iso-8859-1',
        pt: 'iso-8859-1',
        ru: 'koi8-r',
        ja: 'iso-2022-jp',
        zh: 'gb2312',
      },
      'quoted-printable',
    ),
    style: OUTLOOK_TEXT,
    quotedHtml: wordLike,
    line: (html) => `<p class="MsoNormal">${html}<o:p></o:p></p>`,
    blank: '<p class="MsoNormal"><o:p>&nbsp;</o:p></p>',
    shape: headed(
      ({ question, owner, moment, wording: { labels } }) => [
        [labels.from, `${question.from.name} <${question.from.address}> `],
        [labels.sent, `${moment.weekday}, ${moment.day} ${moment.month} ${moment.year} ${moment.time}`],
        [labels.to, owner],
        [labels.subject, question.subject],
      ],
      () => null,
      {
        open: '<div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">',
        head: ['<p class="MsoNormal">', '<o:p></o:p></p></div></div><p class="MsoNormal"><o:p>&nbsp;</o:p></p>'],
      },
    ),
    document: (html) =>
      `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta name=Generator content="Microsoft Word 15 (filtered medium)"><style><!-- p.MsoNormal {margin:0cm;font-size:11.0pt;} --></style></head><body lang=EN-US link="#0563C1" vlink="#954F72" style="word-wrap:break-word"><div class="WordSection1">${html}</div></body></html>`,
    signature: { open: '', close: '', mark: '' },
  }),
  program({
    id: 'Thunderbird top',
    headers: ['User-Agent: Mozilla Thunderbird', 'Content-Language: en-US'],
    coding: () => ({ charset: 'utf-8', transfer: '8bit' }),
    shape: attributed((s) => s.wording.thunderbird(s.moment, s.question.from.name), {
      head: ['<div class="moz-cite-prefix">', '<br></div>'],
      quote: ['<blockquote type="cite" cite="mid:question@agents.localhost">', '</blockquote>'],
    }),
    dropsSignature: true,
    line: (html) => `<p>${html}</p>`,
    blank: '<p><br></p>',
    document: (html) =>
      `<!DOCTYPE html>\n<html>\n  <head>\n    <meta http-equiv="Content-Type" content="text/html; charset=UTF-8">\n  </head>\n  <body>\n${html}\n  </body>\n</html>`,
    signature: { open: '<div class="moz-signature">-- <br>', close: '</div>', mark: '-- ' },
  }),
  program({
    id: 'Thunderbird bottom',
    posts: 'bottom',
    parts: 'plain',
    isFlowed: true,
    headers: ['User-Agent: Mozilla Thunderbird', 'Content-Language: en-US'],
    coding: codingBy(WESTERN, '8bit'),
    style: 'text',
    dropsSignature: true,
    shape: attributed((s) => s.wording.thunderbird(s.moment, s.question.from.name), {}),
    signature: { open: '', close: '', mark: '-- ' },
  }),
  program({
    id: 'eM Client',
    headers: ['User-Agent: eM_Client/10.1.4588.0'],
    footer: ({ footers }) => footers.with('eM Client'),
    shape: headed(
      ({ question, owner }) => [
        ['From', `"${question.from.name}" <${question.from.address}>`],
        ['To', owner],
        ['Date', headerDate(question.sentAt)],
        ['Subject', question.subject],
      ],
      ({ wording }) => `------ ${wording.original} ------`,
      {
        open: '<div>------ Original Message ------</div>',
        quote: ['<div id="x62f1d0a4"><blockquote cite="mid" type="cite" class="cite2">', '</blockquote></div>'],
      },
    ),
    signature: { open: '<signature id="x8d4e9b0c">', close: '</signature>', mark: '' },
  }),
  program({
    id: 'Mailspring',
    footer: ({ footers }) => footers.with('Mailspring'),
    coding: () => ({ charset: 'utf-8', transfer: 'base64' }),
    shape: attributed((s) => s.wording.apple(s.moment, ...who(s)), {
      open: '<div class="gmail_quote_attribution">',
      head: ['', '</div>'],
      quote: [
        '<blockquote class="gmail_quote" style="margin:0 0 0 .8ex;border-left:1px #ccc solid;padding-left:1ex;">',
        '</blockquote>',
      ],
    }),
    footerHtml: (html) => `<br><signature id="initial">${html}</signature>`,
    signature: { open: '<signature id="local-3c1">', close: '</signature>', mark: '' },
  }),
  program({
    id: 'Evolution',
    headers: ['User-Agent: Evolution 3.54.1'],
    coding: () => ({ charset: 'utf-8', transfer: '8bit' }),
    shape: attributed(
      ({ question, english: moment }) =>
        `On ${moment.weekdayShort}, ${moment.year}-${moment.month2}-${moment.day2} at ${moment.time} +0100, ${question.from.name} wrote:`,
      {
        quote: [
          '<blockquote type="cite" style="margin:0 0 0 .8ex; border-left:2px #729fcf solid;padding-left:1ex">',
          '</blockquote>',
        ],
      },
    ),
    dropsSignature: true,
    signature: { open: '<div><span><pre>-- <br></pre>', close: '</span></div>', mark: '-- ' },
  }),
  program({
    id: 'KMail',
    posts: 'bottom',
    parts: 'plain',
    headers: ['User-Agent: KMail/6.2.3'],
    style: 'text',
    dropsSignature: true,
    shape: attributed((s) => s.wording.long(s.moment, ...who(s)), {}),
    signature: { open: '', close: '', mark: '-- ' },
  }),
  program({
    id: 'mutt',
    posts: 'bottom',
    parts: 'plain',
    headers: ['User-Agent: Mutt/2.2.13 (2024-03-09)', 'Content-Disposition: inline'],
    coding: codingBy({ ru: 'koi8-r', pl: 'iso-8859-2' }, '8bit'),
    style: 'text',
    shape: attributed(
      ({ question, english: moment }) =>
        `On ${moment.weekdayShort}, ${moment.monthShort} ${moment.day}, ${moment.year} at ${moment.seconds} +0100, ${question.from.name} wrote:`,
      {},
    ),
    signature: { open: '', close: '', mark: '-- ' },
  }),
  program({
    id: 'Lotus Notes',
    parts: 'alternative',
    headers: ['X-Mailer: HCL Notes Release 12.0'],
    coding: codingBy(WESTERN, 'quoted-printable'),
    shape: headed(
      ({ question, owner, moment, wording: { labels } }) => [
        [labels.from, `"${question.from.name}" <${question.from.address}>`],
        [labels.to, owner],
        [labels.date, `${moment.day2}.${moment.month2}.${moment.year} ${moment.time}`],
        [labels.subject, question.subject],
      ],
      () => null,
      { head: ['<br><br><font size=1 face="sans-serif">', '</font><br><hr noshade><br>'], quote: CITE },
    ),
    line: (html) => `<font size=2 face="sans-serif">${html}</font><br>`,
    blank: '<br>',
  }),
];
