import { describe, expect, it } from 'vitest';
import { peerOf } from '../../../../engine/mail/identity/border/by-border.ts';

const BORDER = { authservId: 'mx.test', trustedReceived: ['imap.test', 'hop-*.house.test'] };
const peer = (...lines: string[]) => {
  const found = peerOf(
    lines.map((value) => ({ name: 'received', value })),
    BORDER,
    'owner.test',
  );
  return found === null || found === 'inside' ? found : found.ip;
};
const line = (from: string, by: string) => `from ${from} by ${by} with ESMTPS id 1; Sat, 28 Nov 2026 10:00:00 +0000`;
const CLIENT = line('out.owner.test (out.owner.test [192.0.2.1])', 'mx.test (Postfix)');
const STORED = line('mx.test ([127.0.0.1])', 'imap.test').replace('ESMTPS', 'LMTP');
const LOGIN = line('phone [192.168.1.7]', 'mx.test').replace('ESMTPS', 'ESMTPSA');
const FORGED = line('home (home [198.51.100.25])', 'mx.test (Postfix)');

describe('the connection that a border took a mail from', () => {
  it.each([
    ['stands in its own line', [CLIENT], '192.0.2.1'],
    ['stands below those of the servers behind it', [STORED, CLIENT], '192.0.2.1'],
    [
      'also where those have addresses that all can reach',
      [line('mx.test [203.0.113.5]', 'imap.test'), CLIENT],
      '192.0.2.1',
    ],
    ['stands in its own line, whatever stands below', [line('localhost [127.0.0.1]', 'mx.test'), CLIENT], '127.0.0.1'],
    ['may be one of IPv6', [line('out ([IPv6:2001:db8::1])', 'mx.test')], '2001:db8::1'],
    ['stands behind a greeting as Exim writes it', [line('[192.0.2.1] (helo=out.owner.test)', 'mx.test')], '192.0.2.1'],
    [
      'is that of a line under another name, where none bears its own',
      [line('out [192.0.2.1]', 'mx17.test')],
      '192.0.2.1',
    ],
    ['is not what stands below', [CLIENT, FORGED], '192.0.2.1'],
    ['is not what stands below a line of somebody else', [line('x [192.0.2.66]', 'other.test'), FORGED], '192.0.2.66'],
    ['is not known where a greeting brings another', [line('[198.51.100.25] (unknown [192.0.2.66])', 'mx.test')], null],
    [
      'is not known where a greeting brings one in words',
      [line('x by y [198.51.100.25] (z [192.0.2.66])', 'mx.test')],
      null,
    ],
    ['is not known where there is no line', [], null],
    ['is not known where no line has an address', [line('out.owner.test', 'mx.test')], null],
    ['may be one of the house', [STORED, line('phone [192.168.1.7]', 'mx.test')], '192.168.1.7'],
    ['is inside where it had a login, and no line tells of one from outside', [STORED, LOGIN], 'inside'],
    ['is not inside by a login that somebody else tells of', [line('x [172.17.0.1]', 'mx.test'), LOGIN], '172.17.0.1'],
    ['is not inside where one came from outside', [LOGIN.replace('192.168.1.7', '192.0.2.66')], '192.0.2.66'],
    ['is not inside where a line below does', [line('localhost [127.0.0.1]', 'other.test'), CLIENT], null],
  ])('%s', (_what, lines, expected) => {
    expect(peer(...lines)).toBe(expected);
  });
});
