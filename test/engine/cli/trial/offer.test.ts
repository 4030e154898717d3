import { describe, expect, it } from 'vitest';
import { bordersToOffer } from '../../../../engine/cli/trial/offer.ts';
import { readHeaders } from '../../../../engine/mail/mime/headers.ts';

const SERVERS = ['mx.lab.test', 'imap.lab.test'];
const NOW = Date.UTC(2026, 10, 29);
const PASS = 'spf=pass smtp.mailfrom=home.test; dmarc=pass header.from=home.test';
const verdict = (name: string, said = PASS) => `Authentication-Results: ${name}; ${said}`;
const took = (host: string, protocol = 'ESMTP') =>
  `Received: from out.home.test (out.home.test [192.0.2.9]) by ${host} with ${protocol} id 1; Sun, 29 Nov 2026 10:00:00 +0000`;

const offered = (...header: string[]) => offeredIn([], header);

/** Where servers of these names have written into a mail of ours below their own line. */
function offeredIn(stampBelow: readonly string[], header: readonly string[]) {
  const raw = [...header, 'From: olga@home.test', 'To: ada@lab.test', 'Subject: ABCD', '', 'Hello.', ''].join('\r\n');
  const { lines } = readHeaders(Buffer.from(raw));
  return bordersToOffer(lines, { servers: SERVERS, stampBelow }, { address: 'olga@home.test', now: NOW });
}

describe('a border is offered from a mail that it proves', () => {
  it.each([
    ['above the line of its server', [verdict('mx.lab.test'), took('mx.lab.test')], []],
    ['under another name than that', [verdict('lab.test'), took('mx.lab.test')], []],
    [
      'below that of the house’s own delivery',
      [took('imap.lab.test', 'LMTP'), verdict('mx.lab.test'), took('mx.lab.test')],
      ['imap.lab.test'],
    ],
    [
      'by one host that does both',
      [took('mx.lab.test', 'LMTP'), verdict('mx.lab.test'), took('mx.lab.test')],
      ['mx.lab.test'],
    ],
  ])('%s', (_, header, trustedReceived) => {
    expect(offered(...header)).toMatchObject([{ trustedReceived }]);
  });
});

describe('a server whose filter writes below its own line, as it did into a mail of ours,', () => {
  const inHouse = [took('imap.lab.test', 'LMTP'), took('mx.lab.test')];
  it.each([
    ['behind one that delivers', inHouse, ['imap.lab.test', 'mx.lab.test']],
    ['on top', [took('mx.lab.test')], ['mx.lab.test']],
  ])('is offered %s', (_, above, trustedReceived) => {
    const forged = [verdict('mx.lab.test', 'dmarc=fail header.from=evil.test'), took('mx.lab.test')];
    for (const came of [[], forged])
      expect(offeredIn(['mx.lab.test'], [...above, verdict('mx.lab.test'), ...came])).toMatchObject([
        { authservId: 'mx.lab.test', trustedReceived },
      ]);
  });

  it.each([
    ['where its own verdict proves nobody', [...inHouse, verdict('mx.lab.test', 'none'), verdict('mx.lab.test')]],
    ['where another line stands between', [...inHouse, took('out.home.test'), verdict('mx.lab.test')]],
    ['under the name of another one', [...inHouse, verdict('imap.lab.test')]],
    ['where the line is another server’s', [took('imap.lab.test', 'LMTP'), took('evil.test'), verdict('mx.lab.test')]],
    ['where nobody of the house delivers it', [took('imap.lab.test'), took('mx.lab.test'), verdict('mx.lab.test')]],
  ])('is not %s', (_, header) => {
    expect(offeredIn(['mx.lab.test'], header)).toEqual([]);
  });
});

describe('nothing is offered', () => {
  it.each([
    ['of what stands below the line of the server', [took('mx.lab.test'), verdict('mx.lab.test')]],
    ['of what stands below two lines', [took('imap.lab.test', 'LMTP'), took('mx.lab.test'), verdict('mx.lab.test')]],
    ['where another server’s line stands on top', [verdict('evil.test'), took('evil.test'), took('mx.lab.test')]],
    ['where the line on top names two', [verdict('mx.lab.test'), took('mx.lab.test by evil.test')]],
    ['where no line stands there', [verdict('mx.lab.test')]],
    [
      'below a line by which a server of the house took it from outside',
      [took('imap.lab.test'), verdict('evil.test'), took('evil.test')],
    ],
    ['below the delivery, where nobody has taken it before', [took('imap.lab.test', 'LMTP'), verdict('mx.lab.test')]],
    [
      'of a verdict that proves nobody',
      [verdict('mx.lab.test', 'dmarc=fail header.from=home.test'), took('mx.lab.test')],
    ],
    [
      'of a verdict on somebody else',
      [verdict('mx.lab.test', PASS.replaceAll('home.test', 'evil.test')), took('mx.lab.test')],
    ],
    [
      'where the host that delivers also takes mail from outside, and the name is another: what comes with a mail would count',
      [took('mx.lab.test', 'LMTP'), verdict('lab.test'), took('mx.lab.test')],
    ],
  ])('%s', (_, header) => {
    expect(offered(...header)).toEqual([]);
  });
});
