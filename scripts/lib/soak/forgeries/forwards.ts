import { onTop } from './mail.ts';
import { textOf } from './mutation.ts';
import type { Original } from './originals.ts';

/** The mail as three honest relays hand it on: each writes on top, and none touches what was there. */
export function forwarded({ mail, facts }: Original): string {
  const hop = (n: number): string[] => [
    `Received: from mx${n - 1}.relay.test (mx${n - 1}.relay.test [203.0.113.${n}])`.concat(
      `\r\n\tby mx${n}.relay.test (Postfix) with ESMTPS id 4${n}ABC\r\n\tfor <someone@relay.test>; `,
      new Date(facts.date + n * 1000).toUTCString().replace('GMT', '+0000 (UTC)'),
    ),
    `Authentication-Results: mx${n}.relay.test;\r\n\tdkim=pass (2048-bit key) header.d=owner.test header.i=@owner.test;\r\n\tdmarc=pass (policy=reject) header.from=owner.test`,
    `X-Spam-Status: No, score=-1.${n}`,
    ...arc(n),
  ];
  return textOf(
    onTop(
      mail,
      'Return-Path: <srs0=abc=owner.test=boss@relay.test>',
      'Delivered-To: someone@relay.test',
      ...hop(3),
      ...hop(2),
      ...hop(1),
    ),
  );
}

/** Sets of a chain whose keys nobody publishes: as good as none, and no reason against a mail either. */
const arc = (n: number): string[] => [
  `ARC-Seal: i=${n}; a=rsa-sha256; t=1772442000; cv=${n === 1 ? 'none' : 'pass'}; d=relay.test; s=arc;\r\n b=AAAA`,
  `ARC-Message-Signature: i=${n}; a=rsa-sha256; c=relaxed/relaxed; d=relay.test; s=arc;\r\n h=from:to:subject; bh=AAAA; b=AAAA`,
  `ARC-Authentication-Results: i=${n}; mx${n}.relay.test; dkim=pass header.d=owner.test`,
];
