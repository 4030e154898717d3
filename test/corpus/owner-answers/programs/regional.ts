import { attributed, BARE_TEXT, codingBy, headed, type Program, program, who } from './program.ts';

const AT: Readonly<Record<string, string>> = { en: 'at', fr: 'à', es: 'a las' };

const gmxRows = headed(
  ({ question, owner, moment, language, wording: { labels } }) => [
    [
      labels.sent,
      `${moment.weekday}, ${moment.day2}. ${moment.month} ${moment.year} ${AT[language] ?? 'um'} ${moment.time}`,
    ],
    [labels.from, `"${question.from.name}" <${question.from.address}>`],
    [labels.to, owner],
    [labels.subject, question.subject],
  ],
  () => null,
  {
    open: '<div>&nbsp;\n<div name="quote" style="margin: 10px 5px 5px 10px; padding: 10px 0 10px 10px; border-left: 2px solid #C3D9E5; word-wrap: break-word;">\n',
    head: ['<div style="margin: 0 0 10px 0;">', '</div>\n'],
    quote: ['<div name="quoted-content">', '</div>'],
    close: '</div>\n</div>',
  },
);

const gmx = {
  reply: () => 'Aw:',
  style: BARE_TEXT,
  shape: gmxRows,
  signature: { open: '<div class="signature">', close: '</div>', mark: '' },
  document: (html: string) =>
    `<html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;">${html}</div></body></html>`,
};

const original = (before: string, after: string) =>
  headed(
    ({ question, owner, moment, wording: { labels } }) => [
      [labels.subject, question.subject],
      [labels.date, `${moment.year}-${moment.month2}-${moment.day2}T${moment.seconds}+0100`],
      [labels.from, `"${question.from.name}" <${question.from.address}>`],
      [labels.to, owner],
    ],
    () => before,
    { open: `<div>${before}</div>`, close: after },
  );

