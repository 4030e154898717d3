// Labels met in mail that the encoding standard does not know.
const ALIASES: Readonly<Record<string, string>> = {
  ansi: 'windows-1252',
  'ansi_x3.4-1968': 'windows-1252',
  'cp-1252': 'windows-1252',
  cp932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  'unicode-1-1-utf-7': 'utf-7',
  'unicode-1-1-utf-8': 'utf-8',
  utf8mb4: 'utf-8',
};

export interface Decoded {
  readonly text: string;
  /** False when the label is unknown or bytes did not fit it, and replacement characters or a guess stand there. */
  readonly exact: boolean;
}

/** Decodes bytes by a charset label as found in mail. Never throws; an unknown label is guessed and marked. */
export function decodeCharset(bytes: Uint8Array, label: string | null): Decoded {
  const wanted = (label ?? 'utf-8')
    .trim()
    .toLowerCase()
    .replace(/^["']|["']$/g, '');
  const name = ALIASES[wanted] ?? wanted;
  if (name === 'utf-7') return { text: decodeUtf7(Buffer.from(bytes).toString('latin1')), exact: true };
  const text = decodeAs(bytes, name);
  if (text === null) return guess(bytes);
  return text.includes('\ufffd') ? { text: guess(bytes).text, exact: false } : { text, exact: true };
}

function decodeAs(bytes: Uint8Array, name: string): string | null {
  try {
    return new TextDecoder(name).decode(bytes);
  } catch {
    return null; // RangeError: the label is unknown
  }
}

/** UTF-8 where the bytes are valid UTF-8, else Windows-1252, which has a character for every byte. */
function guess(bytes: Uint8Array): Decoded {
  const text = new TextDecoder('utf-8').decode(bytes);
  const ascii = !/\P{ASCII}/u.test(text);
  return text.includes('\ufffd')
    ? { text: new TextDecoder('windows-1252').decode(bytes), exact: false }
    : { text, exact: ascii };
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
