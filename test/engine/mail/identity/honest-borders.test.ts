import { describe, expect, it } from 'vitest';
import { UNNAMED } from '../../../../engine/mail/identity/border/results-header.ts';
import { identityOf, received, signature, VALUE } from './stamped.ts';

const B = VALUE.slice(0, 8);
const ar = (value: string) => `Authentication-Results: ${value}`;
const RETURN_PATH = 'Return-Path: <owner@owner.test>';

interface Form {
  readonly border: string;
  readonly above: readonly string[];
  readonly trusted?: readonly string[];
  /** In the header that came with the mail; by default one that is named. */
  readonly signatures?: readonly string[];
}

const FAILED = signature({ domain: 'list.test', selector: 'l1', value: 'ZzZzZzZz0000ZzZz' });
const BOTH = [FAILED, signature()];
const rspamd = (results: string) => [RETURN_PATH, ar(`mx.test;\r\n\t${results}`), received('mx.test (Postfix)')];
const SPF =
  'spf=pass (mx.test: domain of owner@owner.test designates 192.0.2.1 as permitted sender) smtp.mailfrom=owner@owner.test';
const SPF_OF_OTHER =
  'spf=pass (mx.test: domain of "b+a=owner.test@esp.test" designates 192.0.2.1 as permitted sender) smtp.mailfrom="b+a=owner.test@esp.test"';

