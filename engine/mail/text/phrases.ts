import { isSentDate, withPlainDigits } from './header-block.ts';
import { withoutMiddle } from './lines.ts';

// What mail programs write around older mail, in the languages people write to us in. Every pattern is tried on one
// short line (see MAX_LINE), so none can become slow.
export const MAX_LINE = 400;

const VERBS =
  'wrote|writes|schrieb|schreibt|a écrit|écrit|écrivait|escribió|escribio|ha scritto|scrive|scrisse|schreef|escreveu|napisał|napisała|napisał\\(a\\)|pisze|skrev|skriver|kirjoitti|написал|написала|написал\\(а\\)|пишет|пише|napsal|napsala|napsal\\(a\\)|yazdı|írta|写道|寫道|のメール|さんは書きました|작성';
const VERB_AT_END = new RegExp(`(?:^|[\\s)>"日月年分,、于於0-9])(?:${VERBS})\\s*(?:\\([^()]*\\))?\\s*[:：]$`, 'iu');
const VERB_INSIDE = /(?:^|\s)(?:schrieb|schreef|skrev)\s.{1,250}[:：]$/iu;
const JAPANESE_DATE = /^\d{4}年\d{1,2}月\d{1,2}日.{1,250}[:：]$/u;
const DATE_OR_TIME = /\b\d{1,2}[:.h]\d{2}\b|\b(?:19|20)\d{2}\b|\d{1,2}[./-]\d{1,2}[./-]\d{2}|\d{4}年/u;
const ADDRESS = /[^\s<>@]{1,64}@[^\s<>@]{1,190}/u;

/** What makes a line an attribution stands at its ends. */
export const atEnds = (line: string): string => withoutMiddle(line, MAX_LINE);

export const hasDate = (line: string): boolean => DATE_OR_TIME.test(withPlainDigits(line)) || isSentDate(line);

export const namesAddress = (line: string): boolean => ADDRESS.test(line);

/** "On Friday Ada wrote:" and its like. `sure` asks for a date or an address too, where no quote follows. */
export function isAttribution(whole: string, sure: boolean): boolean {
  const drawn = drawnWords(atEnds(whole));
  const line = drawn === null ? atEnds(whole) : `${drawn}:`;
  // Whoever names an address and the time of a mail speaks of that mail, in any language; so does such a time between drawn lines.
  if ((drawn !== null || ADDRESS.test(line)) && isSentDate(line)) return true;
  const named = VERB_AT_END.test(line) || VERB_INSIDE.test(line) || JAPANESE_DATE.test(line);
  if (sure) return named && (DATE_OR_TIME.test(line) || ADDRESS.test(line));
  // Before a quote, a line of any language that ends in a colon and names a sender and a time is one too.
  return named || (/[:：]$/.test(line) && ((DATE_OR_TIME.test(line) && ADDRESS.test(line)) || isAtItsEnds(line)));
}

/** Of a line of programs that write a date and a name and nothing else, as long as that may be. */
const DATED = 40;

/** Whether the line begins with the full date of a mail. */
export const beginsWithSentDate = (line: string): boolean => isSentDate(line.slice(0, DATED));

const isAtItsEnds = (line: string): boolean => beginsWithSentDate(line) || isSentDate(line.slice(-DATED));

const ORIGINAL = new RegExp(
  `^-{2,}\\s*(?:${[
    'original message',
    'original appointment',
    'ursprüngliche nachricht',
    'original-nachricht',
    'originalnachricht',
    "message d['’]origine",
    'message original',
    'mensaje original',
    'messaggio originale',
    'oorspronkelijk bericht',
    'mensagem original',
    'wiadomość oryginalna',
    'ursprungligt meddelande',
    'oprindelig meddelelse',
    '原始邮件',
    '原始郵件',
    '元のメッセージ',
  ].join('|')})\\s*-{2,}$`,
  'iu',
);

