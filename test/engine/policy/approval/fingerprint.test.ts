import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { extensionsSchema } from '../../../../engine/config/extension-schemas.ts';
import { loadExtensions } from '../../../../engine/extensions/loading/load.ts';
import type { RegisteredTool } from '../../../../engine/extensions/types.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { fingerprintBefore, fingerprintOf, isFingerprintOf } from '../../../../engine/policy/approval/fingerprint.ts';

/** Of the tools of the build before, with their settings as shipped: by these its open questions know them. */
const BEFORE: Readonly<Record<string, string>> = {
  answer_invitation: 'e8b7097182b6745267e9f48cb979a0ef4274085bdb74834007be3b575c3e4b6f',
  ask_owner: '36fdab4f488d061090ca06b86b5c566e44c30259a2d394610a5a2bc5a8d7cf40',
  attach: 'ad72d8fd962a93b19e573b7a3cc01b6aba3d4d685825e2e5515096c3d875cf12',
  calculate: 'e317496152f636ffbb6377c3728e775597277e6616cd6e65dc066727bb4bcbc9',
  delegate: 'f96336db3f65585b1c611dc9a564106cbdb5cb1c2d3f98086a38b957ef77a0e6',
  delete_file: '7a2c82b8050237b42f356f48304a841cde2f4242055efc60563361139e8046b5',
  edit_file: '707b1c201a0bb63659b1b0ef7c17eb05ca0d20d72bf206be48905255071f0e4f',
  find_time: 'ce677703316b684502d06e8dee7551c8673eebda8bcbd2aedda2235fceaeb736',
  forget: 'a5abe1a5e7b84b4ce1970858f95082767f3c708a4dd782fb1177dced886f3173',
  invite: 'b2b825d160519ee8048a9ba0b210ad236d9a50eb20534bf5c1b6ac649790e515',
  list_files: 'b15c33cf514836eef8ee89c13c3daae1c03f1f92528578f589f36f7d6d6d17fb',
  propose_plan: 'da4b776a4d7dec6b83127913706349832e1afc337898dcea66f239a13f23e907',
  propose_playbook: '6a3a97069e8079f50acf1ddfc03163364275a9dff03fc5822bcc2500e5ff2267',
  query_table: '8c9c7d98abc999bec29c97e9e1d084d41400f923ca5d97462cdedd33750940a9',
  read_attachment: '2876da07828224044a89e9756cbafa16eeb47b128d017d6feb347f8472157974',
  read_file: '64f677605b9934f5cc22eaa083343c8b85459cd9378144db069ba198bd917c7f',
  read_knowledge: '26966014a563f84ff9991bfd724fb644b0f29abbc61a67c9ce7f5a6a0446cd07',
  read_mail: 'f17ffc92b6879a8a055a14635bc7d0057cc191732dc1455cdb45e2ff836e02a8',
  remember: '4f14cd318624875f26298b996b3ca845cafb5bbb16c221defd8dac4c2a65939b',
  resolve_ref: '1e7561918a504e10d380be0f10453599bd9ad37b9401498b119310694c095175',
  schedule_task: '23362e572dcdcc7aa60107d57c55ecd57cb002c1f6a274fbae9c62225eef70c3',
  search_knowledge: 'c5cbc38637705b2b00a3c78e57542e2c36e94d64af973ee0f3a06832602aec45',
  search_mail: 'cb079e19b23a9ea840276af92c1cc1dfa6ea7bdc7b5276800e884948d8ad8c8d',
  send_email: 'fbb907aaab5c072565e5f4b685a6ab30b250b8ef40ce87b718c5f12f6912dbd7',
  shell: '392c42a8e6de4f4bf4f8d73d8704dfaa03fd4c869c71536c33b46a18ae1338d5',
  web_fetch: '39b2919af5b11a1d5706d362762e5e545a60967fcb8e193acb941bd56db57cb2',
  web_search: 'd7568d94e1b5ac464c0273ff9c3f242910c63d2b46540fb09a55c1acc998d0f0',
  write_file: '6631261418dcf3fecfb734c4566d49f19e784de6147d06245e8d16a6fbbcab5f',
};

const tools = new Map<string, RegisteredTool>();
beforeAll(async () => {
  const bundledDir = fileURLToPath(new URL('../../../../extensions', import.meta.url));
  const listing = extensionsSchema.parse({ tools: readdirSync(`${bundledDir}/tools`) });
  const secretOf = () => undefined;
  const loaded = await loadExtensions({ bundledDir, workspaceDir: null, listing, secretOf, log: silentLog });
  for (const tool of loaded.tools.all()) tools.set(tool.name, tool);
});

