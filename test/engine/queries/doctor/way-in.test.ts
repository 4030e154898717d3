import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { personaSchema } from '../../../../engine/config/persona-schema.ts';
import { gatewaySchema, securitySchema } from '../../../../engine/config/schemas.ts';
import { borderNameChecks, trustedChecks } from '../../../../engine/queries/doctor/borders.ts';
import type { Check } from '../../../../engine/queries/doctor/check.ts';
import { fileChecks } from '../../../../engine/queries/doctor/files.ts';
import { grantChecks, orphanChecks } from '../../../../engine/queries/doctor/personas.ts';
import {
  addressCheck,
  firstConnectCheck,
  ownDomainCheck,
  placeholderCheck,
  proofCheck,
  unsureAddresses,
} from '../../../../engine/queries/doctor/way-in.ts';

const imap = { host: 'imap.x.test', port: 993, tls: 'implicit', user: 'agent@x.test', secret_env: 'S' };
const gateway = (change: object = {}, ofImap: object = {}) =>
  gatewaySchema.parse({ mailboxes: [{ id: 'main', imap: { ...imap, ...ofImap } }], ...change });
const security = (change: object = {}) => securitySchema.parse({ owners: ['olga@x.test'], ...change });
const persona = (address: string, change: object = {}) => ({
  id: 'ada',
  ...personaSchema.parse({ name: 'Ada', address, owners: ['olga@x.test'], ...change }),
  owners: ['olga@x.test'],
});
const failing = (checks: readonly Check[]) => checks.filter(({ ok }) => !ok);

describe('addresses', () => {
  it('fail where no persona has one that a mailbox receives', () => {
    const [found] = failing(addressCheck(gateway(), [persona('ada@agents.localhost')]));
    expect(found).toMatchObject({ name: 'addresses', message: expect.stringContaining('main (agent@x.test)') });
    expect(found?.cure).toContain('personas/ada/persona.json to agent@x.test');
  });

  it.each([
    ['that of the mailbox', 'Agent@x.test', {}, {}],
    ['a tag of it', 'agent+ada@x.test', {}, {}],
    ['an alias that is', 'ada@agents.localhost', { aliases: ['agent@x.test'] }, {}],
    ['one of a domain that a catch-all may have', 'ada@x.test', {}, {}],
    ['one of a mailbox whose login says nothing of its address', 'ada@y.test', {}, { user: 'agent' }],
  ])('are fine: %s', (_, address, change, ofImap) => {
    expect(failing(addressCheck(gateway({}, ofImap), [persona(address, change)]))).toEqual([]);
  });

  it('are nobody’s trouble without a mailbox, or where mail comes by SMTP', () => {
    const ada = [persona('ada@agents.localhost')];
    expect(addressCheck(gateway({ mailboxes: [] }), ada)).toEqual([]);
    expect(failing(addressCheck(gateway({ smtp_listener: { host: '0.0.0.0' } }), ada))).toEqual([]);
  });
});

describe('an address to which nothing has come', () => {
  const unsure = (address: string, change: object = {}, ofImap: object = {}) =>
    unsureAddresses(gateway(change, ofImap), [persona(address)]);

  it('is warned of where only a catch-all would receive it', () => {
    const [found] = unsure('workshop@x.test');
    expect(found).toMatchObject({ ok: true, message: expect.stringContaining('agent@x.test') });
    expect(found?.cure).toContain('persona edit ada --address agent+ada@x.test');
  });

  it.each([
    ['that of the mailbox', 'Agent@x.test', {}, {}],
    ['a tag of it', 'agent+ada@x.test', {}, {}],
    ['one of another domain, which has a check of its own', 'ada@y.test', {}, {}],
    ['one of a mailbox whose login says nothing', 'ada@y.test', {}, { user: 'agent' }],
    ['one that comes by SMTP', 'workshop@x.test', { smtp_listener: { host: '0.0.0.0' } }, {}],
  ])('is nothing to warn of: %s', (_, address, change, ofImap) => {
    expect(unsure(address, change, ofImap)).toEqual([]);
  });
});

