import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { EngineError, type WebPage } from '#contract';
import { isPublicAddress } from '../../../../engine/tools/web/address.ts';
import { createWeb, type WebOptions } from '../../../../engine/tools/web/web.ts';

const LOOPBACK = [{ address: '127.0.0.1', family: 4 }];
const servers: (Server | TcpServer)[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A site that stands for the public internet: only its address and port are let through. */
async function publicSite(answer: RequestListener) {
  const heard: { url: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer((request, response) => {
    heard.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  servers.push(server);
  const port = portOf(server);
  return {
    port,
    heard,
    url: `http://public.example:${port}/`,
    isAllowed: (_: string, asked: number) => asked === port,
  };
}

const portOf = (server: Server | TcpServer) => (server.address() as AddressInfo).port;

type Asked = { url: string; allowHosts?: string[]; maxBytes?: number; signal?: AbortSignal };

const fetchWith = (options: WebOptions, asked: Asked): Promise<WebPage> =>
  createWeb({ lookup: async () => LOOPBACK, ...options }).fetch({
    allowHosts: [],
    maxBytes: 100_000,
    signal: new AbortController().signal,
    ...asked,
  });

const textOf = (page: WebPage) => Buffer.from(page.body).toString('utf8');
const failed = (words: string) =>
  expect.objectContaining({ name: 'EngineError', code: 'tool_failed', message: expect.stringContaining(words) });

describe('a page on the public internet', () => {
  it('comes back with status, type and bytes', async () => {
    const site = await publicSite((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
    );
    const page = await fetchWith(site, { url: `${site.url}a?b=c#fragment` });
    expect(page).toMatchObject({ url: `${site.url}a?b=c`, status: 200, contentType: 'text/plain', truncated: false });
    expect(textOf(page)).toBe('hello');
  });

  it('is asked for without cookies, credentials or a referer', async () => {
    const site = await publicSite((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/next', 'set-cookie': 'id=1' }).end();
      else response.end('x');
    });
    await fetchWith(site, { url: site.url });
    for (const { headers } of site.heard) {
      expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
      expect(headers.host).toBe(`public.example:${site.port}`);
    }
  });

  it('is decoded from gzip and brotli', async () => {
    const site = await publicSite((request, response) => {
      const encoding = request.url === '/br' ? 'br' : 'gzip';
      const body = encoding === 'br' ? brotliCompressSync('packed') : gzipSync('packed');
      response.writeHead(200, { 'content-encoding': encoding }).end(body);
    });
    expect(textOf(await fetchWith(site, { url: `${site.url}br` }))).toBe('packed');
    expect(textOf(await fetchWith(site, { url: `${site.url}gz` }))).toBe('packed');
  });

  it('is given with its status when that is an error', async () => {
    const site = await publicSite((_, response) => response.writeHead(404).end('gone'));
    expect((await fetchWith(site, { url: site.url })).status).toBe(404);
  });
});

describe('a URL that is not fetched at all', () => {
  const never = { lookup: () => Promise.reject(new Error('a name was looked up')) };
  const URLS: [string, string][] = [
    ['file:///etc/passwd', 'only http and https'],
    ['ftp://public.example/', 'only http and https'],
    ['gopher://127.0.0.1:25/_HELO', 'only http and https'],
    ['data:text/plain,x', 'only http and https'],
    ['javascript:alert(1)', 'only http and https'],
    ['blob:http://public.example/x', 'only http and https'],
    ['//public.example/', 'not a URL'],
    ['public.example', 'not a URL'],
    ['http://', 'not a URL'],
    ['http://[::1', 'not a URL'],
    ['http://exa mple/', 'not a URL'],
    ['http://256.256.256.256/', 'not a URL'],
    ['', 'not a URL'],
    [`http://public.example/${'a'.repeat(5000)}`, 'not a URL'],
    ['http://user:pass@public.example/', 'user name or password'],
    ['http://public.example@127.0.0.1/', 'user name or password'],
  ];
  it.each(URLS)('%s', async (url, words) => {
    await expect(fetchWith(never, { url })).rejects.toEqual(failed(words));
  });
});

describe('a host inside the network of the gateway', () => {
  const HOSTS = [
    '127.0.0.1',
    '127.0.0.1:2525',
    '127.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '0',
    '0.0.0.0',
    '10.1.2.3',
    '172.20.0.1',
    '192.168.1.1',
    '3232235777',
    '100.100.100.200',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[64:ff9b::169.254.169.254]',
    '[2002:7f00:1::]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[ff02::1]',
  ];

  it.each(HOSTS)('is refused however its address is written: %s', async (host) => {
    const lookup = () => Promise.reject(new Error('an address is not looked up'));
    await expect(fetchWith({ lookup }, { url: `http://${host}/` })).rejects.toEqual(
      failed('not on the public internet'),
    );
  });

  it.each([
    ['localhost', '127.0.0.1'],
    ['localhost.', '::1'],
    ['metadata.google.internal', '169.254.169.254'],
    ['intranet', '10.0.0.8'],
    ['router.local', '192.168.0.1'],
    ['127.0.0.1.nip.example', '127.0.0.1'],
    ['v6.example', 'fd12:3456::1'],
    ['mapped.example', '::ffff:192.168.0.1'],
  ])('is refused by the address its name has: %s', async (host, address) => {
    const lookup = async () => [{ address, family: address.includes(':') ? 6 : 4 }];
    const error = await fetchWith({ lookup }, { url: `http://${host}/` }).catch((thrown: unknown) => thrown);
    expect(error).toEqual(failed('not on the public internet'));
    if (error instanceof Error && !host.includes(address)) expect(error.message).not.toContain(address);
  });

  it('is refused when only one of its addresses is private', async () => {
    for (const answers of [
      ['93.184.216.34', '10.0.0.1'],
      ['10.0.0.1', '93.184.216.34'],
      ['2606:4700::1', '::1'],
    ]) {
      const lookup = async () => answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const asked = fetchWith({ lookup }, { url: 'http://mixed.example/' });
      await expect(asked).rejects.toEqual(failed('not on the public internet'));
    }
  });

  it('is refused when the name has no address, a wrong one, or fails', async () => {
    const url = 'http://odd.example/';
    await expect(fetchWith({ lookup: async () => [] }, { url })).rejects.toEqual(failed('has no address'));
    const garbage = async () => [{ address: 'localhost', family: 4 }];
    await expect(fetchWith({ lookup: garbage }, { url })).rejects.toEqual(failed('no usable address'));
    const broken = () => Promise.reject(new Error('ENOTFOUND'));
    await expect(fetchWith({ lookup: broken }, { url })).rejects.toEqual(failed('could not be resolved'));
  });

  it('is reached when the owner listed it, with or without its port, and nothing else is', async () => {
    const site = await publicSite((_, response) => response.end('intranet page'));
    const url = `http://Wiki.internal.:${site.port}/`;
    for (const entry of ['wiki.internal', `WIKI.internal:${site.port}`]) {
      const page = await fetchWith({ isAllowed: isPublicAddress }, { url, allowHosts: [entry] });
      expect(textOf(page)).toBe('intranet page');
    }
    for (const entry of ['internal', '*', 'wiki.internal:1', 'xwiki.internal']) {
      const asked = fetchWith({ isAllowed: isPublicAddress }, { url, allowHosts: [entry] });
      await expect(asked).rejects.toEqual(failed('not on the public internet'));
    }
  });
});

describe('a redirect', () => {
  it('is followed, relative ones too, and the final URL is told', async () => {
    const site = await publicSite((request, response) => {
      if (request.url === '/a/') response.writeHead(301, { location: '../b?c#d' }).end();
      else response.end(request.url);
    });
    const page = await fetchWith(site, { url: `${site.url}a/` });
    expect(page.url).toBe(`${site.url}b?c`);
    expect(textOf(page)).toBe('/b?c');
  });

  it('to a private host never reaches it', async () => {
    const inner = await publicSite((_, response) => response.end('the secret'));
    const targets = [
      `http://127.0.0.1:${inner.port}/`,
      `http://2130706433:${inner.port}/`,
      `//[::ffff:127.0.0.1]:${inner.port}/`,
      `http://inner.example:${inner.port}/`,
      'http://169.254.169.254/latest/meta-data/',
    ];
    for (const location of targets) {
      const site = await publicSite((_, response) => response.writeHead(302, { location }).end());
      await expect(fetchWith(site, { url: site.url })).rejects.toEqual(failed('not on the public internet'));
    }
    expect(inner.heard).toEqual([]);
  });

  it.each([
    ['file:///etc/passwd', 'only http and https'],
    ['http://me:secret@public.example/', 'user name or password'],
    ['http://[', 'not a URL'],
  ])('to %s is refused', async (location, words) => {
    const site = await publicSite((_, response) => response.writeHead(307, { location }).end());
    await expect(fetchWith(site, { url: site.url })).rejects.toEqual(failed(words));
  });

  it('is followed five times and no more', async () => {
    const site = await publicSite((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
      else response.end('arrived');
    });
    expect(textOf(await fetchWith(site, { url: `${site.url}5` }))).toBe('arrived');
    await expect(fetchWith(site, { url: `${site.url}6` })).rejects.toEqual(failed('more than 5 times'));
  });

  it('is checked again with a new look-up of the name', async () => {
    const site = await publicSite((_, response) => response.writeHead(302, { location: '/again' }).end());
    let asked = 0;
    const lookup = async () => {
      asked += 1;
      return asked === 1 ? LOOPBACK : [{ address: '10.0.0.1', family: 4 }];
    };
    const isAllowed = (address: string) => address === '127.0.0.1';
    await expect(fetchWith({ lookup, isAllowed }, { url: site.url })).rejects.toEqual(failed('not on the public'));
    expect(site.heard.length).toBe(1);
  });
});

describe('a name that answers differently the second time', () => {
  it('is connected to at the address that was checked', async () => {
    const site = await publicSite((_, response) => response.end('checked'));
    let asked = 0;
    const lookup = async () => {
      asked += 1;
      return asked === 1 ? LOOPBACK : [{ address: '127.0.0.2', family: 4 }];
    };
    expect(textOf(await fetchWith({ ...site, lookup }, { url: site.url }))).toBe('checked');
    expect(asked).toBe(1);
  });
});

describe('a body without measure', () => {
  it('is cut at the limit', async () => {
    const site = await publicSite((_, response) => response.end('x'.repeat(5000)));
    const page = await fetchWith(site, { url: site.url, maxBytes: 1000 });
    expect(page.truncated).toBe(true);
    expect(page.body.length).toBe(1000);
    expect((await fetchWith(site, { url: site.url, maxBytes: 5000 })).truncated).toBe(false);
  });

  it('is hung up on when it never ends', async () => {
    const gone = Promise.withResolvers<void>();
    const site = await publicSite((_, response) => {
      const more = () => {
        while (response.write('x'.repeat(10_000)));
      };
      response.on('drain', more).on('close', () => gone.resolve());
      more();
    });
    expect((await fetchWith(site, { url: site.url, maxBytes: 50_000 })).body.length).toBe(50_000);
    await gone.promise;
  });

  it('is hung up on when it is a compressed bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const site = await publicSite((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const page = await fetchWith(site, { url: site.url, maxBytes: 100_000 });
    expect(page.truncated).toBe(true);
    expect(page.body.length).toBe(100_000);
  });

  it('is hung up on when it is endless compressed nothing', async () => {
    const empty = gzipSync('');
    const site = await publicSite((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const more = () => {
        while (response.write(Buffer.concat(Array.from({ length: 500 }, () => empty))));
      };
      response.on('drain', more);
      more();
    });
    const page = await fetchWith(site, { url: site.url, maxBytes: 100_000 });
    expect(page.truncated).toBe(true);
    expect(page.body.length).toBe(0);
  });

  it('is an error when it is not what its encoding says', async () => {
    const site = await publicSite((request, response) =>
      response.writeHead(200, { 'content-encoding': request.url === '/zstd' ? 'zstd' : 'gzip' }).end('not packed'),
    );
    await expect(fetchWith(site, { url: site.url })).rejects.toEqual(failed('could not be read'));
    await expect(fetchWith(site, { url: `${site.url}zstd` })).rejects.toEqual(failed('not asked for'));
  });
});

describe('a server that misbehaves', () => {
  /** Bytes on a bare socket, for what an HTTP server would not send. */
  async function rawSite(bytes: string, end: boolean) {
    const server = createTcpServer((socket) => {
      socket
        .on('error', () => {})
        .resume()
        .write(bytes);
      if (end) socket.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    servers.push(server);
    return { url: `http://raw.example:${portOf(server)}/`, isAllowed: () => true };
  }

  it('sends headers without end', async () => {
    const header = `X-Filler: ${'y'.repeat(1000)}\r\n`;
    const site = await rawSite(`HTTP/1.1 200 OK\r\n${header.repeat(40)}`, false);
    await expect(fetchWith(site, { url: site.url })).rejects.toEqual(failed('headers that are too large'));
  });

  it('speaks something else', async () => {
    const site = await rawSite('220 mail.example ESMTP\r\n', true);
    await expect(fetchWith(site, { url: site.url })).rejects.toEqual(failed('could not be read'));
  });

  it('hangs up in the middle', async () => {
    const site = await rawSite('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this', true);
    await expect(fetchWith(site, { url: site.url })).rejects.toEqual(failed('before the page was complete'));
  });

  it('does not listen', async () => {
    const site = await publicSite((_, response) => response.end());
    const server = servers.pop();
    await new Promise((resolve) => server?.close(resolve));
    await expect(fetchWith(site, { url: site.url })).rejects.toEqual(failed('refuses the connection'));
  });

  it('speaks no TLS where https was asked for', async () => {
    const site = await publicSite((_, response) => response.end('plain'));
    const asked = fetchWith(site, { url: site.url.replace('http:', 'https:') });
    await expect(asked).rejects.toEqual(failed('could not be read'));
    expect(site.heard).toEqual([]);
  });
});

describe('a deadline', () => {
  const late = new EngineError('tool_timeout', 'took too long');

  it('ends a body that trickles', async () => {
    const stop = new AbortController();
    const closed = Promise.withResolvers<void>();
    const site = await publicSite((_, response) => {
      response.on('close', () => closed.resolve());
      response.write('a little');
      // The first bytes are out, so the abort meets a body being read.
      setImmediate(() => stop.abort(late));
    });
    await expect(fetchWith(site, { url: site.url, signal: stop.signal })).rejects.toBe(late);
    await closed.promise;
  });

  it('ends waiting for an answer that never begins', async () => {
    const stop = new AbortController();
    const site = await publicSite(() => stop.abort(late));
    await expect(fetchWith(site, { url: site.url, signal: stop.signal })).rejects.toBe(late);
  });

  it('ends waiting for a name', async () => {
    const stop = new AbortController();
    const lookup = () => {
      stop.abort();
      return new Promise<never>(() => {});
    };
    const asked = fetchWith({ lookup }, { url: 'http://slow.example/', signal: stop.signal });
    await expect(asked).rejects.toEqual(failed('cancelled'));
  });

  it('that has passed sends nothing', async () => {
    const site = await publicSite((_, response) => response.end('x'));
    await expect(fetchWith(site, { url: site.url, signal: AbortSignal.abort() })).rejects.toEqual(failed('cancelled'));
    expect(site.heard).toEqual([]);
  });
});
