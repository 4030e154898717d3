import { afterEach, describe, expect, it } from 'vitest';
import { findingsOf, isDeceived } from '../../../../engine/cli/trial/in-words.ts';
import { FORGED_DOMAIN } from '../../../../engine/cli/trial/learn.ts';
import { isSafe, tryBorder, tryMailbox } from '../../../../engine/cli/trial/trial.ts';
import { mailboxSchema } from '../../../../engine/config/mailbox-schema.ts';
import { passwordLogin } from '../../../../engine/mailbox/login/login.ts';
import { type MailboxHouse, type Stamp, startMailboxHouse } from '../../../fakes/mailbox-house.ts';
import type { HeardMail, Script } from '../../../fakes/smtp-peer.ts';

const ADDRESS = 'ada@lab.test';
const houses: MailboxHouse[] = [];
afterEach(async () => {
  for (const house of houses.splice(0)) await house.stop();
});

interface Around {
  readonly smtp?: Script;
  readonly authservId?: string | null;
  readonly trusted?: string[];
}

/** A mailbox of its own at such a server, and whom a trial needs to write to it. */
async function houseOf(stamp: Stamp, { smtp, authservId = null, trusted = [] }: Around = {}) {
  const house = await startMailboxHouse(stamp, smtp);
  houses.push(house);
  const side = { host: '127.0.0.1', tls: 'none', user: ADDRESS, secret_env: 'S' } as const;
  const {
    imap,
    smtp: out,
    ...rest
  } = mailboxSchema.parse({
    id: 'main',
    imap: { ...side, port: house.ports.imap, authserv_id: authservId },
    smtp: { ...side, port: house.ports.smtp },
  });
  if (!imap || !out) throw new TypeError('both sides are there');
  let ids = 0;
  const login = passwordLogin({ auth: 'password', secret_env: 'S' }, () => 'secret');
  const traveller = {
    mailbox: { ...rest, imap, smtp: out },
    address: ADDRESS,
    loginOf: () => login,
    exchangesOf: async () => [],
    trusted,
    helo: 'lab.test',
    ms: 5000,
  };
  return { house, traveller, newId: () => `t${++ids}` };
}

async function trialOf(stamp: Stamp, around: Around = {}) {
  const { house, traveller, newId } = await houseOf(stamp, around);
  const trial = await tryMailbox(traveller, newId);
  if (!trial.ok) throw new Error(trial.fault.cause);
  return { trial, house };
}

const RECEIVED =
  'Received: from client (client [192.0.2.7]) by mx.lab.test with ESMTPSA id 1; Sat, 28 Nov 2026 10:00:00 +0000\r\n';
const stamp = (value: string) => `Authentication-Results: ${value}\r\n`;
const PASS = 'spf=pass smtp.mailfrom=ada@lab.test; dmarc=pass header.from=lab.test';

describe('a border that is tried', () => {
  it('is learned where it proves a mail of ours and nothing that was made to deceive', async () => {
    const { trial, house } = await trialOf(() => stamp(`mx.lab.test; ${PASS}`) + RECEIVED);
    expect(trial).toMatchObject({
      border: { authservId: 'mx.lab.test', trustedReceived: [] },
      tested: { forged: 'ignored', hostile: 'ignored' },
      senderIsProven: true,
      unproving: [],
      present: null,
    });
    expect([isSafe(trial), isDeceived(trial), findingsOf(trial)]).toEqual([true, false, []]);
    // One of them under its own name, one with brackets in MAIL FROM.
    expect(
      house.handedIn.filter(({ raw }) => raw.includes(`mx.lab.test; dmarc=pass header.from=${FORGED_DOMAIN}`)),
    ).toHaveLength(1);
    expect(house.handedIn.filter(({ from }) => from.includes('a);dkim=pass'))).toHaveLength(1);
  });

  it('is learned where its server does not take such a sender at all', async () => {
    const { trial, house } = await trialOf(() => stamp(`mx.lab.test; ${PASS}`) + RECEIVED, {
      smtp: { refusesSender: (from) => (from.includes('"') ? '553 5.1.8 sender address rejected' : null) },
    });
    expect(trial.tested).toEqual({ forged: 'ignored', hostile: 'refused' });
    expect([isSafe(trial), house.handedIn.length]).toEqual([true, 2]);
  });

  it('is not learned where it proves no mail of ours', async () => {
    for (const value of [
      'mx.lab.test; dkim=none; dmarc=fail header.from=lab.test',
      'dkim=none (message not signed) header.d=none;dmarc=none action=none header.from=lab.test',
    ]) {
      const { trial } = await trialOf(() => stamp(value) + RECEIVED);
      expect(trial).toMatchObject({ border: { authservId: null }, tested: null, senderIsProven: false });
      expect([isSafe(trial), isDeceived(trial), trial.unproving.length]).toEqual([false, false, 1]);
      expect(findingsOf(trial)).toMatchObject([
        { cause: expect.stringContaining('nothing was learned'), isFailure: false },
      ]);
    }
  });

  it('is not learned where it lets a forged header stand below its own line', async () => {
    const { trial } = await trialOf(({ raw }) =>
      raw.includes(FORGED_DOMAIN) ? '' : stamp(`mx.lab.test; ${PASS}`) + RECEIVED,
    );
    expect([trial.tested?.forged, isSafe(trial), isDeceived(trial)]).toEqual(['believed', false, true]);
    expect(findingsOf(trial)[0]?.cause).toContain('could pass for anybody');
    // With one of its own above, that one alone is its word.
    const both = await trialOf(() => RECEIVED + stamp(`mx.lab.test; ${PASS}`), {
      trusted: ['mx.lab.test'],
    });
    expect(both.trial.tested?.forged).toBe('ignored');
  });

  it('is not learned where brackets in MAIL FROM make it say what it has not seen', async () => {
    const rewritten = ({ from }: HeardMail) => from.replaceAll('"', '');
    const { trial } = await trialOf((mail) => {
      const said = mail.from.includes('(') ? `spf=pass (domain of ${rewritten(mail)})` : PASS;
      return stamp(`mx.lab.test; ${said}`) + RECEIVED;
    });
    expect([trial.tested?.hostile, isSafe(trial), isDeceived(trial)]).toEqual(['believed', false, true]);
    expect(findingsOf(trial)[0]?.cause).toContain('an envelope sender with brackets');
  });

  it('has no name: a nameless header that is forged is tried, and what proves us is learned', async () => {
    const says =
      'spf=pass (sender IP is 192.0.2.7) smtp.mailfrom=lab.test; dkim=none (message not signed) header.d=none;dmarc=pass action=none header.from=lab.test;compauth=pass reason=100';
    const hop = RECEIVED.replace('mx.lab.test', 'DB7PR08MB3865.eurprd08.prod.outlook.com').replace('ESMTPSA', 'HTTPS');
    const { trial } = await trialOf(() => hop + stamp(says) + RECEIVED);
    expect(trial).toMatchObject({
      border: { authservId: '(unnamed)', trustedReceived: ['*.prod.outlook.com'] },
      tested: { forged: 'ignored', hostile: 'ignored' },
    });
    expect(isSafe(trial)).toBe(true);
    const open = await trialOf((mail) => (/^Authentication-Results/im.test(mail.raw) ? '' : stamp(says)));
    expect([open.trial.border.authservId, open.trial.tested?.forged, isSafe(open.trial)]).toEqual([
      '(unnamed)',
      'believed',
      false,
    ]);
  });

  it('may write under several names, of which one proves us', async () => {
    const names = [
      stamp('bimi.lab.test; bimi=none'),
      stamp(`dmarc.lab.test; ${PASS}`),
      stamp('arc.lab.test; arc=none'),
    ];
    const { trial } = await trialOf(() => names.join('') + RECEIVED);
    expect(trial.border.authservId).toBe('dmarc.lab.test');
    expect(isSafe(trial)).toBe(true);
  });
});

