import { isAscii, isUtf8 } from 'node:buffer';
import { decode, encodingExists } from './library.ts';
import { plausibilityOf, shapeOf } from './shape.ts';

export interface Decoded {
  readonly text: string;
  /** False when bytes did not fit their label, or had none that is known, and a guess or replacement characters stand there. */
  readonly exact: boolean;
  /** What they were read as. */
  readonly charset: string;
}

interface Named {
  /** As the part itself declares it. */
  readonly label: string | null;
  /** Whether the text is HTML, which may say so in its `<meta>`. */
  readonly isMarkup?: boolean;
  /** What other parts of the mail declare, the nearest first. */
  readonly near?: readonly string[];
  /** Whether bytes are looked at for their shape, which takes a millisecond; true unless said otherwise. */
  readonly byShape?: boolean;
}

/** Labels met in mail that mean something else than they say, or that the library does not know. */
const ALIASES: Readonly<Record<string, string>> = {
  ansi: 'windows-1252',
  // Who writes these has Windows; it has a character for all of their bytes, too.
  'iso-8859-1': 'windows-1252',
  'iso_8859-1': 'windows-1252',
  'iso8859-1': 'windows-1252',
  'iso-8859-1:1987': 'windows-1252',
  'latin-1': 'windows-1252',
  latin1: 'windows-1252',
  l1: 'windows-1252',
  'iso-8859-9': 'windows-1254',
  latin5: 'windows-1254',
  'tis-620': 'windows-874',
  'iso-8859-11': 'windows-874',
  'iso-8859-8-i': 'iso-8859-8',
  'iso-8859-8-e': 'iso-8859-8',
  gb2312: 'gb18030',
  gb_2312: 'gb18030',
  'gb_2312-80': 'gb18030',
  'euc-cn': 'gb18030',
  'x-gbk': 'gb18030',
  gbk: 'gb18030',
  cp936: 'gb18030',
  ms936: 'gb18030',
  'big5-hkscs': 'big5',
  'x-x-big5': 'big5',
  cp950: 'big5',
  'x-euc-jp': 'euc-jp',
  'x-sjis': 'shift_jis',
  sjis: 'shift_jis',
  ms932: 'shift_jis',
  cp932: 'shift_jis',
  'ks_c_5601-1987': 'euc-kr',
  ks_c_5601: 'euc-kr',
  'x-windows-949': 'euc-kr',
  uhc: 'euc-kr',
  cp949: 'euc-kr',
  'unicode-1-1-utf-7': 'utf-7',
  'unicode-1-1-utf-8': 'utf-8',
  utf7: 'utf-7',
  utf8: 'utf-8',
  utf8mb4: 'utf-8',
  jis: 'iso-2022-jp',
  'hz-gb-2312': 'hz',
  'hz-gb2312': 'hz',
  'x-hz': 'hz',
};

/** What programs write that do not know: no label at all. */
const NO_LABEL = new Set(
  'ascii us-ascii ansi_x3.4-1968 ansi_x3.4-1986 iso646-us us 7bit 8bit none default unknown unknown-8bit x-unknown binary'.split(
    ' ',
  ),
);
/** Names by which the library reads bytes as something else than text. */
const NO_TEXT = /^(?:base64|hex|utf-?7-?imap|internal)$/;
const STATEFUL = /^(?:x-|cs)?iso-?2022-?(?:jp|kr|cn)/;
const UNICODE = /^(?:utf-?(?:16|32)|ucs-?[24])/;
const WIDE = /^(?:utf-8|gb|big5|euc-|shift)/;

