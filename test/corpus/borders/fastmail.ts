import { type Border, DATE, domainOf, identityOf, receivedByPostfix, shortened, unquoted } from './facts.ts';

const FASTMAIL_HOST = 'phl-mx-07.messagingengine.com';

/** Its library takes special characters out of values, and brackets that do not balance out of comments. */
const fastmailWord = (text: string): string => {
  const safe = text.replace(/[\t\r\n()\\";]/g, ' ').trim();
  return /[\s=]/.test(safe) ? `"${safe}"` : safe;
};
const fastmailComment = (text: string): string => {
  let depth = 0;
  const isWhole = [...text].every((letter) => {
    depth += letter === '(' ? 1 : letter === ')' ? -1 : 0;
    return depth >= 0;
  });
  return (isWhole && depth === 0 ? text : text.replace(/[()]/g, ' ')).replace(/[\t\r\n]/g, ' ');
};

export const FASTMAIL: Border = {
  name: 'Fastmail',
  authservId: FASTMAIL_HOST,
  trustedReceived: ['*.internal', 'sloti*'],
  tellsDmarc: true,
  provesWithoutDmarc: true,
  tellsSpf: true,
  store: ({ mailFrom }) => [
    `Return-Path: <${mailFrom}>`,
    `Received: from phl-compute-01.internal (phl-compute-01.internal [10.202.2.41])\r\n\t by sloti1n1 (Cyrus 3.13.0-alpha0-git) with LMTPA;\r\n\t ${DATE}`,
    `Received: from phl-mx-07 ([10.202.2.206])\r\n  by phl-compute-01.internal (MEProxy); ${DATE}`,
  ],
  stamp(facts) {
    const { signatures, spf, dmarc, ip, helo, hostname, mailFrom } = facts;
    const header = (...parts: string[]) => `Authentication-Results: ${[FASTMAIL_HOST, ...parts].join(';\r\n    ')}`;
    const dkim = signatures.map(
      (signature) =>
        `dkim=${signature.result} (${signature.result === 'pass' ? '2048-bit rsa key sha256' : fastmailComment(signature.reason)}) header.d=${fastmailWord(signature.domain)} header.i=${fastmailWord(identityOf(signature))} header.b=${fastmailWord(shortened(signature))} header.a=rsa-sha256 header.s=${fastmailWord(signature.selector)}`,
    );
    const policy = dmarc.result === 'none' ? '' : ` policy.published-domain-policy=${dmarc.policy}`;
    const sender = mailFrom === '' ? '<>' : fastmailWord(unquoted(mailFrom));
    return [
      header(
        'x-csa=none',
        'x-me-sender=none',
        `x-ptr=pass smtp.helo=${fastmailWord(helo)}\r\n      policy.ptr=${fastmailWord(hostname)}`,
      ),
      header('bimi=skipped (DMARC Policy is not at enforcement)'),
      header('arc=none (no signatures found)'),
      header(
        ...(dkim.length > 0 ? dkim : ['dkim=none (no signatures found)']),
        `dmarc=${dmarc.result}${policy}\r\n      policy.applied-disposition=none policy.evaluated-disposition=none\r\n      (p=${dmarc.policy},d=none,d.eval=none) policy.policy-from=p\r\n      header.from=${fastmailWord(dmarc.domain)}`,
        `iprev=pass smtp.remote-ip=${ip} (${fastmailComment(hostname)})`,
        `spf=${spf.result} smtp.mailfrom=${sender} smtp.helo=${fastmailWord(helo)}`,
      ),
      `X-ME-Authentication-Results: ${FASTMAIL_HOST}; x-vs=clean score=0 state=0`,
      `Received-SPF: ${spf.result}\r\n    (${fastmailWord(domainOf(mailFrom))}: Sender is authorized)\r\n    receiver=${FASTMAIL_HOST}; identity=mailfrom; client-ip=${ip}`,
      receivedByPostfix(FASTMAIL_HOST, facts),
    ];
  },
  removes: (name, value) => name === 'authentication-results' && /messagingengine\.com/i.test(value),
};
