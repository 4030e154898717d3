import {
  BODY_CHANGED,
  type Border,
  DATE,
  decodedIdentity,
  domainOf,
  type Facts,
  receivedByPostfix,
  type SeenSignature,
  shortened,
  storedByDovecot,
  unquoted,
} from './facts.ts';

const HOST = 'mx.lab.test';
const STORE = 'imap.lab.test';

const HOUSE = {
  authservId: HOST,
  trustedReceived: [STORE],
  store: (facts: Facts) => storedByDovecot(STORE, HOST, facts),
};

/** Rspamd puts quotes around what is no token, and a backslash before quotes alone. */
const rspamdWord = (text: string): string =>
  /[()<>,;:\\"/[\]?= \t\v]/.test(text) ? `"${text.replaceAll('"', '\\"')}"` : text;

function rspamdSpf({ spf, mailFrom, helo, ip }: Facts): string {
  const kind = mailFrom === '' ? 'smtp.helo' : 'smtp.mailfrom';
  const sender = rspamdWord(mailFrom === '' ? helo : unquoted(mailFrom));
  if (spf.result === 'none' && !/^[\w.-]*$/.test(spf.domain)) {
    return `spf=temperror (${HOST}: error in processing during lookup of ${sender}: DNS error) ${kind}=${sender}`;
  }
  const said = {
    pass: `${HOST}: domain of ${sender} designates ${ip} as permitted sender`,
    fail: `${HOST}: domain of ${sender} does not designate ${ip} as permitted sender`,
    none: `${HOST}: domain of ${sender} has no SPF policy when checking ${ip}`,
  };
  return `spf=${spf.result} (${said[spf.result]}) ${kind}=${sender}`;
}

function rspamdDoubts({ spf, signatures, dmarc }: Facts): string {
  const bySpf =
    spf.result === 'pass' ? `SPF not aligned (${dmarc.isSpfStrict ? 'strict' : 'relaxed'})` : 'No valid SPF';
  return signatures.length === 0 ? `${bySpf}, No valid DKIM` : bySpf;
}

function rspamdDmarc(facts: Facts): string {
  const { result, domain, policy } = facts.dmarc;
  if (result === 'none') return 'dmarc=none';
  if (result === 'pass') return `dmarc=pass (policy=${policy}) header.from=${rspamdWord(domain)}`;
  return `dmarc=fail reason="${rspamdDoubts(facts)}" header.from=${rspamdWord(domain)} (policy=${policy})`;
}

const rspamdReason = ({ reason, result }: SeenSignature): string =>
  result === 'fail' && reason !== BODY_CHANGED ? 'headers rsa verify failed' : reason;

const rspamdDkim = (signature: SeenSignature): string =>
  [
    `dkim=${signature.result}`,
    ...(signature.result === 'pass' ? [] : [`(${rspamdWord(rspamdReason(signature))})`]),
    `header.d=${rspamdWord(signature.domain)}`,
    `header.s=${rspamdWord(signature.selector)}`,
    `header.b=${rspamdWord(shortened(signature, true))}`,
  ].join(' ');

/** As a milter of a Postfix: its header stands below the line that Postfix writes. */
export const RSPAMD: Border = {
  ...HOUSE,
  name: 'Rspamd',
  trustedReceived: [STORE, HOST],
  tellsDmarc: true,
  provesWithoutDmarc: true,
  tellsSpf: true,
  stamp(facts) {
    const dkim = facts.signatures.length > 0 ? facts.signatures.map(rspamdDkim) : ['dkim=none'];
    const rest = [rspamdDmarc(facts), rspamdSpf(facts)];
    const parts = [HOST, ...dkim, ...(facts.order % 2 === 0 ? rest : rest.toReversed())];
    // It folds at every semicolon, also at one that a sender wrote.
    const results = parts.join('; ').replace(/;\s*/g, ';\r\n\t');
    return [receivedByPostfix(HOST, facts), `Authentication-Results: ${results}`];
  },
  // As it comes, it takes all of them out, whoever wrote them.
  removes: (name) => name === 'authentication-results',
};

const openDkim = (signature: SeenSignature): string => {
  const failed = {
    pass: '',
    fail: ' reason="signature verification failed"',
    permerror: ` reason="${signature.reason}"`,
  };
  return `dkim=${signature.result}${failed[signature.result]} (2048-bit key; unprotected) header.d=${signature.domain} header.i=${decodedIdentity(signature)} header.a=rsa-sha256 header.s=${signature.selector} header.b=${shortened(signature)}`;
};

const openDkimHeader = ({ signatures }: Facts): readonly string[] =>
  signatures.length === 0
    ? []
    : [`Authentication-Results: ${[HOST, ...signatures.map(openDkim), 'dkim-atps=neutral'].join(';\r\n\t')}`];

/** It takes out what tells of DKIM under its own name, and leaves the rest. */
const ownResults = (name: string, value: string): boolean =>
  name === 'authentication-results' &&
  /^(?:\([^()]*\)|\s)*mx\.lab\.test(?![\w.-])/i.test(value) &&
  /[;\s]dkim=/i.test(value);

export const OPENDKIM: Border = {
  ...HOUSE,
  name: 'OpenDKIM',
  tellsDmarc: false,
  provesWithoutDmarc: true,
  tellsSpf: false,
  stamp: (facts) => [...openDkimHeader(facts), receivedByPostfix(HOST, facts)],
  removes: ownResults,
};

export const OPENDMARC: Border = {
  ...HOUSE,
  name: 'OpenDKIM and OpenDMARC',
  tellsDmarc: true,
  provesWithoutDmarc: true,
  tellsSpf: true,
  stamp(facts) {
    const { dmarc, spf, mailFrom, helo } = facts;
    const checked = mailFrom === '' ? `smtp.helo=${helo}` : `smtp.mailfrom=${domainOf(mailFrom)}`;
    return [
      `Authentication-Results: ${HOST}; dmarc=${dmarc.result} (p=${dmarc.policy} dis=none) header.from=${dmarc.domain}`,
      `Authentication-Results: ${HOST}; spf=${spf.result} ${checked}`,
      ...openDkimHeader(facts),
      receivedByPostfix(HOST, facts),
    ];
  },
  removes: ownResults,
};

function eximDkim(signature: SeenSignature): string {
  const why = {
    pass: 'pass',
    fail: 'fail (signature did not verify; headers probably modified in transit)\r\n\t\t',
    permerror: 'neutral (public key record import problem)\r\n\t\t',
  };
  const ofBody = 'fail (body hash mismatch; body probably modified in transit)\r\n\t\t';
  const result = signature.reason === BODY_CHANGED ? ofBody : why[signature.result];
  const identity = signature.identity === '' ? '' : ` header.i=${decodedIdentity(signature)}`;
  return `dkim=${result} header.d=${signature.domain}${identity} header.s=${signature.selector} header.a=rsa-sha256`;
}

/** With what its manual gives: `add_header = :at_start:${authresults {$primary_hostname}}`. */
export const EXIM: Border = {
  ...HOUSE,
  name: 'Exim',
  tellsDmarc: false,
  provesWithoutDmarc: true,
  tellsSpf: true,
  stamp(facts) {
    const { spf, mailFrom, helo, hostname, ip, recipient, signatures } = facts;
    const returned = mailFrom === '' ? '' : `\r\n\t(envelope-from <${mailFrom}>)`;
    const checked =
      mailFrom !== ''
        ? `smtp.mailfrom=${domainOf(unquoted(mailFrom))}`
        : helo
          ? `smtp.helo=${helo}`
          : 'smtp.mailfrom=<>';
    const parts = [
      HOST,
      facts.order % 2 === 0 ? `iprev=fail smtp.remote-ip=${ip}` : `iprev=pass (${hostname}) smtp.remote-ip=${ip}`,
      `spf=${spf.result} ${checked}`,
      ...signatures.map(eximDkim),
    ];
    return [
      `Authentication-Results: ${parts.join(';\r\n\t')}`,
      `Received: from [${ip}] (helo=${helo})\r\n\tby ${HOST} with esmtp (Exim 4.96)${returned}\r\n\tid 1rAbCd-0001Ef-2G\r\n\tfor ${recipient};\r\n\t${DATE}`,
    ];
  },
  removes: () => false,
};
