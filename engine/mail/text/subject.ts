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
