const COUNT = String.raw`\s*(?:\[\d{1,3}\]|\(\d{1,3}\)|\^\d{1,3})?\s*[:：]\s*`;

/**
 * What mail programs put before the subject of an answer, in the languages in which they do. Not `re` alone: a chain of
 * others' prefixes would grow with every answer.
 */
const ANSWERS =
  're|aw|antw|antwort|sv|svar|vs|réf|rif|odp|odg|odpověď|vá|válasz|ynt|yanıt|cvp|res|bls|balas|ats|atb|răsp|' +
  'σχετ|απ|отв|ответ|відп|отг|одг|השב|תגובה|رد|پاسخ|ตอบ|ตอบกลับ|tl|trả lời|回复|回覆|答复|答覆|返信|답장|회신';
/** Words of this list begin subjects of their own as well: "R: drive is full", "Ref: 4711". */
const UNSURE = 'r|ref|на';

const SURE_ANSWER = new RegExp(String.raw`^\s*(?:${ANSWERS})${COUNT}`, 'iu');
const UNSURE_ANSWER = new RegExp(String.raw`^\s*(?:${UNSURE})${COUNT}`, 'iu');
const FORWARD = /^\s*(?:fwd?|wg|tr|rv|i|enc|doorst|pd|vb|vl|ilt|转发|轉寄|転送|전달)\s*(?:\[\d{1,3}\])?\s*[:：]\s*/iu;
/** List and ticket tags stand before or after the Re: `[list] Re: x`. */
const TAG = /^\s*\[[^[\]]{1,60}\]\s*/u;

/** Whether it may be the subject of an answer, and so somebody else's words: also where the prefix is not sure. */
export function isReplySubject(subject: string): boolean {
  const rest = subject.replace(TAG, '');
  return SURE_ANSWER.test(rest) || UNSURE_ANSWER.test(rest);
}

export function isForwardSubject(subject: string): boolean {
  return FORWARD.test(subject.replace(TAG, ''));
}

/**
 * "Re: " exactly once, whatever language the other side answers in; "Re: AW: SV: x" becomes "Re: x". What may be a
 * prefix or the sender's own word is one where another prefix follows. A tag that gateways put in anew each time stays once.
 */
export function replySubject(subject: string): string {
  let rest = subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  const tags: string[] = [];
  for (let length = prefixOf(rest); length > 0; length = prefixOf(rest)) {
    const [tag] = TAG.exec(rest) ?? [];
    if (tag !== undefined && !tags.includes(tag.trim())) tags.push(tag.trim());
    rest = rest.slice(length);
  }
  const kept = tags.filter((tag) => !rest.startsWith(tag)).map((tag) => `${tag} `);
  return `Re: ${(kept.join('') + rest).slice(0, 900)}`.trimEnd();
}

/** How long what stands before the rest is: a prefix of an answer, or a tag before one; 0 where there is none. */
function prefixOf(subject: string): number {
  const tag = TAG.exec(subject)?.[0].length ?? 0;
  const rest = subject.slice(tag);
  const sure = SURE_ANSWER.exec(rest)?.[0].length ?? 0;
  if (sure > 0) return tag + sure;
  const unsure = UNSURE_ANSWER.exec(rest)?.[0].length ?? 0;
  const behind = rest.slice(unsure);
  return unsure > 0 && (UNSURE_ANSWER.test(behind) || prefixOf(behind) > 0) ? tag + unsure : 0;
}

/**
 * How programs begin the subject of what they answer by themselves, and of reports in no standard form, as their vendors
 * translate it. No proof: people write about such mail, too.
 */