/** As the servers write them by their sources, and as mails in public archives have them. */
const FORMS: Readonly<Record<string, Form>> = {
  Rspamd: {
    border: 'mx.test',
    above: rspamd(
      `dkim=pass header.d=owner.test header.s=k1 header.b=${B};\r\n\t${SPF};\r\n\tdmarc=pass (policy=none) header.from=owner.test`,
    ),
  },
  'Rspamd, a sender of a mailing service': {
    border: 'mx.test',
    above: rspamd(
      `dkim=pass header.d=owner.test header.s=k1 header.b="${B}";\r\n\t${SPF_OF_OTHER};\r\n\tdmarc=pass (policy=reject) header.from=owner.test;\r\n\tarc=pass ("google.com:s=arc-20160816:i=1")`,
    ),
  },
  'Rspamd, two signatures of which one fails': {
    border: 'mx.test',
    above: rspamd(
      `dkim=fail ("body hash did not verify") header.d=list.test header.s=l1 header.b=ZzZzZzZz;\r\n\tdkim=pass header.d=owner.test header.s=k1 header.b=${B};\r\n\tspf=none;\r\n\tdmarc=pass (policy=none) header.from=owner.test;\r\n\tarc=reject ("signature check failed: fail, {[1] = sig:microsoft.com:reject}")`,
    ),
    signatures: BOTH,
  },
  'Rspamd without a DMARC record': {
    border: 'mx.test',
    above: rspamd(`dkim=pass header.d=owner.test header.s=k1 header.b=${B};\r\n\tdmarc=none;\r\n\tspf=none`),
  },
  OpenDKIM: {
    border: 'mx.test',
    above: [
      ar(
        `mx.test;\r\n\tdkim=pass (2048-bit key; unprotected) header.d=owner.test header.i=@owner.test header.a=rsa-sha256 header.s=k1 header.b="${B}";\r\n\tdkim-atps=neutral`,
      ),
      received('mx.test (Postfix)'),
    ],
  },
  'OpenDKIM, twice the same': {
    border: 'mx.test',
    above: [
      ar(
        `mx.test; dkim=pass (2048-bit key; unprotected) header.d=owner.test header.i=@owner.test header.b=${B}; dkim=pass (2048-bit key) header.d=owner.test header.i=@owner.test header.b=${B}`,
      ),
      received('mx.test'),
    ],
  },
  'OpenDKIM of before, with reasons': {
    border: 'mx.test',
    above: [
      ar(
        `mx.test; dkim=pass reason="2048-bit key; unprotected key" header.d=owner.test header.i=@owner.test header.b=${B}; dkim-adsp=pass`,
      ),
      received('mx.test'),
    ],
  },
  'OpenDKIM and OpenDMARC, by a signature': {
    border: 'mx.test',
    above: [
      ar('mx.test; dmarc=pass (p=none dis=none) header.from=owner.test'),
      ar('mx.test; spf=fail smtp.mailfrom=esp.test'),
      ar(`mx.test; dkim=pass (2048-bit key; secure) header.d=owner.test header.i=@owner.test header.b="${B}"`),
      received('mx.test'),
    ],
  },
  'OpenDMARC beside a checker of SPF that tells all it knows': {
    border: 'mx.test',
    above: [
      ar('mx.test; dmarc=pass (p=none dis=none) header.from=owner.test'),
      ar(
        'mx.test; spf=pass (sender SPF authorized) smtp.mailfrom=owner.test (client-ip=2001:db8::1; helo=out.owner.test; envelope-from=owner@owner.test; receiver=<UNKNOWN>)',
      ),
      received('mx.test'),
    ],
    signatures: [],
  },
  'Exim by dkim alone': {
    border: 'mx.test',
    above: [
      ar('mx.test;\r\n\tdkim=pass header.d=owner.test header.s=k1 header.a=rsa-sha256'),
      'Received: from out.owner.test ([192.0.2.1] helo=out) by mx.test with esmtps (TLS1.3) tls TLS_AES_256_GCM_SHA384 (Exim 4.96) (envelope-from <owner@owner.test>) id 1abc-00-7K for ada@agents.test; Sat, 28 Nov 2026 10:00:00 +0000',
    ],
  },
  'Exim, two signatures of one key of which one fails': {
    border: 'mx.test',
    above: [
      ar(
        'mx.test; spf=pass smtp.mailfrom=esp.test;\r\n\tdkim=fail (body hash mismatch; body probably modified in transit)\r\n\t\theader.d=owner.test header.s=k1 header.a=rsa-sha256; dkim=pass header.d=owner.test header.s=k1 header.a=rsa-sha256',
      ),
      received('mx.test'),
    ],
    signatures: [signature({ value: 'ZzZzZzZz0000ZzZz' }), signature()],
  },
  'Exim by spf': {
    border: 'mx.test',
    above: [
      ar('mx.test; iprev=pass (out.owner.test) smtp.remote-ip=192.0.2.1; spf=pass smtp.mailfrom=owner.test'),
      received('mx.test'),
    ],
    signatures: [],
  },
  'Microsoft 365': {
    border: UNNAMED,
    trusted: ['*.prod.outlook.com', '*.outlook.office365.com'],
    above: [
      'Received: from DB7PR08MB3865.eurprd08.prod.outlook.com (2603:10a6:10:7d::25) by AM6PR08MB1.eurprd08.prod.outlook.com with HTTPS; Sat, 28 Nov 2026 10:00:02 +0000',
      'Received: from AM5EUR02FT012.eop-EUR02.prod.protection.outlook.com (2603:10a6::d8) by SYXPR01CA0095.outlook.office365.com (2603:10c6:0:2e::28) with Microsoft SMTP Server (version=TLS1_2, cipher=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384) id 15.20.3654.12 via Frontend Transport; Sat, 28 Nov 2026 10:00:01 +0000',
      ar(
        'spf=pass (sender IP is 192.0.2.1)\r\n smtp.mailfrom=esp.test; dkim=pass (signature was\r\n verified) header.d=owner.test;dkim=fail (body hash did not verify) header.d=list.test;dmarc=pass action=none\r\n header.from=owner.test;compauth=pass reason=100',
      ),
      'Received-SPF: Pass (protection.outlook.com: domain of esp.test designates 192.0.2.1 as permitted sender) receiver=protection.outlook.com; client-ip=192.0.2.1; helo=out.owner.test; pr=C',
      received('AM5EUR02FT012.mail.protection.outlook.com (10.152.8.1)'),
    ],
    signatures: BOTH,
  },
  'Microsoft 365 of before, with the domain of the recipient': {
    border: UNNAMED,
    above: [
      ar(
        'spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=owner.test; agents.test; dkim=none (message not signed) header.d=none;agents.test; dmarc=bestguesspass action=none header.from=owner.test; compauth=pass reason=109',
      ),
      received('FT012.mail.protection.outlook.com'),
    ],
    signatures: [],
  },
  Gmail: {
    border: 'mx.google.com',
    trusted: ['2002:*', 'mx.google.com'],
    above: [
      'Delivered-To: ada@agents.test',
      'Received: by 2002:a05:6402:1e8f:b0:5c0 with SMTP id f15csp1; Sat, 28 Nov 2026 02:00:00 -0800 (PST)',
      `ARC-Authentication-Results: i=1; mx.google.com; dkim=pass header.i=@owner.test header.s=k1 header.b=${B}`,
      RETURN_PATH,
      'Received: from out.owner.test (out.owner.test. [192.0.2.1]) by mx.google.com with ESMTPS id h8-2.2026.11.28 for <ada@agents.test> (version=TLS1_3 cipher=TLS_AES_256_GCM_SHA384 bits=256/256); Sat, 28 Nov 2026 02:00:00 -0800 (PST)',
      ar(
        `mx.google.com;\r\n       dkim=pass header.i=@owner.test header.s=k1 header.b="${B}";\r\n       arc=pass (i=1 spf=pass spfdomain=owner.test dkim=pass dkdomain=owner.test dmarc=pass fromdomain=owner.test);\r\n       spf=pass (google.com: domain of prvs=1=owner@esp.test designates 192.0.2.1 as permitted sender) smtp.mailfrom="prvs=1=owner@esp.test";\r\n       dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=owner.test`,
      ),
    ],
  },
  Fastmail: {
    border: 'mx3.messagingengine.com',
    above: [
      ar(
        'mx3.messagingengine.com;\r\n    x-csa=none;\r\n    x-me-sender=none;\r\n    x-ptr=pass smtp.helo=out.owner.test policy.ptr=out.owner.test',
      ),
      ar('mx3.messagingengine.com;\r\n    bimi=skipped (DMARC Policy is not at enforcement)'),
      ar(
        'mx3.messagingengine.com;\r\n    arc=pass (as.1.microsoft.com=pass, ams.1.microsoft.com=pass)\r\n      smtp.remote-ip=192.0.2.1',
      ),
      ar(
        `mx3.messagingengine.com;\r\n    dkim=pass (2048-bit rsa key sha256) header.d=owner.test\r\n      header.i=@owner.test header.b=${B} header.a=rsa-sha256 header.s=k1 x-bits=2048;\r\n    dmarc=pass policy.published-domain-policy=none policy.applied-disposition=none policy.evaluated-disposition=none (p=none,d=none,d.eval=none) policy.policy-from=p header.from=owner.test;\r\n    iprev=pass smtp.remote-ip=192.0.2.1 (out.owner.test);\r\n    spf=none smtp.mailfrom=owner@esp.test smtp.helo=out.owner.test`,
      ),
      received('mx3.messagingengine.com (Postfix)'),
    ],
  },
  'iCloud, by the name of one of five': {
    border: 'dmarc.icloud.com',
    above: [
      ar('bimi.icloud.com; bimi=skipped reason="insufficient dmarc"'),
      ar('arc.icloud.com; arc=none'),
      ar('dmarc.icloud.com; dmarc=pass header.from=owner.test'),
      ar(
        `dkim-verifier.icloud.com;\r\n\tdkim=pass (2048-bit key) header.d=owner.test header.i=@owner.test header.b=${B}`,
      ),
      ar(
        'spf.icloud.com; spf=pass (spf.icloud.com: domain of SRS0=Z8Bj=5h=q.test=x@w.test designates 192.0.2.1 as permitted sender) smtp.mailfrom="SRS0=Z8Bj=5h=q.test=x@w.test"',
      ),
      received('st43p00im-qukt05021701.me.com (Postfix)'),
    ],
  },
  'iCloud, by that of its checker of signatures': {
    border: 'dkim-verifier.icloud.com',
    above: [
      ar('dmarc.icloud.com; dmarc=none header.from=owner.test'),
      ar(`dkim-verifier.icloud.com; dkim=pass (2048-bit key) header.d=owner.test header.i=@owner.test header.b=${B}`),
      received('st43p00im-qukt05021701.me.com (Postfix)'),
    ],
  },
  Yahoo: {
    border: 'atlas206.free.mail.ne1.yahoo.com',
    trusted: ['atlas206.free.mail.ne1.yahoo.com'],
    above: [
      'Received: from 10.222.142.150 by atlas206.free.mail.ne1.yahoo.com with HTTPS; Sat, 28 Nov 2026 10:00:00 +0000',
      RETURN_PATH,
      ar(
        'atlas206.free.mail.ne1.yahoo.com;\r\n dkim=pass header.i=@owner.test header.s=k1;\r\n spf=softfail smtp.mailfrom=esp.test arc_overridden_status=NOT_OVERRIDDEN;\r\n dmarc=pass(p=NONE,sp=QUARANTINE) header.from=owner.test arc_overridden_status=NOT_OVERRIDDEN;',
      ),
    ],
  },
  'Yahoo without a DMARC record': {
    border: 'atlas206.free.mail.ne1.yahoo.com',
    above: [
      ar(
        'atlas206.free.mail.ne1.yahoo.com;\r\n dkim=unknown;\r\n spf=pass smtp.mailfrom=owner.test;\r\n dmarc=unknown header.from=owner.test;',
      ),
      'Received: from 192.0.2.1 (EHLO out.owner.test) by 10.197.41.77 with SMTPs; Sat, 28 Nov 2026 10:00:00 +0000',
    ],
    signatures: [],
  },
  Proton: {
    border: 'mail.protonmail.ch',
    above: [
      ar('mail.protonmail.ch; dmarc=pass (p=none dis=none)\r\n header.from=owner.test'),
      ar('mail.protonmail.ch; spf=none smtp.mailfrom=esp.test'),
      ar('mail.protonmail.ch; arc=none smtp.remote-ip=192.0.2.1'),
      ar('mail.protonmail.ch; dkim=pass (Good 2048 bit rsa-sha256 signature) header.d=owner.test header.a=rsa-sha256'),
      ar(`mail.protonmail.ch; dkim=pass (2048-bit key) header.d=owner.test header.i=@owner.test header.b="${B}"`),
      'Received: from out.owner.test (out.owner.test [192.0.2.1]) (using TLSv1.3 with cipher TLS_AES_256_GCM_SHA384 (256/256 bits) key-exchange X25519 server-signature RSA-PSS (4096 bits) server-digest SHA512) by mailin041.protonmail.ch (Postfix) with ESMTPS id 4X for <ada@agents.test>; Sat, 28 Nov 2026 10:00:00 +0000 (UTC)',
    ],
  },
  Zoho: {
    border: 'mx.zohomail.com',
    above: [
      'Received-SPF: pass (zohomail.com: domain of owner.test designates 192.0.2.1 as permitted sender) client-ip=192.0.2.1; envelope-from=owner@esp.test; helo=out.owner.test;',
      ar(
        'mx.zohomail.com;\r\n\tdkim=pass;\r\n\tspf=pass (zohomail.com: domain of _spf.google.com designates 192.0.2.1 as permitted sender)  smtp.mailfrom=owner@esp.test;\r\n\tdmarc=pass(p=none dis=none)  header.from=owner.test',
      ),
      received('mx.zohomail.com'),
    ],
  },
  'Zoho, with the whole address': {
    border: 'mx.zohomail.com',
    above: [
      ar(
        'mx.zohomail.com; dkim=pass header.i=owner.test; spf=pass smtp.mailfrom=owner@owner.test; dmarc=pass header.from=<owner@owner.test>',
      ),
      received('mx.zohomail.com'),
    ],
  },
  GMX: {
    border: 'gmx.net',
    above: [
      RETURN_PATH,
      ar('gmx.net; dkim=pass header.i=@owner.test'),
      'Received: from out.owner.test ([192.0.2.1]) by mx-ha.gmx.net (mxgmx114 [212.227.17.5]) with ESMTPS (Nemesis) id 1MaJKP-1pWHuy2AM9-00WQcz for <ada@agents.test>; Sat, 28 Nov 2026 11:00:00 +0100',
    ],
  },
  Stalwart: {
    border: 'mx.test',
    above: [
      ar(
        `mx.test;\r\n\tdkim=pass header.i=owner@owner.test header.s=k1 header.b=${B};\r\n\tspf=none (mx.test: no SPF records found for postmaster@out.owner.test) smtp.helo=out.owner.test;\r\n\tspf=pass (mx.test: domain of owner@esp.test designates 192.0.2.1 as permitted sender) smtp.mailfrom=owner@esp.test;\r\n\tiprev=pass policy.iprev=192.0.2.1;\r\n\tdmarc=pass header.from=owner.test policy.dmarc=none`,
      ),
      'Received: from out.owner.test (out.owner.test [192.0.2.1])\r\n\t(using TLSv1.3 with cipher TLS13_AES_256_GCM_SHA384)\r\n\tby mx.test (Stalwart SMTP) with ESMTPS id 49A5F2B839DB1C2;\r\n\tSat, 28 Nov 2026 10:00:00 +0000',
    ],
  },
  'a mailing list manager': {
    border: 'lists.test',
    above: [
      ar(
        'lists.test; dkim=pass header.d=owner.test;\r\n arc=none (Message is not ARC signed);\r\n dmarc=pass (Used From Domain Record) header.from=owner.test policy.dmarc=quarantine',
      ),
      received('lists.test'),
    ],
  },
  Amavis: {
    border: 'mx.test',
    above: [ar('mx.test (amavisd-new);\r\n dkim=pass (2048-bit key) header.d=owner.test'), received('mx.test')],
  },
};

