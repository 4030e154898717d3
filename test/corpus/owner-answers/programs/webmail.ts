import { headerDate } from './dates.ts';
import { attributed, BARE_TEXT, headed, OUTLOOK_TEXT, type Program, program, type Setting, who } from './program.ts';

const GMAIL_QUOTE =
  'class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"';

const gmail = attributed((s) => s.wording.gmail(s.moment, ...who(s)), {
  open: '<br><div class="gmail_quote gmail_quote_container">',
  head: ['<div dir="ltr" class="gmail_attr">', '<br></div>'],
  quote: [`<blockquote ${GMAIL_QUOTE}>`, '</blockquote>'],
  close: '</div>',
});

const outlookRows = ({ question, owner, wording: { labels }, moment }: Setting) =>
  [
    [labels.from, `${question.from.name} <${question.from.address}>`],
    [labels.sent, `${moment.weekday}, ${moment.day} ${moment.month} ${moment.year} ${moment.time}`],
    [labels.to, owner],
    [labels.subject, question.subject],
  ] as const;

/** Outlook in a browser and the Outlook that is the same inside. */
export const outlookWeb = headed(outlookRows, () => '________________________________', {
  open: '<div id="appendonsend"></div>\n<hr style="display:inline-block;width:98%" tabindex="-1">\n',
  head: [
    '<div id="divRplyFwdMsg" dir="ltr"><font face="Calibri, sans-serif" style="font-size:11pt" color="#000000">',
    '</font>\n<div>&nbsp;</div>\n</div>\n',
  ],
});

const outlookLine = (html: string): string =>
  `<div class="elementToProof" style="font-family: Aptos, Arial, sans-serif; font-size: 12pt; color: rgb(0, 0, 0);">${html}</div>\n`;
const outlookDocument = (html: string): string =>
  `<html><head>\n<meta http-equiv="Content-Type" content="text/html; charset=utf-8">\n<style type="text/css" style="display:none;"> P {margin-top:0;margin-bottom:0;} </style>\n</head>\n<body dir="ltr">\n${html}\n</body>\n</html>`;

const outlook = {
  reply: ({ reply }: { reply: string }) => reply,
  style: OUTLOOK_TEXT,
  line: outlookLine,
  blank: outlookLine('<br>'),
  document: outlookDocument,
  signature: { open: '<div id="Signature">\n', close: '</div>\n', mark: '' },
  shape: outlookWeb,
};

const yahoo = attributed((s) => s.wording.long(s.moment, ...who(s)), {
  open: '<div id="ydp4a6e6fb5yahoo_quoted_1834527611" class="ydp4a6e6fb5yahoo_quoted"><div style="font-family:\'Helvetica Neue\', Helvetica, Arial, sans-serif;font-size:13px;color:#26282a;">',
  head: ['<div>', '</div><div><br></div>'],
  quote: ['<div><div id="ydp4a6e6fb5yiv" dir="ltr">', '</div></div>'],
  close: '</div></div>',
  prefix: '',
});

export const GMAIL = program({
  id: 'Gmail web',
  width: 72,
  shape: gmail,
  document: (html) => `<div dir="ltr">${html}</div>\n`,
  signature: {
    open: '<div><div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature"><div dir="ltr">',
    close: '</div></div></div>',
    mark: '-- ',
  },
});