describe('the owner', () => {
  const placeholder = security({ owners: ['you@agents.localhost'] });
  it('fails as the placeholder once there is a mailbox', () => {
    expect(failing(placeholderCheck(gateway(), placeholder, []))).toMatchObject([
      { name: 'owner_placeholder', cure: expect.stringContaining('configs/security.json') },
    ]);
    const placed = { id: 'ada', owners: ['you@agents.localhost'] };
    expect(failing(placeholderCheck(gateway(), security(), [placed]))).toMatchObject([
      { cure: expect.stringContaining('personas/ada/persona.json') },
    ]);
    expect(placeholderCheck(gateway({ mailboxes: [] }), placeholder, [])).toEqual([]);
    expect(placeholderCheck(gateway(), security(), [])).toEqual([]);
  });
});

describe('the proof of senders', () => {
  const main = (authserv_id: string | null) => ({ ...gateway({}, { authserv_id }).mailboxes[0], id: 'main' });
  const refused = {
    mailbox: 'main',
    decision: 'refused',
    code: 'auth_failed',
    from_address: 'olga@x.test',
    message_id: '1',
  } as const;
  const accepted = { ...refused, decision: 'accepted', code: null, message_id: '2' } as const;

  it('is a warning without authserv_id, and a failure once mail was refused for it', () => {
    expect(proofCheck(main(null), security(), [])).toMatchObject([
      { ok: true, message: expect.stringContaining('warning: ') },
    ]);
    const [found] = failing(proofCheck(main(null), security(), [refused]));
    expect(found?.message).toContain('olga@x.test');
    expect(found?.cure).toContain('imap.authserv_id of mailbox main');
  });

  it('names what learns it, and says that mail within the own domain is hardly ever signed', () => {
    expect(proofCheck(main(null), security(), [])).toMatchObject([
      {
        message: expect.stringContaining('mail within x.test'),
        cure: expect.stringContaining('mailbox test main --send'),
      },
    ]);
  });

  it('is fine again once what was refused was taken in', () => {
    const taken = { ...accepted, mailbox: null, message_id: '1' };
    expect(failing(proofCheck(main('mx.x.test'), security(), [taken, refused]))).toEqual([]);
  });

  it('is warned of for mail that one user of the server sends to another, until one was proven', () => {
    const own = (border: string | null, rows: (typeof refused | typeof accepted)[] = [], trusted: string[] = []) =>
      ownDomainCheck(main(border), security({ gateway_auth: { trusted_received: trusted } }), rows).map(
        ({ name }) => name,
      );
    expect(own('mx.x.test', [refused])).toEqual(['mailbox:main:own_domain']);
    expect(own('mx.x.test', [accepted])).toEqual([]);
    expect(own('mx.x.test', [], ['esmtpsa:mx.x.test'])).toEqual([]);
    expect([own('mx.google.com'), own(null)]).toEqual([[], []]);
  });

  it('is warned of before the gateway first reads the mailbox', () => {
    expect(firstConnectCheck(main(null))).toMatchObject([
      { ok: true, cure: expect.stringContaining('start the gateway') },
    ]);
    expect(firstConnectCheck({ ...gateway({}, { first_connect: 'all' }).mailboxes[0], id: 'main' })).toEqual([]);
  });

  it('speaks of a border without a name, and not of one whose name is none', () => {
    expect(proofCheck(main('(unnamed)'), security(), [])).toMatchObject([
      { message: 'a border without a name is believed' },
    ]);
    expect(proofCheck(main('dkim=none'), security(), [refused])).toEqual([]);
  });

  it('fails where the border that is named proves nobody', () => {
    expect(failing(proofCheck(main('mx.x.test'), security(), [refused]))).toHaveLength(1);
    expect(failing(proofCheck(main('mx.x.test'), security(), [refused, accepted]))).toEqual([]);
    expect(failing(proofCheck(main('mx.x.test'), security(), [{ ...refused, mailbox: 'other' }]))).toEqual([]);
  });
});

