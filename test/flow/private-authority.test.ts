import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READ } from '../engine/extensions/mcp/mcp-rig.ts';
import { startAuthorizationServer } from '../fakes/authorization-server.ts';
import { makeAuthority } from '../fakes/certificates.ts';
import { startMcpServer } from '../fakes/mcp-http-server.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { startTlsFront } from '../fakes/tls-front.ts';
import { epistleAlone } from './gateway.ts';
import { ADA, MEMBER, OWNER, openOffice } from './governance-rig.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const VENDORS = ['openai', 'anthropic', 'gemini'] as const;
type Vendor = (typeof VENDORS)[number];
const KEYS = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' };
const KEY = '`ca_file` in the config of this provider in extensions/extensions.json';
const UNKNOWN = 'its certificate is signed by an authority that is not known here';

const open: (() => unknown)[] = [];
let authority: ReturnType<typeof makeAuthority>;
let other: ReturnType<typeof makeAuthority>;
let workspace: TestWorkspace;
const bases = new Map<Vendor, string>();

/** An address under which the server behind it has a certificate of the private authority. */
async function secured(server: { readonly baseUrl: string }): Promise<string> {
  const front = await startTlsFront(authority.issue(['localhost']), server.baseUrl);
  open.push(front.stop);
  return `https://localhost:${front.port}`;
}

beforeAll(async () => {
  authority = makeAuthority();
  other = makeAuthority();
  open.push(authority.remove, other.remove);
  for (const vendor of VENDORS) {
    const model: FakeModel = await startFakeModel(vendor, () => ({ text: 'ready' }), { models: ['m'] });
    open.push(model.stop);
    bases.set(vendor, `${await secured(model)}${vendor === 'openai' ? '/v1' : ''}`);
  }
  workspace = makeWorkspace({
    'certs/ca.pem': authority.ca,
    'certs/other.pem': other.ca,
    'certs/empty.pem': 'nothing',
  });
  open.push(workspace.remove);
});
afterAll(async () => {
  for (const close of open.toReversed()) await close();
});

const listed = (vendor: Vendor, caFile: string | null) => ({
  providers: [{ name: vendor, config: { base_url: bases.get(vendor), ...(caFile !== null && { ca_file: caFile }) } }],
});

/** What commands say of a vendor's model server with this file in its config; null: with none. */
async function asked(vendor: Vendor, caFile: string | null) {
  workspace.write('extensions/extensions.json', listed(vendor, caFile));
  workspace.write('configs/inference.json', { provider: vendor, model: 'm' });
  const run = (...args: string[]) => epistleAlone(workspace.root, args, { environment: KEYS });
  const [tested, models, examined] = [
    await run('providers', 'test', vendor),
    await run('providers', 'models', vendor),
    await run('doctor'),
  ];
  const check = examined.json.checks.find(({ name }: { name: string }) => name === `certificate:${vendor}`);
  return { tested: tested.json.providers[0], models: models.json, check };
}

describe.each(VENDORS)('a model server of %s whose certificate is of a private authority', (vendor) => {
  it('is refused with the cure, which names the key, by the commands that ask it and by `doctor`', async () => {
    const { tested, models, check } = await asked(vendor, null);
    expect(tested).toMatchObject({ ok: false, code: 'unavailable' });
    for (const message of [tested.message, models.error.message]) {
      expect(message).toContain(UNKNOWN);
      expect(message).toContain(KEY);
    }
    expect(check).toMatchObject({ ok: false, message: `${vendor} could not be reached: ${UNKNOWN}` });
    expect(check.cure).toContain(KEY);
  });

  it('is asked with its authority in `ca_file`, a path of the workspace', async () => {
    const { tested, models, check } = await asked(vendor, 'certs/ca.pem');
    expect(tested).toMatchObject({ ok: true, text: 'ready' });
    expect(models.models).toMatchObject([{ id: 'm' }]);
    expect(check).toMatchObject({ ok: true, message: expect.stringContaining('is believed') });
  });
});

it.each([
  ['certs/other.pem', 'its certificate is not signed by the authority that `ca_file`'],
  ['certs/missing.pem', 'cannot be read; correct its path, which is relative to the workspace'],
  ['certs/empty.pem', 'holds no certificate; put the authority into it, as PEM'],
])('a model server is not asked by a file that does not fit: %s', async (caFile, message) => {
  const { tested, check } = await asked('openai', caFile);
  expect(tested).toMatchObject({ ok: false, code: 'unavailable', message: expect.stringContaining(message) });
  expect(check).toMatchObject({ ok: false });
  expect(tested.message).toContain(check.cure);
});