const named = (name: string): RegisteredTool => tools.get(name) as RegisteredTool;
/** The same tool as somebody else's. */
const elsewhere = (tool: RegisteredTool): RegisteredTool => ({ ...tool, source: { id: 'folders', isForeign: false } });
const described = (tool: RegisteredTool, description: string, { risk } = tool.definition): RegisteredTool => ({
  ...tool,
  definition: { description, risk, scope: tool.definition.scope, input: tool.definition.input },
});
const taking = (tool: RegisteredTool, properties: object): RegisteredTool => ({
  ...tool,
  inputSchema: { type: 'object', properties },
});

describe('a tool that came with the gateway', () => {
  it('is the one that the build before asked about, whatever its words are by now', () => {
    const before = Object.keys(BEFORE).map((name) => [name, fingerprintBefore(named(name))]);
    expect(Object.fromEntries(before)).toEqual(BEFORE);
    expect(isFingerprintOf(named('send_email'), BEFORE.send_email ?? '')).toBe(true);
  });

  it('is the one that was asked about before it took one more kind of entry', () => {
    const fields = named('delegate').inputSchema.properties as { readonly context: { items: { anyOf: object[] } } };
    const { context } = fields;
    const anyOf = context.items.anyOf.filter((one) => !JSON.stringify(one).includes('"attachment"'));
    expect(anyOf).toHaveLength(context.items.anyOf.length - 1);
    const before = taking(named('delegate'), {
      ...fields,
      context: { ...context, items: { ...context.items, anyOf } },
    });
    expect(
      isFingerprintOf(
        named('delegate'),
        fingerprintOf({ ...before, inputSchema: { ...named('delegate').inputSchema, ...before.inputSchema } }),
      ),
    ).toBe(true);
    expect(isFingerprintOf(elsewhere(named('delegate')), fingerprintOf(elsewhere(before)))).toBe(false);
  });

  it('is the same in other words', () => {
    const tool = taking(named('send_email'), {
      to: { type: 'string', description: 'One', examples: ['a'], title: 'A' },
    });
    const other = taking(described(tool, 'Something else'), { to: { type: 'string', description: 'Another' } });
    expect(fingerprintOf(other)).toBe(fingerprintOf(tool));
  });

  it.each([
    ['a parameter that is called like a word', { description: { type: 'string' } }, { title: { type: 'string' } }],
    ['another default', { to: { default: { title: 'a' } } }, { to: { default: { title: 'b' } } }],
    ['another type', { to: { type: 'string' } }, { to: { type: 'array', items: { type: 'string' } } }],
    ['another choice', { to: { enum: ['a'] } }, { to: { enum: ['b'] } }],
    ['other choices in a list', { to: { anyOf: [{ type: 'null' }] } }, { to: { anyOf: [{ type: 'string' }] } }],
  ])('is another with %s', (_what, properties, others) => {
    const tool = named('send_email');
    expect(fingerprintOf(taking(tool, others))).not.toBe(fingerprintOf(taking(tool, properties)));
  });

  it('is another with other settings, another risk or another version', () => {
    const tool = named('send_email');
    const others: readonly RegisteredTool[] = [
      { ...tool, config: { host: 'other' } },
      described(tool, tool.definition.description, { ...tool.definition, risk: 'read' }),
      { ...tool, manifest: { ...tool.manifest, version: '9.0.0' } },
    ];
    for (const other of others) expect(isFingerprintOf(other, fingerprintOf(tool))).toBe(false);
  });
});

describe('a tool of somebody else', () => {
  it('is another in other words, its own or those of a parameter', () => {
    const tool = taking(elsewhere(named('send_email')), { to: { type: 'string', description: 'Who gets it' } });
    const others = [
      described(tool, 'Something else'),
      taking(tool, { to: { type: 'string', description: 'Anybody' } }),
    ];
    for (const other of others) expect(isFingerprintOf(other, fingerprintOf(tool))).toBe(false);
    expect(fingerprintOf(tool)).toBe(fingerprintBefore(tool));
  });

  it('is not the one that came with the gateway, which it replaces', () => {
    expect(isFingerprintOf(elsewhere(named('send_email')), fingerprintOf(named('send_email')))).toBe(false);
    expect(isFingerprintOf(elsewhere(named('send_email')), BEFORE.send_email ?? '')).toBe(false);
  });
});
