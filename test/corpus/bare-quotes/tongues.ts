// One table with a row for each language: longer than a page, and nothing in it but words.
import { LANGUAGES } from '../owner-answers/words/index.ts';
import { TONGUES } from '../whose-words/languages.ts';

/** How owners of one language answer, and what their telephone writes below it. Nothing in here comes from the engine. */
export interface Answers {
  readonly language: string;
  readonly locale: string;
  readonly name: string;
  readonly greetings: readonly string[];
  readonly closings: readonly string[];
  /** Each a plain yes, and nothing more. */
  readonly yes: readonly string[];
  /** Each a plain no. */
  readonly no: readonly string[];
  /** A yes that is none, by what is said beside it. */
  readonly negation: readonly string[];
  readonly condition: readonly string[];
  readonly later: readonly string[];
  readonly amount: readonly string[];
  readonly undecided: readonly string[];
  readonly footer: string;
  /** What the question is about. */
  readonly subject: string;
  readonly request: string;
  readonly letter: string;
}

type Row = Omit<Answers, 'locale'>;

const list = (text: string): string[] => text.split(' / ');

/** Languages of the study in which no answers had been written before. */
const NEW: readonly Row[] = [
  {
    language: 'cs',
    name: 'Jana Novotná',
    footer: 'Odesláno z iPhonu',
    subject: 'Nabídka 4711',
    greetings: list('Dobrý den, / Ahoj Ado,'),
    closings: list('S pozdravem / Děkuji'),
    yes: list('Ano / Ano, souhlasím. / Schvaluji. / Ano, prosím. / Souhlasím, děkuji. / Ano, pošlete to.'),
    no: list('Ne. / Ne, neposílejte to. / Zamítám. / Nesouhlasím.'),
    negation: list('Ano, ale neposílejte to. / Tohle určitě schvaluji? Ne.'),
    condition: list('Ano, pokud s tím souhlasí Tim.'),
    later: list('Ano, ale až v pondělí.'),
    amount: list('Ano, ale za 4 200 EUR.'),
    undecided: list('Podívám se na to později. / Možná.'),
    request: 'Pošlete prosím Carlovi ještě dnes naši novou nabídku na dvanáct lamp.',
    letter: 'Vážený Carle,\n\nnabízíme 12 lamp za 4 800 EUR s dodáním v pondělí 7. prosince 2026.\n\nS pozdravem\nAda',
  },
  {
    language: 'sk',
    name: 'Zuzana Kováčová',
    footer: 'Odoslané z iPhonu',
    subject: 'Ponuka 4711',
    greetings: list('Dobrý deň, / Ahoj Ada,'),
    closings: list('S pozdravom / Ďakujem'),
    yes: list('Áno / Áno, súhlasím. / Schvaľujem. / Áno, prosím. / Súhlasím, ďakujem. / Áno, pošlite to.'),
    no: list('Nie. / Nie, neposielajte to. / Zamietam. / Nesúhlasím.'),
    negation: list('Áno, ale neposielajte to. / Schvaľujem? Nie.'),
    condition: list('Áno, ak s tým súhlasí Tim.'),
    later: list('Áno, ale až v pondelok.'),
    amount: list('Áno, ale za 4 200 EUR.'),
    undecided: list('Pozriem sa na to neskôr. / Možno.'),
    request: 'Pošlite prosím Carlovi ešte dnes našu novú ponuku na dvanásť lámp.',
    letter: 'Vážený Carl,\n\nponúkame 12 lámp za 4 800 EUR s dodaním v pondelok 7. decembra 2026.\n\nS pozdravom\nAda',
  },
  {
    language: 'hu',
    name: 'Nagy Katalin',
    footer: 'Elküldve az iPhone-omról',
    subject: 'Ajánlat 4711',
    greetings: list('Szia Ada! / Kedves Ada!'),
    closings: list('Üdvözlettel / Köszönöm'),
    yes: list('Igen / Igen, kérem. / Jóváhagyom. / Igen, elfogadom. / Igen, köszönöm. / Igen, küldje el.'),
    no: list('Nem. / Nem, ne küldje el. / Elutasítom. / Nem fogadom el.'),
    negation: list('Igen, de ne küldje el. / Jóváhagyom? Nem.'),
    condition: list('Igen, ha Tim is egyetért.'),
    later: list('Igen, de csak hétfőn.'),
    amount: list('Igen, de 4200 euróért.'),
    undecided: list('Később megnézem. / Talán.'),
    request: 'Kérem, küldje el Carlnak még ma az új ajánlatunkat a tizenkét lámpára.',
    letter:
      'Kedves Carl!\n\n12 lámpát kínálunk 4800 EUR áron, szállítás 2026. december 7-én, hétfőn.\n\nÜdvözlettel\nAda',
  },
  {
    language: 'ro',
    name: 'Ioana Popescu',
    footer: 'Trimis de pe iPhone',
    subject: 'Oferta 4711',
    greetings: list('Bună ziua, / Bună Ada,'),
    closings: list('Cu stimă / Mulțumesc'),
    yes: list('Da / Da, vă rog. / Aprob. / Sunt de acord. / Da, de acord, mulțumesc. / Da, trimiteți.'),
    no: list('Nu. / Nu, nu trimiteți. / Resping. / Nu sunt de acord.'),
    negation: list('Da, dar nu trimiteți. / Aprob? Nu.'),
    condition: list('Da, dacă este de acord și Tim.'),
    later: list('Da, dar abia luni.'),
    amount: list('Da, dar cu 4200 EUR.'),
    undecided: list('Mă uit mai târziu. / Poate.'),
    request: 'Vă rog să trimiteți astăzi lui Carl noua noastră ofertă pentru cele douăsprezece lămpi.',
    letter: 'Dragă Carl,\n\noferim 12 lămpi cu 4800 EUR, livrare luni, 7 decembrie 2026.\n\nCu stimă\nAda',
  },
  {
    language: 'el',
    name: 'Ελένη Παππά',
    footer: 'Στάλθηκε από το iPhone μου',
    subject: 'Προσφορά 4711',
    greetings: list('Καλημέρα, / Γεια σας,'),
    closings: list('Με εκτίμηση / Ευχαριστώ'),
    yes: list('Ναι / Ναι, παρακαλώ. / Εγκρίνω. / Συμφωνώ, ευχαριστώ. / Ναι, στείλτε το. / Εγκρίνεται.'),
    no: list('Όχι. / Όχι, μην το στείλετε. / Απορρίπτω. / Δεν εγκρίνω.'),
    negation: list('Ναι, αλλά μην το στείλετε. / Εγκρίνω; Όχι.'),
    condition: list('Ναι, αν συμφωνεί και ο Τιμ.'),
    later: list('Ναι, αλλά μόνο τη Δευτέρα.'),
    amount: list('Ναι, αλλά με 4.200 ευρώ.'),
    undecided: list('Θα το δω αργότερα. / Ίσως.'),
    request: 'Παρακαλώ στείλτε σήμερα στον Carl τη νέα μας προσφορά για τις δώδεκα λάμπες.',
    letter:
      'Αγαπητέ Carl,\n\nπροσφέρουμε 12 λάμπες για 4.800 EUR, παράδοση τη Δευτέρα 7 Δεκεμβρίου 2026.\n\nΜε εκτίμηση\nAda',
  },
  {
    language: 'bg',
    name: 'Мария Иванова',
    footer: 'Изпратено от моя iPhone',
    subject: 'Оферта 4711',
    greetings: list('Здравейте, / Здравей, Ада,'),
    closings: list('С уважение / Благодаря'),
    yes: list('Да / Да, моля. / Одобрявам. / Съгласна съм. / Да, изпратете го. / Одобрено, благодаря.'),
    no: list('Не. / Не, не го изпращайте. / Отхвърлям. / Не одобрявам.'),
    negation: list('Да, но не го изпращайте. / Одобрявам? Не.'),
    condition: list('Да, ако и Тим е съгласен.'),
    later: list('Да, но чак в понеделник.'),
    amount: list('Да, но за 4200 евро.'),
    undecided: list('Ще го погледна по-късно. / Може би.'),
    request: 'Моля, изпратете днес на Carl новата ни оферта за дванадесетте лампи.',
    letter:
      'Уважаеми Carl,\n\nпредлагаме 12 лампи за 4800 EUR с доставка в понеделник, 7 декември 2026.\n\nС уважение\nАда',
  },
  {
    language: 'he',
    name: 'דנה לוי',
    footer: 'נשלח מה-iPhone שלי',
    subject: 'הצעה 4711',
    greetings: list('שלום, / שלום עדה,'),
    closings: list('בברכה / תודה'),
    yes: list('כן / כן, בבקשה. / מאשרת. / מאושר, תודה. / כן, תשלחי. / כן, מאשר.'),
    no: list('לא. / לא, אל תשלחי. / לא מאשרת. / נדחה.'),
    negation: list('כן, אבל אל תשלחי. / מאשרת? לא.'),
    condition: list('כן, אם גם טים מסכים.'),
    later: list('כן, אבל רק ביום שני.'),
    amount: list('כן, אבל ב-4,200 יורו.'),
    undecided: list('אסתכל על זה אחר כך. / אולי.'),
    request: 'נא לשלוח היום לקרל את ההצעה החדשה שלנו לשתים עשרה המנורות.',
    letter: 'קרל היקר,\n\nאנו מציעים 12 מנורות במחיר 4,800 EUR, אספקה ביום שני, 7 בדצמבר 2026.\n\nבברכה\nעדה',
  },
  {
    language: 'ar',
    name: 'ليلى حسن',
    footer: 'أُرسلت من الـ iPhone',
    subject: 'عرض 4711',
    greetings: list('السلام عليكم، / مرحبا آدا،'),
    closings: list('مع أطيب التحيات / شكرا'),
    yes: list('نعم / نعم، من فضلك. / أوافق. / موافقة، شكرا. / نعم، أرسلها. / نعم، أوافق.'),
    no: list('لا. / لا، لا ترسلها. / أرفض. / لا أوافق.'),
    negation: list('نعم، لكن لا ترسلها. / أوافق؟ لا.'),
    condition: list('نعم، إذا وافق تيم أيضا.'),
    later: list('نعم، لكن يوم الاثنين فقط.'),
    amount: list('نعم، لكن بمبلغ 4200 يورو.'),
    undecided: list('سأنظر في ذلك لاحقا. / ربما.'),
    request: 'من فضلك أرسل اليوم إلى كارل عرضنا الجديد للمصابيح الاثني عشر.',
    letter: 'عزيزي كارل،\n\nنعرض 12 مصباحا بسعر 4800 EUR والتسليم يوم الاثنين 7 ديسمبر 2026.\n\nمع أطيب التحيات\nآدا',
  },
  {
    language: 'vi',
    name: 'Nguyễn Thị Lan',
    footer: 'Đã gửi từ iPhone của tôi',
    subject: 'Báo giá 4711',
    greetings: list('Chào Ada, / Xin chào,'),
    closings: list('Trân trọng / Cảm ơn'),
    yes: list('Đồng ý / Đồng ý, cảm ơn. / Vâng, đồng ý. / Chấp thuận. / Vâng, gửi đi. / Tôi đồng ý.'),
    no: list('Không. / Không, đừng gửi. / Từ chối. / Không đồng ý.'),
    negation: list('Đồng ý, nhưng đừng gửi. / Đồng ý à? Không.'),
    condition: list('Đồng ý nếu Tim cũng đồng ý.'),
    later: list('Vâng, nhưng đến thứ Hai mới gửi.'),
    amount: list('Vâng, nhưng giá 4.200 EUR.'),
    undecided: list('Tôi sẽ xem sau. / Có lẽ.'),
    request: 'Vui lòng gửi cho Carl hôm nay báo giá mới của chúng ta cho mười hai chiếc đèn.',
    letter:
      'Carl thân mến,\n\nchúng tôi chào bán 12 chiếc đèn giá 4.800 EUR, giao ngày 7 tháng 12 năm 2026.\n\nTrân trọng\nAda',
  },
  {
    language: 'da',
    name: 'Mette Holm',
    footer: 'Sendt fra min iPhone',
    subject: 'Tilbud 4711',
    greetings: list('Hej Ada, / Kære Ada'),
    closings: list('Venlig hilsen / Mange tak'),
    yes: list('Ja / Ja tak. / Godkendt. / Ja, send den. / Ja, det er fint. / Jeg godkender.'),
    no: list('Nej. / Nej, send den ikke. / Afvist. / Nej tak.'),
    negation: list('Ja, men send den ikke. / Godkendt? Nej.'),
    condition: list('Ja, hvis Tim er enig.'),
    later: list('Ja, men først på mandag.'),
    amount: list('Ja, men for 4.200 EUR.'),
    undecided: list('Jeg ser på det senere. / Måske.'),
    request: 'Send venligst Carl vores nye tilbud på de tolv lamper i dag.',
    letter:
      'Kære Carl\n\nVi tilbyder 12 lamper for 4.800 EUR med levering mandag den 7. december 2026.\n\nVenlig hilsen\nAda',
  },
  {
    language: 'ko',
    name: '김민지',
    footer: '나의 iPhone에서 보냄',
    subject: '견적 4711',
    greetings: list('안녕하세요, / Ada님,'),
    closings: list('감사합니다 / 김민지 드림'),
    yes: list('네 / 네, 승인합니다. / 승인 / 예, 보내 주세요. / 동의합니다. 감사합니다. / 네, 진행해 주세요.'),
    no: list('아니요. / 아니요, 보내지 마세요. / 거절합니다. / 승인하지 않습니다.'),
    negation: list('네, 하지만 보내지 마세요. / 승인? 아니요.'),
    condition: list('네, 만약 팀장님이 동의하시면요.'),
    later: list('네, 하지만 월요일에 보내 주세요.'),
    amount: list('네, 다만 4,200유로로 해 주세요.'),
    undecided: list('나중에 보겠습니다. / 글쎄요.'),
    request: '램프 열두 개에 대한 새 견적을 오늘 Carl에게 보내 주세요.',
    letter:
      'Carl 님께,\n\n램프 12개를 4,800 EUR에 제안드리며 납품일은 2026년 12월 7일 월요일입니다.\n\n감사합니다\nAda',
  },
  {
    language: 'tr',
    name: 'Ayşe Yılmaz',
    footer: "iPhone'umdan gönderildi",
    subject: 'Teklif 4711',
    greetings: list('Merhaba Ada, / Merhaba,'),
    closings: list('Saygılarımla / Teşekkürler'),
    yes: list(
      'Evet / Evet, lütfen. / Onaylıyorum. / Tamam, gönderin. / Kabul ediyorum, teşekkürler. / Evet, onaylıyorum.',
    ),
    no: list('Hayır. / Hayır, göndermeyin. / Reddediyorum. / Onaylamıyorum.'),
    negation: list('Evet, ama göndermeyin. / Onaylıyor muyum? Hayır.'),
    condition: list('Evet, eğer Tim de kabul ederse.'),
    later: list('Evet, ama ancak pazartesi günü.'),
    amount: list('Evet, ama 4.200 avroya.'),
    undecided: list('Sonra bakarım. / Belki.'),
    request: 'Lütfen on iki lamba için yeni teklifimizi bugün Carl’a gönderin.',
    letter:
      'Sayın Carl,\n\n12 lambayı 4.800 EUR karşılığında, 7 Aralık 2026 Pazartesi teslim olmak üzere teklif ediyoruz.\n\nSaygılarımla\nAda',
  },
];