export const REGIONAL: readonly Program[] = [
  program({
    id: 'GMX',
    languages: ['de', 'en', 'fr', 'es'],
    ...gmx,
    parts: 'html',
    headers: ['X-UI-Message-Type: mail', 'X-Priority: 3'],
    coding: () => ({ charset: 'utf-8', transfer: '8bit' }),
  }),
  program({
    id: 'GMX app',
    languages: ['de', 'en', 'fr', 'es'],
    ...gmx,
    footer: ({ footers }) => footers.with('GMX Mail App'),
  }),
  program({
    id: 'WEB.DE',
    languages: ['de'],
    ...gmx,
    footer: ({ footers }) => footers.with('der WEB.DE Mail App'),
    headers: ['X-UI-Message-Type: mail'],
  }),
  program({
    id: 'T-Online',
    languages: ['de'],
    reply: () => 'AW:',
    headers: ['X-Mailer: eMail (Telekom)'],
    footer: ({ footers }) => footers.with('der Telekom Mail App'),
    shape: original('-----Original-Nachricht-----', ''),
  }),
  program({
    id: 'QQ Mail',
    languages: ['zh', 'en'],
    headers: ['X-QQ-STYLE: 1', 'X-QQ-mid: webmail', 'X-Mailer: QQMail 2.x', 'X-Priority: 3'],
    reply: ({ reply }) => (reply === 'Re:' ? 'Re:' : '回复：'),
    coding: codingBy({ zh: 'gb18030' }, 'base64'),
    footer: ({ footers }) => footers.iphone.replace('发自我的 ', '发自我的'),
    style: BARE_TEXT,
    shape: headed(
      ({ question, owner, moment, language }) => {
        const [from, date, to, subject] =
          language === 'zh' ? ['发件人', '发送时间', '收件人', '主题'] : ['From', 'Date', 'To', 'Subject'];
        return [
          [from ?? '', `"${question.from.name}" <${question.from.address}>`],
          [date ?? '', `${moment.year}年${moment.month2}月${moment.day2}日(${moment.weekday}) ${moment.time}`],
          [to ?? '', `"owner" <${owner}>`],
          [subject ?? '', question.subject],
        ];
      },
      ({ language }) => `------------------ ${language === 'zh' ? '原始邮件' : 'Original'} ------------------`,
      {
        open: '<div><includetail><div style="font:Verdana normal 14px;color:#000;"><div style="FONT-SIZE: 12px;PADDING:2px 0;">------------------&nbsp;Original&nbsp;------------------</div>',
        head: ['<div style="FONT-SIZE: 12px;background:#efefef;padding:8px;">', '</div><div>&nbsp;</div>'],
        close: '</div></includetail></div>',
      },
    ),
    signature: { open: '<div xmail-signature="" class="xm_signature">', close: '</div>', mark: '' },
  }),
  program({
    id: 'NetEase 163',
    languages: ['zh'],
    headers: ['X-Mailer: Coremail Webmail Server Version 2024', 'X-Priority: 3'],
    coding: codingBy({ zh: 'gbk' }, 'base64'),
    style: BARE_TEXT,
    shape: attributed(
      ({ question, moment }) =>
        `在 ${moment.year}-${moment.month2}-${moment.day2} ${moment.seconds}，"${question.from.name}" <${question.from.address}> 写道：`,
      {
        open: '<br><br>',
        head: ['<div>', '<br></div>'],
        quote: [
          '<blockquote id="isReplyContent" style="PADDING-LEFT: 1ex; MARGIN: 0px 0px 0px 0.8ex; BORDER-LEFT: #ccc 1px solid">',
          '</blockquote>',
        ],
        prefix: '',
      },
    ),
    line: (html) => `<div style="margin:0;">${html}</div>`,
    blank: '<div style="margin:0;"><br></div>',
    signature: { open: '<div id="ntes-pcmail-signature">', close: '</div>', mark: '--\n' },
  }),
  program({
    id: 'Naver',
    languages: ['ja', 'en', 'zh'],
    coding: () => ({ charset: 'utf-8', transfer: 'base64' }),
    style: BARE_TEXT,
    shape: headed(
      ({ question, owner, moment }) => [
        ['From', `"${question.from.name}" <${question.from.address}>`],
        ['To', `<${owner}>`],
        ['Cc', ''],
        ['Sent', `${moment.year}-${moment.month2}-${moment.day2} (토) ${moment.seconds} (GMT+09:00)`],
        ['Subject', question.subject],
      ],
      () => '-----Original Message-----',
      { open: '<p style="margin: 0;">-----Original Message-----<br>', head: ['', '<br></p>'] },
    ),
    line: (html) => `<p style="font-size:10pt;FONT-FAMILY: 나눔고딕,NanumGothic,sans-serif;">${html}</p>`,
    blank: '<p><br></p>',
  }),
  program({
    id: 'Yandex',
    languages: ['ru', 'en'],
    headers: ['X-Mailer: Yamail [ http://yandex.ru ] 5.0'],
    parts: 'html',
    coding: () => ({ charset: 'utf-8', transfer: '8bit' }),
    footer: ({ footers }) => footers.with('Yandex Mail'),
    shape: attributed(
      ({ question, moment }) =>
        `${moment.day2}.${moment.month2}.${moment.year}, ${moment.time}, "${question.from.name}" <${question.from.address}>:`,
      { quote: ['<blockquote>', '</blockquote>'] },
    ),
    signature: { open: '<div>--&nbsp;<br />', close: '</div>', mark: '-- ' },
  }),
  program({
    id: 'Mail.ru',
    languages: ['ru'],
    headers: ['X-Mailer: Mail.Ru Mailer 1.0', 'X-Priority: 3 (Normal)'],
    coding: () => ({ charset: 'utf-8', transfer: 'base64' }),
    style: BARE_TEXT,
    footer: ({ footers }) => footers.with('Почты Mail'),
    shape: attributed(
      ({ question, moment }) =>
        `${moment.weekday}, ${moment.day} ${moment.month} ${moment.year}, ${moment.time} +01:00 от ${question.from.name} <${question.from.address}>:`,
      {
        open: '<BR><BR>',
        head: ['<div>', '<br></div>'],
        quote: [
          '<blockquote style="border-left:1px solid #0857A6; margin:10px; padding:0 0 0 10px;">',
          '</blockquote>',
        ],
      },
    ),
    signature: { open: '<div id="mail-app-auto-default-signature"><p>--<br>', close: '</p></div>', mark: '--' },
  }),
  program({
    id: 'Yahoo! Japan',
    languages: ['ja'],
    parts: 'plain',
    headers: ['X-Mailer: YahooMailWebService/0.8'],
    coding: codingBy({ ja: 'iso-2022-jp' }, '8bit'),
    style: 'text',
    shape: headed(
      ({ question, owner, moment }) => [
        ['From', `${question.from.name} <${question.from.address}>`],
        ['To', owner],
        ['Date', `${moment.year}/${moment.month2}/${moment.day2} ${moment.weekdayShort} ${moment.time}`],
        ['Subject', question.subject],
      ],
      () => '----- Original Message -----',
      {},
    ),
  }),
  program({
    id: 'docomo',
    languages: ['ja'],
    parts: 'plain',
    headers: ['X-Mailer: docomo Mail'],
    coding: codingBy({ ja: 'iso-2022-jp' }, '8bit'),
    footer: ({ footers }) => footers.with('ドコモメール'),
    style: 'text',
    shape: attributed((s) => s.wording.apple(s.moment, ...who(s)), { prefix: '>' }),
  }),
];
