/** Undoes a Content-Transfer-Encoding (RFC 2045 section 6). Broken input gives what can be read; it never throws. */
export function decodeTransfer(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(bytes.toString('latin1'), 'base64');
  if (encoding !== 'quoted-printable') return bytes;
  const decoder = createQuotedPrintable();
  const decoded: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) decoded.push(decoder.write(bytes.subarray(at, at + PIECE)));
  return Buffer.concat([...decoded, decoder.end()]);
}

/** Bytes that are decoded at a time: a mail of nothing but escapes takes many times its size in memory. */
const PIECE = 256 * 1024;
/** A line that is longer is passed on before its end is known, but for so many of its characters. */
const MAX_LINE = 64 * 1024;
const UNDECIDED = 1000;

/**
 * Decodes quoted-printable (RFC 2045 section 6.7) piece by piece: its memory does not grow with the mail. Blanks at the
 * end of a line go, what is not encoded rightly is left as it is.
 */
export function createQuotedPrintable() {
  let line = '';
  let begun = '';

  const decode = (text: string, isLast: boolean): Buffer => {
    const lines = (line + text).split('\n');
    line = lines.pop() ?? '';
    let whole = begun + lines.map(withoutSoftBreak).join('');
    if (isLast) whole += withoutSoftBreak(line).replace(/\n$/, '');
    else if (line.length > MAX_LINE) {
      whole += line.slice(0, -UNDECIDED);
      line = line.slice(-UNDECIDED);
    }
    begun = isLast ? '' : (/=[0-9a-f]?$/i.exec(whole)?.[0] ?? '');
    return withoutEscapes(Buffer.from(begun === '' ? whole : whole.slice(0, -begun.length), 'latin1'));
  };

  return {
    write: (piece: Buffer): Buffer => decode(piece.toString('latin1'), false),
    end: (): Buffer => decode('', true),
  };
}

const EQUALS = 0x3d;
/** What a byte says as a digit of base 16; undefined where it is none. */
const DIGITS: readonly (number | undefined)[] = Array.from({ length: 256 }, (_, byte) =>
  /[0-9a-f]/i.test(String.fromCharCode(byte)) ? Number.parseInt(String.fromCharCode(byte), 16) : undefined,
);

/** In the place of the bytes themselves: by a pattern, 20 MB of escapes took the thread seconds. */
function withoutEscapes(bytes: Buffer): Buffer {
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    let byte = bytes[at] ?? 0;
    if (byte === EQUALS) {
      const [high, low] = [DIGITS[bytes[at + 1] ?? 0], DIGITS[bytes[at + 2] ?? 0]];
      if (high !== undefined && low !== undefined) {
        byte = 16 * high + low;
        at += 2;
      }
    }
    bytes[length] = byte;
    length += 1;
  }
  return bytes.subarray(0, length);
}

/** One line with its end; without it where `=` says that the next one goes on. */
function withoutSoftBreak(line: string): string {
  const end = line.endsWith('\r') ? '\r\n' : '\n';
  let length = line.length + 1 - end.length;
  // No pattern: `[ \t]+$` tries a run of blanks from each of its places.
  while (line[length - 1] === ' ' || line[length - 1] === '\t') length -= 1;
  return line[length - 1] === '=' ? line.slice(0, length - 1) : line.slice(0, length) + end;
}

const NO_BASE64 = /[^A-Za-z0-9+/=\s]/;
const RULED = /^[ \t]{0,9}(?:--|__|==)/;

/**
 * Sorts a base64 text from what a list server has put below it as it stands: behind the padding that ends it, or below a
 * rule that somebody drew, the first line with a sign that base64 has not. `plain` is to be read as it is.
 */
export function createBase64Sorter() {
  let isPlain = false;
  let isPadded = false;
  return (piece: Buffer): { readonly coded: Buffer; readonly plain: Buffer } => {
    if (isPlain) return { coded: piece.subarray(0, 0), plain: piece };
    const text = piece.toString('latin1');
    const found = NO_BASE64.exec(text);
    const line = found ? text.lastIndexOf('\n', found.index) + 1 : text.length;
    isPadded ||= text.lastIndexOf('=', line) >= 0 && text.indexOf('=') < line;
    isPlain = found !== null && (isPadded || RULED.test(text.slice(line, line + 20)));
    const end = isPlain ? line : piece.length;
    return { coded: piece.subarray(0, end), plain: piece.subarray(end) };
  };
}
