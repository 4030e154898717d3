import {
  type Border,
  DATE,
  decodedIdentity,
  domainOf,
  type Facts,
  identityOf,
  receivedByPostfix,
  type SeenSignature,
  shortened,
  unquoted,
} from './facts.ts';

/**
 * What large providers write, by mails that stand in public archives and by what they publish. Whether they quote what a
 * sender chose can be seen of a few alone: of the others both are written.
 */
const word = (text: string, { quotes }: Facts): string =>
  quotes && /[^\w.@+*/'^`{|}~%&!#$-]/.test(text) ? `"${text.replace(/(["\\])/g, '\\$1')}"` : text;

const inComment = (text: string, { quotes }: Facts): string => (quotes ? text.replace(/([()\\])/g, '\\$1') : text);

const named =
  (id: RegExp) =>
  (name: string, value: string, { cleans }: Facts): boolean =>
    cleans && name === 'authentication-results' && id.test(value);

const envelope = ({ mailFrom }: Facts): string => unquoted(mailFrom);
const checkedDomain = ({ mailFrom, helo }: Facts): string => (mailFrom === '' ? helo : domainOf(mailFrom));
const upper = (text: string): string => text.toUpperCase();

const designates = (facts: Facts, sender: string): string => {
  const { spf, ip } = facts;
  if (spf.result === 'pass') return `domain of ${sender} designates ${ip} as permitted sender`;
  if (spf.result === 'fail') return `domain of ${sender} does not designate ${ip} as permitted sender`;
  return `${ip} is neither permitted nor denied by domain of ${sender}`;
};

const byGoogle = (host: string, { helo, hostname, ip, recipient }: Facts): string =>
  `Received: from ${helo} (${hostname}. [${ip}])\r\n        by ${host} with ESMTPS id a92af1059eb24-11dcb04si1si\r\n        for <${recipient}>\r\n        (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384 bits=256/256);\r\n        ${DATE}`;

/** It writes below its own line, and says nothing of DMARC where there is no record. */
export const GMAIL: Border = {
  name: 'Gmail',
  authservId: 'mx.google.com',
  trustedReceived: ['2002:*', 'mx.google.com'],
  tellsDmarc: true,
  provesWithoutDmarc: true,
  tellsSpf: true,
  store: ({ recipient }) => [
    `Delivered-To: ${recipient}`,
    `Received: by 2002:a05:7022:6a0f:b0:1b2 with SMTP id x15csp1234567wrd;\r\n        ${DATE}`,
    `X-Received: by 2002:a05:6a00:2d1b:b0:1e4 with SMTP id d2e1a72fcca58.1.1;\r\n        ${DATE}`,
  ],
  stamp(facts) {
    const { signatures, spf, dmarc, mailFrom, helo, ip } = facts;
    const sender = mailFrom === '' ? helo : envelope(facts);
    const said = `google.com: ${designates(facts, inComment(sender, facts))}`;
    // Of this one it is seen: an equals sign in the sender brings quotes around the whole.
    const property =
      mailFrom === ''
        ? `smtp.helo=${word(helo, facts)}`
        : `smtp.mailfrom=${word(sender, { ...facts, quotes: facts.quotes || sender.includes('=') })}`;
    const policy = upper(dmarc.policy);
    const dkim = (signature: SeenSignature) =>
      `dkim=${signature.result === 'fail' ? `neutral (${signature.reason})` : signature.result} header.i=${word(identityOf(signature), facts)} header.s=${word(signature.selector, facts)} header.b=${word(shortened(signature, !facts.quotes), facts)}`;
    const parts = [
      'mx.google.com',
      ...signatures.map(dkim),
      `spf=${spf.result} (${said}) ${property}`,
      ...(dmarc.result === 'none'
        ? []
        : [`dmarc=${dmarc.result} (p=${policy} sp=${policy} dis=NONE) header.from=${dmarc.domain}`]),
    ];
    return [
      `ARC-Authentication-Results: i=1; ${parts.join(';\r\n       ')}`,
      `Return-Path: <${mailFrom}>`,
      byGoogle('mx.google.com', facts),
      `Received-SPF: ${spf.result} (${said}) client-ip=${ip};`,
      `Authentication-Results: ${parts.join(';\r\n       ')}`,
    ];
  },
  removes: named(/^mx\.google\.com/i),
};

const OUTLOOK = 'DB5EUR03FT008.eop-EUR03.prod.protection.outlook.com';

/** No name, and its parts are the domains alone. */
export const MICROSOFT: Border = {
  name: 'Microsoft 365',
  authservId: '(unnamed)',
  trustedReceived: ['*.outlook.com', '*.office365.com'],
  tellsDmarc: true,
  provesWithoutDmarc: true,
  tellsSpf: true,
  store: () => [
    `Received: from DB7PR01MB4567.eurprd01.prod.outlook.com (2603:10a6:10:7d::12)\r\n by AM0PR01MB1234.eurprd01.prod.outlook.com with HTTPS; ${DATE}`,
    `Received: from AM6P193CA0099.EURP193.PROD.OUTLOOK.COM (2603:10a6:209:88::40)\r\n by DB7PR01MB4567.eurprd01.prod.outlook.com (2603:10a6:10:7d::12) with Microsoft\r\n SMTP Server (version=TLS1_2, cipher=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384) id\r\n 15.20.8207.12; ${DATE}`,
  ],
  stamp(facts) {
    const { signatures, spf, dmarc, ip, helo } = facts;
    const domain = checkedDomain(facts);
    const dkim = signatures.map((signature) =>
      signature.result === 'pass'
        ? `dkim=pass (signature was verified)\r\n header.d=${signature.domain}`
        : `dkim=fail (${signature.reason})\r\n header.d=${signature.domain}`,
    );
    const guessed = dmarc.result === 'none' && isAligned(facts) ? 'bestguesspass' : dmarc.result;
    const passed =
      dmarc.result === 'pass'
        ? 'compauth=pass reason=100'
        : guessed === 'bestguesspass'
          ? 'compauth=pass reason=109'
          : 'compauth=fail reason=001';
    const results = [
      `spf=${spf.result} (sender IP is ${ip})\r\n smtp.mailfrom=${domain}`,
      ` ${(dkim.length > 0 ? dkim : ['dkim=none (message not signed)\r\n header.d=none']).join(';')}`,
      `dmarc=${guessed} action=${dmarc.result === 'fail' ? 'oreject' : 'none'}\r\n header.from=${dmarc.domain}`,
      passed,
    ];
    const said = spf.result === 'pass' ? 'Pass' : spf.result === 'fail' ? 'Fail' : 'None';
    return [
      `Received: from ${OUTLOOK}\r\n (2603:10a6:209:88:cafe::d8) by AM6P193CA0099.outlook.office365.com\r\n (2603:10a6:209:88::40) with Microsoft SMTP Server (version=TLS1_3,\r\n cipher=TLS_AES_256_GCM_SHA384) id 15.20.8207.12 via Frontend Transport; ${DATE}`,
      `Authentication-Results: ${results.join(';')}`,
      `Received-SPF: ${said} (protection.outlook.com: domain of ${domain} designates\r\n ${ip} as permitted sender) receiver=protection.outlook.com;\r\n client-ip=${ip}; helo=${helo}; pr=C`,
      `Received: from ${helo} (${ip}) by\r\n DB5EUR03FT008.mail.protection.outlook.com (10.152.20.121) with Microsoft SMTP\r\n Server (version=TLS1_3, cipher=TLS_AES_256_GCM_SHA384) id 15.20.8207.12 via Frontend\r\n Transport; ${DATE}`,
    ];
  },
  below: ({ mailFrom }) => [
    `Return-Path: ${mailFrom === '' ? '<>' : mailFrom}`,
    'X-MS-Exchange-Organization-AuthAs: Anonymous',
  ],
  removes: () => false,
};

const isAligned = ({ spf, signatures, dmarc }: Facts): boolean =>
  (spf.result === 'pass' && spf.domain === dmarc.domain) ||
  signatures.some(({ result, domain }) => result === 'pass' && domain === dmarc.domain);

/** Five headers under five names, below the lines of two of its own servers. */
export const ICLOUD: Border = {
  name: 'iCloud',
  authservId: 'dmarc.icloud.com',
  trustedReceived: ['p*-mailgateway-smtp-*', 'p*-icloudmta-smtpin-*'],
  tellsDmarc: true,
  provesWithoutDmarc: false,
  tellsSpf: false,
  store: ({ mailFrom }) => [`Return-Path: <${mailFrom}>`],
  stamp(facts) {
    const { signatures, spf, dmarc, mailFrom, helo, ip } = facts;
    const sender = mailFrom === '' ? helo : envelope(facts);
    const said = `spf.icloud.com: ${designates(facts, inComment(sender, facts))}`;
    const dkim = signatures.map(
      (signature) =>
        `dkim=${signature.result} (${signature.result === 'pass' ? '2048-bit key' : signature.reason}) header.d=${word(signature.domain, facts)} header.i=${decodedIdentity(signature)} header.b=${word(shortened(signature, !facts.quotes), facts)}`,
    );
    return [
      `Received: from p00-icloudmta-smtpin-us-east-1a-100-percent-1 by p00-mailgateway-smtp-8694f5c4b4-x2x9z (mailgateway 2440)\r\n\twith SMTP id 11c766c0; ${DATE}`,
      receivedByPostfix('p00-icloudmta-smtpin-us-east-1a-100-percent-1', facts),
      'X-ICL-SCORE: 3.332033030043',
      'Authentication-Results: bimi.icloud.com; bimi=none',
      'Authentication-Results: arc.icloud.com; arc=none',
      `Authentication-Results: dmarc.icloud.com; dmarc=${dmarc.result} header.from=${dmarc.domain}`,
      `X-DMARC-Policy: ${dmarc.policy}`,
      `Authentication-Results: dkim-verifier.icloud.com;\r\n\t${(dkim.length > 0 ? dkim : ['dkim=none']).join(';\r\n\t')}`,
      `Authentication-Results: spf.icloud.com; spf=${spf.result} (${said}) smtp.mailfrom=${word(sender, facts)}`,
      `Received-SPF: ${spf.result} (${said}) receiver=spf.icloud.com; client-ip=${ip}; helo=${helo}; envelope-from=${sender}`,
    ];
  },
  removes: named(/^[\w-]+\.icloud\.com/i),
};

const YAHOO_HOST = 'atlas-production.v2-mail-prod1-ne1.omega.yahoo.com';

/** Each result ends with a semicolon; what is not there is unknown. */
export const YAHOO: Border = {
  name: 'Yahoo',
  authservId: YAHOO_HOST,
  trustedReceived: [YAHOO_HOST],
  tellsDmarc: true,
  provesWithoutDmarc: false,
  tellsSpf: true,
  store: () => [],
  stamp(facts) {
    const { signatures, spf, dmarc, mailFrom, helo, ip, recipient } = facts;
    const dkim = signatures.map((signature) =>
      signature.result === 'permerror'
        ? `dkim=permerror header.i=${word(identityOf(signature), facts)} header.s=${word(signature.selector, facts)}`
        : `dkim=${signature.result} header.i=${word(identityOf(signature), facts)} header.s=${word(signature.selector, facts)}`,
    );
    const domain = checkedDomain(facts);
    const said = {
      pass: `domain of ${domain} designates ${ip} as permitted sender`,
      fail: `domain of ${domain} does not designate ${ip} as permitted sender`,
      none: `domain of ${domain} does not designate permitted sender hosts`,
    };
    const judged = dmarc.result === 'none' ? 'unknown' : `${dmarc.result}(p=${upper(dmarc.policy)})`;
    return [
      `Received: from 127.0.0.1\r\n by ${YAHOO_HOST} pod-id atlas--production-ne1-7c8d6f6b9-x2x9z.ne1.yahoo.com with HTTP; ${DATE}`,
      `Return-Path: <${mailFrom}>`,
      `X-Originating-Ip: [${ip}]`,
      `Received-SPF: ${spf.result} (${said[spf.result]})`,
      `Authentication-Results: ${YAHOO_HOST};\r\n ${(dkim.length > 0 ? dkim : ['dkim=unknown']).join(';\r\n ')};\r\n spf=${spf.result} smtp.mailfrom=${domain};\r\n dmarc=${judged} header.from=${dmarc.domain};`,
      `X-Apparently-To: ${recipient}; ${DATE}`,
      `Received: from ${ip} (EHLO ${helo})\r\n by 10.197.41.77 with SMTPs\r\n (version=TLS1_3 cipher=TLS_AES_128_GCM_SHA256);\r\n ${DATE}`,
    ];
  },
  removes: named(/\.yahoo\.com/i),
};

export const PROTON: Border = {
  name: 'Proton',
  authservId: 'mail.protonmail.ch',
  trustedReceived: [],
  tellsDmarc: true,
  provesWithoutDmarc: true,
  tellsSpf: true,
  store: ({ mailFrom, recipient }) => [
    `Return-Path: <${mailFrom}>`,
    `X-Original-To: ${recipient}`,
    `Delivered-To: ${recipient}`,
  ],
  stamp(facts) {
    const { signatures, spf, dmarc, ip } = facts;
    const header = (result: string) => `Authentication-Results: mail.protonmail.ch; ${result}`;
    const dkim = signatures.map((signature) => {
      const failed = signature.result === 'pass' ? '' : ` reason="${signature.reason}"`;
      return `dkim=${signature.result}${failed} (2048-bit key) header.d=${signature.domain}\r\n header.i=${decodedIdentity(signature)} header.b="${shortened(signature)}"`;
    });
    return [
      header(`dmarc=${dmarc.result} (p=${dmarc.policy} dis=none)\r\n header.from=${dmarc.domain}`),
      header(`spf=${spf.result} smtp.mailfrom=${checkedDomain(facts)}`),
      header(`arc=none smtp.remote-ip=${ip}`),
      ...(dkim.length > 0 ? [header(dkim.join(';\r\n\t'))] : [header('dkim=none')]),
      receivedByPostfix('mailin006.protonmail.ch', facts),
    ];
  },
  removes: named(/^mail\.protonmail\.ch/i),
};

/** One dkim result for all signatures together, which it does not name. */
export const ZOHO: Border = {
  name: 'Zoho',
  authservId: 'mx.zohomail.com',
  trustedReceived: [],
  tellsDmarc: true,
  provesWithoutDmarc: true,
  tellsSpf: true,
  store: ({ recipient }) => [`Delivered-To: ${recipient}`],
  stamp(facts) {
    const { signatures, spf, dmarc, mailFrom, ip, helo, hostname } = facts;
    const domain = checkedDomain(facts);
    const isPassed = signatures.some(({ result }) => result === 'pass');
    const dkim = signatures.length === 0 ? null : isPassed ? 'dkim=pass' : 'dkim=fail';
    const said = `zohomail.com: ${designates(facts, domain)}`;
    const parts = [
      ...(dkim === null ? [] : [dkim]),
      `spf=${spf.result} (${said})  smtp.mailfrom=${word(envelope(facts), facts)}`,
      ...(dmarc.result === 'none'
        ? []
        : [`dmarc=${dmarc.result}(p=${dmarc.policy} dis=none)  header.from=${dmarc.domain}`]),
    ];
    return [
      `Received-SPF: ${spf.result} (${said}) client-ip=${ip}; envelope-from=${envelope(facts)}; helo=${helo};`,
      `Authentication-Results: mx.zohomail.com;\r\n\t${parts.join(';\r\n\t')}`,
      `Return-Path: <${mailFrom}>`,
      `Received: from ${helo} (${hostname} [${ip}]) by mx.zohomail.com\r\n\twith SMTPS id 1732788000000123.4567; ${DATE}`,
    ];
  },
  removes: named(/zohomail\.com/i),
};

/** Long a header for each signature and nothing else; of late all in one. */
export const GMX: Border = {
  name: 'GMX',
  authservId: 'gmx.net',
  trustedReceived: [],
  tellsDmarc: true,
  provesWithoutDmarc: true,
  tellsSpf: true,
  store: ({ mailFrom }) => [`Return-Path: <${mailFrom}>`],
  stamp(facts) {
    const { signatures, spf, dmarc, ip, recipient, helo } = facts;
    const header = (...parts: string[]) => `Authentication-Results: ${['gmx.net', ...parts].join('; ')}`;
    const results = signatures.map(
      (signature) => `dkim=${signature.result} header.i=${word(identityOf(signature), facts)}`,
    );
    const dkim = results.length > 0 ? results : ['dkim=none'];
    const late = [
      ...dkim,
      `spf=${spf.result} smtp.mailfrom=${word(envelope(facts), facts)}`,
      `dmarc=${dmarc.result} header.from=${dmarc.domain}${dmarc.result === 'none' ? '' : ` policy.dmarc=${dmarc.policy}`}`,
      `iprev=pass policy.iprev=${ip}`,
    ];
    return [
      ...(facts.order % 2 === 0 ? [header(...late)] : dkim.map((result) => header(result))),
      `Received: from ${helo} ([${ip}]) by mx.gmx.net (mxgmx114\r\n [212.227.17.5]) with ESMTPS (Nemesis) id 1MaJKP-1pWHuy2AM9-00WQcz for\r\n <${recipient}>; ${DATE}`,
    ];
  },
  removes: named(/^gmx\.net/i),
};
