import type { Moment } from '../owner-answers/programs/dates.ts';
import { type Wording, wordingOf } from '../owner-answers/programs/wording.ts';

/** A language of somebody who writes, and of their program. `{}` in a sentence stands for a name that is looked for later. */
export interface Tongue {
  readonly language: string;
  readonly locale: string;
  readonly wording: Wording;
  readonly greeting: string;
  readonly yes: string;
  readonly wait: string;
  /** What the sender writes. */
  readonly own: readonly string[];
  /** What stands in the mail that is answered or handed on. */
  readonly others: readonly string[];
  readonly disclaimer: string;
  readonly forward: string;
}

interface Row extends Omit<Tongue, 'wording'> {
  readonly reply?: string;
  /** From, sent, to, subject; absent where the wording of the language is known. */
  readonly labels?: readonly [from: string, sent: string, to: string, subject: string];
  readonly wrote?: (when: string, name: string) => string;
}

const day = (t: Moment): string => `${t.weekday}, ${t.day}. ${t.month} ${t.year} ${t.time}`;

function wordingFrom({ language, labels, wrote, reply = 'Re:' }: Row): Wording {
  if (!labels || !wrote) return wordingOf(language);
  const [from, sent, to, subject] = labels;
  const english = wordingOf('en');
  return {
    ...english,
    reply,
    labels: { from, sent, date: sent, to, subject, colon: ': ' },
    original: english.original,
    gmail: (t, name, address) => wrote(day(t), `${name} <${address}>`),
    apple: (t, name, address) => wrote(`${t.day2}.${t.month2}.${t.year} ${t.time}`, `${name} <${address}>`),
    thunderbird: (t, name) => wrote(`${t.day2}.${t.month2}.${t.year} ${t.time}`, name),
    long: (t, name, address) => wrote(`${day(t)} GMT+1`, `${name} <${address}>`),
  };
}