/** The name by which a label is read; null where it names nothing. */
export function charsetOf(label: string | null): string | null {
  const wanted = (label ?? '')
    .slice(0, 80)
    .replace(/["'\s<>]/g, '')
    .toLowerCase();
  if (wanted === '' || NO_LABEL.has(wanted) || NO_TEXT.test(wanted)) return null;
  const windows = /^(?:x-)?(?:cp|win|windows|microsoft-cp)[-_]?(125\d|874)$/.exec(wanted)?.[1];
  const name = ALIASES[wanted] ?? (windows === undefined ? wanted : `windows-${windows}`);
  if (STATEFUL.test(name) || /^cp5022[01]$/.test(name)) return 'iso-2022';
  if (name === 'hz' || name === 'utf-7' || name === 'utf-8') return name;
  return encodingExists(name) ? name : null;
}

/** Decodes bytes by a charset label as found in mail. Never throws. */
export const decodeCharset = (bytes: Uint8Array, label: string | null): Decoded => decodeText(bytes, { label });

/**
 * Which charset bytes are in, decided in one place: by their own label, by the `<meta>` of HTML, by what the rest of the
 * mail says, by their shape, each only where the bytes fit it. What UTF-8 decodes cleanly is UTF-8, unless it reads worse
 * so. Never throws; a mail that says nothing and reads like no language is Windows-1252, which any byte fits.
 */
export function decodeText(bytes: Uint8Array, { label, isMarkup = false, near = [], byShape = true }: Named): Decoded {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const own = charsetOf(label);
  const marked = MARKS.find(([mark]) => mark.equals(buffer.subarray(0, mark.length)))?.[1];
  if (marked !== undefined) return { text: decode(buffer, marked), exact: true, charset: marked };
  if (own !== null && UNICODE.test(own)) return fitting(own, readAs(buffer, own));
  if (isAscii(buffer)) return decodeAscii(buffer, own);
  if ((own === null || own === 'utf-8') && isUtf8(buffer)) return utf8Of(buffer);
  return (
    readIfFitting(buffer, own, { byShape }) ??
    (isUtf8(buffer) ? utf8Of(buffer) : null) ??
    readIfFitting(buffer, isMarkup ? charsetOf(metaLabel(buffer)) : null, { byShape }) ??
    guess(buffer, near, byShape)
  );
}

function guess(buffer: Buffer, near: readonly string[], byShape: boolean): Decoded {
  for (const label of near) {
    const charset = charsetOf(label);
    // What is named elsewhere is a hint, and nobody may have signed it: it must not turn letters of ASCII into others.
    if (charset === null || !isOfAscii(charset)) continue;
    const read = readIfFitting(buffer, charset, { isNear: true, byShape });
    if (read) return { ...read, exact: false };
  }
  const shape = byShape ? shapeOf(buffer)?.charset : undefined;
  const guessed = switchesSets(buffer) ? 'iso-2022' : (shape ?? 'windows-1252');
  return { text: readAs(buffer, guessed).text, exact: false, charset: guessed };
}

/** Line ends, quote marks, and how UTF-7, HZ and ISO-2022 spell others. */
const OF_ASCII = Buffer.from('> Yes +AAo-\r\n~{VPND~} 0:9 \x1b$B0X\x1b(B\n');
const familyOf = new Map<string, boolean>();

/** Whether bytes of ASCII are its characters by this charset, too. */
function isOfAscii(charset: string): boolean {
  const known = familyOf.get(charset);
  if (known !== undefined) return known;
  const stays = !STATEFUL_NAMES.has(charset) && readAs(OF_ASCII, charset).text === OF_ASCII.toString('latin1');
  if (familyOf.size < 200) familyOf.set(charset, stays);
  return stays;
}

/** Such as switch to other characters, in which ones of ASCII may stand. */
const STATEFUL_NAMES: ReadonlySet<string> = new Set(['iso-2022', 'hz', 'utf-7']);

const MARKS: readonly (readonly [mark: Buffer, charset: string])[] = [
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf-8'],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

const utf8Of = (buffer: Buffer): Decoded => ({ text: buffer.toString('utf8'), exact: true, charset: 'utf-8' });

const fitting = (charset: string, { text, clean }: Read): Decoded => ({ text, exact: clean, charset });

function readAs(buffer: Buffer, charset: string): Read {
  if (charset === 'iso-2022') return decodeIso2022(buffer);
  if (charset === 'hz') return decodeHz(buffer);
  if (charset === 'utf-7') return { text: decodeUtf7(buffer.toString('latin1')), clean: true };
  const text = decode(buffer, charset);
  return { text, clean: !text.includes('\ufffd') };
}

/** Seven bits are ASCII, unless they switch to something else: by their label, or as no plain text does. */
function decodeAscii(buffer: Buffer, own: string | null): Decoded {
  const isLabelled = own === 'utf-7' || own === 'hz' || own === 'iso-2022';
  if (own !== null && isLabelled) return fitting(own, readAs(buffer, own));
  if (switchesSets(buffer)) return fitting('iso-2022', decodeIso2022(buffer));
  const text = buffer.toString('latin1');
  if (own === null && text.includes('~{') && looksLikeHz(text)) return fitting('hz', decodeHz(buffer));
  // Of a charset that is none of ASCII's family, such as EBCDIC.
  const read = own === null || own === 'utf-8' ? text : readAs(buffer, own).text;
  return { text: read, exact: true, charset: own ?? 'us-ascii' };
}

/** A part of them may be broken: a text is not to be guessed at for one character that was cut in two. */
const MOST_BROKEN = 0.1;
/** Hardly any bytes but those of UTF-8 have its shape by chance. */
const MOST_BROKEN_UTF8 = 0.3;
/** How surely another reading has to be a language where the one by the label is none. */
const [NO_LANGUAGE, A_LANGUAGE, AT_LEAST_BETTER] = [0.35, 0.6, 0.3];

/** The text by that charset; null where the bytes do not fit it, or fit another one without any doubt. */
function readIfFitting(
  buffer: Buffer,
  charset: string | null,
  { isNear = false, byShape = true }: { isNear?: boolean; byShape?: boolean },
): Decoded | null {
  if (charset === null) return null;
  const read = readAs(buffer, charset);
  // Eight bits and no escape: it is none, whatever it is called.
  if (charset === 'iso-2022' && !switchesSets(buffer)) return null;
  if (charset === 'iso-2022' || charset === 'hz' || charset === 'utf-7') return fitting(charset, read);
  if (!read.clean) {
    if (isUtf8(buffer)) return utf8Of(buffer);
    const most = charset === 'utf-8' ? MOST_BROKEN_UTF8 : MOST_BROKEN;
    const isMostlyRight = WIDE.test(charset) && !isNear && brokenShare(read.text) < most;
    return isMostlyRight ? fitting(charset, read) : null;
  }
  if (!byShape) return fitting(charset, read);
  if (isUtf8(buffer) && !readsBetter(read.text, buffer)) return utf8Of(buffer);
  if (WIDE.test(charset)) return fitting(charset, read);
  return isBelied(buffer, read.text) ? null : fitting(charset, read);
}

/** Whether a text reads like no language, and by another charset without any doubt like one. */
function isBelied(buffer: Buffer, text: string): boolean {
  const own = plausibilityOf(text);
  if (own >= NO_LANGUAGE || !isEnough(buffer)) return false;
  const shape = shapeOf(buffer);
  return shape !== null && shape.plausible >= Math.max(A_LANGUAGE, own + AT_LEAST_BETTER);
}

const readsBetter = (text: string, utf8: Buffer): boolean =>
  plausibilityOf(text) > plausibilityOf(utf8.toString('utf8')) + 0.2;

/** A label is not doubted for a word or two. */
const isEnough = (buffer: Buffer): boolean => buffer.filter((byte) => byte > 0x7f).length >= 6;

function brokenShare(text: string): number {
  const broken = text.split('\ufffd').length - 1;
  const beyondAscii = text.length - text.replace(/\P{ASCII}+/gu, '').length;
  return broken / Math.max(1, beyondAscii);
}

const MAX_HEAD = 4096;
const META =
  /<meta\s[^<>]{0,300}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})|^\s{0,99}<\?xml\s[^<>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})/i;

