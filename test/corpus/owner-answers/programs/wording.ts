import type { Moment } from './dates.ts';

/** What mail programs write by themselves, in the language that they are set to. */
export interface Wording {
  /** Before the subject of an answer, where the program translates it. */
  readonly reply: string;
  readonly labels: {
    readonly from: string;
    readonly sent: string;
    readonly date: string;
    readonly to: string;
    readonly subject: string;
    /** Between a label and what it names. */
    readonly colon: string;
  };
  readonly original: string;
  gmail(at: Moment, name: string, address: string): string;
  apple(at: Moment, name: string, address: string): string;
  thunderbird(at: Moment, name: string): string;
  /** As Yahoo, SOGo and others, who write the day out. */
  long(at: Moment, name: string, address: string): string;
  readonly footers: {
    readonly iphone: string;
    readonly ipad: string;
    readonly galaxy: string;
    readonly outlook: (system: string) => string;
    readonly k9: string;
    readonly proton: string;
    readonly yahoo: string;
    readonly with: (app: string) => string;
  };
}

const en: Wording = {
  reply: 'Re:',
  labels: { from: 'From', sent: 'Sent', date: 'Date', to: 'To', subject: 'Subject', colon: ': ' },
  original: 'Original Message',
  gmail: (t, name, address) =>
    `On ${t.weekdayShort}, ${t.monthShort} ${t.day}, ${t.year} at ${t.time12} ${name} <${address}> wrote:`,
  apple: (t, name, address) => `On ${t.monthShort} ${t.day}, ${t.year}, at ${t.time12}, ${name} <${address}> wrote:`,
  thunderbird: (t, name) => `On ${t.month2}/${t.day2}/${t.year} ${t.time12}, ${name} wrote:`,
  long: (t, name, address) =>
    `On ${t.weekday}, ${t.month} ${t.day}, ${t.year} at ${t.time12} GMT+1, ${name} <${address}> wrote:`,
  footers: {
    iphone: 'Sent from my iPhone',
    ipad: 'Sent from my iPad',
    galaxy: 'Sent from my Galaxy',
    outlook: (system) => `Get Outlook for ${system}`,
    k9: 'Sent from my Android device with K-9 Mail. Please excuse my brevity.',
    proton: 'Sent with Proton Mail secure email.',
    yahoo: 'Sent from Yahoo Mail for iPhone',
    with: (app) => `Sent with ${app}`,
  },
};

const de: Wording = {
  reply: 'AW:',
  labels: { from: 'Von', sent: 'Gesendet', date: 'Datum', to: 'An', subject: 'Betreff', colon: ': ' },
  original: 'Ursprüngliche Nachricht',
  gmail: (t, name, address) =>
    `Am ${t.weekdayShort}., ${t.day}. ${t.monthShort} ${t.year} um ${t.time} Uhr schrieb ${name} <${address}>:`,
  apple: (t, name, address) => `Am ${t.day2}.${t.month2}.${t.year} um ${t.time} schrieb ${name} <${address}>:`,
  thunderbird: (t, name) => `Am ${t.day2}.${t.month2}.${t.year.slice(2)} um ${t.time} schrieb ${name}:`,
  long: (t, name, address) =>
    `Am ${t.weekday}, ${t.day}. ${t.month} ${t.year} um ${t.seconds} MEZ hat ${name} <${address}> Folgendes geschrieben:`,
  footers: {
    iphone: 'Von meinem iPhone gesendet',
    ipad: 'Von meinem iPad gesendet',
    galaxy: 'Von meinem Galaxy gesendet',
    outlook: (system) => `Holen Sie sich Outlook für ${system}`,
    k9: 'Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.',
    proton: 'Gesendet mit Proton Mail E-Mail-Verschlüsselung.',
    yahoo: 'Von Yahoo Mail für iPhone gesendet',
    with: (app) => `Gesendet mit ${app}`,
  },
};

const fr: Wording = {
  reply: 'RE:',
  labels: { from: 'De', sent: 'Envoyé', date: 'Date', to: 'À', subject: 'Objet', colon: ' : ' },
  original: "Message d'origine",
  gmail: (t, name, address) =>
    `Le ${t.weekdayShort} ${t.day} ${t.monthShort} ${t.year} à ${t.time}, ${name} <${address}> a écrit :`,
  apple: (t, name, address) => `Le ${t.day} ${t.monthShort} ${t.year} à ${t.time}, ${name} <${address}> a écrit :`,
  thunderbird: (t, name) => `Le ${t.day2}/${t.month2}/${t.year} à ${t.time}, ${name} a écrit :`,
  long: (t, name, address) =>
    `Le ${t.weekday} ${t.day} ${t.month} ${t.year} à ${t.seconds} UTC+1, ${name} <${address}> a écrit :`,
  footers: {
    iphone: 'Envoyé de mon iPhone',
    ipad: 'Envoyé de mon iPad',
    galaxy: 'Envoyé depuis mon appareil Galaxy',
    outlook: (system) => `Obtenez Outlook pour ${system}`,
    k9: 'Envoyé de mon appareil Android avec Courriel K-9 Mail. Veuillez excuser ma brièveté.',
    proton: 'Envoyé avec la messagerie sécurisée Proton Mail.',
    yahoo: 'Envoyé à partir de Yahoo Mail pour iPhone',
    with: (app) => `Envoyé avec ${app}`,
  },
};

