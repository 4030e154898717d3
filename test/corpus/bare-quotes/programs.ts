import { wordLike } from '../owner-answers/html.ts';
import type { Coding } from '../owner-answers/mime.ts';
import type { Moment } from '../owner-answers/programs/dates.ts';
import { headerDate } from '../owner-answers/programs/dates.ts';
import {
  attributed,
  BARE_TEXT,
  codingBy,
  headed,
  OUTLOOK_TEXT,
  type Program,
  program,
  type Setting,
} from '../owner-answers/programs/program.ts';
import { GMX_ADVERTS, HOTMAIL_ADVERTS } from './tongues.ts';

/** How sure it is that the program writes so: `study`: reported in public and rebuilt; `own`: known to whoever wrote it. */
export interface BareProgram {
  readonly program: Program;
  readonly evidence: 'study' | 'own';
  /** How many clear answers, and how many others, are written with it. */
  readonly clear: number;
  readonly other: number;
  readonly languages: readonly string[];
  readonly adverts: readonly (readonly string[])[];
}

type Given = Omit<BareProgram, 'adverts'> & Partial<Pick<BareProgram, 'adverts'>>;

const ALL = 'cs sk hu ro el bg he ar vi de en fr es it nl pl pt da sv ja zh ko ru tr'.split(' ');

/** What Windows calls the letters of a language. */
const WINDOWS: Readonly<Record<string, string>> = {
  cs: 'windows-1250',
  sk: 'windows-1250',
  hu: 'windows-1250',
  ro: 'windows-1250',
  pl: 'iso-8859-2',
  bg: 'windows-1251',
  ru: 'koi8-r',
  el: 'iso-8859-7',
  he: 'windows-1255',
  ar: 'windows-1256',
  tr: 'iso-8859-9',
  ja: 'iso-2022-jp',
  zh: 'gb2312',
  ko: 'ks_c_5601-1987',
  de: 'iso-8859-1',
  en: 'us-ascii',
  fr: 'windows-1252',
  es: 'windows-1252',
  it: 'iso-8859-1',
  nl: 'iso-8859-1',
  pt: 'iso-8859-1',
  da: 'iso-8859-1',
  sv: 'iso-8859-1',
};
const BYTES = new Set(['ja', 'zh', 'ko', 'he', 'ar']);

const windows = (language: string): Coding => ({
  charset: WINDOWS[language] === 'us-ascii' ? 'iso-8859-1' : (WINDOWS[language] ?? 'utf-8'),
  transfer: language === 'ja' ? '8bit' : BYTES.has(language) ? 'base64' : 'quoted-printable',
});

/** The day as the language writes it out, then the time. */
function written({ at, locale, time }: Moment): string {
  const day = new Intl.DateTimeFormat(`${locale}-u-nu-latn`, {
    timeZone: 'Europe/Berlin',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  }).format(at);
  return `${day} ${time}`;
}

const outlookRows =
  (from: (name: string, address: string) => string) =>
  ({ question, owner, moment, wording: { labels } }: Setting) =>
    [
      [labels.from, from(question.from.name, question.from.address)],
      [labels.sent, written(moment)],
      [labels.to, owner],
      [labels.subject, question.subject],
    ] as const;

const angled = (name: string, address: string): string => `${name} <${address}>`;

const outlook = {
  reply: ({ reply }: { reply: string }) => reply,
  style: OUTLOOK_TEXT,
  coding: windows,
  headers: [
    'X-Mailer: Microsoft Outlook 16.0',
    'Thread-Index: AdxBk0n1mJ2o0b0yTQ2l5nqQ8V4zXA==',
    'Content-Language: en-us',
  ],
};

const outlookPlain = program({
  id: 'Outlook plain',
  ...outlook,
  parts: 'plain',
  width: 76,
  shape: headed(outlookRows(angled), () => null, {}),
});

