import { encoded } from './charset.ts';

export type Transfer = 'quoted-printable' | 'base64' | '8bit';

export interface Part {
  readonly type: 'text/plain' | 'text/html';
  readonly text: string;
  /** RFC 3676: lines that end in a blank go on in the next. */
  readonly isFlowed?: boolean;
  readonly headers?: readonly string[];
}

export interface Coding {
  readonly charset: string;
  readonly transfer: Transfer;
}

/** RFC 2045 6.7, with lines of 76 signs at most. */
function quotedPrintable(bytes: Buffer): string {
  const lines = bytes.toString('latin1').split('\n');
  const soft = (line: string): string => {
    const units = line.match(/=[0-9A-F]{2}|[\s\S]/g) ?? [];
    const rows = [''];
    for (const unit of units) {
      if ((rows.at(-1) ?? '').length + unit.length > 75) rows.push('');
      rows[rows.length - 1] += unit;
    }
    return rows.join('=\r\n');
  };
  const hex = (sign: string): string => `=${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return lines.map((line) => soft(line.replace(/[^\t\x20-\x3c\x3e-\x7e]/g, hex).replace(/[ \t]$/, hex))).join('\r\n');
}

const folded = (text: string): string => (text.match(/.{1,76}/g) ?? []).join('\r\n');

function bytesOf(text: string, { charset, transfer }: Coding): { body: Buffer; transfer: string; charset: string } {
  const found = encoded(text, charset);
  const used = found ? charset : 'utf-8';
  const bytes = found ?? Buffer.from(text);
  if (transfer === 'base64') {
    const lines = Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
    return { body: Buffer.from(folded(lines.toString('base64'))), transfer, charset: used };
  }
  const isSeven = bytes.every((byte) => byte < 0x80);
  const isLong = bytes
    .toString('latin1')
    .split('\n')
    .some((line) => line.length > 990);
  if (transfer === '8bit' && !isLong) {
    const body = Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
    return { body, transfer: isSeven ? '7bit' : '8bit', charset: used };
  }
  return { body: Buffer.from(quotedPrintable(bytes)), transfer: 'quoted-printable', charset: used };
}

const CRLF = Buffer.from('\r\n');

export function partOf({ type, text, isFlowed, headers = [] }: Part, coding: Coding): Buffer {
  const { body, transfer, charset } = bytesOf(text, coding);
  const head = [
    `Content-Type: ${type}; charset=${charset}${isFlowed ? '; format=flowed; delsp=no' : ''}`,
    `Content-Transfer-Encoding: ${transfer}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body, CRLF]);
}

export function multipart(subtype: string, boundary: string, parts: readonly Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from(`Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n\r\n`),
    ...parts.flatMap((part) => [Buffer.from(`--${boundary}\r\n`), part, CRLF]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

/** RFC 2047: encoded words of at most 75 signs, none of which splits a character. */
export function headerText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const words = [''];
  for (const sign of text) {
    if (Buffer.byteLength(`${words.at(-1)}${sign}`) > 42) words.push('');
    words[words.length - 1] += sign;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join('\r\n ');
}

/** A name before an address. */
export const headerName = (name: string): string => (/^[\w .-]*$/.test(name) ? name : headerText(name));
