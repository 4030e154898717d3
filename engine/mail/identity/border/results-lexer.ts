/** A piece of an Authentication-Results header. Words hold `name=value`; a quoted value is without its quotes. */
export interface Atom {
  readonly kind: 'word' | 'comment' | 'semicolon';
  readonly text: string;
  /** Its value stood in quotes. */
  readonly quoted: boolean;
}

export type Lexed =
  | { readonly ok: true; readonly atoms: readonly Atom[] }
  | { readonly ok: false; readonly why: string };

/** A header is cut at 8192; of one that is longer the end is not known. */
const MAX_CHARS = 8000;

/**
 * Cuts a header into words, comments and semicolons. Fails where a comment or a quotation may have been ended or begun by
 * whoever sent the mail: none of them may hold half of a pair, and no border escapes anything. Pure.
 */
export function lexResults(value: string): Lexed {
  const foreign = foreignSign(value);
  if (foreign !== null) return no(foreign);
  const atoms: Atom[] = [];
  let gap: Gap = 'none';
  for (let at = 0; at < value.length; ) {
    const piece = pieceAt(value, at);
    if (typeof piece === 'string') return no(piece);
    at = piece.end;
    if (piece.atom === null) {
      if (gap === 'none') gap = 'blank';
      continue;
    }
    const whole = piece.atom.kind === 'word' ? joined(atoms.at(-1), piece.atom, gap) : null;
    if (whole === 'fault') return no('an equals sign of it stands alone');
    if (whole !== null) atoms.pop();
    atoms.push(whole ?? piece.atom);
    gap = piece.atom.kind === 'comment' ? 'comment' : 'none';
  }
  return { ok: true, atoms };
}

/** Signs that no border writes of itself, and that readers take for different things. */
function foreignSign(value: string): string | null {
  if (value.length > MAX_CHARS) return 'it is too long';
  if (/[^ -~\t\p{L}\p{N}\p{M}]/u.test(value)) return 'it holds a character that no border writes';
  if (value.includes('\\')) return 'it holds a backslash';
  return value.includes('=?') ? 'it holds an encoded word' : null;
}

interface Piece {
  /** Null: blanks. */
  readonly atom: Atom | null;
  readonly end: number;
}

/** What begins here, or why it cannot be told. */
function pieceAt(value: string, at: number): Piece | string {
  switch (value[at]) {
    case ' ':
    case '\t':
      return { atom: null, end: at + 1 };
    case ';':
      return { atom: { kind: 'semicolon', text: ';', quoted: false }, end: at + 1 };
    case ')':
      return 'a bracket of it closes nothing';
    case '(':
      return commentAt(value, at) ?? 'a comment of it does not end where it seems to';
    default:
      return wordAt(value, at) ?? 'a quotation of it does not stand by itself';
  }
}

function commentAt(value: string, at: number): Piece | null {
  const close = endOfComment(value, at);
  const text = value.slice(at + 1, Math.max(close, at + 1));
  return close >= 0 && isBalanced(text) ? { atom: { kind: 'comment', text, quoted: false }, end: close + 1 } : null;
}

/** What stands between a word and the piece before it. */
type Gap = 'none' | 'blank' | 'comment';

const no = (why: string): Lexed => ({ ok: false, why });

/** The place of the bracket that closes the one at `from`; -1 where none does. */
function endOfComment(value: string, from: number): number {
  let depth = 0;
  for (let at = from; at < value.length; at += 1) {
    if (value[at] === '(') depth += 1;
    if (value[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Whether brackets of each kind and quotation marks close what was opened, inside of quotations and outside. */
export function isBalanced(text: string): boolean {
  const open: string[] = [];
  for (const sign of text) {
    if (sign === '"') {
      if (open.at(-1) === '"') open.pop();
      else if (open.includes('"')) return false;
      else open.push(sign);
    } else if ('([{'.includes(sign)) open.push(sign);
    else if (PAIRS[sign] !== undefined && open.pop() !== PAIRS[sign]) return false;
  }
  return open.length === 0;
}

/** The word that begins here, and where it ends; null where a quotation stands in the middle of it, or does not end. */
function wordAt(value: string, from: number): Piece | null {
  let end = from;
  while (end < value.length && !' \t;()"'.includes(value[end] ?? '')) end += 1;
  const name = value.slice(from, end);
  if (value[end] !== '"') return { atom: { kind: 'word', text: name, quoted: false }, end };
  // A value is quoted as a whole; the quotes of a sender's own address end in the middle of one.
  if (name !== '' && name.indexOf('=') !== name.length - 1) return null;
  const close = value.indexOf('"', end + 1);
  if (close < 0 || !' \t;('.includes(value[close + 1] ?? ' ')) return null;
  const text = value.slice(end + 1, close);
  return isBalanced(text) ? { atom: { kind: 'word', text: name + text, quoted: true }, end: close + 1 } : null;
}

/**
 * Blanks are allowed around `=`, so a word may be the rest of the one before; null where it is not. A value that is empty
 * is not the next word, where that has a value of its own.
 */
function joined(last: Atom | undefined, { text, quoted }: Atom, gap: Gap): Atom | 'fault' | null {
  const isRest = text.startsWith('=') && !quoted;
  if (gap !== 'blank' || last?.kind !== 'word') return isRest ? 'fault' : null;
  const equals = last.text.indexOf('=');
  const isOpen = !last.quoted && equals > 0 && equals === last.text.length - 1;
  const isOne = isRest ? equals < 0 : isOpen && (quoted || !text.includes('='));
  return isOne ? { kind: 'word', text: last.text + text, quoted } : null;
}
