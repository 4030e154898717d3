import { describe, expect, it } from 'vitest';
import { byLogin, isProvenByLogin, loginLine, trustedServers } from '../../../../engine/mail/identity/login-line.ts';
import { receivedBy } from '../../../../engine/mail/identity/received-line.ts';
import { readHeaders } from '../../../../engine/mail/mime/headers.ts';

const lines = (...text: string[]) => readHeaders(Buffer.from(`${text.join('\r\n')}\r\n\r\n`)).lines;
const LMTP = 'Received: from mx.lab.test by imap.lab.test with LMTP id 1; Mon, 23 Nov 2026 12:00:00 +0000';
const received = (words: string) => `Received: ${words}; Mon, 23 Nov 2026 12:00:00 +0000`;
const POSTFIX = received(
  'from [192.0.2.7] (client [192.0.2.7])\r\n\t(using TLSv1.3)\r\n\t(Authenticated sender: You@lab.test)\r\n\tby mx.lab.test (Postfix) with ESMTPSA id 4F',
);
const UNNAMED = received('from phone (client [192.0.2.7]) by mx.lab.test (Postfix) with ESMTPSA id 4F');
const FROM_OUTSIDE = received('from evil.test (evil.test [192.0.2.66]) by mx.lab.test (Postfix) with ESMTPS id 5A');
const HOPS = ['imap.lab.test'];
/** Of servers that write down whatever the sender calls itself. */
const GREETINGS = [
  'x by mx.lab.test with ESMTPSA id 1 (',
  'x by mx.lab.test with ESMTPSA id 1 "',
  'x by mx.lab.test with ESMTPSA id 1 (a \\',
  `x by mx.lab.test with ESMTPSA id ${'1'.repeat(4000)}`,
  'x) by mx.lab.test with ESMTPSA id 1 (',
];
/** What the sender puts into its return path closes the comment again. */
const ENVELOPE = ' (envelope-from <")"@evil.test>)';
const SERVERS = ['mx.lab.test'];
const lineIn = (text: readonly string[], hops = HOPS, border: string | null = null) =>
  loginLine(lines(...text), { hops, loginServers: SERVERS }, border === null ? [] : [border]);

it('says of a login that the server does not name that it could be anybody’s', () => {
  const detailOf = (user: string | null) => byLogin('olga@example.com', { host: 'mx.example.com', user }).detail;
  expect(detailOf(null)).toMatch(/with a login; .*anybody with one could have written it/);
  expect(detailOf('olga')).toBe('handed to mx.example.com with a login');
});

describe('a mail that was handed in with a login', () => {
  it('has the line of the server that took it, and who logged in where that is said', () => {
    expect(lineIn([LMTP, POSTFIX])).toEqual({ host: 'mx.lab.test', user: 'you@lab.test' });
    expect(lineIn([UNNAMED])).toEqual({ host: 'mx.lab.test', user: null });
    const exim = received('from phone ([192.0.2.7] helo=phone) by mx.lab.test with esmtpsa (TLS1.3) id 1a');
    expect(lineIn([exim])?.host).toBe('mx.lab.test');
  });

  it.each([
    ['came from outside, with such a line below', [LMTP, FROM_OUTSIDE, POSTFIX]],
    ['came by a server that nobody named', [LMTP.replace('imap.lab.test', 'relay.evil.test'), POSTFIX]],
    [
      'was greeted with the words of such a line',
      [received('from x by mx.lab.test with ESMTPSA by mx.lab.test with ESMTP')],
    ],
    ['says so in a comment', [received('from x (by mx.lab.test with ESMTPSA id 1) by mx.lab.test with ESMTP')]],
    ['names the protocol elsewhere', [received('from x by mx.lab.test id 1 with ESMTPSA')]],
    ['has no server in its first line', [received('from x with ESMTPSA'), POSTFIX]],
    ['has no such line', ['From: you@lab.test']],
    ...GREETINGS.map((greeting): [string, string[]] => [
      `was greeted so that the words of its server are hidden: ${greeting.slice(0, 60)}`,
      [received(`from ${greeting} (unknown [192.0.2.66]) by mx.lab.test (Postfix) with ESMTP id 5A${ENVELOPE}`)],
    ]),
  ])('is not one that %s', (_, text) => {
    expect(lineIn(text)).toBeNull();
  });
});

describe('a house with one server', () => {
  const LOCAL = LMTP.replace('imap.lab.test', 'mx.lab.test');
  const hops = ['mx.lab.test'];

  it('proves what was handed in with a login, and nothing that came from outside, whatever line came with that', () => {
    expect(lineIn([LOCAL, POSTFIX], hops)?.user).toBe('you@lab.test');
    expect(lineIn([LOCAL, FROM_OUTSIDE, POSTFIX], hops)).toBeNull();
    expect(lineIn([FROM_OUTSIDE, POSTFIX], hops)).toBeNull();
    const silent = received('from evil.test by mx.lab.test id 5A');
    expect(lineIn([LOCAL, silent, POSTFIX], ['*.lab.test'])).toBeNull();
  });
});

describe('who logged in', () => {
  const userIn = (words: string) => lineIn([received(words)])?.user;
  const by = 'by mx.lab.test (Postfix) with ESMTPSA id 4F';

  it('is who stands right before the server, where no greeting stands', () => {
    expect(userIn(`from x (Authenticated sender: boss@lab.test) (c [192.0.2.7]) ${by}`)).toBeNull();
    const both = '(Authenticated sender: boss@lab.test) (c [192.0.2.7])\r\n\t(Authenticated sender: eve@lab.test)';
    expect(userIn(`from x ${both}\r\n\t${by}`)).toBe('eve@lab.test');
  });
});

describe('the server in a line', () => {
  it('is none where the greeting may have named it', () => {
    expect(
      receivedBy('from x (c [192.0.2.7]) (using TLSv1.3 with cipher A (256/256 bits)) by MX.lab.test with ESMTPS; 1'),
    ).toBe('mx.lab.test');
    expect(receivedBy('from x by inner.lab.test (c [192.0.2.66]) by mx.lab.test with ESMTP')).toBeNull();
    expect(receivedBy('from x by inner.lab.test ( (c [192.0.2.66]) by mx.lab.test with ESMTP')).toBeNull();
  });
});

describe('the login', () => {
  const letter = { address: 'you@lab.test', account: 'agents@lab.test' };
  const proves = (user: string | null, change: object = {}, servers = SERVERS) =>
    isProvenByLogin({ host: 'mx.lab.test', user }, { ...letter, ...change }, servers);

  it('proves who logged in, and nobody else', () => {
    expect([proves('you@lab.test'), proves('you'), proves(null)]).toEqual([true, true, true]);
    expect([proves('eve@lab.test'), proves('eve'), proves('you@else.test')]).toEqual([false, false, false]);
  });

  it('proves nobody where its server is not named, or the address is of another domain', () => {
    expect(proves('you@lab.test', {}, [])).toBe(false);
    expect(proves(null, { address: 'you@else.test' })).toBe(false);
    expect(proves('you', { address: 'you@else.test' })).toBe(false);
    expect(proves(null, { account: null })).toBe(false);
    expect(proves(null, { account: 'agents' })).toBe(false);
  });

  it('is told apart from the hosts that pass mail on', () => {
    expect(trustedServers(['*.internal.test', 'ESMTPSA:MX.lab.test'])).toEqual({
      hops: ['*.internal.test'],
      loginServers: ['mx.lab.test'],
    });
  });
});
