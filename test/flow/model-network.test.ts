import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority } from '../fakes/certificates.ts';
import { type FakeModel, startFakeModel, type VendorName } from '../fakes/model-server.ts';
import { startTlsFront } from '../fakes/tls-front.ts';
import { epistleAlone } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

/** A company's model servers: a certificate of its own authority, and no way there but by its proxy. */
const HOST = 'models.company.test';
const VENDORS = { openai: 'openai', anthropic: 'anthropic', gemini: 'gemini' } as const;
const KEYS = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' };

/** What is said of a certificate of nobody known. */
const CERTIFICATE = /signed by an authority that is not known here; .*`ca_file`.*UNABLE_TO|SELF_SIGNED/;

let authority: ReturnType<typeof makeAuthority>;
let other: ReturnType<typeof makeAuthority>;
let workspace: TestWorkspace;
let proxy: { url: string; asked: string[]; stop(): Promise<void> };
const models: FakeModel[] = [];
const servers: Server[] = [];
const fronts: { stop(): void }[] = [];
const ports = new Map<string, number>();

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

/** The vendor behind TLS under the name that only the proxy can resolve. */
async function startTls(vendor: VendorName): Promise<number> {
  const model = await startFakeModel(vendor, () => ({ text: 'ready' }), { models: ['m'] });
  models.push(model);
  const front = await startTlsFront(authority.issue([HOST, 'localhost']), model.baseUrl);
  fronts.push(front);
  return front.port;
}

/** CONNECT alone: whatever asks it otherwise is refused. */
async function startProxy() {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url = '' }, client: Socket) => {
    asked.push(url);
    const [host, port] = url.split(':');
    if (host !== HOST) return void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const upstream = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(client);
      client.pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async stop() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

beforeAll(async () => {
  authority = makeAuthority();
  other = makeAuthority();
  proxy = await startProxy();
  for (const [provider, vendor] of Object.entries(VENDORS)) ports.set(provider, await startTls(vendor));
  const baseOf = (provider: string) => `https://${HOST}:${ports.get(provider)}${provider === 'openai' ? '/v1' : ''}`;
  workspace = makeWorkspace({
    'extensions/extensions.json': {
      providers: Object.keys(VENDORS).map((name) => ({ name, config: { base_url: baseOf(name) } })),
    },
  });
});
afterAll(async () => {
  await proxy.stop();
  for (const server of servers) server.close();
  for (const front of fronts) front.stop();
  await Promise.all(models.map((model) => model.stop()));
  workspace.remove();
  authority.remove();
  other.remove();
});

const ask = (environment: Readonly<Record<string, string>>, ...args: string[]) =>
  epistleAlone(workspace.root, args, { environment: { ...KEYS, ...environment } });
const trusted = () => ({ NODE_EXTRA_CA_CERTS: authority.caFile });
const proxied = () => ({ NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy.url });

describe.each(Object.keys(VENDORS))('a model server of %s in a company', (provider) => {
  it('is reached through the proxy, with the authority of the company, to list and to ask', async () => {
    const before = proxy.asked.length;
    const listed = await ask({ ...trusted(), ...proxied() }, 'providers', 'models', provider);
    expect(listed.json).toMatchObject({ ok: true, models: [{ id: 'm' }] });
    const asked = await ask({ ...trusted(), ...proxied() }, 'providers', 'test', provider, '--model', 'm');
    expect(asked.json.providers).toMatchObject([{ ok: true, text: 'ready' }]);
    expect(proxy.asked.slice(before)).toEqual([1, 2].map(() => `${HOST}:${ports.get(provider)}`));
  });

  it('is not believed without that authority, and not looked for through the proxy where NO_PROXY names it', async () => {
    const doubted = await ask(proxied(), 'providers', 'test', provider, '--model', 'm');
    expect(doubted.json.providers).toMatchObject([
      { ok: false, code: 'unavailable', message: expect.stringMatching(CERTIFICATE) },
    ]);
    const before = proxy.asked.length;
    const direct = await ask(
      { ...trusted(), ...proxied(), NO_PROXY: HOST },
      'providers',
      'test',
      provider,
      '--model',
      'm',
    );
    // Nobody but the proxy knows its name.
    expect(direct.json.providers).toMatchObject([{ ok: false, code: 'unavailable' }]);
    expect(proxy.asked.slice(before)).toEqual([]);
  });
});