const FORWARDED = new RegExp(
  `^(?:-{2,}\\s*(?:${[
    'forwarded message',
    'forwarded by .{1,200}',
    'weitergeleitete nachricht',
    'message transféré',
    'mensaje reenviado',
    'messaggio inoltrato',
    'doorgestuurd bericht',
    'mensagem encaminhada',
    'przekazana wiadomość',
    'vidarebefordrat meddelande',
    '転送メッセージ',
    '转发的邮件',
    '转发邮件',
  ].join('|')})\\s*-{2,}|(?:${[
    'begin forwarded message',
    'anfang der weitergeleiteten nachricht',
    'début du message (?:réexpédié|transféré)',
    'inicio del mensaje reenviado',
    'inizio (?:del )?messaggio inoltrato',
    'begin doorgestuurd bericht',
    'início da mensagem (?:re)?encaminhada',
    'początek przekazywanej wiadomości',
    '転送されたメッセージ',
    '开始转发的邮件',
  ].join('|')})\\s*[:：])$`,
  'iu',
);

export const isOriginalMark = (line: string): boolean => line.length <= MAX_LINE && ORIGINAL.test(line);
export const isForwardMark = (line: string): boolean => line.length <= MAX_LINE && FORWARDED.test(line);
/** The line that Outlook on the web draws above the header block. */
export const isRule = (line: string): boolean => /^[_*-]{10,120}$/.test(line);

const FIELDS: readonly (readonly [string, RegExp])[] = [
  ['from', label('from|von|de|da|van|od|från|fra|lähettäjä|差出人|发件人|寄件者|от|від|kimden|feladó|보낸 사람')],
  [
    'date',
    label(
      'sent|date|gesendet|datum|envoyé|enviado el|enviado|fecha|inviato|data|verzonden|wysłano|skickat|sendt|lähetetty|送信日時|日時|日付|发送时间|日期|дата|отправлено|gönderildi|보낸 날짜',
    ),
  ],
  ['to', label('to|an|à|para|a|aan|do|till|til|vastaanottaja|宛先|收件人|кому|kime|받는 사람')],
  [
    'subject',
    label('subject|betreff|objet|asunto|oggetto|onderwerp|assunto|temat|ämne|emne|aihe|件名|主题|主旨|тема|konu|제목'),
  ],
];

function label(names: string): RegExp {
  return new RegExp(`^[*_\\s]{0,4}(?:${names})\\s?[*_]{0,2}[:：]`, 'iu');
}

/** Which header of a copied header block a line is: "Von: …", "*From:* …"; null for any other line. */
export function copiedField(line: string): string | null {
  const begin = line.slice(0, MAX_LINE);
  return FIELDS.find(([, pattern]) => pattern.test(begin))?.[0] ?? null;
}

