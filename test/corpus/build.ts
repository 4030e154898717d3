import type { ParsedMail, SilenceCode } from '../../engine/mail/mime/types.ts';

/** What the mail room should make of a message; what is left out is not looked at. */
export interface Expected {
  readonly outcome: 'ok' | 'unparsable' | 'mime_limit' | 'too_many_attachments';
  readonly from?: 'one' | 'missing' | 'ambiguous';
  readonly address?: string;
  /** Its header could be read in two ways, so nothing proves its From. */
  readonly fault?: true;
  /** With nobody proven and no list allowed. */
  readonly silence?: SilenceCode | null;
  readonly newText?: string;
  readonly quotedContains?: string;
  readonly forwardedContains?: string;
  readonly signature?: string;
  /** Must not stand anywhere in the text. */
  readonly hides?: readonly string[];
  readonly textContains?: readonly string[];
  readonly limitation?: RegExp;
  readonly attachments?: readonly string[];
  readonly mail?: Partial<ParsedMail>;
}

export interface CorpusCase {
  readonly name: string;
  readonly raw: Buffer;
  readonly expect: Expected;
}

type HeaderList = readonly (readonly [string, string])[];

export interface MailInput {
  /** Replace the defaults of the same name; an empty value drops it. */
  readonly headers?: HeaderList;
  readonly body?: string | Buffer;
  readonly newline?: string;
}

const DEFAULTS: HeaderList = [
  ['From', 'Sender <sender@example.com>'],
  ['To', 'ada@agents.localhost'],
  ['Subject', 'A question'],
  ['Date', 'Mon, 02 Mar 2026 10:00:00 +0100'],
];

/** A raw message. `headers` are written in UTF-8 as they are, so that a case can write broken ones. */
export function rawMail(name: string, { headers = [], body = 'Hello\r\n', newline = '\r\n' }: MailInput): Buffer {
  const named = new Set(headers.map(([key]) => key.toLowerCase()));
  const defaults: HeaderList = [...DEFAULTS, ['Message-ID', `<${name}@corpus.example.com>`]];
  const lines = [...defaults.filter(([key]) => !named.has(key.toLowerCase())), ...headers]
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${key}: ${value}${newline}`);
  const text = typeof body === 'string' ? Buffer.from(body.replace(/\r?\n/g, newline)) : body;
  return Buffer.concat([Buffer.from(lines.join('') + newline), text]);
}

export function corpusCase(name: string, input: MailInput, expect: Expected): CorpusCase {
  return { name, raw: rawMail(name, input), expect };
}

/** A part of a multipart. */
export const part = (type: string, body: string, ...more: string[]): string =>
  `${[`Content-Type: ${type}`, ...more].join('\r\n')}\r\n\r\n${body}\r\n`;

export const multipart = (subtype: string, boundary: string, ...parts: string[]): MailInput => ({
  headers: mime(`multipart/${subtype}; boundary="${boundary}"`),
  body: joined(boundary, parts),
});

export const joined = (boundary: string, parts: readonly string[]): string =>
  `${parts.map((each) => `--${boundary}\r\n${each}`).join('')}--${boundary}--\r\n`;

export const mime = (type: string, ...more: (readonly [string, string])[]): HeaderList => [
  ['MIME-Version', '1.0'],
  ['Content-Type', type],
  ...more,
];

export const html = (body: string): MailInput => ({ headers: mime('text/html; charset=utf-8'), body });

export const REPLY: HeaderList = [
  ['Subject', 'Re: A question'],
  ['In-Reply-To', '<earlier@agents.localhost>'],
  ['References', '<earlier@agents.localhost>'],
];