/** What HTML says of itself (HTML 4.01 section 5.2.2); null where it says nothing in its beginning. */
function metaLabel(buffer: Buffer): string | null {
  const [, meta, xml] = META.exec(buffer.toString('latin1', 0, MAX_HEAD)) ?? [];
  return meta ?? xml ?? null;
}

/** RFC 2152; the encoding standard leaves it out because browsers were attacked through it. Text only here. */
function decodeUtf7(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (whole, encoded: string) => {
    if (encoded === '') return whole === '+-' ? '+' : whole;
    const bytes = Buffer.from(encoded, 'base64');
    return bytes
      .subarray(0, bytes.length - (bytes.length % 2))
      .swap16()
      .toString('utf16le');
  });
}

/** Text of which a part only could be read has U+FFFD where the rest was, and is not clean. */
interface Read {
  readonly text: string;
  readonly clean: boolean;
}

const ESC = 0x1b;
const SO = 0x0e;
const SI = 0x0f;
const LF = 0x0a;
const CR = 0x0d;
const TILDE = 0x7e;

/** A set of characters: by which charset its bytes are read when their high bits are set, and what leads each of them. */
interface CharacterSet {
  readonly charset: string;
  readonly bytes: 1 | 2;
  readonly lead: readonly number[];
}

const JIS: CharacterSet = { charset: 'euc-jp', bytes: 2, lead: [] };
const JIS_MORE: CharacterSet = { charset: 'euc-jp', bytes: 2, lead: [0x8f] };
const KANA: CharacterSet = { charset: 'euc-jp', bytes: 1, lead: [0x8e] };
const GB: CharacterSet = { charset: 'gb18030', bytes: 2, lead: [] };
const KOREAN: CharacterSet = { charset: 'euc-kr', bytes: 2, lead: [] };