describe('borders', () => {
  const at = (authserv_id: string | null, trusted_received: string[], ofImap: object = {}) =>
    trustedChecks(gateway({}, { authserv_id, ...ofImap }), security({ gateway_auth: { trusted_received } }));

  it('fail whose name can be none, with the place and what to write there', () => {
    const relays = { smtp_listener: { trusted_relays: [{ ip: '192.0.2.5', authserv_id: 'spf=pass' }] } };
    expect(borderNameChecks(gateway(relays, { authserv_id: 'dkim=none' }))).toMatchObject([
      {
        name: 'mailbox:main:border',
        ok: false,
        cure: expect.stringContaining('"(unnamed)"'),
        problem: { file: 'configs/gateway.json', key: 'mailboxes.0.imap.authserv_id' },
      },
      { name: 'relay:192.0.2.5:border', ok: false, problem: { key: 'smtp_listener.trusted_relays.0.authserv_id' } },
    ]);
    for (const name of ['mx.x.test', '(unnamed)', null]) {
      expect(borderNameChecks(gateway({}, { authserv_id: name }))).toEqual([]);
    }
  });

  it.each(['*', '*.test', 'imap.*', 'imap.*.test', '*x.test', '10.*', '*.y.test', '*.prod.outlook.com'])(
    'L1: fail that trust %s, which servers of others fit',
    (pattern) => {
      const [found] = at('mx.x.test', ['imap.x.test', pattern, '*.in.x.test']);
      expect(found).toMatchObject({ name: 'trusted_received', ok: false });
      expect([found?.message, found?.cure]).toEqual([
        expect.stringContaining(`${pattern} in trusted_received`),
        expect.stringContaining('*.x.test'),
      ]);
    },
  );

  it('L1: are fine with servers in full, of their own domain, of inner addresses, and as their provider names them', () => {
    expect(at('mx.x.test', ['mail.y.test', '*.x.test', 'in.*.X.test', '2002:*', 'esmtpsa:mx.y.test'])).toEqual([]);
    expect(at('mx.google.com', ['2002:*', 'mx.google.com', '*.google.com'])).toEqual([]);
    const microsoft = { host: 'outlook.office365.com' };
    expect(at('(unnamed)', ['*.prod.outlook.com', '*.outlook.office365.com'], microsoft)).toEqual([]);
    expect(at('(unnamed)', ['*.outlook.com'], microsoft)).toHaveLength(1);
    expect(at('mx.one.co.uk', ['*.co.uk'])).toHaveLength(1);
    expect(at(null, ['*.x.test'])).toEqual([]);
  });
});

describe('grants', () => {
  const extensions = (state = 'loaded') => ({
    tools: { all: () => [{ name: 'send_email' }] },
    all: [
      { kind: 'tool', name: 'off', state: 'disabled' },
      { kind: 'mcp', name: 'crm', state },
    ],
  });
  const check = (tools: object, state?: string) =>
    // Only names and states are looked at.
    failing(grantChecks(extensions(state) as never, [persona('agent@x.test', { tools })]));

  it('fail that name a tool which there is not, with the nearest that there is', () => {
    expect(check({ allow: ['send_mail', 'send_email', 'mail:read', '*', 'off'] })).toMatchObject([
      { name: 'grants:ada', cure: 'change it to send_email (tools.allow in personas/ada/persona.json)' },
    ]);
    expect(check({ allow: ['*'], deny: ['nothing_like_it'] })).toMatchObject([
      { cure: expect.stringContaining('take it out (tools.deny') },
    ]);
  });

  it('are not judged while a server that may have the tool does not answer', () => {
    expect(check({ allow: ['crm_find'] }, 'error')).toEqual([]);
  });
});

describe('files', () => {
  it('fail: data of a persona that is gone, and an .env that others can read', () => {
    const root = mkdtempSync(join(tmpdir(), 'epistle-doctor-'));
    try {
      for (const folder of ['data/personas/adele', 'data/personas/ada', 'configs'])
        mkdirSync(join(root, folder), { recursive: true });
      expect(failing(orphanChecks(join(root, 'data'), ['ada']))).toMatchObject([{ name: 'orphaned:adele' }]);
      expect(orphanChecks(join(root, 'nowhere'), [])).toEqual([]);

      const modes = () => fileChecks(root, '24.0.0').filter(({ name }) => name === 'env_mode');
      expect(modes()).toEqual([]);
      writeFileSync(join(root, '.env'), 'KEY=x\n');
      chmodSync(join(root, '.env'), 0o644);
      expect(modes()).toMatchObject([{ ok: false, cure: `chmod 600 ${join(root, '.env')}` }]);
      chmodSync(join(root, '.env'), 0o600);
      expect(modes()).toMatchObject([{ ok: true }]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