const ROWS: readonly Row[] = [
  {
    ...{ language: 'en', locale: 'en-US', greeting: 'Hello Ada,', yes: 'Yes.', wait: 'No, wait.', forward: 'Fwd:' },
    own: ['Please ask {} for the figures of last month.', 'I have told {} about it this morning.'],
    others: [
      'The invoice of {} is still open and has to be paid this week.',
      'Please send all the documents to {} before Friday evening.',
      'Our new account is with {}, the old one is closed.',
    ],
    disclaimer: 'This message is confidential and is meant for its recipient alone.',
  },
  {
    ...{ language: 'de', locale: 'de-DE', greeting: 'Hallo Ada,', yes: 'Ja.', wait: 'Nein, warte.', forward: 'WG:' },
    own: ['Frag bitte {} nach den Zahlen vom letzten Monat.', 'Ich habe {} heute früh davon erzählt.'],
    others: [
      'Die Rechnung von {} ist noch offen und muss diese Woche bezahlt werden.',
      'Bitte schicken Sie alle Unterlagen bis Freitagabend an {}.',
      'Unser neues Konto ist bei {}, das alte ist geschlossen.',
    ],
    disclaimer: 'Diese Nachricht ist vertraulich und nur für den Empfänger bestimmt.',
  },
  {
    ...{
      language: 'fr',
      locale: 'fr-FR',
      greeting: 'Bonjour Ada,',
      yes: 'Oui.',
      wait: 'Non, attends.',
      forward: 'TR:',
    },
    own: ['Demande à {} les chiffres du mois dernier.', "J'en ai parlé à {} ce matin."],
    others: [
      "La facture de {} n'est pas encore payée et doit l'être cette semaine.",
      'Veuillez envoyer tous les documents à {} avant vendredi soir.',
      "Notre nouveau compte est chez {}, l'ancien est fermé.",
    ],
    disclaimer: 'Ce message est confidentiel et réservé à son destinataire.',
  },
  {
    ...{ language: 'es', locale: 'es-ES', greeting: 'Hola Ada:', yes: 'Sí.', wait: 'No, espera.', forward: 'RV:' },
    own: ['Pide a {} las cifras del mes pasado.', 'Se lo he contado a {} esta mañana.'],
    others: [
      'La factura de {} sigue pendiente y hay que pagarla esta semana.',
      'Envíe todos los documentos a {} antes del viernes por la tarde.',
      'Nuestra nueva cuenta está con {}, la antigua está cerrada.',
    ],
    disclaimer: 'Este mensaje es confidencial y solo para su destinatario.',
  },
  {
    ...{ language: 'it', locale: 'it-IT', greeting: 'Ciao Ada,', yes: 'Sì.', wait: 'No, aspetta.', forward: 'I:' },
    own: ['Chiedi a {} i numeri del mese scorso.', 'Ne ho parlato con {} stamattina.'],
    others: [
      'La fattura di {} è ancora aperta e va pagata questa settimana.',
      'Mandate tutti i documenti a {} entro venerdì sera.',
      'Il nostro nuovo conto è presso {}, quello vecchio è chiuso.',
    ],
    disclaimer: 'Questo messaggio è riservato al solo destinatario.',
  },
  {
    ...{ language: 'nl', locale: 'nl-NL', greeting: 'Dag Ada,', yes: 'Ja.', wait: 'Nee, wacht.', forward: 'FW:' },
    own: ['Vraag {} om de cijfers van vorige maand.', 'Ik heb het {} vanochtend verteld.'],
    others: [
      'De rekening van {} staat nog open en moet deze week betaald worden.',
      'Stuur alle stukken voor vrijdagavond naar {}.',
      'Onze nieuwe rekening is bij {}, de oude is gesloten.',
    ],
    disclaimer: 'Dit bericht is vertrouwelijk en alleen voor de ontvanger bedoeld.',
  },
  {
    ...{ language: 'pt', locale: 'pt-PT', greeting: 'Olá Ada,', yes: 'Sim.', wait: 'Não, espera.', forward: 'ENC:' },
    own: ['Pede a {} os números do mês passado.', 'Contei isso a {} esta manhã.'],
    others: [
      'A fatura de {} ainda está em aberto e tem de ser paga esta semana.',
      'Envie todos os documentos a {} até sexta-feira à noite.',
      'A nossa nova conta é com {}, a antiga está fechada.',
    ],
    disclaimer: 'Esta mensagem é confidencial e destina-se apenas ao destinatário.',
  },
  {
    ...{ language: 'pl', locale: 'pl-PL', greeting: 'Cześć Ada,', yes: 'Tak.', wait: 'Nie, czekaj.', forward: 'PD:' },
    own: ['Zapytaj {} o liczby z zeszłego miesiąca.', 'Mówiłam o tym {} dziś rano.'],
    others: [
      'Faktura od {} jest nadal nieopłacona i trzeba ją zapłacić w tym tygodniu.',
      'Proszę wysłać wszystkie dokumenty do {} przed piątkiem wieczorem.',
      'Nasze nowe konto jest w {}, stare jest zamknięte.',
    ],
    disclaimer: 'Ta wiadomość jest poufna i przeznaczona tylko dla odbiorcy.',
  },
  {
    ...{ language: 'sv', locale: 'sv-SE', greeting: 'Hej Ada,', yes: 'Ja.', wait: 'Nej, vänta.', forward: 'VB:' },
    own: ['Fråga {} om siffrorna från förra månaden.', 'Jag berättade det för {} i morse.'],
    others: [
      'Fakturan från {} är fortfarande obetald och måste betalas den här veckan.',
      'Skicka alla handlingar till {} före fredag kväll.',
      'Vårt nya konto är hos {}, det gamla är stängt.',
    ],
    disclaimer: 'Detta meddelande är konfidentiellt och endast avsett för mottagaren.',
  },
  {
    ...{
      language: 'ru',
      locale: 'ru-RU',
      greeting: 'Здравствуйте, Ада!',
      yes: 'Да.',
      wait: 'Нет, подождите.',
      forward: 'Fwd:',
    },
    own: ['Спросите у {} цифры за прошлый месяц.', 'Я рассказал об этом {} сегодня утром.'],
    others: [
      'Счёт от {} ещё не оплачен, его нужно оплатить на этой неделе.',
      'Пришлите все документы {} до вечера пятницы.',
      'Наш новый счёт открыт в {}, старый закрыт.',
    ],
    disclaimer: 'Это сообщение конфиденциально и предназначено только получателю.',
  },
  {
    ...{
      language: 'ja',
      locale: 'ja-JP',
      greeting: 'アダさん、',
      yes: 'はい。',
      wait: 'いいえ、待ってください。',
      forward: 'FW:',
    },
    own: ['先月の数字は {} さんに聞いてください。', '今朝 {} さんに話しました。'],
    others: [
      '{} さんの請求書がまだ支払われていませんので、今週中にお支払いください。',
      '金曜日の夜までにすべての書類を {} さんに送ってください。',
      '新しい口座は {} にあり、古い口座は閉じました。',
    ],
    disclaimer: 'このメールは受取人のみを対象とした機密情報です。',
  },
  {
    ...{
      language: 'zh',
      locale: 'zh-CN',
      greeting: '艾达你好，',
      yes: '好的。',
      wait: '不，等一下。',
      forward: '转发:',
    },
    own: ['请向 {} 要上个月的数字。', '今天早上我已经告诉 {} 了。'],
    others: [
      '{} 的发票还没有付款，必须在这个星期之内付清。',
      '请在星期五晚上之前把所有的文件寄给 {} 先生。',
      '我们的新账户在 {} 那里，旧的账户已经关闭。',
    ],
    disclaimer: '本邮件内容保密，仅供收件人阅读。',
  },
  {
    ...{ language: 'da', locale: 'da-DK', greeting: 'Hej Ada,', yes: 'Ja.', wait: 'Nej, vent.', forward: 'VS:' },
    labels: ['Fra', 'Sendt', 'Til', 'Emne'],
    wrote: (when, name) => `Den ${when} skrev ${name}:`,
    own: ['Spørg {} om tallene fra sidste måned.', 'Jeg fortalte {} om det i morges.'],
    others: [
      'Regningen fra {} er stadig ubetalt og skal betales i denne uge.',
      'Send alle papirerne til {} inden fredag aften.',
      'Vores nye konto er hos {}, den gamle er lukket.',
    ],
    disclaimer: 'Denne besked er fortrolig og kun til modtageren.',
  },
  {
    ...{ language: 'nb', locale: 'nb-NO', greeting: 'Hei Ada,', yes: 'Ja.', wait: 'Nei, vent.', forward: 'VS:' },
    labels: ['Fra', 'Sendt', 'Til', 'Emne'],
    wrote: (when, name) => `${when} skrev ${name}:`,
    own: ['Spør {} om tallene fra forrige måned.', 'Jeg fortalte {} om det i dag tidlig.'],
    others: [
      'Fakturaen fra {} er fortsatt ubetalt og må betales denne uken.',
      'Send alle papirene til {} før fredag kveld.',
      'Den nye kontoen vår er hos {}, den gamle er stengt.',
    ],
    disclaimer: 'Denne meldingen er konfidensiell og bare for mottakeren.',
  },
  {
    ...{ language: 'fi', locale: 'fi-FI', greeting: 'Hei Ada,', yes: 'Kyllä.', wait: 'Ei, odota.', forward: 'VL:' },
    labels: ['Lähettäjä', 'Lähetetty', 'Vastaanottaja', 'Aihe'],
    wrote: (when, name) => `${name} kirjoitti ${when}:`,
    own: ['Kysy viime kuun luvut henkilöltä {}.', 'Kerroin siitä tänä aamuna, kun {} soitti.'],
    others: [
      'Yrityksen {} lasku on yhä maksamatta ja se pitää maksaa tällä viikolla.',
      'Lähettäkää kaikki asiakirjat osoitteeseen {} ennen perjantai-iltaa.',
      'Uusi tilimme on pankissa {}, vanha on suljettu.',
    ],
    disclaimer: 'Tämä viesti on luottamuksellinen ja vain vastaanottajalle.',
  },
  {
    ...{ language: 'cs', locale: 'cs-CZ', greeting: 'Ahoj Ado,', yes: 'Ano.', wait: 'Ne, počkej.', forward: 'FW:' },
    labels: ['Od', 'Odesláno', 'Komu', 'Předmět'],
    wrote: (when, name) => `Dne ${when} ${name} napsal(a):`,
    own: ['Zeptej se {} na čísla z minulého měsíce.', 'Dnes ráno jsem to řekl {} osobně.'],
    others: [
      'Faktura od {} je stále otevřená a musí být zaplacena tento týden.',
      'Pošlete prosím všechny doklady na {} do pátečního večera.',
      'Náš nový účet je u {}, starý je zrušen.',
    ],
    disclaimer: 'Tato zpráva je důvěrná a určena pouze příjemci.',
  },
  {
    ...{ language: 'sk', locale: 'sk-SK', greeting: 'Ahoj Ada,', yes: 'Áno.', wait: 'Nie, počkaj.', forward: 'FW:' },
    labels: ['Od', 'Odoslané', 'Komu', 'Predmet'],
    wrote: (when, name) => `${when} ${name} napísal(a):`,
    own: ['Opýtaj sa {} na čísla z minulého mesiaca.', 'Dnes ráno som to povedal {} osobne.'],
    others: [
      'Faktúra od {} je stále otvorená a treba ju zaplatiť tento týždeň.',
      'Pošlite, prosím, všetky doklady na {} do piatka večera.',
      'Náš nový účet je v {}, starý je zrušený.',
    ],
    disclaimer: 'Táto správa je dôverná a určená iba príjemcovi.',
  },
  {
    ...{ language: 'hu', locale: 'hu-HU', greeting: 'Szia Ada!', yes: 'Igen.', wait: 'Ne, várj.', forward: 'TOV:' },
    labels: ['Feladó', 'Elküldve', 'Címzett', 'Tárgy'],
    wrote: (when, name) => `${name} ezt írta (időpont: ${when}):`,
    own: ['Kérdezd meg {} kollégát a múlt havi számokról.', 'Ma reggel beszéltem erről, {} is ott volt.'],
    others: [
      'A {} számlája még nyitott, ezen a héten ki kell fizetni.',
      'Kérem, küldjék el az összes iratot péntek estig ide: {} részére.',
      'Az új számlánk itt van: {}, a régit megszüntettük.',
    ],
    disclaimer: 'Ez az üzenet bizalmas, és csak a címzettnek szól.',
  },
  {
    ...{ language: 'ro', locale: 'ro-RO', greeting: 'Bună Ada,', yes: 'Da.', wait: 'Nu, așteaptă.', forward: 'FW:' },
    labels: ['De la', 'Trimis', 'Către', 'Subiect'],
    wrote: (when, name) => `În ${when}, ${name} a scris:`,
    own: ['Întreabă-l pe {} de cifrele din luna trecută.', 'I-am spus lui {} azi dimineață.'],
    others: [
      'Factura de la {} este încă neplătită și trebuie plătită săptămâna aceasta.',
      'Vă rog să trimiteți toate documentele la {} până vineri seara.',
      'Noul nostru cont este la {}, cel vechi este închis.',
    ],
    disclaimer: 'Acest mesaj este confidențial și destinat doar destinatarului.',
  },
  {
    ...{ language: 'hr', locale: 'hr-HR', greeting: 'Bok Ada,', yes: 'Da.', wait: 'Ne, čekaj.', forward: 'FW:' },
    labels: ['Šalje', 'Poslano', 'Prima', 'Predmet'],
    wrote: (when, name) => `Dana ${when} ${name} je napisao:`,
    own: ['Pitaj {} za brojke od prošlog mjeseca.', 'Jutros sam to rekao, {} to zna.'],
    others: [
      'Račun tvrtke {} još nije plaćen i treba ga platiti ovaj tjedan.',
      'Molimo pošaljite sve dokumente na {} do petka navečer.',
      'Naš novi račun je kod {}, stari je zatvoren.',
    ],
    disclaimer: 'Ova poruka je povjerljiva i namijenjena samo primatelju.',
  },
  {
    ...{ language: 'sl', locale: 'sl-SI', greeting: 'Živjo Ada,', yes: 'Da.', wait: 'Ne, počakaj.', forward: 'FW:' },
    labels: ['Od', 'Poslano', 'Za', 'Zadeva'],
    wrote: (when, name) => `${when} je ${name} napisal/-a:`,
    own: ['Vprašaj {} za številke prejšnjega meseca.', 'Danes zjutraj sem to povedal, {} ve.'],
    others: [
      'Račun podjetja {} še ni plačan in ga je treba plačati ta teden.',
      'Prosimo, pošljite vse dokumente na {} do petka zvečer.',
      'Naš novi račun je pri {}, stari je zaprt.',
    ],
    disclaimer: 'To sporočilo je zaupno in namenjeno samo prejemniku.',
  },
  {
    ...{ language: 'bg', locale: 'bg-BG', greeting: 'Здравей, Ада,', yes: 'Да.', wait: 'Не, чакай.', forward: 'FW:' },
    labels: ['От', 'Изпратено', 'До', 'Относно'],
    wrote: (when, name) => `На ${when} ${name} написа:`,
    own: ['Попитай {} за цифрите от миналия месец.', 'Казах на {} тази сутрин.'],
    others: [
      'Фактурата на {} още не е платена и трябва да се плати тази седмица.',
      'Моля, изпратете всички документи на {} до петък вечерта.',
      'Новата ни сметка е в {}, старата е закрита.',
    ],
    disclaimer: 'Това съобщение е поверително и е само за получателя.',
  },
  {
    ...{
      language: 'el',
      locale: 'el-GR',
      greeting: 'Γεια σου Άντα,',
      yes: 'Ναι.',
      wait: 'Όχι, περίμενε.',
      forward: 'ΠΡΘ:',
    },
    ...{ reply: 'ΑΠ:', labels: ['Από', 'Στάλθηκε', 'Προς', 'Θέμα'] },
    wrote: (when, name) => `Στις ${when}, ο χρήστης ${name} έγραψε:`,
    own: ['Ρώτησε {} για τα νούμερα του περασμένου μήνα.', 'Το είπα σήμερα το πρωί, {} το ξέρει.'],
    others: [
      'Το τιμολόγιο από {} είναι ακόμη ανοιχτό και πρέπει να πληρωθεί αυτή την εβδομάδα.',
      'Παρακαλώ στείλτε όλα τα έγγραφα στον {} πριν από την Παρασκευή το βράδυ.',
      'Ο νέος μας λογαριασμός είναι στην {}, ο παλιός έκλεισε.',
    ],
    disclaimer: 'Το μήνυμα αυτό είναι εμπιστευτικό και μόνο για τον παραλήπτη.',
  },
  {
    ...{ language: 'uk', locale: 'uk-UA', greeting: 'Вітаю, Адо,', yes: 'Так.', wait: 'Ні, зачекай.', forward: 'FW:' },
    labels: ['Від', 'Надіслано', 'Кому', 'Тема'],
    wrote: (when, name) => `${when} ${name} пише:`,
    own: ['Запитай у {} цифри за минулий місяць.', 'Я сказав про це {} сьогодні вранці.'],
    others: [
      'Рахунок від {} ще не сплачено, його треба сплатити цього тижня.',
      'Надішліть, будь ласка, усі документи {} до вечора п’ятниці.',
      'Наш новий рахунок у {}, старий закрито.',
    ],
    disclaimer: 'Це повідомлення є конфіденційним і лише для отримувача.',
  },
  {
    ...{
      language: 'tr',
      locale: 'tr-TR',
      greeting: 'Merhaba Ada,',
      yes: 'Evet.',
      wait: 'Hayır, bekle.',
      forward: 'İLT:',
    },
    ...{ reply: 'YNT:', labels: ['Kimden', 'Gönderildi', 'Kime', 'Konu'] },
    wrote: (when, name) => `${name}, ${when} tarihinde şunu yazdı:`,
    own: ['Geçen ayın rakamlarını {} beyden iste.', 'Bu sabah {} ile konuştum.'],
    others: [
      '{} firmasının faturası hâlâ açık ve bu hafta ödenmesi gerekiyor.',
      'Lütfen bütün belgeleri cuma akşamına kadar {} adresine gönderin.',
      'Yeni hesabımız {} bankasında, eskisi kapandı.',
    ],
    disclaimer: 'Bu ileti gizlidir ve yalnızca alıcısı içindir.',
  },
  {
    ...{ language: 'ar', locale: 'ar-EG', greeting: 'مرحبا آدا،', yes: 'نعم.', wait: 'لا، انتظر.', forward: 'FW:' },
    labels: ['من', 'تم الإرسال', 'إلى', 'الموضوع'],
    wrote: (when, name) => `في ${when}، كتب ${name}:`,
    own: ['اسأل {} عن أرقام الشهر الماضي.', 'أخبرت {} بذلك هذا الصباح.'],
    others: [
      'فاتورة {} ما زالت مفتوحة ويجب دفعها هذا الأسبوع.',
      'يرجى إرسال جميع المستندات إلى {} قبل مساء الجمعة.',
      'حسابنا الجديد لدى {} والقديم مغلق.',
    ],
    disclaimer: 'هذه الرسالة سرية ومخصصة للمستلم فقط.',
  },
  {
    ...{ language: 'he', locale: 'he-IL', greeting: 'שלום עדה,', yes: 'כן.', wait: 'לא, חכי.', forward: 'FW:' },
    labels: ['מאת', 'נשלח', 'אל', 'נושא'],
    wrote: (when, name) => `ב-${when} מאת ${name}:`,
    own: ['תשאלי את {} על המספרים של החודש שעבר.', 'סיפרתי על זה ל{} הבוקר.'],
    others: [
      'החשבונית של {} עדיין פתוחה ויש לשלם אותה השבוע.',
      'נא לשלוח את כל המסמכים אל {} עד יום שישי בערב.',
      'החשבון החדש שלנו נמצא אצל {} והישן סגור.',
    ],
    disclaimer: 'הודעה זו חסויה ומיועדת לנמען בלבד.',
  },
  {
    ...{ language: 'fa', locale: 'fa-IR', greeting: 'سلام آدا،', yes: 'بله.', wait: 'نه، صبر کن.', forward: 'FW:' },
    labels: ['از', 'ارسال شده', 'به', 'موضوع'],
    wrote: (when, name) => `در تاریخ ${when}، ${name} نوشت:`,
    own: ['ارقام ماه گذشته را از {} بپرس.', 'امروز صبح به {} گفتم.'],
    others: [
      'صورت‌حساب {} هنوز پرداخت نشده و باید این هفته پرداخت شود.',
      'لطفاً همه مدارک را تا جمعه شب برای {} بفرستید.',
      'حساب جدید ما نزد {} است و حساب قدیمی بسته شده.',
    ],
    disclaimer: 'این پیام محرمانه و فقط برای گیرنده است.',
  },
  {
    ...{ language: 'ko', locale: 'ko-KR', greeting: '아다 님,', yes: '네.', wait: '아니요, 잠깐만요.', forward: 'FW:' },
    labels: ['보낸 사람', '보낸 날짜', '받는 사람', '제목'],
    wrote: (when, name) => `${when}, ${name}님이 작성:`,
    own: ['지난달 수치는 {} 에게 물어보세요.', '오늘 아침에 {} 에게 말했습니다.'],
    others: [
      '{} 의 청구서가 아직 미납이며 이번 주에 지불해야 합니다.',
      '금요일 저녁까지 모든 서류를 {} 에게 보내 주세요.',
      '새 계좌는 {} 에 있고 이전 계좌는 닫혔습니다.',
    ],
    disclaimer: '이 메일은 기밀이며 수신자만을 위한 것입니다.',
  },
  {
    ...{ language: 'vi', locale: 'vi-VN', greeting: 'Chào Ada,', yes: 'Vâng.', wait: 'Không, chờ đã.', forward: 'FW:' },
    labels: ['Từ', 'Đã gửi', 'Đến', 'Chủ đề'],
    wrote: (when, name) => `Vào ${when}, ${name} đã viết:`,
    own: ['Hãy hỏi {} số liệu của tháng trước.', 'Sáng nay tôi đã nói với {} rồi.'],
    others: [
      'Hóa đơn của {} vẫn chưa thanh toán và phải trả trong tuần này.',
      'Vui lòng gửi tất cả tài liệu cho {} trước tối thứ Sáu.',
      'Tài khoản mới của chúng tôi ở {}, tài khoản cũ đã đóng.',
    ],
    disclaimer: 'Thư này là bí mật và chỉ dành cho người nhận.',
  },
];

export const TONGUES: readonly Tongue[] = ROWS.map((row) => ({ ...row, wording: wordingFrom(row) }));