const es: Wording = {
  reply: 'RE:',
  labels: { from: 'De', sent: 'Enviado', date: 'Fecha', to: 'Para', subject: 'Asunto', colon: ': ' },
  original: 'Mensaje original',
  gmail: (t, name, address) =>
    `El ${t.weekdayShort}, ${t.day} ${t.monthShort} ${t.year} a las ${t.time}, ${name} (<${address}>) escribió:`,
  apple: (t, name, address) => `El ${t.day} ${t.monthShort} ${t.year}, a las ${t.time}, ${name} <${address}> escribió:`,
  thunderbird: (t, name) => `El ${t.day}/${t.month2}/${t.year} a las ${t.time}, ${name} escribió:`,
  long: (t, name, address) =>
    `El ${t.weekday}, ${t.day} de ${t.month} de ${t.year}, ${t.seconds} CET, ${name} <${address}> escribió:`,
  footers: {
    iphone: 'Enviado desde mi iPhone',
    ipad: 'Enviado desde mi iPad',
    galaxy: 'Enviado desde mi Galaxy',
    outlook: (system) => `Obtener Outlook para ${system}`,
    k9: 'Enviado desde mi dispositivo Android con K-9 Mail. Por favor, disculpa mi brevedad.',
    proton: 'Enviado con el correo electrónico seguro de Proton Mail.',
    yahoo: 'Enviado desde Yahoo Mail para iPhone',
    with: (app) => `Enviado con ${app}`,
  },
};

const it: Wording = {
  reply: 'R:',
  labels: { from: 'Da', sent: 'Inviato', date: 'Data', to: 'A', subject: 'Oggetto', colon: ': ' },
  original: 'Messaggio originale',
  gmail: (t, name, address) =>
    `Il giorno ${t.weekdayShort} ${t.day} ${t.monthShort} ${t.year} alle ore ${t.time} ${name} <${address}> ha scritto:`,
  apple: (t, name, address) =>
    `Il giorno ${t.day} ${t.monthShort} ${t.year}, alle ore ${t.time}, ${name} <${address}> ha scritto:`,
  thunderbird: (t, name) => `Il ${t.day2}/${t.month2}/${t.year} ${t.time}, ${name} ha scritto:`,
  long: (t, name, address) =>
    `Il ${t.weekday} ${t.day} ${t.month} ${t.year} alle ore ${t.seconds} CET, ${name} <${address}> ha scritto:`,
  footers: {
    iphone: 'Inviato da iPhone',
    ipad: 'Inviato da iPad',
    galaxy: 'Inviato dal mio Galaxy',
    outlook: (system) => `Ottieni Outlook per ${system}`,
    k9: 'Inviato dal mio dispositivo Android con K-9 Mail. Perdonate la brevità.',
    proton: "Inviato con l'email sicura Proton Mail.",
    yahoo: 'Inviato da Yahoo Mail per iPhone',
    with: (app) => `Inviato con ${app}`,
  },
};

const nl: Wording = {
  reply: 'RE:',
  labels: { from: 'Van', sent: 'Verzonden', date: 'Datum', to: 'Aan', subject: 'Onderwerp', colon: ': ' },
  original: 'Oorspronkelijk bericht',
  gmail: (t, name, address) =>
    `Op ${t.weekdayShort} ${t.day} ${t.monthShort} ${t.year} om ${t.time} schreef ${name} <${address}>:`,
  apple: (t, name, address) =>
    `Op ${t.day} ${t.monthShort} ${t.year}, om ${t.time} heeft ${name} <${address}> het volgende geschreven:`,
  thunderbird: (t, name) => `Op ${t.day2}-${t.month2}-${t.year} om ${t.time} schreef ${name}:`,
  long: (t, name, address) =>
    `Op ${t.weekday} ${t.day} ${t.month} ${t.year} om ${t.seconds} CET schreef ${name} <${address}>:`,
  footers: {
    iphone: 'Verstuurd vanaf mijn iPhone',
    ipad: 'Verstuurd vanaf mijn iPad',
    galaxy: 'Verzonden vanaf mijn Galaxy',
    outlook: (system) => `Outlook voor ${system} downloaden`,
    k9: 'Verstuurd vanaf mijn Android apparaat met K-9 Mail. Excuseer mijn beknoptheid.',
    proton: 'Verzonden met Proton Mail beveiligde e-mail.',
    yahoo: 'Verstuurd vanaf Yahoo Mail voor iPhone',
    with: (app) => `Verzonden met ${app}`,
  },
};

