import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Stamp, startMailboxHouse } from '../fakes/mailbox-house.ts';
import { epistle } from './gateway.ts';
import { makeWorkspace } from './workspace.ts';

const AGENT = 'agent@lab.test';
const RECEIVED =
  'Received: from client (client [192.0.2.7]) by mx.lab.test with ESMTPSA id 1; Sat, 28 Nov 2026 10:00:00 +0000\r\n';
const stamp = (value: string) => `Authentication-Results: ${value}\r\n`;
const PROVES = 'mx.lab.test; spf=pass smtp.mailfrom=lab.test; dmarc=pass header.from=lab.test';
/** As Microsoft 365 stamps mail of its own users. */
const OFFICE = 'dkim=none (message not signed)\r\n header.d=none;dmarc=none action=none header.from=lab.test;';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function trialAt(border: Stamp, authserv_id?: string) {
  const house = await startMailboxHouse(border);
  closers.push(house.stop);
  const side = { host: '127.0.0.1', tls: 'none', user: AGENT, secret_env: 'BOX_PASSWORD' };
  const imap = { ...side, port: house.ports.imap, ...(authserv_id === undefined ? {} : { authserv_id }) };
  const workspace = makeWorkspace({
    'configs/gateway.json': {
      smtp_listener: { port: 0 },
      mailboxes: [{ id: 'main', imap, smtp: { ...side, port: house.ports.smtp } }],
    },
    '.env': 'BOX_PASSWORD=secret\n',
  });
  closers.push(workspace.remove);
  const { code, json } = await epistle(workspace.root, ['mailbox', 'test', '--send', '--yes']);
  const mailboxes = () => JSON.parse(readFileSync(join(workspace.root, 'configs/gateway.json'), 'utf8')).mailboxes;
  return { code, written: json.written, trial: json.trials[0], mailboxes, workspace, house };
}

describe('a trial of a mailbox', () => {
  it('writes the border that proves a mail of ours', async () => {
    const { code, written, trial, mailboxes } = await trialAt(() => stamp(PROVES) + RECEIVED);
    expect({ code, written, trial }).toMatchObject({
      code: 0,
      written: true,
      trial: { forged: 'ignored', hostile_sender: 'ignored', sender_is_proven: true, present: null },
    });
    expect(mailboxes()[0].imap.authserv_id).toBe('mx.lab.test');
  });

  it('writes none that does not, and says what else there is', async () => {
    const { code, written, trial, mailboxes } = await trialAt(() => stamp(OFFICE) + RECEIVED);
    expect({ code, written, trial }).toMatchObject({
      code: 0,
      written: false,
      trial: { authserv_id: null, sender_is_proven: false, unproving: ['(unnamed)'], changes: [] },
    });
    expect(mailboxes()[0].imap.authserv_id).toBeUndefined();
  });

  it('fails over a name that can be none, as a trial of before wrote it', async () => {
    const { code, written, trial } = await trialAt(() => stamp(OFFICE) + RECEIVED, 'dkim=none');
    expect({ code, written, trial }).toMatchObject({
      code: 1,
      written: false,
      trial: { present: { authserv_id: 'dkim=none', is_no_name: true } },
    });
  });

  it('fails over a border that lets a header under its own name through, and does not write it', async () => {
    const open: Stamp = ({ raw }) => (/^Authentication-Results:/im.test(raw) ? '' : stamp(PROVES) + RECEIVED);
    for (const present of [undefined, 'mx.lab.test']) {
      const { code, written, trial } = await trialAt(open, present);
      expect({ code, written, forged: trial.forged }).toEqual({ code: 1, written: false, forged: 'believed' });
    }
  });
});

describe('a mailbox that is added', () => {
  it('gets no border that proved nothing', async () => {
    for (const [says, expected] of [
      [PROVES, 'mx.lab.test'],
      [OFFICE, undefined],
    ] as const) {
      const house = await startMailboxHouse(() => stamp(says) + RECEIVED);
      const workspace = makeWorkspace();
      closers.push(house.stop, workspace.remove);
      const { imap, smtp } = house.ports;
      const servers = ['--imap', `127.0.0.1:${imap}:none`, '--smtp', `127.0.0.1:${smtp}:none`];
      const args = ['mailbox', 'add', AGENT, '--id', 'more', ...servers, '--non-interactive'];
      expect(await epistle(workspace.root, args, 'secret')).toMatchObject({ code: 0 });
      const { mailboxes } = JSON.parse(readFileSync(join(workspace.root, 'configs/gateway.json'), 'utf8'));
      expect(mailboxes[0].imap.authserv_id).toBe(expected);
    }
  });
});
