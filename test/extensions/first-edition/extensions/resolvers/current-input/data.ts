/** Ways to end a line that are not the plain one; kept, they would begin lines that the rules below do not see. */
const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
/** Controls, bidi overrides and tag characters: read by a model, not by the person who looks at the mail. */
const UNSEEN = /(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
/**
 * Special tokens of chat templates, which servers of local models read as the end of a turn wherever they stand, and what
 * has the shape of our own fences. All other markup stays as it was written: code that reached models as `&lt;div>` came
 * back so, and a fence needs no escaping, for its mark is a hash over what it holds.
 */
const SPECIAL = /<(?=\|[\w/\u2581-]{1,40}\||\/?(?:start|end)_of_turn>|<\/?SYS>>|\/?[a-z_]{1,30}_[0-9a-f]{16}>)/giu;
const TURN_MARK = /\[(?=\/?(?:INST|SYS(?:TEM)?)\])/gi;

/** Foreign text with nothing in it that is unseen; what it says is the same. The engine has replaced secrets before. */
export function asData(text: string): string {
  const plain = text.toWellFormed().replace(LINE_ENDS, '\n').replace(UNSEEN, '');
  return plain
    .replace(SPECIAL, '&lt;')
    .replace(TURN_MARK, '\\[')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

/** At most so many characters, and how many are missing. */
export function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const kept = text.slice(0, maxCharacters).toWellFormed();
  return `${kept}\n[cut here: ${text.length - maxCharacters} more characters are not shown]`;
}
