import { attributed, BARE_TEXT, headed, OUTLOOK_TEXT, type Program, program, WEB_TEXT, who } from './program.ts';
import { outlookWeb } from './webmail.ts';

const apple = attributed((s) => s.wording.apple(s.moment, ...who(s)), {
  open: '<div dir="ltr"><br><blockquote type="cite">',
  head: ['', '<br><br></blockquote></div>'],
  quote: ['<blockquote type="cite"><div dir="ltr">', '</div></blockquote>'],
});

const appleBody = (html: string): string =>
  `<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body dir="auto">${html}</body></html>`;

const onPhone = {
  headers: ['X-Mailer: iPhone Mail (23B85)'],
  document: appleBody,
  shape: apple,
  line: (html: string) => `<div dir="ltr">${html}</div>`,
  blank: '<div dir="ltr"><br></div>',
  signature: { open: '<div dir="ltr">', close: '</div>', mark: '' },
  footerHtml: (html: string) => `<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">${html}</div>`,
};

const outlookPhone = (system: string) => ({
  reply: ({ reply }: { reply: string }) => reply,
  style: OUTLOOK_TEXT,
  shape: outlookWeb,
  line: (html: string) =>
    `<div dir="auto" style="font-family: Aptos, Calibri, Helvetica, sans-serif; font-size: 12pt;">${html}</div>\n`,
  blank: '<div dir="auto"><br></div>\n',
  footer: (wording: { footers: { outlook: (system: string) => string } }) => wording.footers.outlook(system),
  footerHtml: (html: string) =>
    `<div id="ms-outlook-mobile-signature">\n<div dir="auto"><a href="https://aka.ms/o0ukef">${html}</a></div>\n</div>\n`,
  signature: { open: '<div id="ms-outlook-mobile-signature">\n', close: '</div>\n', mark: '' },
});

const samsungRows = headed(
  ({ question, owner, moment, wording: { labels } }) => [
    [labels.from, `${question.from.name} <${question.from.address}>`],
    [labels.date, `${moment.day2}.${moment.month2}.${moment.year.slice(2)}  ${moment.time}  (GMT+01:00)`],
    [labels.to, owner],
    [labels.subject, question.subject],
  ],
  ({ wording }) => `-------- ${wording.original} --------`,
  {
    open: '<div style="font-size:100%;color:#000000"><!-- originalMessage --><div>-------- Original --------</div>',
    head: ['<div>', '</div><div><br></div></div>'],
  },
);

const android = attributed((s) => s.wording.long(s.moment, ...who(s)), {
  open: '<br><br><div class="gmail_quote">',
  head: ['<div dir="auto">', '</div>'],
  quote: [
    '<blockquote class="gmail_quote" style="margin: 0pt 0pt 0pt 0.8ex; border-left: 1px solid rgb(204, 204, 204); padding-left: 1ex;">',
    '</blockquote>',
  ],
  close: '</div>',
});

