import { count, FROM, fill, HEAD, inHeader, insteadOf, type Shapes, write } from './shape.ts';

const SIGNATURE = 'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; s=r; h=from:to; bh=AAAA; b=AAAA;';
const signature = (domain: string, more = ''): string => `${SIGNATURE} d=${domain};${more}\r\n`;

const arcSet = (n: number): string =>
  [
    `ARC-Seal: i=${n}; a=rsa-sha256; t=1; cv=pass; d=a${n}.evil.test; s=r; b=AAAA`,
    `ARC-Message-Signature: i=${n}; a=rsa-sha256; c=relaxed/relaxed; d=a${n}.evil.test; s=r; h=from; bh=AAAA; b=AAAA`,
    `ARC-Authentication-Results: i=${n}; a; dkim=pass\r\n`,
  ].join('\r\n');

/** What stands in the header, by what it is. */
export const HEADER_SHAPES: Shapes = {
  folds: inHeader((bytes) => `X-A: a${fill('\r\n ', bytes)}b`),
  'folded-lines': inHeader((bytes) => `X-A: a${fill(`\r\n ${'a'.repeat(70)}`, bytes)}`),
  'folded-from': insteadOf('From', (bytes) => `From:${fill('\r\n ', bytes)}mallory@evil.test`),
  'lines-below-dashes': {
    make: (bytes) => write([...HEAD, 'X-Pad: a', '--x', fill(`${'a'.repeat(73)}\r\n`, bytes)], 'a'),
  },
  'no-end-of-header': { make: (bytes) => [...HEAD, fill('X-A: b\r\n', bytes)].join('\r\n') },
  'lines-without-colon': { make: (bytes) => write([...HEAD, fill('no colon here\r\n', bytes)], 'a') },
  'short-fields': inHeader((bytes) => fill('X: a\r\n', bytes).trimEnd()),
  'many-names': inHeader((bytes) => count((n) => `X-${n}: a\r\n`, bytes).trimEnd()),
  'empty-names': { make: (bytes) => write([...HEAD, fill(': a\r\n', bytes)], 'a') },
  'one-long-field': inHeader((bytes) => `X-A: ${'a'.repeat(bytes)}`),
  'signatures-partial': {
    make: (bytes) =>
      write(
        [count((n) => signature('evil.test', ` l=${n};`), bytes / 2).trimEnd(), ...HEAD],
        fill('body\r\n', bytes / 2),
      ),
  },
  'signatures-many': {
    make: (bytes) => write([count((n) => signature(`d${n}.evil.test`), bytes).trimEnd(), ...HEAD], 'a'),
  },
  'signatures-of-owner': { make: (bytes) => write([fill(signature('owner.test'), bytes).trimEnd(), ...HEAD], 'a') },
  'signatures-over-body': {
    make: (bytes) =>
      write([count(() => signature('evil.test'), 3000).trimEnd(), ...HEAD], fill('a  b \t c\r\n', bytes)),
  },
  'signatures-silent': {
    silent: true,
    make: (bytes) =>
      write([count((n) => signature(`s${n % 50}.silent.test`), Math.min(bytes, 8000)).trimEnd(), ...HEAD], 'a'),
  },
  'names-and-fields': {
    make: (bytes) => {
      const names = count((n) => `x-${n}:`, bytes / 2);
      return write(
        [
          `${SIGNATURE.replace('h=from:to', `h=${names}from`)} d=evil.test;`,
          ...HEAD,
          count((n) => `X-${n}: a\r\n`, bytes / 2).trimEnd(),
        ],
        'a',
      );
    },
  },
  'names-repeated': {
    make: (bytes) =>
      write([`${SIGNATURE.replace('h=from:to', `h=${fill('from:', bytes)}to`)} d=evil.test;`, ...HEAD], 'a'),
  },
  'signature-long': {
    make: (bytes) => write([`${SIGNATURE} d=evil.test; b=${fill('AAAA\r\n ', bytes)}`, ...HEAD], 'a'),
  },
  'signature-tags': { make: (bytes) => write([`${SIGNATURE} d=evil.test; ${fill('y=1; ', bytes)}`, ...HEAD], 'a') },
  'arc-sets': { make: (bytes) => write([count((n) => arcSet(n + 1), bytes).trimEnd(), ...HEAD], 'a') },
  'arc-same': { make: (bytes) => write([fill(arcSet(1), bytes).trimEnd(), ...HEAD], 'a') },
  'from-list': insteadOf('From', (bytes) => `From: ${count((n) => `a${n}@evil.test, `, bytes)}b@evil.test`),
  'to-list': insteadOf('To', (bytes) => `To: ${count((n) => `a${n}@evil.test, `, bytes)}ada@agents.localhost`),
  'to-fields': insteadOf('To', (bytes) => fill('To: ada@agents.localhost\r\n', bytes).trimEnd()),
  'cc-groups': inHeader((bytes) => `Cc: ${fill('a:b@c,d@e;,', bytes)}`),
  'cc-idn': inHeader((bytes) => `Cc: ${count((n) => `a@xn--${n}-\xc3\xbc.test, `, bytes)}b@c.test`),
  'nested-comments': insteadOf(
    'From',
    (bytes) => `From: ${'('.repeat(bytes / 2)}${')'.repeat(bytes / 2)}mallory@evil.test`,
  ),
  'open-comments': insteadOf('From', (bytes) => `From: mallory@evil.test ${'('.repeat(bytes)}`),
  'open-quote': insteadOf('From', (bytes) => `From: "${fill('\\"', bytes)} <mallory@evil.test>`),
  'open-brackets': insteadOf('From', (bytes) => `From: ${fill('<a@', bytes)}`),
  'at-signs': insteadOf('From', (bytes) => `From: ${fill('a@', bytes)}evil.test`),
  'dots-in-domain': insteadOf('From', (bytes) => `From: mallory@${fill('a.', bytes)}test`),
  'encoded-words': insteadOf('Subject', (bytes) => `Subject: ${fill('=?utf-8?q?a?= ', bytes)}`),
  'encoded-words-open': insteadOf('Subject', (bytes) => `Subject: ${fill('=?utf-8?q?', bytes)}`),
  'encoded-words-split': insteadOf('Subject', (bytes) => `Subject: ${fill('=?iso-2022-jp?b?GyRC?= ', bytes)}`),
  'encoded-name': insteadOf('From', (bytes) => `From: ${fill('=?utf-8?b?YQ==?= ', bytes)}<mallory@evil.test>`),
  'question-marks': insteadOf('Subject', (bytes) => `Subject: ${fill('=?', bytes)}`),
  'subject-blanks': insteadOf('Subject', (bytes) => `Subject: a${' '.repeat(bytes)}b`),
  'subject-re': insteadOf('Subject', (bytes) => `Subject: ${fill('Re: ', bytes)}x`),
  'references-ids': inHeader((bytes) => `References: ${count((n) => `<${n}@a>\r\n `, bytes)}<x@a>`),
  'references-open': inHeader((bytes) => `References: ${'<'.repeat(bytes)}`),
  'in-reply-to-open': inHeader((bytes) => `In-Reply-To: ${fill('<a@b', bytes)}`),
  'received-chain': {
    make: (bytes) =>
      write([fill('Received: from a by b; Mon, 02 Mar 2026 10:00:00 +0100\r\n', bytes).trimEnd(), ...HEAD], 'a'),
  },
  'received-long': inHeader((bytes) => `Received: from ${fill('(a) ', bytes)}by b`),
  'results-long': inHeader((bytes) => `Authentication-Results: a; ${fill('dkim=pass header.d=x; ', bytes)}`),
  'date-comments': insteadOf('Date', (bytes) => `Date: Mon, 02 Mar 2026 10:00:00 +0100 ${'('.repeat(bytes)}`),
  'message-id-long': insteadOf('Message-ID', (bytes) => `Message-ID: <${'a'.repeat(bytes)}@evil.test>`),
  'list-id-open': inHeader((bytes) => `List-Id: ${'<'.repeat(bytes)}`),
  'suppress-words': inHeader((bytes) => `X-Auto-Response-Suppress: ${fill('none, ', bytes)}`),
  'delivered-to': inHeader((bytes) => count((n) => `Delivered-To: a${n}@b\r\n`, bytes).trimEnd()),
  'type-params': inHeader((bytes) => `Content-Type: text/plain; ${count((n) => `a${n}=b; `, bytes)}`),
  'type-pieces': inHeader((bytes) => `Content-Type: multipart/mixed; ${count((n) => `boundary*${n}=a; `, bytes)}`),
  'type-pieces-encoded': inHeader((bytes) => `Content-Type: text/plain; ${count((n) => `name*${n}*=%41; `, bytes)}`),
  'type-open-quote': inHeader((bytes) => `Content-Type: text/plain; name="${fill('\\"', bytes)}`),
  'only-from': { make: (bytes) => fill(`${FROM}\r\n`, bytes) },
};
