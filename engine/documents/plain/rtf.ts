import type { Content, Reading, Source } from '../reading.ts';
import { createPage, type RtfPage } from './rtf-page.ts';

interface Group {
  /** Nothing in it is shown; `starred`: except for what is known in it. */
  skipped: 'no' | 'starred' | 'all';
  isHidden: boolean;
  /** A header or a footer, which is said to be left out. */
  isMargin: boolean;
  /** Who wrote the comment that comes next. */
  isAuthor: boolean;
  /** A footnote, a comment or a text box, told at the end; null: the page itself. */
  note: Note | null;
  isTitle: boolean;
  isFonts: boolean;
  charset: string;
  /** How many characters stand after each `\u` for programs that do not know it. */
  fallback: number;
}

interface Note {
  /** `[^1]:` or `[comment of Ada Lind]`. */
  readonly mark: string;
  text: string;
}

/** Groups that hold no text of the page; those that begin with `\*` are left out where they are not known. */
const UNSEEN: readonly string[] = [
  ...['colortbl', 'stylesheet', 'info', 'pict', 'object', 'listtable', 'listoverridetable', 'rsidtbl', 'shprslt'],
  ...['generator', 'fldinst', 'themedata', 'datastore', 'latentstyles', 'xmlnstbl', 'bkmkstart', 'bkmkend', 'filetbl'],
  ...['revtbl', 'nonshppict'],
];
const MARGINS = ['header', 'footer', 'headerl', 'headerr', 'headerf', 'footerl', 'footerr', 'footerf'];
const MARGINS_LEFT_OUT = 'Its headers and footers were left out.';
/** What stands between words of a note where a paragraph or a cell ends. */
const ENDS: ReadonlySet<string> = new Set(['par', 'sect', 'page', 'cell', 'nestcell', 'row']);
const SYMBOLS: Readonly<Record<string, string>> = {
  line: '\n',
  tab: '\t',
  emdash: '—',
  endash: '–',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  '~': '\u00a0',
  _: '-',
  '{': '{',
  '}': '}',
  '\\': '\\',
};
const MAX_GROUPS = 1000;
const NOTES_LEFT_OUT = 'Some of its notes were left out.';
const MAX_NOTES = 10_000;

