/** One way to write a mail that costs its reader more than it should. */
export interface Shape {
  /** About so many bytes of it, one character each. */
  make(bytes: number): string;
  /** By whom its domain is: then it is let in, and all that is done with a mail is done with it. */
  readonly admitted?: boolean;
  /** The name servers of the domains that it names do not answer. */
  readonly silent?: boolean;
}

export type Shapes = Readonly<Record<string, Shape>>;

export const FROM = 'From: Mallory <mallory@evil.test>';
export const HEAD: readonly string[] = [
  FROM,
  'To: ada@agents.localhost',
  'Subject: Hello',
  'Date: Mon, 02 Mar 2026 10:00:00 +0100',
  'Message-ID: <shape@evil.test>',
];

/** As many whole units as fit. */
export const fill = (unit: string, bytes: number): string => unit.repeat(Math.max(1, Math.floor(bytes / unit.length)));

/** The same for a unit that is counted up. */
export function count(unit: (n: number) => string, bytes: number): string {
  const units: string[] = [];
  for (let n = 0, sum = 0; sum < bytes; n += 1) {
    const one = unit(n);
    units.push(one);
    sum += one.length;
  }
  return units.join('');
}

export const write = (fields: readonly string[], body: string): string => `${fields.join('\r\n')}\r\n\r\n${body}\r\n`;

/** All of it in the header. */
export const inHeader = (field: (bytes: number) => string): Shape => ({
  make: (bytes) => write([...HEAD, field(bytes)], 'Hello'),
});

/** In place of one of the usual fields. */
export const insteadOf = (name: string, field: (bytes: number) => string): Shape => ({
  make: (bytes) =>
    write([...HEAD.filter((line) => !line.toLowerCase().startsWith(`${name.toLowerCase()}:`)), field(bytes)], 'Hello'),
});

/** All of it in the body. */
export const inBody = (mime: readonly string[], body: (bytes: number) => string): Shape => ({
  make: (bytes) => write([...HEAD, 'MIME-Version: 1.0', ...mime], body(bytes)),
});

export const html = (body: (bytes: number) => string): Shape =>
  inBody(['Content-Type: text/html; charset=utf-8'], (bytes) => `<html><body>${body(bytes)}</body></html>`);

export const text = (unit: string, before = ''): Shape =>
  inBody(['Content-Type: text/plain; charset=utf-8'], (bytes) => before + fill(unit, bytes));