const BEGINNINGS: readonly string[] = [
  ...['automatic reply', 'automatic response', 'automated reply', 'automated response', 'auto reply', 'autoreply'],
  ...['auto response', 'autoresponse', 'out of office', 'out of the office', 'out of office reply', 'ooo'],
  ...['out of office autoreply', 'vacation reply', 'vacation response', 'vacation', 'away from my mail'],
  ...['undeliverable', 'undelivered mail', 'undelivered', 'delivery failure', 'delivery status notification'],
  ...['mail delivery failed', 'returned mail', 'failure notice', 'delivery delayed', 'message delayed'],
  ...['automatische antwort', 'automatische rückantwort', 'autom. antwort', 'autoantwort', 'abwesenheitsnotiz'],
  ...['abwesenheitsmeldung', 'abwesenheit', 'unzustellbar', 'nicht zustellbar', 'verzögert'],
  ...['réponse automatique', 'reponse automatique', 'absence du bureau', 'absent du bureau', "message d'absence"],
  ...['non remis', 'non distribuable', 'respuesta automática', 'respuesta automatica', 'fuera de la oficina'],
  ...['no se puede entregar', 'no entregado', 'risposta automatica', 'fuori sede', 'fuori ufficio'],
  ...['non recapitabile', 'mancato recapito', 'resposta automática', 'resposta automatica', 'fora do escritório'],
  ...['ausência temporária', 'não entregue', 'não é possível entregar', 'automatisch antwoord', 'automatische reactie'],
  ...['afwezigheidsbericht', 'afwezig', 'niet bezorgd', 'onbestelbaar', 'automatiskt svar', 'automatisk svar'],
  ...['autosvar', 'frånvaro', 'frånvaromeddelande', 'fraværsmelding', 'fraværende', 'olevererbart'],
  ...['automaattinen vastaus', 'poissaoloilmoitus', 'automatyczna odpowiedź', 'odpowiedź automatyczna'],
  ...['autoodpowiedź', 'poza biurem', 'nieobecność', 'niedostarczalne', 'automatická odpověď', 'automatická odpoveď'],
  ...['mimo kancelář', 'nedoručitelné', 'nedoručiteľné', 'automatikus válasz', 'házon kívül', 'kézbesíthetetlen'],
  ...['răspuns automat', 'raspuns automat', 'automatski odgovor', 'samodejni odgovor', 'automatinis atsakymas'],
  ...['automātiska atbilde', 'automaatvastus', 'resposta automàtica', 'αυτόματη απάντηση', 'εκτός γραφείου'],
  ...['автоматический ответ', 'автоответ', 'автоматична відповідь', 'автовідповідь', 'автоматичен отговор'],
  ...['недоставлено', 'не доставлено', 'otomatik yanıt', 'otomatik cevap', 'ofis dışında', 'teslim edilemedi'],
  ...['מענה אוטומטי', 'תשובה אוטומטית', 'رد تلقائي', 'ตอบกลับอัตโนมัติ', 'trả lời tự động', 'balasan otomatis'],
  ...['自動返信', '自動応答', '不在通知', '自动回复', '自动答复', '自動回覆', '자동 회신', '자동 응답', '부재중'],
];

/** Signs that stand around it, and those that end it. "Out of office reply please" goes on as words do. */
const AROUND = /^[\s["'(<*]{0,9}/u;
const ENDED = /^\s{0,9}(?:$|[:：\-–—[\](){}|>*"'!.#]|re\b)/iu;

/**
 * Whether the subject is one that a program gives to what it answers by itself: by its first words alone, up to a sign
 * or the end. One that begins as an answer ("Re: Out of office") is a person's.
 */
export const isAutomaticSubject = (subject: string): boolean => behindBeginning(subject) !== null;

/** Whether an automatic subject goes on with that of the mail that is answered, or does not go on at all. */
export function goesOnWith(subject: string, answered: string): boolean {
  const behind = behindBeginning(subject)?.replace(/^[^\p{L}\p{N}]{1,20}/u, '') ?? '';
  const [told, own] = [replySubject(behind), replySubject(folded(answered))];
  return behind === '' || told.startsWith(own) || own.startsWith(told);
}

function behindBeginning(subject: string): string | null {
  const written = folded(subject).replace(AROUND, '');
  const beginning = BEGINNINGS.find((words) => written.startsWith(words) && ENDED.test(written.slice(words.length)));
  return beginning === undefined ? null : written.slice(beginning.length);
}

const folded = (subject: string): string =>
  subject
    .slice(0, 200)
    .normalize('NFC')
    .toLowerCase()
    .replace(/[-\s]{1,9}/g, ' ');
