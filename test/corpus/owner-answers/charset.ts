/** Bytes of the charsets in which people still write, made by turning Node's own decoders around. */
const tables = new Map<string, Map<string, readonly number[]>>();

const SINGLE = /^(?:iso-8859-\d+|windows-125\d|koi8-r)$/;

function tableOf(charset: string): Map<string, readonly number[]> {
  const known = tables.get(charset);
  if (known) return known;
  const table = new Map<string, readonly number[]>();
  const decoder = new TextDecoder(charset === 'iso-2022-jp' ? 'euc-jp' : charset);
  const add = (bytes: readonly number[]): void => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length === 1 && text !== '\ufffd' && !table.has(text)) table.set(text, bytes);
  };
  for (let first = 0x80; first <= 0xff; first += 1) {
    if (SINGLE.test(charset)) add([first]);
    else for (let second = 0x40; second <= 0xfe; second += 1) add([first, second]);
  }
  tables.set(charset, table);
  return table;
}

/** RFC 1468: two bytes of seven bits behind an escape, ASCII again before the end of each line. */
function iso2022jp(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let isDouble = false;
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    const pair = code < 0x80 ? undefined : tableOf('iso-2022-jp').get(sign);
    if (code >= 0x80 && (!pair || pair.some((byte) => byte < 0xa1))) return undefined;
    if (isDouble !== (pair !== undefined)) bytes.push(...(pair ? [0x1b, 0x24, 0x42] : [0x1b, 0x28, 0x42]));
    isDouble = pair !== undefined;
    bytes.push(...(pair ? pair.map((byte) => byte & 0x7f) : [code]));
  }
  if (isDouble) bytes.push(0x1b, 0x28, 0x42);
  return Buffer.from(bytes);
}

/** Undefined where the charset lacks a sign of the text. */
export function encoded(text: string, charset: string): Buffer | undefined {
  if (charset === 'utf-8') return Buffer.from(text);
  if (charset === 'iso-2022-jp') return iso2022jp(text);
  // By that name browsers, and with them Node, decode windows-1252.
  if (charset === 'iso-8859-1') return /^[\0-\x7f\xa0-\xff]*$/.test(text) ? Buffer.from(text, 'latin1') : undefined;
  const table = tableOf(charset);
  const bytes: number[] = [];
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    const found = code < 0x80 ? [code] : table.get(sign);
    if (!found) return undefined;
    bytes.push(...found);
  }
  return Buffer.from(bytes);
}