const pt: Wording = {
  reply: 'RE:',
  labels: { from: 'De', sent: 'Enviado', date: 'Data', to: 'Para', subject: 'Assunto', colon: ': ' },
  original: 'Mensagem original',
  gmail: (t, name, address) =>
    `${name} <${address}> escreveu (${t.weekday}, ${t.day2}/${t.month2}/${t.year} à(s) ${t.time}):`,
  apple: (t, name, address) => `No dia ${t.day2}/${t.month2}/${t.year}, às ${t.time}, ${name} <${address}> escreveu:`,
  thunderbird: (t, name) => `Em ${t.day2}/${t.month2}/${t.year} ${t.time}, ${name} escreveu:`,
  long: (t, name, address) =>
    `Em ${t.weekday}, ${t.day} de ${t.month} de ${t.year} às ${t.seconds} CET, ${name} <${address}> escreveu:`,
  footers: {
    iphone: 'Enviado do meu iPhone',
    ipad: 'Enviado do meu iPad',
    galaxy: 'Enviado do meu Galaxy',
    outlook: (system) => `Obter o Outlook para ${system}`,
    k9: 'Enviado de meu dispositivo Android com K-9 mail. Desculpe-me pela brevidade.',
    proton: 'Enviado com o e-mail seguro Proton Mail.',
    yahoo: 'Enviado do Yahoo Mail para iPhone',
    with: (app) => `Enviado com ${app}`,
  },
};

const pl: Wording = {
  reply: 'ODP:',
  labels: { from: 'Od', sent: 'Wysłano', date: 'Data', to: 'Do', subject: 'Temat', colon: ': ' },
  original: 'Wiadomość oryginalna',
  gmail: (t, name, address) =>
    `${t.weekdayShort}, ${t.day} ${t.monthShort} ${t.year} o ${t.time} ${name} <${address}> napisał(a):`,
  apple: (t, name, address) =>
    `Wiadomość napisana przez ${name} <${address}> w dniu ${t.day} ${t.monthShort} ${t.year}, o godz. ${t.time}:`,
  thunderbird: (t, name) => `W dniu ${t.day2}.${t.month2}.${t.year} o ${t.time}, ${name} pisze:`,
  long: (t, name, address) =>
    `${t.weekday}, ${t.day} ${t.month} ${t.year} ${t.seconds} CET, ${name} <${address}> napisał(a):`,
  footers: {
    iphone: "Wysłane z iPhone'a",
    ipad: 'Wysłane z iPada',
    galaxy: 'Wysłane z urządzenia Galaxy',
    outlook: (system) => `Pobierz program Outlook dla systemu ${system}`,
    k9: 'Wysłane z urządzenia Android za pomocą K-9 Mail. Proszę wybaczyć zwięzłość.',
    proton: 'Wysłane za pomocą bezpiecznej poczty e-mail Proton Mail.',
    yahoo: 'Wysłane z Yahoo Mail dla iPhone',
    with: (app) => `Wysłane za pomocą ${app}`,
  },
};

const sv: Wording = {
  reply: 'SV:',
  labels: { from: 'Från', sent: 'Skickat', date: 'Datum', to: 'Till', subject: 'Ämne', colon: ': ' },
  original: 'Ursprungligt meddelande',
  gmail: (t, name, address) =>
    `Den ${t.weekdayShort} ${t.day} ${t.monthShort} ${t.year} kl ${t.time} skrev ${name} <${address}>:`,
  apple: (t, name, address) => `${t.day} ${t.monthShort} ${t.year} kl. ${t.time} skrev ${name} <${address}>:`,
  thunderbird: (t, name) => `Den ${t.year}-${t.month2}-${t.day2} kl. ${t.time}, skrev ${name}:`,
  long: (t, name, address) =>
    `${t.weekday} den ${t.day} ${t.month} ${t.year} ${t.seconds} CET, ${name} <${address}> skrev:`,
  footers: {
    iphone: 'Skickat från min iPhone',
    ipad: 'Skickat från min iPad',
    galaxy: 'Skickat från min Galaxy',
    outlook: (system) => `Hämta Outlook för ${system}`,
    k9: 'Skickat från min Android-enhet med K-9 Mail. Ursäkta min fåordighet.',
    proton: 'Skickat med Proton Mail säker e-post.',
    yahoo: 'Skickat från Yahoo Mail för iPhone',
    with: (app) => `Skickat med ${app}`,
  },
};