const NO: Readonly<Record<string, readonly string[]>> = {
  en: list("No. / No, don't send it. / Rejected. / Denied."),
  de: list('Nein. / Nein, bitte nicht senden. / Abgelehnt. / Nein, nicht abschicken.'),
  fr: list("Non. / Non, ne l'envoyez pas. / Refusé."),
  es: list('No. / No, no lo envíes. / Rechazado.'),
  it: list('No. / No, non inviarla. / Respinto.'),
  nl: list('Nee. / Nee, niet versturen. / Afgewezen.'),
  pl: list('Nie. / Nie, proszę nie wysyłać. / Odrzucam.'),
  pt: list('Não. / Não, não envie. / Rejeitado.'),
  sv: list('Nej. / Nej, skicka inte. / Avslås.'),
  ja: list('いいえ。 / いいえ、送らないでください。 / 却下します。'),
  zh: list('不同意。 / 拒绝。 / 不要发送。'),
  ru: list('Нет. / Нет, не отправляйте. / Отклоняю.'),
};

const BEFORE: readonly Row[] = LANGUAGES.map((words) => {
  const beside = (doubts: readonly string[]): string[] =>
    doubts.slice(0, 4).map((doubt) => `${words.yes[0]}\n${doubt}`);
  const tongue = TONGUES.find(({ language }) => language === words.language);
  return {
    ...words,
    no: NO[words.language] ?? [],
    negation: beside(words.no),
    condition: beside(words.condition),
    later: beside(words.date),
    amount: beside(words.amount),
    footer: tongue?.wording.footers.iphone ?? '',
  };
});