const outlookOld = program({
  id: 'Outlook plain, mailto',
  ...outlook,
  parts: 'plain',
  width: 76,
  headers: ['X-Mailer: Microsoft Outlook 14.0', 'Thread-Index: Ac1Bk0n1mJ2o0b0yTQ2l5nqQ8V4zXA=='],
  shape: headed(
    outlookRows((name, address) => `${name} [mailto:${address}] `),
    ({ language, wording }) => (language === 'en' ? `-----${wording.original}-----` : null),
    {},
  ),
});

const outlookBoth = program({
  id: 'Outlook HTML and plain',
  ...outlook,
  quotedHtml: wordLike,
  line: (html) => `<p class="MsoNormal">${html}<o:p></o:p></p>`,
  blank: '<p class="MsoNormal"><o:p>&nbsp;</o:p></p>',
  shape: headed(outlookRows(angled), () => null, {
    open: '<div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">',
    head: ['<p class="MsoNormal">', '<o:p></o:p></p></div></div><p class="MsoNormal"><o:p>&nbsp;</o:p></p>'],
  }),
});

const hotmail = (id: string, given: Partial<Program>) =>
  program({
    id,
    parts: 'plain',
    style: 'text',
    reply: ({ reply }) => reply.toUpperCase(),
    coding: codingBy({ ...WINDOWS, en: 'iso-8859-1' }, 'quoted-printable'),
    headers: ['X-Originating-IP: [203.0.113.9]', 'Importance: Normal'],
    shape: headed(
      ({ question, owner, language }) => {
        const { labels } = { labels: HOTMAIL[language] ?? ['Subject', 'From', 'To', 'Date'] };
        const [subject = '', from = '', to = '', date = ''] = labels;
        return [
          [subject, question.subject],
          [from, question.from.address],
          [to, owner],
          [date, headerDate(question.sentAt)],
        ];
      },
      () => null,
      {},
    ),
    ...given,
  });

/** The page was in English for most; in some languages the labels were put into the reader's. */
const HOTMAIL: Readonly<Record<string, readonly string[]>> = {
  es: ['Asunto', 'De', 'Para', 'Fecha'],
  fr: ['Objet', 'De', 'À', 'Date'],
  pt: ['Assunto', 'De', 'Para', 'Data'],
  tr: ['Konu', 'Kimden', 'Kime', 'Tarih'],
  el: ['Θέμα', 'Από', 'Προς', 'Ημερομηνία'],
  cs: ['Předmět', 'Od', 'Komu', 'Datum'],
};

const GMX_AT: Readonly<Record<string, string>> = { en: 'at', fr: 'à', es: 'a las', de: 'um' };
const gmxDate = ({ language, moment }: Setting): string => {
  const day = `${moment.weekday}, ${moment.day2}. ${moment.month} ${moment.year}`;
  return `${day} ${GMX_AT[language] ?? 'um'} ${moment.time}${language === 'de' ? ' Uhr' : ''}`;
};
const gmxShape = headed(
  (setting) => {
    const { question, owner, wording } = setting;
    return [
      [wording.labels.sent, gmxDate(setting)],
      [wording.labels.from, `"${question.from.name}" <${question.from.address}>`],
      [wording.labels.to, owner],
      [wording.labels.subject, question.subject],
    ];
  },
  () => null,
  {
    open: '<div>&nbsp;\n<div>&nbsp;\n<div name="quote" style="margin:10px 5px 5px 10px; padding:10px 0 10px 10px; border-left:2px solid #C3D9E5; word-wrap: break-word;">\n',
    head: ['<div style="margin:0 0 10px 0;">', '</div>\n'],
    quote: ['<div name="quoted-content">', '</div>'],
    close: '</div>\n</div></div>',
  },
);
const gmx = {
  reply: () => 'Aw:',
  style: BARE_TEXT,
  shape: gmxShape,
  document: (html: string) =>
    `<html><head></head><body><div style="font-family: Verdana;font-size: 12.0px;">${html}</div></body></html>`,
  signature: { open: '<div class="signature">', close: '</div>', mark: '-- ' },
};
const GMX_HEADERS = ['X-UI-Message-Type: mail', 'X-Priority: 3', 'Importance: normal', 'Sensitivity: Normal'];