const ru: Wording = {
  reply: 'RE:',
  labels: { from: 'От', sent: 'Отправлено', date: 'Дата', to: 'Кому', subject: 'Тема', colon: ': ' },
  original: 'Исходное сообщение',
  gmail: (t, name, address) =>
    `${t.weekdayShort}, ${t.day} ${t.monthShort} ${t.year} г. в ${t.time}, ${name} <${address}>:`,
  apple: (t, name, address) => `${t.day} ${t.monthShort} ${t.year} г., в ${t.time}, ${name} <${address}> написал(а):`,
  thunderbird: (t, name) => `${t.day2}.${t.month2}.${t.year} ${t.time}, ${name} пишет:`,
  long: (t, name, address) =>
    `${t.weekday}, ${t.day} ${t.month} ${t.year} г. в ${t.seconds} GMT+1, ${name} <${address}> написал(-а):`,
  footers: {
    iphone: 'Отправлено с iPhone',
    ipad: 'Отправлено с iPad',
    galaxy: 'Отправлено с устройства Galaxy',
    outlook: (system) => `Получить Outlook для ${system}`,
    k9: 'Отправлено с устройства Android с помощью K-9 Mail. Прошу прощения за краткость.',
    proton: 'Отправлено с помощью защищённой почты Proton Mail.',
    yahoo: 'Отправлено из Yahoo Почты для iPhone',
    with: (app) => `Отправлено с помощью ${app}`,
  },
};

const ja: Wording = {
  reply: 'RE:',
  labels: { from: '差出人', sent: '送信日時', date: '日付', to: '宛先', subject: '件名', colon: ': ' },
  original: '元のメッセージ',
  gmail: (t, name, address) => `${t.year}年${t.month2}月${t.day}日(${t.weekdayShort}) ${t.time} ${name} <${address}>:`,
  apple: (t, name, address) => `${t.year}/${t.month2}/${t.day2} ${t.time}、${name} <${address}>のメール:`,
  thunderbird: (t, name) => `On ${t.year}/${t.month2}/${t.day2} ${t.time}, ${name} wrote:`,
  long: (t, name, address) =>
    `${t.year}年${t.month2}月${t.day}日${t.weekday} ${t.seconds} GMT+1、${name} <${address}> さんのメール：`,
  footers: {
    iphone: 'iPhoneから送信',
    ipad: 'iPadから送信',
    galaxy: 'Galaxyから送信',
    outlook: (system) => `Outlook for ${system} を入手`,
    k9: 'Androidデバイスから K-9 Mail で送信しました。簡潔な文章で失礼します。',
    proton: 'Proton Mail のセキュアメールで送信されました。',
    yahoo: 'Yahoo Mail for iPhoneから送信',
    with: (app) => `${app}で送信`,
  },
};

const zh: Wording = {
  reply: '答复:',
  labels: { from: '发件人', sent: '发送时间', date: '日期', to: '收件人', subject: '主题', colon: ': ' },
  original: '原始邮件',
  gmail: (t, name, address) =>
    `${name} <${address}> 于${t.year}年${t.month2}月${t.day}日${t.weekdayShort} ${t.time}写道：`,
  apple: (t, name, address) => `${t.year}年${t.month2}月${t.day}日 ${t.time}，${name} <${address}> 写道：`,
  thunderbird: (t, name) => `在 ${t.year}/${t.month2}/${t.day} ${t.time}, ${name} 写道:`,
  long: (t, name, address) =>
    `在 ${t.year}年${t.month2}月${t.day}日${t.weekday} GMT+1 ${t.seconds}，${name} <${address}> 写道：`,
  footers: {
    iphone: '发自我的 iPhone',
    ipad: '发自我的 iPad',
    galaxy: '发自我的 Galaxy',
    outlook: (system) => `获取 Outlook for ${system}`,
    k9: '使用 K-9 Mail 发送自我的 Android 设备。请原谅我的简短。',
    proton: '使用 Proton Mail 安全邮件发送。',
    yahoo: '发自 Yahoo Mail for iPhone',
    with: (app) => `使用 ${app} 发送`,
  },
};

const WORDINGS: Readonly<Record<string, Wording>> = { en, de, fr, es, it, nl, pt, pl, sv, ru, ja, zh };

export function wordingOf(language: string): Wording {
  const found = WORDINGS[language];
  if (!found) throw new Error(`no wording of ${language}`);
  return found;
}
