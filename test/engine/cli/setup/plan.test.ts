import { describe, expect, it } from 'vitest';
import {
  freeId,
  idOf,
  type SetupAnswers,
  secretNameOf,
  serverIn,
} from '../../../../engine/cli/commands/setup/answers.ts';
import { settingsFor } from '../../../../engine/cli/commands/setup/plan.ts';
import type { Present } from '../../../../engine/cli/commands/setup/present.ts';
import { askPersona, notFound, type SetupUnderWay } from '../../../../engine/cli/commands/setup/steps.ts';
import { changesShown, jsonLines } from '../../../../engine/cli/text/changes.ts';
import { defaultConfigs, parseConfigs } from '../../../../engine/config/load.ts';
import { personaSchema } from '../../../../engine/config/persona-schema.ts';
import { gatewaySchema, securitySchema } from '../../../../engine/config/schemas.ts';
import { settingChanges, withSetting } from '../../../../engine/config/writing/settings.ts';

const ANSWERS: SetupAnswers = {
  id: 'main',
  owner: 'olga@example.com',
  mailbox: 'agents@example.org',
  user: 'agents@example.org',
  imap: { host: 'imap.example.org', port: 993, tls: 'implicit' },
  smtp: { host: 'smtp.example.org', port: 587, tls: 'starttls' },
  caFile: null,
  oauth: null,
  filesSent: false,
  model: { provider: null, model: null, url: null },
  present: null,
  persona: { id: 'ada', name: 'Ada', address: 'agents@example.org', timezone: 'Europe/Berlin', mailbox: null },
};
const NOTHING: Present = { isNew: true, configs: defaultConfigs(), personas: [] };
const BORDER = { authservId: 'mx.example.org', trustedReceived: ['imap.example.org'] };

const file = (name: string, changes: ReturnType<typeof settingsFor>, before: object = {}) =>
  changes
    .filter((one) => one.file === name)
    .reduce((value, { path, to }) => withSetting(value, path, to), JSON.parse(JSON.stringify(before)));

describe('the files of a new workspace', () => {
  const changes = settingsFor(ANSWERS, BORDER, NOTHING);

  it('are what their schemas take, the mailbox last', () => {
    const gateway = gatewaySchema.parse(file('configs/gateway.json', changes));
    expect(gateway.mailboxes).toMatchObject([
      { id: 'main', imap: { ...ANSWERS.imap, authserv_id: 'mx.example.org' }, smtp: ANSWERS.smtp, save_sent: true },
    ]);
    expect(securitySchema.parse(file('configs/security.json', changes))).toMatchObject({
      owners: ['olga@example.com'],
      gateway_auth: { trusted_received: ['imap.example.org'] },
    });
    expect(personaSchema.parse(file('personas/ada/persona.json', changes))).toMatchObject(
      ANSWERS.persona.id ? { name: 'Ada' } : {},
    );
    expect(changes.at(-1)?.path).toEqual(['mailboxes', 'main']);
    expect(changes.map((one) => one.file)).not.toContain('configs/inference.json');
  });

  it('hold no secret', () => {
    expect(JSON.stringify(changes)).toContain('MAIN_MAILBOX_PASSWORD');
    expect(JSON.stringify(changes)).not.toMatch(/"(password|secret)":/i);
  });
});