const zoho = (mark: string) =>
  attributed(
    (s) =>
      `---- On ${headerDate(s.question.sentAt)} ${angled(s.question.from.name, s.question.from.address)} wrote ${mark}`,
    {
      prefix: '',
      open: '<div class="zmail_extra_hr" style="border-top: 1px solid #ccc; height: 0px;"><br></div><div class="zmail_extra" data-zbluepencil-ignore="true">',
      head: ['<div id="Zm-_Id_-Sgn1">', '<br></div><div><br></div>'],
      quote: ['<blockquote id="blockquote_zmail" style="margin: 0px;">', '</blockquote>'],
      close: '</div>',
    },
  );

const qqLabels = (language: string): readonly string[] =>
  language === 'zh' ? ['发件人', '发送时间', '收件人', '主题'] : ['From', 'Date', 'To', 'Subject'];
const qqShape = (rule: (language: string) => string, end: string) =>
  headed(
    ({ question, owner, moment, language, english }) => {
      const [from = '', date = '', to = '', subject = ''] = qqLabels(language);
      const at =
        language === 'zh'
          ? `${moment.year}年${Number(moment.month2)}月${moment.day}日(${moment.weekday}) 上午${moment.time}`
          : `${english.weekdayShort}, ${english.monthShort} ${english.day}, ${english.year} ${english.time12}`;
      return [
        [from, `"${question.from.name}"<${question.from.address}>${end}`],
        [date, `${at}${end}`],
        [to, `"owner"<${owner}>${end}`],
        [subject, `${question.subject}${end}`],
      ];
    },
    ({ language }) => rule(language),
    {
      open: '<div><includetail><div style="font:Verdana normal 14px;color:#000;"><div style="FONT-SIZE: 12px;PADDING:2px 0;">------------------&nbsp;原始邮件&nbsp;------------------</div>',
      head: ['<div style="FONT-SIZE: 12px;background:#efefef;padding:8px;">', '</div><div>&nbsp;</div>'],
      close: '</div></includetail></div>',
    },
  );
const qq = {
  headers: ['X-QQ-STYLE: 1', 'X-QQ-mid: webmail812t1', 'X-Mailer: QQMail 2.x', 'X-Priority: 3'],
  reply: () => '回复：',
  coding: codingBy({ zh: 'gb18030', en: 'gb18030' }, 'base64'),
  style: BARE_TEXT,
};

/** Says when somebody wrote and who; nothing marks what follows. */
const BARE_LINE: Readonly<Record<string, (moment: Moment, who: string) => string>> = {
  he: (t, who) => `בתאריך ${t.weekday}, ${t.day} ב${t.month} ${t.year} ב-${t.time} מאת ${who}:`,
  ro: (t, who) => `Pe ${t.weekday}, ${t.day} ${t.monthShort} ${t.year} la ${t.time}, ${who} a scris:`,
  el: (t, who) => `Στις ${t.weekday}, ${t.day} ${t.month} ${t.year} ${t.time}, ο χρήστης ${who} έγραψε:`,
  ru: (t, who) => `${t.weekday}, ${t.day} ${t.month} ${t.year} г. в ${t.time}, ${who} написал(а):`,
};
const bareLine = attributed(
  ({ language, moment, question }) =>
    BARE_LINE[language]?.(moment, angled(question.from.name, question.from.address)) ?? '',
  { prefix: '', quote: ['<div>', '</div>'] },
);
const bareDate = attributed(
  ({ moment, question }) =>
    `${moment.year}-${moment.month2}-${moment.day2} ${moment.time} GMT+01:00 ${angled(question.from.name, question.from.address)}:`,
  { prefix: '' },
);