describe('an honest mail, as its border writes of it', () => {
  it.each(Object.entries(FORMS))('is proven: %s', async (_name, { border, above, trusted, signatures }) => {
    const mail = { above, headers: signatures ?? [signature()] };
    const behind = { border, ...(trusted ? { trusted } : {}) };
    expect(await identityOf(mail, behind)).toMatchObject({ authenticated: true, address: 'owner@owner.test' });
    const byRelay = await identityOf(mail, { ...behind, mailFrom: 'owner@owner.test' });
    expect(byRelay).toMatchObject({ authenticated: true, method: 'authentication-results' });
  });

  it.each([
    [
      'a blank around the sign',
      'mx.test; dmarc = pass header.from = owner.test; spf = pass smtp.mailfrom = owner.test',
    ],
    ['a value that is empty', 'mx.test; spf=pass smtp.mailfrom=owner.test; dkim=neutral header.i= header.s=k1'],
    ['a null sender that is told', 'mx.test; spf=none smtp.mailfrom=<>; dkim=pass header.d=owner.test header.s=k1'],
    ['a version', 'mx.test 1; dkim/1=pass header.d=owner.test'],
    ['a border that writes small letters alone', `mx.test; dkim=pass header.d=owner.test header.b=${B.toLowerCase()}`],
    ['more of the signature than eight signs', `mx.test; dkim=pass header.d=owner.test header.b=${VALUE}`],
    ['letters of other alphabets', 'mx.test; spf=pass (domain of jürgen@owner.test) smtp.mailfrom=jürgen@owner.test'],
    [
      'nothing, beside another that speaks',
      'mx.test; none\r\nAuthentication-Results: mx.test; dkim=pass header.d=owner.test',
    ],
  ])('is proven with %s', async (_what, value) => {
    const identity = await identityOf({ above: [ar(value)], headers: [signature()] }, { border: 'mx.test' });
    expect(identity).toMatchObject({ authenticated: true });
  });
});
