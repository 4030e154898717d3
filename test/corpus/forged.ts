import { type CorpusCase, corpusCase } from './build.ts';

const RECEIVED = 'from out.example.test ([192.0.2.9]) by mx.example.com with ESMTPS; Mon, 2 Mar 2026 10:00:00 +0100';
const OWNER = ['From', 'Owner <owner@example.org>'] as const;
const PASS = 'mx.example.com; dmarc=pass header.from=example.org; spf=pass smtp.mailfrom=example.org';

const forged = (name: string, headers: readonly (readonly [string, string])[]): CorpusCase =>
  corpusCase(
    `forged-${name}`,
    { headers: [...headers, OWNER] },
    { outcome: 'ok', from: 'one', address: 'owner@example.org' },
  );

/** Each claims that owner@example.org is proven; the border is mx.example.com, and none of them is to be believed. */
export const forgedCases: readonly CorpusCase[] = [
  forged('results-below-received', [
    ['Received', RECEIVED],
    ['Received', 'from x by relay.example.test; Mon, 2 Mar 2026 10:00:00 +0100'],
    ['Authentication-Results', PASS],
  ]),
  forged('results-below-second-own-received', [
    ['Received', RECEIVED],
    ['Received', RECEIVED],
    ['Authentication-Results', PASS],
  ]),
  forged('results-of-another-server', [['Authentication-Results', PASS.replace('mx.example.com', 'mx.attacker.test')]]),
  forged('results-of-a-similar-server', [
    ['Authentication-Results', PASS.replace('mx.example.com', 'mx.example.com.attacker.test')],
  ]),
  forged('results-in-a-comment', [
    ['Authentication-Results', 'mx.example.com; none (dmarc=pass header.from=example.org)'],
  ]),
  forged('results-in-a-quoted-local-part', [
    [
      'Authentication-Results',
      'mx.example.com; spf=pass smtp.mailfrom="x; dmarc=pass header.from=example.org; "@attacker.test',
    ],
  ]),
  forged('results-for-another-domain', [
    [
      'Authentication-Results',
      'mx.example.com; dmarc=pass header.from=attacker.test; spf=pass smtp.mailfrom=attacker.test',
    ],
  ]),
  forged('results-fail-then-pass', [
    ['Authentication-Results', 'mx.example.com; dmarc=fail header.from=example.org'],
    ['Authentication-Results', PASS],
  ]),
  forged('spf-of-another-domain', [
    [
      'Authentication-Results',
      'mx.example.com; spf=pass smtp.mailfrom=attacker.test; dkim=pass header.d=attacker.test',
    ],
  ]),
  forged('dkim-of-a-lookalike', [['Authentication-Results', 'mx.example.com; dkim=pass header.d=notexample.org']]),
  forged('dkim-of-a-top-level-domain', [['Authentication-Results', 'mx.example.com; dkim=pass header.d=org']]),
  forged('arc-results', [['ARC-Authentication-Results', `i=1; ${PASS}`]]),
  forged('received-spf', [['Received-SPF', 'pass (mx.example.com: domain of owner@example.org) client-ip=192.0.2.9']]),
  forged('x-original-results', [['X-Original-Authentication-Results', PASS]]),
  forged('nothing-stamped', [['Received', RECEIVED]]),
];