const GIVEN: readonly Given[] = [
  { program: outlookPlain, evidence: 'study', clear: 48, other: 48, languages: ALL },
  { program: outlookOld, evidence: 'own', clear: 24, other: 8, languages: ALL },
  { program: outlookBoth, evidence: 'study', clear: 24, other: 12, languages: ALL },
  {
    adverts: HOTMAIL_ADVERTS,
    evidence: 'study',
    clear: 14,
    other: 8,
    languages: ['en', 'es', 'fr', 'pt', 'tr', 'el', 'cs', 'de', 'it', 'nl'],
    program: hotmail('Hotmail', { references: 'both' }),
  },
  {
    adverts: HOTMAIL_ADVERTS,
    evidence: 'own',
    clear: 10,
    other: 6,
    languages: ['en', 'es', 'fr', 'pt', 'tr'],
    program: hotmail('Hotmail without references', { references: 'none', style: BARE_TEXT }),
  },
  {
    adverts: GMX_ADVERTS,
    evidence: 'study',
    clear: 20,
    other: 12,
    languages: ['de', 'de', 'en', 'fr', 'es'],
    program: program({ id: 'GMX plain', ...gmx, parts: 'plain', headers: GMX_HEADERS, references: 'answered' }),
  },
  {
    adverts: GMX_ADVERTS,
    evidence: 'study',
    clear: 20,
    other: 12,
    languages: ['de', 'de', 'en', 'fr', 'es'],
    program: program({ id: 'GMX HTML', ...gmx, headers: GMX_HEADERS, references: 'answered' }),
  },
  {
    adverts: GMX_ADVERTS,
    evidence: 'study',
    clear: 20,
    other: 12,
    languages: ['de'],
    program: program({ id: 'WEB.DE', ...gmx, headers: GMX_HEADERS, reply: () => 'AW:', width: 72 }),
  },
  {
    evidence: 'study',
    clear: 14,
    other: 8,
    languages: ['en', 'de', 'es', 'pt', 'ja', 'zh', 'it'],
    program: program({
      id: 'Zoho plain',
      parts: 'plain',
      style: BARE_TEXT,
      headers: ['X-Mailer: Zoho Mail'],
      shape: zoho('----'),
    }),
  },
  {
    evidence: 'study',
    clear: 10,
    other: 6,
    languages: ['en', 'de', 'fr', 'nl', 'pl'],
    program: program({
      id: 'Zoho HTML',
      style: BARE_TEXT,
      headers: ['X-Mailer: Zoho Mail', 'User-Agent: Zoho Mail'],
      shape: zoho('---'),
    }),
  },
  {
    evidence: 'own',
    clear: 12,
    other: 6,
    languages: ['zh', 'zh', 'en'],
    program: program({
      id: 'QQ',
      ...qq,
      shape: qqShape((l) => `------------------ ${l === 'zh' ? '原始邮件' : 'Original'} ------------------`, ';'),
    }),
  },
  {
    evidence: 'own',
    clear: 10,
    other: 6,
    languages: ['zh', 'zh', 'en'],
    program: program({
      id: 'QQ on a phone',
      ...qq,
      references: 'none',
      headers: ['X-Mailer: QQMail iOS'],
      shape: qqShape((l) => (l === 'zh' ? '---原始邮件---' : '---Original---'), ''),
    }),
  },
  {
    evidence: 'study',
    clear: 24,
    other: 12,
    languages: ['he', 'ro', 'el', 'ru'],
    program: program({ id: 'a line without marks', parts: 'plain', style: BARE_TEXT, shape: bareLine }),
  },
  {
    evidence: 'study',
    clear: 12,
    other: 6,
    languages: ['en', 'de', 'es', 'pl'],
    program: program({ id: 'a date first', parts: 'plain', style: BARE_TEXT, shape: bareDate }),
  },
  {
    evidence: 'study',
    clear: 16,
    other: 8,
    languages: ['en', 'de', 'fr', 'da', 'cs', 'ro', 'tr', 'ru'],
    program: program({
      id: 'signs lost where lines are broken',
      parts: 'plain',
      style: BARE_TEXT,
      breaksAt: 72,
      shape: attributed((s) => s.wording.thunderbird(s.moment, s.question.from.name), { prefix: '> ' }),
    }),
  },
];

export const BARE_PROGRAMS: readonly BareProgram[] = GIVEN.map((given) => ({ adverts: [], ...given }));
