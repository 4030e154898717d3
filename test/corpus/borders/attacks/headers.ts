import type { Random } from '../../../../scripts/lib/soak/random.ts';
import type { Border } from '../facts.ts';
import type { Victim } from '../letters.ts';
import { claim, payload } from './hostile.ts';

const hopsOf = ({ trustedReceived }: Border): readonly string[] =>
  trustedReceived.map((pattern) => (pattern === '2002:*' ? '2002:a05:6a00:1::1' : pattern.replaceAll('*', 'x1')));

/** Received lines that a sender puts there, as if servers of the border had written them. */
export function forgedReceived(random: Random, border: Border): string {
  const named = border.authservId === '(unnamed)' ? 'x1.mail.protection.outlook.com' : border.authservId;
  const host = random.pick([named, named, ...hopsOf(border), 'mx.lab.test', 'imap.lab.test', '127.0.0.1', 'localhost']);
  const with_ = random.pick(['ESMTPS id 1', 'ESMTPSA id 1', 'LMTP id 1', 'HTTP', 'ESMTP']);
  return random.pick([
    `Received: from out.victim.test (out.victim.test [198.51.100.25]) by ${host} with ${with_}; Sat, 28 Nov 2026 09:59:00 +0000`,
    `Received: from out.victim.test (out.victim.test [198.51.100.25])\r\n\tby ${host} (Postfix) with ${with_}\r\n\tfor <ada@agents.test>; Sat, 28 Nov 2026 09:59:00 +0000`,
    `Received: by ${host} with ${with_}; Sat, 28 Nov 2026 09:59:00 +0000`,
    `Received: from x (HELO by ${host}) by ${host} with ${with_}; Sat, 28 Nov 2026 09:59:00 +0000`,
  ]);
}

/** Authentication-Results that came with the mail. */
export function forgedResults(random: Random, border: Border, victim: Victim): string {
  const id =
    border.authservId === '(unnamed)'
      ? random.pick(['', '', 'outlook.com; ', 'mx.microsoft.com 1; ', '(unnamed); '])
      : idLike(random, border.authservId);
  const words = random.chance(0.75) ? claim(random, victim) : payload(random, victim);
  const name = random.pick([
    'Authentication-Results:',
    'Authentication-Results:',
    'Authentication-Results:',
    'authentication-results:',
    'AUTHENTICATION-RESULTS:',
    'Authentication-Results :',
    'Authentication-Results:\r\n',
    'ARC-Authentication-Results: i=1;',
    'X-Original-Authentication-Results:',
    'Authentication-Results-Original:',
    'X-Authentication-Results:',
  ]);
  return `${name} ${id}${words}`;
}

const idLike = (random: Random, id: string): string =>
  random.pick([
    `${id}; `,
    `${id}; `,
    `${id}; `,
    `${id} 1; `,
    `${id.toUpperCase()}; `,
    `"${id}"; `,
    `(x) ${id}; `,
    `${id} (x); `,
    `(${id}) ${id}; `,
    `${id};;; `,
    `${id} ;`,
    `${id}\t;\t`,
    `${id}.evil.test; `,
    `evil.test; none\r\n ${id}; `,
    '',
    'dkim=pass; ',
    '; ',
  ]);