const FOOTER =
  /^(?:sent from my |الحصول على outlook|(?:android|ios) için outlook|envoyé depuis l['’]application |從我的 ?.{1,20}傳送|sent from (?:outlook|mail|yahoo|proton)|get outlook for|von meinem .{1,40} gesendet|gesendet von |gesendet mit |von yahoo mail |(?:enviado desde|enviado do|envoyé (?:de|depuis)|inviato da|wysłan[eo] z|skickat från|verzonden (?:vanuit|vanaf)|verstuurd vanaf|отправлено из) yahoo |diese nachricht wurde von meinem |diese e-?mail wurde von meinem |outlook für |holen sie sich outlook |envoyé (?:de|depuis) mon|envoyé à partir de|obtenir outlook|obtenez outlook|envoyé avec |télécharger outlook|enviado desde mi|enviado do (?:meu|outlook)|enviado (?:a partir|através) d|obtener outlook|obter o outlook|inviato da|inviato con |enviado con |enviado com |ottieni outlook|verzonden (?:vanaf|met|via)|verstuurd v|outlook voor|wysłane z|wysłano z|pobierz aplikację outlook|skickat från|skickat med |отправлено (?:с|из) |hämta outlook|download outlook|(?:получить|скачать|загрузить) outlook|pobierz program outlook|wysłan[eo] za pomocą |(?:my )?iphoneから送信|从我的 ?.{1,20}发送|发自我的|(?:獲取|获取|取得) outlook)/iu;

const DEVICE = '(?:iPhon[eu]|iPad|iPod|Galaxy|Samsung|Android|Huawei|Xiaomi|BlackBerry|Outlook|Yahoo|Gmail)';
const OF_MINE = ' (?:meu|μου|שלי|الخاص بي|của tôi|보냄)';
const FOR_SYSTEM = ' (?:til|på|pro|pre|for|pentru|για|за|עבור|cho) (?:iOS|Android|Windows|Mac)';
const SENT_FROM =
  'odesláno z|odoslané zo?|trimis (?:de pe|din)|στάλθηκε από|изпратено от|sendt fra|elküldve az?|(?:đã|được) gửi từ|أُ?رسلت من|تم الإرسال من|나의';

/** In these languages people begin sentences so as well: a device or a program and no word more makes it a footer. */
const DEVICE_FOOTER = new RegExp(
  `^(?:(?:(?:${SENT_FROM}) (?:\\p{L}{1,6} )?(?:الـ ?)?|נשלח מה?-? ?)(?=${DEVICE}\\S{0,10}(?: Mail)?(?:${OF_MINE})?(?:${FOR_SYSTEM})?\\.?$)|(?=${DEVICE}['’]?\\p{Ll}{2,8} gönderildi\\.?$))`,
  'iu',
);

/** Of scripts without blanks, where the program's name comes first: it is in letters with capitals, or a telephone company's. */
const NAMED_FOOTER =
  /^(?:(?:[a-z]?[A-Z][A-Za-z0-9!.-]{0,20}(?: [A-Za-z0-9]{1,15}){0,4}|(?:ドコモ|ソフトバンク|ワイモバイル|ヤフー|楽天)メール)(?: ?\[https?:[^\s\]]{1,200}\] ?)?\s?(?:から送信|で送信|より送信|を入手)|(?:使用|通过|通過) ?[a-z]?[A-Z][A-Za-z0-9.-]{0,20}(?: [A-Za-z0-9]{1,15}){0,4}(?: ?\[https?:[^\s\]]{1,200}\])?\s{0,3}(?:安全邮件|手机)? ?(?:发送|發送)(?:自我的 [A-Z][A-Za-z]{1,15} 设备)?。?)/u;

/** Of programs with a name of their own: people write "sent with love", too. */
const SENT_WITH = /^Sent (?:via|with) (?=(?:the )?\p{Ll}?\p{Lu})/u;

/** A phone's or a program's own line at the end of a mail. */
export const isFooter = (line: string): boolean => footerRest(line) !== null;

/** What follows the words that such a line begins with; null where it begins with none of them. */
export function footerRest(line: string): string | null {
  const found =
    line.length <= 120
      ? (FOOTER.exec(line) ?? DEVICE_FOOTER.exec(line) ?? SENT_WITH.exec(line) ?? NAMED_FOOTER.exec(line))
      : null;
  return found === null ? null : line.slice(found[0].length);
}

const LINE = '(?:[-–—]{2,100}|[_=*]{3,100})';
const BEGIN = new RegExp(`^${LINE}\\s?(?=[^-–—_=*\\s])`, 'u');
const END = new RegExp(`(?<=[^-–—_=*])${LINE}$`, 'u');
const MAX_DRAWN = 110;

/** Whether drawn dashes with words behind them begin the line. */
export const beginsDrawn = (line: string): boolean => BEGIN.test(line.slice(0, MAX_DRAWN));

/** What stands between two drawn lines: "---- On Monday Ada wrote ----". Null for any other line. */
export function drawnWords(line: string): string | null {
  const [begin] = BEGIN.exec(line.slice(0, MAX_DRAWN)) ?? [];
  const [end] = END.exec(line.slice(-MAX_DRAWN)) ?? [];
  if (begin === undefined || end === undefined || begin.length + end.length >= line.length) return null;
  const words = line.slice(begin.length, -end.length).trim();
  return /[\p{L}\p{N}]/u.test(words) ? words : null;
}