/** A control word with its number, a byte, a control symbol, a brace, or text. */
const TOKEN = /\\([a-zA-Z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/y;

/** The text of an RTF document, with its tables. Pictures, fonts and fields' instructions are left out. */
export function readRtf({ bytes }: Source, reading: Reading): Content {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const page = createPage(reading);
  const text = createText(page, reading);
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match && !page.isFull(); match = TOKEN.exec(source)) {
    const [, , digits, , , brace] = match;
    if (match[1] === 'bin') TOKEN.lastIndex += Math.max(0, Number(digits) || 0);
    else if (brace === undefined) take(text, match);
    else if (!text.brace(brace)) break;
  }
  const { title, notes } = text.finish();
  const shown = page.finish();
  const told = [shown.text ?? '', notes.join('\n')].filter((part) => part !== '').join('\n\n');
  return { kind: 'rtf', ...(title === '' ? {} : { title }), ...shown, text: told };
}

function take(text: RtfText, [, word, digits, hex, symbol, , letters]: RegExpExecArray): void {
  if (letters !== undefined) for (const letter of Buffer.from(letters, 'latin1')) text.byte(letter);
  else if (hex !== undefined) text.byte(Number.parseInt(hex, 16));
  else if (word !== undefined) text.word(word, digits === undefined ? null : Number(digits));
  else if (symbol !== undefined) text.symbol(symbol);
}

interface RtfText {
  byte(value: number): void;
  word(word: string, number: number | null): void;
  symbol(symbol: string): void;
  /** False: there are more groups within groups than are read. */
  brace(brace: string): boolean;
  finish(): { readonly title: string; readonly notes: readonly string[] };
}

/** What is said of the characters to come, by groups, and the characters themselves. */
function createText(page: RtfPage, reading: Pick<Reading, 'note' | 'limits'>): RtfText {
  const fonts = new Map<number, string>();
  const groups: Group[] = [];
  let here: Group = {
    skipped: 'no',
    isHidden: false,
    isMargin: false,
    isAuthor: false,
    note: null,
    isTitle: false,
    isFonts: false,
    charset: 'windows-1252',
    fallback: 1,
  };
  let title = '';
  let author = '';
  const notes: Note[] = [];
  let footnotes = 0;
  let noted = 0;
  let pending: number[] = [];
  let toSkip = 0;
  let font = -1;

  function write(text: string): void {
    if (here.isTitle) title += text;
    else if (here.isAuthor) author += text;
    else if (here.isMargin && text.trim() !== '') reading.note(MARGINS_LEFT_OUT);
    else if (here.skipped !== 'no' || here.isHidden) return;
    else if (here.note) addTo(here.note, text);
    else page.text(text);
  }
  function addTo(note: Note, text: string): void {
    noted += text.length;
    if (noted <= reading.limits.maxCharacters) note.text += text;
    else reading.note(NOTES_LEFT_OUT);
  }
  /** The group is told at the end, unless all around it is left out. */
  function openNote(mark: string): void {
    if (here.skipped === 'all') return;
    if (notes.length >= MAX_NOTES) {
      skipGroup();
      reading.note(NOTES_LEFT_OUT);
      return;
    }
    here.note = { mark, text: '' };
    notes.push(here.note);
    // The mark of a comment is hidden text in Word; what it says is shown there.
    here.isHidden = false;
    here.skipped = 'no';
  }
  /** Bytes that follow each other may be one character. */
  function flush(): void {
    if (pending.length === 0) return;
    const run = Uint8Array.from(pending);
    pending = [];
    write(decode(run, here.charset));
  }
  const skipGroup = () => {
    here.skipped = 'all';
    here.isMargin = false;
    here.isAuthor = false;
  };
  const textBox = () => openNote('[text box]');
  const words: Readonly<Record<string, (number: number | null) => void>> = {
    ...Object.fromEntries(UNSEEN.map((word) => [word, skipGroup])),
    ...Object.fromEntries(MARGINS.map((word) => [word, () => Object.assign(here, { skipped: 'all', isMargin: true })])),
    ...Object.fromEntries(Object.entries(SYMBOLS).map(([word, sign]) => [word, () => write(sign)])),
    u(number) {
      if (number === null) return;
      write(String.fromCharCode(number < 0 ? number + 65_536 : number));
      toSkip = here.fallback;
    },
    title() {
      here.isTitle = true;
    },
    footnote() {
      if (here.skipped === 'all') return;
      const mark = `[^${footnotes + 1}]`;
      footnotes += 1;
      // Its mark stands in the text, whether or not programs may leave the note itself out.
      if (here.note) addTo(here.note, mark);
      else page.text(mark);
      openNote(`${mark}:`);
    },
    atnauthor() {
      author = '';
      here.isAuthor = true;
    },
    annotation() {
      openNote(`[comment of ${author.trim() || 'somebody'}]`);
      author = '';
    },
    shptxt: textBox,
    dptxbxtext: textBox,
    fonttbl() {
      here.skipped = 'all';
      here.isFonts = true;
    },
    v(number) {
      here.isHidden = number !== 0;
    },
    plain() {
      here.isHidden = false;
    },
    uc(number) {
      here.fallback = Math.min(Math.max(number ?? 1, 0), 16);
    },
    ansicpg(number) {
      here.charset = nameOf(number ?? 1252);
    },
    fcharset(number) {
      fonts.set(font, nameOf(CHARSETS[number ?? 0] ?? 1252));
    },
    f(number) {
      if (here.isFonts) font = number ?? -1;
      else here.charset = fonts.get(number ?? -1) ?? here.charset;
    },
  };

  return {
    byte(value) {
      if (toSkip > 0) toSkip -= 1;
      else if (here.skipped === 'no' || here.isTitle || here.isAuthor || here.isMargin) pending.push(value);
    },
    word(word, number) {
      flush();
      toSkip = 0;
      if (Object.hasOwn(words, word)) words[word]?.(number);
      else if (here.skipped !== 'no') return;
      else if (!here.note) page.mark(word);
      else if (ENDS.has(word)) here.note.text += ' ';
    },
    symbol(symbol) {
      flush();
      // A group that programs may leave out when they do not know it.
      if (symbol === '*') here.skipped = here.skipped === 'all' ? 'all' : 'starred';
      else write(SYMBOLS[symbol] ?? '');
    },
    brace(brace) {
      flush();
      toSkip = 0;
      if (brace === '{') {
        groups.push(here);
        here = { ...here };
      } else {
        here = groups.pop() ?? here;
      }
      return groups.length < MAX_GROUPS;
    },
    finish() {
      flush();
      const told = notes.map(({ mark, text }) => ({ mark, text: text.replaceAll(/\s+/g, ' ').trim() }));
      return { title: title.trim(), notes: told.flatMap(({ mark, text }) => (text === '' ? [] : [`${mark} ${text}`])) };
    },
  };
}

function decode(run: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(run);
  } catch {
    return new TextDecoder('windows-1252').decode(run);
  }
}

/** Code pages of Windows by the charset numbers of fonts. */
const CHARSETS: Readonly<Record<number, number>> = {
  0: 1252,
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};
const NAMES: Readonly<Record<number, string>> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
  437: 'windows-1252',
  850: 'windows-1252',
};
/** The name of a code page, as decoders know it. */
const nameOf = (codePage: number): string => NAMES[codePage] ?? `windows-${codePage}`;