/** By what follows ESC (RFC 1468, 1554, 1557, 1922); null is ASCII. Those with `)` say what SO switches to. */
const ESCAPES: readonly (readonly [sign: string, set: CharacterSet | null])[] = [
  ['(B', null],
  ['(J', null],
  ['(H', null],
  ['(I', KANA],
  ['$@', JIS],
  ['$B', JIS],
  ['$(@', JIS],
  ['$(B', JIS],
  ['$(D', JIS_MORE],
  ['$(O', JIS],
  ['$(Q', JIS],
  ['$A', GB],
  ['$(A', GB],
  ['$(C', KOREAN],
  // Says only which edition of JIS X 0208 the next one means.
  ['&@', null],
];
const SHIFTED: readonly (readonly [sign: string, set: CharacterSet])[] = [
  ['$)C', KOREAN],
  ['$)A', GB],
];

/**
 * Whether bytes switch character sets as ISO-2022 does. No text without such a charset holds these escapes, whatever its
 * label says.
 */
const switchesSets = (bytes: Buffer): boolean => {
  for (let at = bytes.indexOf(ESC); at >= 0; at = bytes.indexOf(ESC, at + 1)) {
    const follows = bytes.toString('latin1', at + 1, at + 4);
    if (/^(?:\$[@AB]|\$[()][@A-DOQ]|\(I)/.test(follows)) return true;
  }
  return false;
};

/**
 * ISO-2022-JP with what its later editions add, ISO-2022-KR and -CN, in one. The ICU of Node marks the joint where two
 * texts that each end in ASCII stand behind one another, knows no ISO-2022-KR or -CN, and nothing reads HZ.
 */
function decodeIso2022(bytes: Buffer): Read {
  let shifted: CharacterSet | null = null;
  return decodeSwitched(bytes, (byte, at) => {
    if (byte === SO && shifted) return { set: shifted, bytes: 1 };
    if (byte === SI) return { set: null, bytes: 1 };
    if (byte !== ESC) return null;
    const follows = bytes.toString('latin1', at + 1, at + 4);
    const [sign, set] = ESCAPES.find(([each]) => follows.startsWith(each)) ?? [];
    if (sign !== undefined) return { set: set ?? null, bytes: 1 + sign.length };
    const [shift, next] = SHIFTED.find(([each]) => follows.startsWith(each)) ?? [];
    if (shift === undefined) return null;
    shifted = next ?? null;
    return { bytes: 1 + shift.length };
  });
}

/** HZ (RFC 1843): GB 2312 between `~{` and `~}`. */
const decodeHz = (bytes: Buffer): Read =>
  decodeSwitched(bytes, (byte, at, set) => {
    if (byte !== TILDE) return null;
    const [next, third] = [bytes[at + 1], bytes[at + 2]];
    if (next === 0x7b) return { set: GB, bytes: 2 };
    if (next === 0x7d) return { set: null, bytes: 2 };
    if (set !== null) return null;
    if (next === TILDE) return { bytes: 2, text: '~' };
    // The line goes on in the next one.
    if (next === LF) return { bytes: 2 };
    return next === CR && third === LF ? { bytes: 3 } : null;
  });

/** What bytes mean that are no text: so many of them, another set, a text that they stand for. */
interface Switch {
  readonly bytes: number;
  readonly set?: CharacterSet | null;
  readonly text?: string;
}

function decodeSwitched(
  bytes: Buffer,
  switchAt: (byte: number, at: number, set: CharacterSet | null) => Switch | null,
): Read {
  const out = createOutput();
  let set: CharacterSet | null = null;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    const found = switchAt(byte, at, set);
    if (found) {
      if (found.set !== undefined) set = found.set;
      for (const sign of found.text ?? '') out.plain(sign.charCodeAt(0));
      at += found.bytes;
      continue;
    }
    // A line ends in ASCII, also where its writer forgot to say so.
    if (byte === LF || byte === CR) set = null;
    if (set === null || byte <= 0x20 || byte > TILDE) {
      out.plain(byte);
      at += 1;
    } else at += out.coded(set, bytes, at);
  }
  return out.end();
}