export const PHONES: readonly Program[] = [
  program({ id: 'iPhone', ...onPhone, footer: ({ footers }) => footers.iphone }),
  program({
    id: 'iPad',
    ...onPhone,
    headers: ['X-Mailer: iPad Mail (23B85)'],
    footer: ({ footers }) => footers.ipad,
    coding: () => ({ charset: 'utf-8', transfer: 'base64' }),
  }),
  program({
    id: 'Gmail app',
    width: 72,
    style: WEB_TEXT,
    shape: attributed((s) => s.wording.gmail(s.moment, ...who(s)), {
      open: '<br><div class="gmail_quote gmail_quote_container">',
      head: ['<div dir="ltr" class="gmail_attr">', '<br></div>'],
      quote: [
        '<blockquote class="gmail_quote" style="margin:0 0 0 .8ex;border-left:1px #ccc solid;padding-left:1ex">',
        '</blockquote>',
      ],
      close: '</div>',
    }),
    line: (html) => `<div dir="auto">${html}</div>`,
    blank: '<div dir="auto"><br></div>',
    document: (html) => `<div dir="auto">${html}</div>\n`,
    signature: {
      open: '<div data-smartmail="gmail_signature" class="gmail_signature">',
      close: '</div>',
      mark: '',
    },
  }),
  program({ id: 'Outlook iOS', ...outlookPhone('iOS') }),
  program({
    id: 'Outlook Android',
    ...outlookPhone('Android'),
    parts: 'html',
    coding: () => ({ charset: 'utf-8', transfer: 'base64' }),
  }),
  program({
    id: 'Yahoo app',
    headers: ['X-Mailer: WebService/1.1.22943 YahooMailIosMobile'],
    footer: ({ footers }) => footers.yahoo,
    style: BARE_TEXT,
    shape: attributed((s) => s.wording.long(s.moment, ...who(s)), {
      open: '<br><blockquote style="margin: 0 0 20px 0;"><div style="font-family:Roboto, sans-serif; color:#6D00F6;">',
      head: ['<div>', '</div></div>'],
      quote: ['<div style="padding: 10px 0 0 20px; margin: 10px 0 0 0; border-left: 1px solid #6D00F6;">', '</div>'],
      close: '</blockquote>',
      prefix: '',
    }),
    footerHtml: (html) =>
      `<br><div id="ymail_android_signature"><a id="ymail_android_signature_link" href="https://mail.onelink.example">${html}</a></div>`,
  }),
  program({
    id: 'Samsung Mail',
    footer: ({ footers }) => footers.galaxy,
    coding: () => ({ charset: 'utf-8', transfer: 'base64' }),
    style: OUTLOOK_TEXT,
    shape: samsungRows,
    line: (html) => `<div dir="auto">${html}</div>`,
    blank: '<div dir="auto"><br></div>',
    footerHtml: (html) =>
      `<div dir="auto"><br></div><div id="composer_signature" dir="auto"><div style="font-size:85%;color:#575757" dir="auto">${html}</div></div><div dir="auto"><br></div>`,
    signature: { open: '<div id="composer_signature" dir="auto">', close: '</div>', mark: '' },
  }),
  program({
    id: 'K-9 Mail',
    parts: 'plain',
    headers: ['User-Agent: K-9 Mail for Android'],
    footer: ({ footers }) => footers.k9,
    style: 'text',
    shape: attributed((s) => s.wording.long(s.moment, ...who(s)), {}),
    signature: { open: '', close: '', mark: '-- ' },
  }),
  program({
    id: 'Thunderbird Android',
    headers: ['User-Agent: Thunderbird for Android'],
    shape: android,
    dropsSignature: true,
    document: (html) => `<!DOCTYPE html><html><body>${html}</body></html>`,
    footer: ({ footers }) => footers.with('Thunderbird for Android'),
    footerHtml: (html) => `<div class="k9mail-signature">-- <br>${html}</div>`,
    signature: { open: '<div class="k9mail-signature">-- <br>', close: '</div>', mark: '-- ' },
  }),
  program({
    id: 'BlueMail',
    headers: ['X-Correlation-ID: <4f1c@blue.example>'],
    footer: ({ footers }) => footers.with('BlueMail'),
    shape: android,
    footerHtml: (html) =>
      `<div class="blue_signature">${html.replace('BlueMail', '<a href="https://bluemail.me/download/" target="_blank">BlueMail</a>')}</div>`,
    signature: { open: '<div class="blue_signature">', close: '</div>', mark: '' },
  }),
  program({
    id: 'Spark',
    headers: ['X-Readdle-Message-ID: 4f1c9c@Spark'],
    footer: ({ footers }) => footers.with('Spark'),
    shape: attributed((s) => s.wording.apple(s.moment, ...who(s)), {
      open: '<div name="messageReplySection">',
      head: ['', '<br/>'],
      quote: [
        '<blockquote type="cite" style="border-left-color: #1abc9c; margin: 5px; padding-left: 10px; border-left: thin solid #1abc9c;">',
        '</blockquote>',
      ],
      close: '</div>',
    }),
    line: (html) => `<div name="messageBodySection"><div dir="auto">${html}</div></div>`,
    blank: '<div name="messageBodySection"><br/></div>',
    footerHtml: (html) => `<div name="messageSignatureSection"><br/><div class="matchFont">${html}</div></div>`,
    signature: {
      open: '<div name="messageSignatureSection"><br/><div class="matchFont">',
      close: '</div></div>',
      mark: '',
    },
  }),
];