describe('the files of a workspace that is there', () => {
  it('keep the language of an owner, who is not written down a second time', () => {
    const configs = defaultConfigs();
    const owner = { address: 'Olga@example.com', language: 'de' as const };
    const known = { ...configs, security: { ...configs.security, owners: [owner, 'bob@example.com'] } };
    const changes = settingsFor(ANSWERS, BORDER, { isNew: false, configs: known, personas: [] });
    expect(changes.filter(({ path }) => path[0] === 'owners')).toEqual([]);
    const other = settingsFor({ ...ANSWERS, owner: 'eve@example.com' }, BORDER, {
      isNew: false,
      configs: known,
      personas: [],
    });
    expect(other.find(({ path }) => path[0] === 'owners')?.to).toEqual([owner, 'bob@example.com', 'eve@example.com']);
  });

  it('keep other mailboxes, providers and servers that are trusted', () => {
    const side = { host: 'old.example.org', user: 'agents@example.org', secret_env: 'OLD' };
    const files = {
      gateway: { mailboxes: [{ id: 'other' }, { id: 'main', imap: { ...side, folder: 'Agents' }, smtp: side }] },
      security: { gateway_auth: { trusted_received: ['mx0.example.org'] } },
      extensions: { providers: ['offline', 'openai'] },
    };
    const text = (value: object) => ({ state: 'text' as const, text: JSON.stringify(value) });
    const { values } = parseConfigs(
      {
        gateway: text(files.gateway),
        security: text(files.security),
        extensions: text(files.extensions),
        inference: text({}),
        context: text({}),
        system: text({}),
      },
      '.',
    );
    const configs = { ...defaultConfigs(), ...values } as Present['configs'];
    const present: Present = { isNew: false, configs, personas: [] };
    const mailbox = configs.gateway.mailboxes.find(({ id }) => id === 'main') ?? null;
    const model = { provider: 'openai', model: 'm', url: 'http://127.0.0.1:8000/v1' };
    const changes = settingsFor(
      { ...ANSWERS, model, present: mailbox, filesSent: true, caFile: '/ca.pem' },
      BORDER,
      present,
    );
    expect(file('configs/gateway.json', changes, files.gateway).mailboxes).toEqual([
      { id: 'other' },
      {
        id: 'main',
        imap: {
          ...side,
          host: 'imap.example.org',
          folder: 'Agents',
          tls_ca_file: '/ca.pem',
          authserv_id: 'mx.example.org',
        },
        smtp: { ...side, host: 'smtp.example.org', tls_ca_file: '/ca.pem' },
      },
    ]);
    expect(file('configs/security.json', changes, files.security).gateway_auth.trusted_received).toEqual([
      'mx0.example.org',
      'imap.example.org',
    ]);
    expect(file('extensions/extensions.json', changes, files.extensions).providers).toEqual([
      'offline',
      { name: 'openai', config: { base_url: model.url } },
    ]);
    expect(file('configs/inference.json', changes)).toEqual({ provider: 'openai', model: 'm' });
  });

  it('are not told of a border that was not learned', () => {
    const changes = settingsFor(ANSWERS, { authservId: null, trustedReceived: [] }, NOTHING);
    expect(JSON.stringify(changes)).not.toMatch(/authserv_id|trusted_received/);
  });
});

describe('what is typed', () => {
  it('becomes a server, or is refused', () => {
    expect(serverIn('imap.example.com:993:implicit', 'imap')).toEqual({
      host: 'imap.example.com',
      port: 993,
      tls: 'implicit',
    });
    expect(serverIn('imap.example.com', 'imap')).toEqual({ host: 'imap.example.com', port: 993, tls: 'implicit' });
    expect(serverIn('mail.example.com', 'smtp')).toEqual({ host: 'mail.example.com', port: 587, tls: 'starttls' });
    expect(serverIn('mail.example.com:465', 'smtp')).toMatchObject({ port: 465, tls: 'implicit' });
    for (const wrong of ['a:1234', 'a:b:c', 'a:993:ssl', '', 'a b:993:implicit'])
      expect(() => serverIn(wrong, 'imap')).toThrow(/host:port:tls/);
  });

  it('becomes the name of a folder', () => {
    expect(['Ada', 'Ada Lovelace', 'Zoë', '../../etc', '艾达'].map(idOf)).toEqual([
      'ada',
      'ada-lovelace',
      'zoe',
      'etc',
      'persona',
    ]);
  });
});

describe('a persona that is asked for by flags', () => {
  const asked = (flags: Readonly<Record<string, string>>) => {
    const asking = {
      flag: (name: string) => flags[name],
      prompts: null,
      saved: () => ({}),
      keep: () => {},
      root: '/',
      present: NOTHING,
    };
    return askPersona(asking as unknown as SetupUnderWay, ANSWERS);
  };

  it.each([
    [{ timezone: 'Nowhere/Atall' }, 'timezone'],
    [{ name: 'Ada\nBcc: x' }, 'name'],
  ])('is not made where its file could not be read: %j', async (flags, words) => {
    await expect(asked(flags)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(words) });
    expect(await asked({ name: 'Ada' })).toMatchObject({ id: 'ada', address: 'agents@example.org' });
  });
});

