/** Ways to end a line that are not the plain one; kept, they would begin lines that the rules below do not see. */
const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
/** Controls, bidi overrides and tag characters: read by a model, not by the person who looks at the mail. */
const UNSEEN = /(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
/** Anything that a model could take for markup around it: tags, comments, `<|special|>`, `<<SYS>>`; no `<you@host>`. */
const TAG_START = /<(?=\s{0,5}[a-z/!?|<])(?![^\s<>@]{1,320}@[^\s<>@]{1,255}>)/gi;
/** Chat templates of several vendors mark turns like this. */
const TURN_MARK = /\[(?=\/?(?:INST|SYS(?:TEM)?)\])/gi;
/** A line that poses as another speaker. */
const ROLE_LINE = /^([ \t>*#]*)(?=(?:system|developer|assistant|human)[ \t]{0,5}:)/gim;

/** Foreign text made harmless to the structure around it, still readable. The engine has replaced secrets before. */
export function asData(text: string): string {
  const plain = text.toWellFormed().replace(LINE_ENDS, '\n').replace(UNSEEN, '');
  return plain.replace(TAG_START, '&lt;').replace(TURN_MARK, '\\[').replace(ROLE_LINE, '$1\\').trim();
}

/** At most so many characters, and how many are missing. */
export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const kept = text.slice(0, maxCharacters).toWellFormed();
  return `${kept}\n[cut here: ${text.length - maxCharacters} more characters are not shown]`;
}
