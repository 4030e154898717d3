import { describe, expect, it } from 'vitest';
import { readHeaders } from '../../../../engine/mail/mime/headers.ts';
import {
  FORGED_DOMAIN,
  forgedResults,
  isProvenByTrial,
  judgeTrial,
  learnBorder,
  openServers,
} from '../../../../engine/mailbox/trial/learn.ts';

const lines = (...text: string[]) => readHeaders(Buffer.from(`${text.join('\r\n')}\r\n\r\n`)).lines;
const OURS = ['X-Epistle-Trial: t1', 'From: ada@example.com'];

describe('a mail to itself', () => {
  it('teaches the name above which nothing came with the mail, and the servers behind it', () => {
    const received = lines(
      'Received: from mx.example.com by imap.example.com (LMTP); Mon, 23 Nov 2026 12:00:00 +0000',
      'Authentication-Results: mx.example.com; dmarc=pass header.from=example.com',
      'Received: from client by mx.example.com (ESMTPSA)',
      ...OURS,
    );
    expect(learnBorder(received, 't1')).toEqual({
      authservId: 'mx.example.com',
      trustedReceived: ['imap.example.com'],
    });
  });

  it('teaches a border that writes below its own line, and addresses that change', () => {
    const received = lines(
      'Received: by 2002:a05:6402:1e8f:b0:5c0 with SMTP id f15csp1; Mon, 23 Nov 2026 12:00:00 -0800',
      'Received: from client by mx.google.com with ESMTPS',
      'Authentication-Results: mx.google.com; dkim=pass header.i=@example.com; dmarc=pass header.from=example.com',
      ...OURS,
    );
    const border = learnBorder(received, 't1');
    expect(border).toEqual({ authservId: 'mx.google.com', trustedReceived: ['2002:*', 'mx.google.com'] });
    expect(judgeTrial(received, { ...border, authservId: 'mx.google.com' }, 'example.com').senderIsProven).toBe(true);
  });

  it('teaches the server that took it with a login, where none writes a verdict', () => {
    const received = lines(
      'Received: from mx.example.com by imap.example.com (LMTP); Mon, 23 Nov 2026 12:00:00 +0000',
      'Received: from client (client [192.0.2.7]) (Authenticated sender: ada@example.com) by mx.example.com with ESMTPSA id 1',
      ...OURS,
    );
    const border = learnBorder(received, 't1');
    expect(border).toEqual({ authservId: null, trustedReceived: ['imap.example.com', 'esmtpsa:mx.example.com'] });
    const account = 'ada@example.com';
    const proves = (address: string) => isProvenByTrial(received, border.trustedReceived, { address, account });
    expect([proves(account), proves('eve@example.com')]).toEqual([true, false]);
  });

  it('teaches no login where a server behind it took the mail over SMTP, as it takes that of strangers', () => {
    const login = 'Received: from client (client [192.0.2.7]) by out.example.com with ESMTPSA id 1';
    const taken = (by: string) => learnBorder(lines(`Received: from out.example.com by ${by}`, login, ...OURS), 't1');
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
    const forged = `Authentication-Results: ${forgedResults('mx.evil.test')}`;
    const nothing = { authservId: null, trustedReceived: [] };
    expect(learnBorder(lines('Received: from a by b.example.com', ...OURS, forged), 't1')).toEqual(nothing);
    expect(learnBorder(lines(forged, ...OURS), 't2')).toEqual(nothing);
    expect(learnBorder(lines('Authentication-Results: (', ...OURS), 't1')).toEqual(nothing);
    expect(learnBorder([], 't1')).toEqual(nothing);
  });

  it('names the servers that would be trusted and take mail of strangers, whose forged verdict then counted', () => {
    const received = lines(
      'Received: from mx.example.com by imap.example.com with LMTP id 3',
      'Received: from out.example.com by mx.example.com with ESMTPS id 2',
      'Authentication-Results: out.example.com; dmarc=pass header.from=example.com',
      'Received: from client (client [192.0.2.7]) by out.example.com with ESMTPSA id 1',
      ...OURS,
    );
    const border = learnBorder(received, 't1');
    const trustedReceived = ['imap.example.com', 'mx.example.com'];
    expect(border).toEqual({ authservId: 'out.example.com', trustedReceived });
    expect(openServers(border, ['MX.example.com.'])).toEqual(['mx.example.com']);
    expect(openServers(border, ['mx.elsewhere.test', 'out.example.com'])).toEqual([]);
    const ofStranger = lines(
      'Received: from mx.example.com by imap.example.com with LMTP id 4',
      'Received: from evil.test by mx.example.com with ESMTP id 5',
      `Authentication-Results: ${forgedResults('out.example.com')}`,
    );
    const known = { authservId: 'out.example.com', trustedReceived };
    expect(judgeTrial(ofStranger, known, 'example.com').forgedIsBelieved).toBe(true);
  });

  it('shows whether a forged verdict would be believed', () => {
    const border = { authservId: 'mx.example.com', trustedReceived: ['mx.example.com'] };
    const mail = (...above: string[]) =>
      lines(...above, ...OURS, `Authentication-Results: ${forgedResults('mx.example.com')}`);
    const real = 'Authentication-Results: mx.example.com; dmarc=pass header.from=example.com';
    expect(
      judgeTrial(mail(real, 'Received: from c by mx.example.com'), { ...border, trustedReceived: [] }, 'example.com'),
    ).toEqual({
      forgedIsBelieved: false,
      senderIsProven: true,
    });
    // A border that writes below its own line and lets such headers through: what came with the mail counts as its own.
    expect(judgeTrial(mail('Received: from c by mx.example.com'), border, 'example.com').forgedIsBelieved).toBe(true);
    expect(forgedResults('mx.example.com')).toContain(FORGED_DOMAIN);
  });
});
