import { describe, expect, it } from 'vitest';
import {
  bordersIn,
  FORGED_DOMAIN,
  forgedResults,
  isProvenByTrial,
  learnLogin,
  letsThrough,
  openServers,
  provesForged,
  provesSender,
} from '../../../../engine/cli/trial/learn.ts';
import { readHeaders } from '../../../../engine/mail/mime/headers.ts';

const lines = (...text: string[]) => readHeaders(Buffer.from(`${text.join('\r\n')}\r\n\r\n`)).lines;
const OURS = ['X-Epistle-Trial: t1', 'From: ada@example.com', 'Date: Sat, 28 Nov 2026 10:00:00 +0000'];

describe('a mail to itself', () => {
  it('teaches the name above which nothing came with the mail, and the servers behind it', () => {
    const received = lines(
      'Received: from mx.example.com by imap.example.com (LMTP); Mon, 23 Nov 2026 12:00:00 +0000',
      'Authentication-Results: mx.example.com; dmarc=pass header.from=example.com',
      'Received: from client by mx.example.com (ESMTPSA)',
      ...OURS,
    );
    expect(bordersIn(received, 't1')).toEqual([
      { authservId: 'mx.example.com', trustedReceived: ['imap.example.com'] },
    ]);
  });

  it('teaches a border that writes below its own line, and addresses that change', () => {
    const received = lines(
      'Received: by 2002:a05:6402:1e8f:b0:5c0 with SMTP id f15csp1; Mon, 23 Nov 2026 12:00:00 -0800',
      'Received: from client by mx.google.com with ESMTPS',
      'Authentication-Results: mx.google.com; dkim=pass header.i=@example.com; dmarc=pass header.from=example.com',
      ...OURS,
    );
    const [border] = bordersIn(received, 't1');
    expect(border).toEqual({ authservId: 'mx.google.com', trustedReceived: ['2002:*', 'mx.google.com'] });
    const sender = { address: 'ada@example.com', now: Date.now() };
    expect(border && provesSender(received, border, sender)).toBe(true);
    expect(border && provesSender(received, border, { ...sender, address: 'ada@example.org' })).toBe(false);
  });

  it('teaches the server that took it with a login, where none writes a verdict', () => {
    const received = lines(
      'Received: from mx.example.com by imap.example.com (LMTP); Mon, 23 Nov 2026 12:00:00 +0000',
      'Received: from client (client [192.0.2.7]) (Authenticated sender: ada@example.com) by mx.example.com with ESMTPSA id 1',
      ...OURS,
    );
    const border = learnLogin(received, 't1');
    expect(border).toEqual({ authservId: null, trustedReceived: ['imap.example.com', 'esmtpsa:mx.example.com'] });
    const account = 'ada@example.com';
    const proves = (address: string) => isProvenByTrial(received, border.trustedReceived, { address, account });
    expect([proves(account), proves('eve@example.com')]).toEqual([true, false]);
  });

  it('teaches no login where a server behind it took the mail over SMTP, as it takes that of strangers', () => {
    const login = 'Received: from client (client [192.0.2.7]) by out.example.com with ESMTPSA id 1';
    const taken = (by: string) => learnLogin(lines(`Received: from out.example.com by ${by}`, login, ...OURS), 't1');
    expect(taken('mx.example.com with LMTP id 2').trustedReceived).toEqual([
      'mx.example.com',
      'esmtpsa:out.example.com',
    ]);
    expect(taken('out.example.com with LMTP id 2').trustedReceived).toEqual([
      'out.example.com',
      'esmtpsa:out.example.com',
    ]);
    for (const by of ['mx.example.com with ESMTPS id 2', 'out.example.com with ESMTP id 2', 'out.example.com id 2'])
      expect(taken(by)).toEqual({ authservId: null, trustedReceived: [] });
  });

  it('teaches nothing by headers that came with it, or without its mark', () => {
    const forged = `Authentication-Results: ${forgedResults('mx.evil.test')[0]}`;
    expect(bordersIn(lines('Received: from a by b.example.com', ...OURS, forged), 't1')).toEqual([]);
    expect(bordersIn(lines(forged, ...OURS), 't2')).toEqual([]);
    expect(bordersIn(lines('Authentication-Results: (', ...OURS), 't1')).toEqual([]);
    expect(bordersIn([], 't1')).toEqual([]);
  });

  it('names the servers that would be trusted and take mail of strangers, whose forged verdict then counted', () => {
    const received = lines(
      'Received: from mx.example.com by imap.example.com with LMTP id 3',
      'Received: from out.example.com by mx.example.com with ESMTPS id 2',
      'Authentication-Results: out.example.com; dmarc=pass header.from=example.com',
      'Received: from client (client [192.0.2.7]) by out.example.com with ESMTPSA id 1',
      ...OURS,
    );
    const trustedReceived = ['imap.example.com', 'mx.example.com'];
    const border = { authservId: 'out.example.com', trustedReceived };
    expect(bordersIn(received, 't1')).toEqual([border]);
    expect(openServers(border, ['MX.example.com.'])).toEqual(['mx.example.com']);
    expect(openServers(border, ['mx.elsewhere.test', 'out.example.com'])).toEqual([]);
    const ofStranger = lines(
      'Received: from mx.example.com by imap.example.com with LMTP id 4',
      'Received: from evil.test by mx.example.com with ESMTP id 5',
      ...forgedResults('out.example.com').map((results) => `Authentication-Results: ${results}`),
    );
    expect(provesForged(ofStranger, border, Date.now())).toBe(true);
  });

  it('shows whether a forged verdict would be believed', () => {
    const border = { authservId: 'mx.example.com', trustedReceived: ['mx.example.com'] };
    const mail = (...above: string[]) =>
      lines(
        ...above,
        ...OURS,
        ...forgedResults('mx.example.com').map((results) => `Authentication-Results: ${results}`),
      );
    const real = 'Authentication-Results: mx.example.com; dmarc=pass header.from=example.com';
    const above = mail(real, 'Received: from c by mx.example.com');
    const now = Date.now();
    expect(letsThrough(above, { ...border, trustedReceived: [] }, now)).toBe(false);
    // A border that writes below its own line and lets such headers through: what came with the mail counts as its own.
    expect(letsThrough(mail('Received: from c by mx.example.com'), border, now)).toBe(true);
    // Below one of its own it is no word of the border any more.
    expect(provesForged(mail('Received: from c by mx.example.com', real), border, now)).toBe(false);
    expect(letsThrough(mail('Received: from c by mx.example.com', real), border, now)).toBe(false);
    expect(forgedResults('mx.example.com').every((results) => results.includes(FORGED_DOMAIN))).toBe(true);
  });

  it('teaches the part of a name that stays where the servers of a provider change', () => {
    const received = lines(
      'Received: from a by DB7PR08MB3865.eurprd08.prod.outlook.com with HTTPS id 1',
      'Authentication-Results: spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=example.com;dmarc=pass header.from=example.com',
      ...OURS,
    );
    expect(bordersIn(received, 't1')).toEqual([{ authservId: '(unnamed)', trustedReceived: ['*.prod.outlook.com'] }]);
  });
});