it('mail waits for its owner, who hears of the key, and goes on by itself when the file is named', async () => {
  const office = await openOffice(
    {
      'certs/ca.pem': authority.ca,
      'extensions/extensions.json': listed('openai', null),
      'configs/inference.json': { provider: 'openai', model: 'm', retry: { first_retry_s: 0.5, max_retry_s: 1 } },
    },
    KEYS,
  );
  open.push(office.close);
  await office.post({ from: MEMBER, subject: 'Opening hours', text: 'When are you open?' });
  const notice = await office.arrival('notice', OWNER);
  const said = `${notice.mail.subject} ${notice.mail.text}`.replaceAll(/\s+/g, ' ');
  for (const part of [UNKNOWN, KEY]) expect(said).toContain(part);
  expect((await office.cli('status')).json.deferred).toMatchObject([{ code: 'provider_setup', whose: 'setup' }]);
  office.workspace.write('extensions/extensions.json', listed('openai', 'certs/ca.pem'));
  const reply = await office.arrival('reply', MEMBER);
  expect(reply.mail.text).toContain('ready');
}, 120_000);

it('an MCP server is listed and called with its authority in `ca_file`, and without it the key is named', async () => {
  const script = join(workspace.root, 'wiki.json');
  writeFileSync(
    script,
    JSON.stringify({ tools: [READ], calls: { 'look-up': { content: [{ type: 'text', text: 'Cats are small.' }] } } }),
  );
  const server = await startMcpServer(script, { streams: true });
  open.push(server.stop);
  const wiki = { name: 'wiki', url: `${await secured(server)}/mcp`, tools: { risk: { 'look-up': 'read' } } };
  const office = await openOffice({ 'certs/ca.pem': authority.ca, 'extensions/extensions.json': { mcp: [wiki] } });
  open.push(office.close);
  const refused = await office.cli('extensions', 'allow', 'wiki');
  expect(refused.json.error.message).toContain(UNKNOWN);
  expect(refused.json.error.message).toContain('`ca_file` of this server in extensions/extensions.json');

  office.workspace.write('extensions/extensions.json', { mcp: [{ ...wiki, ca_file: 'certs/ca.pem' }] });
  expect((await office.cli('extensions', 'allow', 'wiki')).json).toMatchObject({ server: 'wiki', pinned: 1 });
  const told = await office.cli('send', '--to', ADA, '--from', OWNER, '--subject', 'Cats', '--wait=60');
  expect(told.code).toBe(0);
  const read = await office.ask('/wiki_look_up {"word": "cat"}', OWNER);
  expect(read.json.results[0].reply.text).toContain('Cats are small');
}, 120_000);

it('a hosted MCP server is logged in to, called and renewed with its authority in `ca_file`, and without it the key is named', async () => {
  const script = join(workspace.root, 'hosted.json');
  writeFileSync(
    script,
    JSON.stringify({ tools: [READ], calls: { 'look-up': { content: [{ type: 'text', text: 'Cats are small.' }] } } }),
  );
  const as = await startAuthorizationServer();
  open.push(as.stop);
  const place = await secured({ baseUrl: as.url });
  const names = ['authorize', 'token', 'register'] as const;
  const [authorize, token, register] = names.map((name) => `${place}/${name}`);
  as.script.iss = place;
  as.script.metadata = {
    ...{ issuer: place, authorization_endpoint: authorize, token_endpoint: token, registration_endpoint: register },
  };
  const server = await startMcpServer(script, { guard: { issuer: place, isGood: as.isGood, secured: true } });
  open.push(server.stop);
  const url = `${await secured(server)}/mcp`;
  as.script.resource = url;
  const wiki = { name: 'wiki', url, auth: 'oauth', tools: { risk: { 'look-up': 'read' } } };
  const office = await openOffice({ 'certs/ca.pem': authority.ca, 'extensions/extensions.json': { mcp: [wiki] } });
  open.push(office.close);
  const refused = await office.cli('extensions', 'login', 'wiki', '--non-interactive');
  expect(JSON.stringify(refused.json)).toContain(UNKNOWN);
  expect(JSON.stringify(refused.json)).toContain('`ca_file` of this server in extensions/extensions.json');

  office.workspace.write('extensions/extensions.json', { mcp: [{ ...wiki, ca_file: 'certs/ca.pem' }] });
  const begun = await office.cli('extensions', 'login', 'wiki', '--non-interactive');
  expect(begun.json).toMatchObject({ ok: true, state: 'pending', server: 'wiki' });
  expect(begun.json.url).toContain(`${place}/authorize`);
  // The browser of the owner believes whom the owner's company believes.
  const { headers } = await fetch(begun.json.url.replace(place, as.url), { redirect: 'manual' });
  const back = headers.get('location') ?? '';
  expect((await office.cli('extensions', 'login', '--non-interactive', '--url', back)).json).toMatchObject({
    state: 'logged_in',
  });
  expect((await office.cli('extensions', 'allow', 'wiki')).json).toMatchObject({ pinned: 1 });
  as.endAccess();
  const read = await office.ask('/wiki_look_up {"word": "cat"}', OWNER);
  expect(read.json.results[0].reply.text).toContain('Cats are small');
  expect(as.renewals()).toBe(1);
}, 120_000);