export const tongueOf = (language: string) => {
  const tongue = TONGUES.find((each) => each.language === language);
  if (!tongue) throw new Error(`no tongue ${language}`);
  return tongue;
};

/** All languages of the study. */
export const ANSWERS: readonly Answers[] = [...NEW, ...BEFORE].map((row) => ({
  ...row,
  locale: tongueOf(row.language).locale,
}));

export const answersOf = (language: string): Answers => {
  const found = ANSWERS.find((each) => each.language === language);
  if (!found) throw new Error(`nobody answers in ${language}`);
  return found;
};

/** A yes in languages that no vocabulary of the product holds. */
export const UNKNOWN_YES: readonly string[] = list(
  'Jah, palun. / Taip, prašau. / Ndiyo, tafadhali. / Bai, mesedez. / დიახ, გთხოვთ. / Այո, խնդրում եմ. / হ্যাঁ, পাঠান। / بله، بفرستید. / Po, ju lutem. / Jā, lūdzu. / Oo, ipadala mo. / Baleh, mangga.',
);

/** Below mails that cost nothing; each holds a word that could be an answer. */
export const ADVERTS: readonly (readonly string[])[] = [
  ['Ja, ich will! Jetzt den GMX Tarif wechseln: http://www.gmx.example/tarife'],
  ['WEB.DE sagt ja zum Datenschutz - jetzt Postfach freischalten: https://web.de.example/'],
  ['Yes! Get your free mailbox now and approve payments with one click: http://mail.example/'],
  ['OK? Alles klar! Mit FreeMail geht es los.'],
  ['Ja!', 'https://www.gmx.example/ja'],
  ['Yes', 'www.mail.example'],
];

/** The same without a word that could be one. */
export const GMX_ADVERTS: readonly (readonly string[])[] = [
  ['GMX FreeMail - Ihr Postfach: https://www.gmx.example/'],
  ['Mit GMX Cloud Fotos und Dateien sichern:', 'https://www.gmx.example/cloud'],
  ['WEB.DE FreeMail', 'https://web.de.example/'],
];
export const HOTMAIL_ADVERTS: readonly (readonly string[])[] = [
  ['Windows Live Hotmail: http://www.hotmail.example/'],
  ['Get Skype for iPhone http://mail.example/'],
];
