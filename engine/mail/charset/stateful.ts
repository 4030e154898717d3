/** Text of which a part only could be read has U+FFFD where the rest was, and is not clean. */
export interface Read {
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
export const switchesSets = (bytes: Buffer): boolean => {
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
export function decodeIso2022(bytes: Buffer): Read {
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
export const decodeHz = (bytes: Buffer): Read =>
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
export function looksLikeHz(text: string): boolean {
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