describe('a persona in the mailbox of its own owner', () => {
  it('gets an address behind a plus sign, so that its owner’s other mail is not answered', async () => {
    const said: string[] = [];
    const asking = {
      flag: () => undefined,
      prompts: { persona: async () => 'Ada' },
      keep: () => {},
      saved: () => ({ owner: ANSWERS.mailbox.toUpperCase() }),
      say: (line: string) => said.push(line),
      root: '/',
      present: NOTHING,
    };
    const persona = await askPersona(asking as unknown as SetupUnderWay, ANSWERS);
    expect(persona).toMatchObject({ id: 'ada', address: 'agents+ada@example.org' });
    expect(said.join()).toContain('is your own address');
  });
});

describe('the name of one more mailbox', () => {
  it('is that of setup for the first one, then that of its domain, counted where it is taken', () => {
    expect(freeId('support@example.com', [])).toBe('main');
    expect(freeId('support@example.com', [{ id: 'main' }])).toBe('example');
    expect(freeId('support@example.com', [{ id: 'example' }, { id: 'example-2' }])).toBe('example-3');
    expect(freeId('support@müller.example', [{ id: 'x' }])).toBe('mu-ller');
  });

  it('names the variable of its secret', () => {
    expect(secretNameOf({ id: 'main' })).toBe('MAIN_MAILBOX_PASSWORD');
    expect(secretNameOf({ id: 'mu-ller' })).toBe('MU_LLER_MAILBOX_PASSWORD');
  });
});

describe('what is written, as it is shown', () => {
  const settings = settingsFor(ANSWERS, BORDER, NOTHING);
  const changes = settings.map((one) => ({ ...one, from: undefined, to: one.to ?? null }));

  it.each([40, 54, 74, 114])('fits into %i columns, unless a single word is longer, and is the same JSON', (width) => {
    const lines = changesShown(changes, width);
    expect(lines.filter((line) => line.length > width && line.trim().split(': ').length > 2)).toEqual([]);
    if (width > 50) expect(lines.filter((line) => line.length > width)).toEqual([]);
    for (const { to } of changes) expect(JSON.parse(jsonLines(to, width).join('\n'))).toEqual(to);
  });

  it('tells what is, and what it becomes, key by key', () => {
    const before = { domain: 'a.test', mailboxes: [{ id: 'x' }, { id: 'main', imap: { port: 1 } }] };
    const after = { domain: 'a.test', mailboxes: [{ id: 'x' }, { id: 'main', imap: { port: 2, user: 'u' } }] };
    const shown = changesShown(settingChanges('configs/gateway.json', before, after), 80);
    expect(shown).toEqual([
      'configs/gateway.json  mailboxes.main.imap.port: 1 -> 2',
      'configs/gateway.json  mailboxes.main.imap.user: "u"',
    ]);
    const [gone] = settingChanges('f', { a: 'long '.repeat(20) }, {});
    expect(changesShown(gone ? [gone] : [], 40)).toEqual([
      'f  a:',
      `  ${JSON.stringify('long '.repeat(20))}`,
      '  ->',
      '  (nothing)',
    ]);
  });

  it('keeps on one line what fits, and indents the rest', () => {
    expect(jsonLines({ a: 1 }, 60)).toEqual(['{"a":1}']);
    expect(jsonLines([{ id: 'main', imap: { host: 'h', port: 1 } }, 2], 28)).toEqual([
      '[',
      '  {',
      '    "id": "main",',
      '    "imap": {',
      '      "host": "h",',
      '      "port": 1',
      '    }',
      '  },',
      '  2',
      ']',
    ]);
    expect(jsonLines([], 1)).toEqual(['[]']);
  });
});

it('says that no servers were found before it asks for them, and nothing where one was, or none was looked for', () => {
  const one = { server: { host: 'h', port: 1, tls: 'implicit' } } as unknown as NonNullable<
    Parameters<typeof notFound>[0]
  >['imap'];
  expect(notFound({ imap: null, smtp: null }, 'a@x.test')).toContain('No servers were found for a@x.test.');
  expect([notFound({ imap: one, smtp: null }, 'a@x.test'), notFound(null, 'a@x.test')]).toEqual([null, null]);
});
