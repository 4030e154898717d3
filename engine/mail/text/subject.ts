const REPLY =
  /^\s*(?:re|aw|antw|antwort|sv|vs|ref|rif|r|odp|ynt|回复|回覆|答复|返信|답장)\s*(?:\[\d{1,3}\]|\(\d{1,3}\)|\^\d{1,3})?\s*[:：]\s*/iu;
const FORWARD = /^\s*(?:fwd?|wg|tr|rv|i|enc|doorst|pd|vb|vl|ilt|转发|轉寄|転送|전달)\s*(?:\[\d{1,3}\])?\s*[:：]\s*/iu;
/** List and ticket tags stand before or after the Re: `[list] Re: x`. */
const TAG = /^\s*\[[^[\]]{1,60}\]\s*/u;

export function isReplySubject(subject: string): boolean {
  return REPLY.test(subject.replace(TAG, ''));
}

export function isForwardSubject(subject: string): boolean {
  return FORWARD.test(subject.replace(TAG, ''));
}

/** "Re: " exactly once, whatever language the other side answers in; "Re: AW: SV: x" becomes "Re: x". */
export function replySubject(subject: string): string {
  let rest = subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  while (REPLY.test(rest)) rest = rest.replace(REPLY, '');
  return `Re: ${rest.slice(0, 900)}`.trimEnd();
}
