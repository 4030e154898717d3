import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOVECOT_HOST } from '../lab/dovecot.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { BORDER, DOMAIN, mailboxOf, makeSite, STAMP } from '../lab/site.ts';

const USERS = { agents: 'secret', you: 'secret' };

function siteOf(lab: MailServers) {
  return makeSite(lab, {
    mailboxes: [mailboxOf(lab, 'agents', { imap: { authserv_id: null } })],
    personas: { ada: { address: `agents@${DOMAIN}` } },
  });
}

describe('a server that writes its verdict into all mail', () => {
  let lab: MailServers;
  beforeAll(async () => {
    lab = await startMailServers({ users: USERS, domain: DOMAIN, stamp: STAMP, stampsSubmissions: true });
  });
  afterAll(() => lab.stop());

  it('is learned from a mail to itself, written on request, and a forged verdict is ignored', async () => {
    const site = siteOf(lab);
    const read = (name: string) => JSON.parse(readFileSync(join(site.workspace.root, 'configs', name), 'utf8'));
    try {
      const shown = await site.command('mailbox', 'test', '--send');
      expect(shown.code).toBe(0);
      expect(shown.json).toMatchObject({
        written: false,
        trials: [
          {
            id: 'main',
            ok: true,
            authserv_id: BORDER,
            trusted_received: [DOVECOT_HOST],
            forged: 'ignored',
            sender_is_proven: true,
          },
        ],
      });
      expect(read('gateway.json').mailboxes[0].imap.authserv_id).toBeNull();
      const { code, json } = await site.command('mailbox', 'test', '--send', '--yes');
      expect([code, json.written]).toEqual([0, true]);
      expect(read('gateway.json').mailboxes[0].imap.authserv_id).toBe(BORDER);
      // It named the server behind the border already.
      expect(read('security.json').gateway_auth.trusted_received).toEqual([DOVECOT_HOST]);
      expect((await site.command('mailbox', 'test', '--send')).json.trials[0].changes).toEqual([]);
      // Nothing of it is left.
      expect(await lab.mailbox('agents')).toEqual([]);
    } finally {
      await site.close();
    }
  });
});

describe('a server that writes nothing into mail of its own users', () => {
  let lab: MailServers;
  beforeAll(async () => {
    lab = await startMailServers({ users: USERS, domain: DOMAIN, stamp: STAMP });
  });
  afterAll(() => lab.stop());

  it('receives its own mail and teaches nothing, which is said', async () => {
    const site = siteOf(lab);
    try {
      const { code, json } = await site.command('mailbox', 'test', '--send', '--yes');
      expect([code, json.written]).toEqual([0, false]);
      expect(json.trials).toMatchObject([{ ok: true, authserv_id: null, forged: null, changes: [] }]);
      const refused = await site.command('mailbox', 'test', '--send', '--address', `nobody@${DOMAIN}`);
      expect(refused.json.trials).toMatchObject([{ ok: false, cure: expect.stringMatching(/./) }]);
      expect(refused.code).toBe(1);
    } finally {
      await site.close();
    }
  });
});

describe('a server that writes no verdict into mail of its own users, and who logged in', () => {
  let lab: MailServers;
  beforeAll(async () => {
    lab = await startMailServers({ users: USERS, domain: DOMAIN, stamp: STAMP, namesLogins: true });
  });
  afterAll(() => lab.stop());

  it('is learned as one whose logins are believed, after a mail under another name was not', async () => {
    const site = siteOf(lab);
    try {
      const { code, json } = await site.command('mailbox', 'test', '--send', '--yes');
      expect([code, json.written]).toEqual([0, true]);
      const login = `esmtpsa:${BORDER}`;
      expect(json.trials).toMatchObject([
        {
          ok: true,
          authserv_id: null,
          trusted_received: [DOVECOT_HOST, login],
          forged: 'ignored',
          sender_is_proven: true,
        },
      ]);
      const security = JSON.parse(readFileSync(join(site.workspace.root, 'configs/security.json'), 'utf8'));
      expect(security.gateway_auth.trusted_received).toEqual([DOVECOT_HOST, login]);
      expect((await site.command('mailbox', 'test', '--send')).json.trials[0].changes).toEqual([]);
    } finally {
      await site.close();
    }
  });
});