const HZ_RUN = /~\{((?:[0-W][!-~]|[!-/][!-~]){1,500})~\}/g;

/**
 * Whether ASCII text that names no charset is HZ: each `~{` of it has its `~}` behind pairs that are common characters.
 * Two of them at least, or a format string of a programmer would be Chinese.
 */
function looksLikeHz(text: string): boolean {
  const runs = [...text.matchAll(HZ_RUN)].map(([, run = '']) => run);
  const pairs = runs.reduce((sum, run) => sum + run.length / 2, 0);
  return pairs >= 2 && runs.length === text.split('~{').length - 1 && runs.every((run) => /[0-W]./.test(run));
}

/** One decoder for each charset: to make one for each run of characters would take the thread seconds. */
function createOutput() {
  let text = '';
  let clean = true;
  let charset = '';
  let run: number[] = [];
  const decoders = new Map<string, InstanceType<typeof TextDecoder>>();
  const decoderOf = (of: string) => {
    const decoder = decoders.get(of) ?? new TextDecoder(of);
    decoders.set(of, decoder);
    return decoder;
  };
  const flush = () => {
    if (run.length === 0) return;
    const bytes = Buffer.from(run);
    const decoded = charset === '' ? bytes.toString('latin1') : decoderOf(charset).decode(bytes);
    if (decoded.includes('\ufffd')) clean = false;
    text += decoded;
    run = [];
  };
  const put = (of: string, ...bytes: readonly number[]) => {
    if (of !== charset || run.length > 8192) flush();
    charset = of;
    run.push(...bytes);
  };
  return {
    plain(byte: number): void {
      if (byte > TILDE) clean = false;
      if (charset !== '' || run.length > 8192) flush();
      charset = '';
      run.push(byte);
    },
    /** The character that begins there; how many bytes it has. */
    coded(set: CharacterSet, bytes: Buffer, at: number): number {
      const first = bytes[at] ?? 0;
      const second = bytes[at + 1] ?? 0;
      if (set.bytes === 1) put(set.charset, ...set.lead, first | 0x80);
      else if (second > 0x20 && second <= TILDE) put(set.charset, ...set.lead, first | 0x80, second | 0x80);
      else {
        // Cut in its middle.
        flush();
        text += '\ufffd';
        clean = false;
        return 1;
      }
      return set.bytes;
    },
    end(): Read {
      flush();
      return { text, clean };
    },
  };
}