describe('a border that is set already', () => {
  const two = () => stamp(`mx.lab.test; ${PASS}`) + stamp(`mx2.lab.test; ${PASS}`) + RECEIVED;

  it('is kept where it proves us, too', async () => {
    const { trial } = await trialOf(two, { authservId: 'MX2.lab.test' });
    expect(trial).toMatchObject({ border: { authservId: 'mx2.lab.test' }, present: null });
  });

  it('is told where it would not pass', async () => {
    const leaky: Stamp = (mail) =>
      mail.raw.includes(`old.lab.test; dmarc=pass header.from=${FORGED_DOMAIN}`)
        ? ''
        : stamp(`mx.lab.test; ${PASS}`) + RECEIVED;
    const { trial } = await trialOf(leaky, { authservId: 'old.lab.test' });
    expect(trial.present).toMatchObject({
      authservId: 'old.lab.test',
      isProving: false,
      tested: { forged: 'believed' },
    });
    expect([isSafe(trial), isDeceived(trial)]).toEqual([true, true]);
    expect(findingsOf(trial)[0]?.cause).toContain('a forged Authentication-Results of old.lab.test');
  });

  it('is told where it is no name, as a trial of before wrote it', async () => {
    const { trial } = await trialOf(
      () => stamp('dkim=none (x) header.d=none;dmarc=none header.from=lab.test') + RECEIVED,
      {
        authservId: 'dkim=none',
      },
    );
    expect(trial.present).toMatchObject({ isNoName: true, tested: null });
    expect([isSafe(trial), isDeceived(trial)]).toEqual([false, true]);
    expect(findingsOf(trial).at(-1)?.cure).toContain('(unnamed)');
  });

  it('is no failure where it writes nothing into mail of its own users', async () => {
    const { trial } = await trialOf(() => RECEIVED, { authservId: 'mx.lab.test' });
    expect(trial.present).toMatchObject({ isProving: false, tested: { forged: 'ignored', hostile: 'ignored' } });
    expect([isDeceived(trial), findingsOf(trial)[0]?.isFailure]).toEqual([false, false]);
  });
});

describe('a border that a mail of somebody shows', () => {
  const PERSON = 'olga@lab.test';
  const BORDER = { authservId: 'mx.lab.test', trustedReceived: [] };
  async function tested(stampOf: Stamp, smtp?: Script) {
    const { traveller, newId } = await houseOf(stampOf, smtp === undefined ? {} : { smtp });
    return tryBorder(traveller, BORDER, { person: PERSON, newId });
  }

  it('passes where no mail that was made to deceive is believed', async () => {
    expect(await tested(() => RECEIVED)).toEqual({ impostor: 'ignored', forged: 'ignored', hostile: 'ignored' });
  });

  it('does not where it vouches for whoever logs in and writes as that person', async () => {
    const vouches = () => stamp(`mx.lab.test; ${PASS}`) + RECEIVED;
    expect(await tested(vouches)).toMatchObject({ impostor: 'believed' });
  });

  it('does not where a header that came with the mail counts', async () => {
    expect(await tested(() => '')).toMatchObject({ forged: 'believed' });
  });
});

describe('logins of a server on which everybody can write as everybody', () => {
  it('are not learned, and told of', async () => {
    const { trial } = await trialOf(() => RECEIVED);
    expect(trial).toMatchObject({
      border: { authservId: null, trustedReceived: [] },
      openLogins: ['esmtpsa:mx.lab.test'],
      servers: ['mx.lab.test'],
    });
  });
});
