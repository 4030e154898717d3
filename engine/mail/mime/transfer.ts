/** Undoes a Content-Transfer-Encoding (RFC 2045 section 6). Broken input gives what can be read; it never throws. */
export function decodeTransfer(bytes: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(bytes.toString('latin1'), 'base64');
  if (encoding === 'quoted-printable') return decodeQuotedPrintable(bytes);
  return bytes;
}

/** Bytes of a quoted-printable body, or of a Q encoded word when `underscoreIsSpace`. */
export function decodeQuotedPrintable(bytes: Buffer, underscoreIsSpace = false): Buffer {
  const out = Buffer.alloc(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === 0x3d) {
      const step = readEscape(bytes, index);
      if (step.byte !== null) out[length++] = step.byte;
      index += step.skip;
    } else {
      out[length++] = underscoreIsSpace && byte === 0x5f ? 0x20 : byte;
    }
  }
  return out.subarray(0, length);
}

/** What stands at `=`: two hex digits, a soft line break (no byte), or a stray sign that is kept. */
function readEscape(bytes: Buffer, index: number): { byte: number | null; skip: number } {
  const next = bytes[index + 1];
  if (next === 0x0a) return { byte: null, skip: 1 };
  if (next === 0x0d && bytes[index + 2] === 0x0a) return { byte: null, skip: 2 };
  const pair = bytes.toString('latin1', index + 1, index + 3);
  if (/^[0-9a-f]{2}$/i.test(pair)) return { byte: Number.parseInt(pair, 16), skip: 2 };
  return { byte: 0x3d, skip: 0 };
}
