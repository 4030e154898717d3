import { count, fill, HEAD, inBody, type Shapes, write } from './shape.ts';

const mixed = (boundary = 'b'): readonly string[] => [`Content-Type: multipart/mixed; boundary="${boundary}"`];
const part = (headers: readonly string[], body = 'a'): string => `--b\r\n${headers.join('\r\n')}\r\n\r\n${body}\r\n`;
const END = '--b--\r\n';

/** Multiparts in each other, each with a boundary of its own. */
const nestedParts = (bytes: number): string => {
  const levels = Math.max(1, Math.floor(bytes / 75));
  const open = (n: number) => `--n${n}\r\nContent-Type: multipart/mixed; boundary="n${n + 1}"\r\n\r\n`;
  return count(open, levels * 60);
};

const report = (kind: string, status: (bytes: number) => string) =>
  inBody([`Content-Type: multipart/report; report-type=${kind}; boundary="b"`], (bytes) => {
    const type = kind === 'delivery-status' ? 'message/delivery-status' : 'message/disposition-notification';
    return part(['Content-Type: text/plain']) + part([`Content-Type: ${type}`], status(bytes)) + END;
  });

const charset = (name: string, unit: string) =>
  inBody([`Content-Type: text/plain; charset=${name}`, 'Content-Transfer-Encoding: 8bit'], (bytes) =>
    fill(unit, bytes),
  );
const encoded = (encoding: string, unit: string) =>
  inBody(['Content-Type: text/plain; charset=utf-8', `Content-Transfer-Encoding: ${encoding}`], (bytes) =>
    fill(unit, bytes),
  );

/** How a body is put together, encoded and cut into lines. */
export const BODY_SHAPES: Shapes = {
  'nested-parts': inBody(mixed('n0'), nestedParts),
  'nested-same-boundary': inBody(mixed(), (bytes) =>
    fill('--b\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n', bytes),
  ),
  'mail-in-mail': inBody(['Content-Type: message/rfc822'], (bytes) =>
    fill('Content-Type: message/rfc822\r\n\r\n', bytes),
  ),
  'mails-in-parts': inBody(
    mixed(),
    (bytes) => fill(part(['Content-Type: message/rfc822'], `${HEAD.join('\r\n')}\r\n\r\na`), bytes) + END,
  ),
  'ten-thousand-parts': inBody(
    mixed(),
    (bytes) => fill(part(['Content-Type: text/plain'], 'a'.repeat(Math.max(1, bytes / 10_000 - 40))), bytes) + END,
  ),
  'empty-parts': inBody(mixed(), (bytes) => fill('--b\r\n\r\n', bytes) + END),
  'delimiters-alone': inBody(mixed(), (bytes) => fill('--b\r\n', bytes)),
  'delimiters-alike': inBody(mixed(), (bytes) => fill('--bb\r\n', bytes)),
  'delimiters-closed': inBody(mixed(), (bytes) => fill('--b--\r\n', bytes)),
  'dashes-alone': inBody(mixed('-'.repeat(60)), (bytes) => '-'.repeat(bytes)),
  'boundary-long': {
    make: (bytes) =>
      write(
        [...HEAD, `Content-Type: multipart/mixed; boundary="${'b'.repeat(bytes / 2)}"`],
        `--${'b'.repeat(bytes / 2)}`,
      ),
  },
  'boundary-empty': inBody(['Content-Type: multipart/mixed; boundary=""'], (bytes) => fill('--\r\n', bytes)),
  'part-header-folds': inBody(mixed(), (bytes) => part([`Content-Type: text/plain;${fill('\r\n ', bytes)}a=b`]) + END),
  'attachment-name': inBody(
    mixed(),
    (bytes) =>
      part(['Content-Type: application/pdf', `Content-Disposition: attachment; filename="a${fill('. ', bytes)}b"`]) +
      END,
  ),
  'attachment-name-pieces': inBody(
    mixed(),
    (bytes) =>
      part([
        'Content-Type: application/pdf',
        `Content-Disposition: attachment; ${count((n) => `filename*${n}*=%2e; `, bytes)}`,
      ]) + END,
  ),
  'attachment-names': inBody(
    mixed(),
    (bytes) => count((n) => part([`Content-Type: application/pdf; name="${n}${'. '.repeat(500)}"`]), bytes) + END,
  ),
  'content-id-open': inBody(
    mixed(),
    (bytes) => part(['Content-Type: image/png', `Content-ID: ${'<'.repeat(bytes)}`]) + END,
  ),
  'qp-equals': encoded('quoted-printable', '='),
  'qp-soft-breaks': encoded('quoted-printable', '=\r\n'),
  'qp-blanks': encoded('quoted-printable', ' \t'),
  'base64-garbage': encoded('base64', '!\r\n'),
  'base64-padding': encoded('base64', '='),
  'base64-lines': encoded('base64', 'QQ==\r\n'),
  'uuencode-lines': encoded('x-uuencode', 'begin 644 a\r\n'),
  'charset-utf7': charset('utf-7', '+AGE-'),
  'charset-utf7-open': charset('utf-7', '+'),
  'charset-iso-2022': charset('iso-2022-jp', '\x1b$B\x1b(B'),
  'charset-gb18030': charset('gb18030', '\x81\x30\x81\x30'),
  'charset-utf16': charset('utf-16', '\xd8\x00'),
  'charset-big5': charset('big5', '\xff\xfe\x81'),
  'charset-unknown': charset('x-nobody-knows', '\xff\xfe'),
  'flowed-lines': inBody(['Content-Type: text/plain; format=flowed; delsp=yes'], (bytes) => fill('a \r\n', bytes)),
  'flowed-quotes': inBody(['Content-Type: text/plain; format=flowed'], (bytes) => fill('> > a \r\n', bytes)),
  'bare-lf': { make: (bytes) => `${HEAD.join('\r\n')}\r\n\r\n${'\n'.repeat(bytes)}\r\n` },
  'bare-cr': { make: (bytes) => `${HEAD.join('\r\n')}\r\n\r\n${'\r'.repeat(bytes)}\r\n` },
  'empty-lines': inBody([], (bytes) => fill('\r\n', bytes)),
  'blank-lines': inBody([], (bytes) => fill(' \t \r\n', bytes)),
  'blanks-in-line': inBody([], (bytes) => `a${' '.repeat(bytes)}b`),
  dots: inBody([], (bytes) => fill('.\r\n', bytes)),
  nuls: inBody([], (bytes) => '\0'.repeat(bytes)),
  'one-line': inBody([], (bytes) => 'a'.repeat(bytes)),
  calendar: inBody(
    ['Content-Type: text/calendar; method=REQUEST'],
    (bytes) => `BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\n${fill('ATTENDEE;CN="a":mailto:a@b\r\n', bytes)}`,
  ),
  'calendar-folds': inBody(
    ['Content-Type: text/calendar; method=REQUEST'],
    (bytes) => `METHOD:${fill('\r\n ', bytes)}REPLY`,
  ),
  'delivery-report': report('delivery-status', (bytes) =>
    count((n) => `Final-Recipient: rfc822; a${n}@b\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n`, bytes),
  ),
  'delivery-report-folds': report('delivery-status', (bytes) => `Final-Recipient: ${fill('\r\n ', bytes)}a@b`),
  'read-receipt': report('disposition-notification', (bytes) =>
    fill('Disposition: automatic-action/a; displayed\r\n', bytes),
  ),
};
