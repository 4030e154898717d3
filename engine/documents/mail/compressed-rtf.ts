import { Refused } from '../refused.ts';

/** What the window holds at first ([MS-OXRTFCP] 2.1.2.1): words that stand in any RTF. */
const AT_FIRST = Buffer.from(
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor ' +
    'MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx',
  'latin1',
);
const WINDOW = 4096;
const HEAD_BYTES = 16;
const COMPRESSED = 0x75465a4c;
const PLAIN = 0x414c454d;

/**
 * The text of a mail as Outlook packs it into PidTagRtfCompressed. `unpacked` is told of what comes out before it does.
 * Throws `Refused`. What is cut off is read as far as it goes.
 */
export function unpackedRtf(packed: Uint8Array, unpacked: (bytes: number) => void): Uint8Array {
  if (packed.byteLength < HEAD_BYTES) throw new Refused('broken', 'its text cannot be unpacked');
  const head = new DataView(packed.buffer, packed.byteOffset, HEAD_BYTES);
  const [bytes, kind] = [head.getUint32(4, true), head.getUint32(8, true)];
  const body = packed.subarray(HEAD_BYTES);
  if (kind === PLAIN) return body.subarray(0, bytes);
  // Two bytes stand for 17 at most.
  if (kind !== COMPRESSED || bytes > 9 * packed.byteLength) throw new Refused('broken', 'its text cannot be unpacked');
  unpacked(bytes);
  return expanded(body, bytes);
}

/** Eight tokens follow each byte of flags: a letter, or a place in the window and how much is there. */
function expanded(body: Uint8Array, bytes: number): Uint8Array {
  const window = new Uint8Array(WINDOW);
  window.set(AT_FIRST);
  const text = new Uint8Array(bytes);
  let [to, at] = [0, AT_FIRST.length];
  const put = (byte: number) => {
    if (to < bytes) text[to] = byte;
    window[at] = byte;
    [to, at] = [to + 1, (at + 1) % WINDOW];
  };
  for (let from = 0, token = 0, flags = 0; from < body.length && to < bytes; token = (token + 1) % 8) {
    if (token === 0) flags = body[from++] ?? 0;
    if ((flags & (1 << token)) === 0) {
      put(body[from++] ?? 0);
      continue;
    }
    const reference = ((body[from] ?? 0) << 8) | (body[from + 1] ?? 0);
    from += 2;
    const place = reference >> 4;
    // A reference to where the next byte will stand is the end.
    if (place === at) break;
    for (let n = 0; n < (reference & 15) + 2; n += 1) put(window[(place + n) % WINDOW] ?? 0);
  }
  return text.subarray(0, Math.min(to, bytes));
}