export const WEBMAIL: readonly Program[] = [
  GMAIL,
  program({
    id: 'Outlook web',
    ...outlook,
    headers: ['Accept-Language: en-US', 'X-MS-Has-Attach:', 'X-MS-TNEF-Correlator:'],
  }),
  program({
    id: 'new Outlook',
    ...outlook,
    parts: 'html',
    coding: () => ({ charset: 'utf-8', transfer: 'base64' }),
    headers: ['Thread-Topic: Approval', 'X-MS-Has-Attach:'],
  }),
  program({
    id: 'Yahoo',
    headers: ['X-Mailer: WebService/1.1.22943 YMailNorrin'],
    style: BARE_TEXT,
    shape: yahoo,
    line: (html) => `<div dir="ltr" data-setdir="false">${html}</div>`,
    signature: { open: '<div id="ydp5c8fsignature" class="ydp5c8fsignature">', close: '</div>', mark: '' },
    document: (html) =>
      `<html><head></head><body><div class="ydp4a6e6fb5yahoo-style-wrap" style="font-family:Helvetica;font-size:16px;">${html}</div></body></html>`,
  }),
  program({
    id: 'AOL',
    headers: ['X-Mailer: WebService/1.1.22943 AolMailNorrin'],
    style: BARE_TEXT,
    shape: headed(
      ({ question, owner, english: moment }) => [
        ['From', `${question.from.name} <${question.from.address}>`],
        ['To', owner],
        ['Sent', `${moment.weekdayShort}, ${moment.monthShort} ${moment.day}, ${moment.year} ${moment.time12}`],
        ['Subject', question.subject],
      ],
      () => '-----Original Message-----',
      {
        open: '<div id="yahoo_quoted_8123" class="yahoo_quoted"><div>-----Original Message-----<br>',
        close: '</div></div>',
      },
    ),
  }),
  program({
    id: 'Proton',
    footer: ({ footers }) => footers.proton,
    shape: attributed((s) => s.wording.long(s.moment, ...who(s)), {
      open: '<div class="protonmail_quote">\n        ',
      head: ['', '<br>\n        '],
      quote: ['<blockquote class="protonmail_quote" type="cite">\n            ', '\n        </blockquote>'],
      close: '<br>\n    </div>',
    }),
    line: (html) => `<div style="font-family: Arial, sans-serif; font-size: 14px;">${html}</div>\n`,
    blank: '<div style="font-family: Arial, sans-serif; font-size: 14px;"><br></div>\n',
    signature: {
      open: '<div class="protonmail_signature_block" style="font-family: Arial, sans-serif; font-size: 14px;">\n<div class="protonmail_signature_block-user">\n',
      close: '</div>\n<div class="protonmail_signature_block-proton protonmail_signature_block-empty"></div>\n</div>\n',
      mark: '',
    },
    footerHtml: (html) =>
      `<div class="protonmail_signature_block"><div class="protonmail_signature_block-proton">${html}</div></div>\n`,
    document: (html) => html,
    coding: () => ({ charset: 'utf-8', transfer: 'base64' }),
  }),
  program({
    id: 'Tuta',
    parts: 'html',
    footer: ({ footers }) => `${footers.with('Tuta')}\nhttps://tuta.com`,
    coding: () => ({ charset: 'utf-8', transfer: 'base64' }),
    shape: attributed(
      ({ question, moment }) =>
        `${moment.day}. ${moment.monthShort} ${moment.year}, ${moment.time} by ${question.from.address}:`,
      {
        head: ['<div>', '<br></div>'],
        quote: [
          '<blockquote class="tutanota_quote" style="border-left: 1px solid #93A3B8; padding-left: 10px; margin-left: 5px;">',
          '</blockquote>',
        ],
      },
    ),
    signature: { open: '<div class="tutanota_signature">', close: '</div>', mark: '' },
    line: (html) => `<div dir="auto">${html}<br></div>`,
    blank: '<div dir="auto"><br></div>',
  }),
  program({
    id: 'Zoho',
    headers: ['X-Mailer: Zoho Mail', 'User-Agent: Zoho Mail'],
    footer: ({ footers }) => footers.with('Zoho Mail'),
    style: BARE_TEXT,
    shape: attributed(
      (s) => `---- On ${headerDate(s.question.sentAt)} ${s.question.from.name} <${s.question.from.address}> wrote ---`,
      {
        open: '<div class="zmail_extra_hr" style="border-top: 1px solid rgb(204, 204, 204); height: 0px; margin-top: 10px;"><br></div><div class="zmail_extra" data-zbluepencil-ignore="true">',
        head: ['<div id="Zm-_Id_-Sgn1">', '<br></div><div><br></div>'],
        quote: ['<blockquote id="blockquote_zmail" style="margin: 0px;">', '</blockquote>'],
        close: '</div>',
        prefix: '',
      },
    ),
    signature: {
      open: '<div id="Zm-_Id_-Sgn" data-zbluepencil-ignore="true" data-sigid="5312">',
      close: '</div>',
      mark: '',
    },
    document: (html) =>
      `<!DOCTYPE html><html><head><meta content="text/html;charset=UTF-8" http-equiv="Content-Type"></head><body ><div style="font-family: Verdana, Arial, Helvetica, sans-serif; font-size: 10pt;">${html}</div></body></html>`,
  }),
  program({
    id: 'Fastmail',
    headers: ['User-Agent: Cyrus-JMAP/3.13.0-alpha0'],
    shape: attributed(
      ({ question, english: moment }) =>
        `On ${moment.weekdayShort}, ${moment.monthShort} ${moment.day}, ${moment.year}, at ${moment.time12}, ${question.from.name} wrote:`,
      { quote: ['<blockquote type="cite" id="qt" style="">', '</blockquote>'] },
    ),
    signature: { open: '<div id="sig58229114"><div class="signature">', close: '</div></div>', mark: '-- ' },
    document: (html) =>
      `<!DOCTYPE html><html><head><title></title><style type="text/css">p.MsoNormal,p.MsoNoSpacing{margin:0}</style></head><body>${html}</body></html>`,
  }),
  program({
    id: 'Roundcube',
    posts: 'bottom',
    parts: 'plain',
    isFlowed: true,
    headers: ['User-Agent: Roundcube Webmail/1.6.9'],
    coding: () => ({ charset: 'utf-8', transfer: '8bit' }),
    style: 'text',
    width: 74,
    shape: attributed(
      ({ question, moment }) =>
        `On ${moment.year}-${moment.month2}-${moment.day2} ${moment.time}, ${question.from.name} wrote:`,
      {},
    ),
    signature: { open: '', close: '', mark: '-- ' },
  }),
  program({
    id: 'Horde',
    parts: 'plain',
    isFlowed: true,
    headers: ['User-Agent: Horde Application Framework 5'],
    coding: () => ({ charset: 'utf-8', transfer: '8bit' }),
    style: 'text',
    shape: attributed(
      ({ question, language }) =>
        `${{ de: 'Zitat von', fr: '', es: 'Citando a', it: 'Citando', nl: 'Citeren' }[language] ?? 'Quoting'} ${question.from.name} <${question.from.address}>${language === 'fr' ? ' a écrit ' : ''}:\n`.trimStart(),
      {},
    ),
    signature: { open: '', close: '', mark: '-- ' },
  }),
  program({
    id: 'SOGo',
    headers: ['User-Agent: SOGoMail 5.11.0', 'X-Forward: 203.0.113.7'],
    shape: attributed(
      ({ question, english: moment }) =>
        `On ${moment.weekday}, ${moment.month} ${moment.day}, ${moment.year} ${moment.time} CET, ${question.from.name} <${question.from.address}> wrote:\n `,
      { head: ['<br /><br />', '<br />'], quote: ['<blockquote type="cite" cite="mid:sogo">', '</blockquote>'] },
    ),
    signature: { open: '', close: '', mark: '--' },
    line: (html) => `${html}<br />`,
    blank: '<br />',
  }),
];
