import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { WebCapability, WebPage } from '#contract';
import { createWeb } from '../../../engine/tools/web/web.ts';
import webFetch from '../../../extensions/tools/web_fetch/index.ts';
import { readPage } from '../../../extensions/tools/web_fetch/page.ts';
import { errorWith, toolContext } from './context.ts';

const servers: Server[] = [];

const settled = (given: object) => {
  if (!webFetch.config) throw new Error('web_fetch has a config');
  return webFetch.config.parse(given);
};

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function site(answer: RequestListener) {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const web = createWeb({
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    isAllowed: (_, asked) => asked === port,
  });
  const url = `http://public.example:${port}/`;
  const fetch = (config: object = {}) => webFetch.run({ url }, { ...toolContext({ web }), config: settled(config) });
  return { url, port, fetch };
}

const page = (body: string | Uint8Array, given: Partial<WebPage> = {}): WebPage => ({
  url: 'https://public.example/',
  status: 200,
  contentType: 'text/html; charset=utf-8',
  body: typeof body === 'string' ? Buffer.from(body) : body,
  truncated: false,
  ...given,
});
const read = (body: string | Uint8Array, given: Partial<WebPage> = {}, offset = 0) =>
  readPage(page(body, given), createWeb(), { offset, signal: new AbortController().signal });

describe('an HTML page', () => {
  it('becomes title and readable text', async () => {
    const { url, fetch } = await site((_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          '<html><head><title>Caf&eacute;\n menu</title></head><body><h1>Today</h1><p>Soup <a href="/soup">more</a>',
        ),
    );
    expect(await fetch()).toEqual({
      url,
      status: 200,
      content_type: 'text/html',
      title: 'Café menu',
      text: 'Today\n\nSoup more [/soup]',
      total_chars: 24,
      truncated: false,
    });
  });

  const HIDDEN = [
    '<script>hidden-text</script>',
    '<style>hidden-text</style>',
    '<noscript>hidden-text</noscript>',
    '<template>hidden-text</template>',
    '<!-- hidden-text -->',
    '<svg><text>hidden-text</text></svg>',
    '<textarea hidden>hidden-text</textarea>',
    '<p hidden>hidden-text</p>',
    '<p HIDDEN="">hidden-text</p>',
    '<p style="display:none">hidden-text</p>',
    '<p style="color:red; DISPLAY : none !important">hidden-text</p>',
    '<p style="visibility: hidden">hidden-text</p>',
    '<p style="opacity:0">hidden-text</p>',
    '<p style="opacity: 0.0">hidden-text</p>',
    '<p style="font-size:0">hidden-text</p>',
    '<p style="font-size: 1px">hidden-text</p>',
    '<p style="position:absolute;left:-9999px">hidden-text</p>',
    '<p style="text-indent:-10000px">hidden-text</p>',
    '<p style="max-height:0">hidden-text</p>',
    '<p style="height:0;overflow:hidden">hidden-text</p>',
    '<div style="display:none"><b><i>hidden-text</i></b></div>',
  ];

  it('loses what a reader would not see', async () => {
    const numbered = HIDDEN.map((html, n) => `before-${n} ${html.replace('hidden-text', `hidden-${n}`)} after-${n} `);
    for (const html of [`<html><body>${numbered.join('')}</body></html>`, numbered.join('')]) {
      const { text } = await read(html);
      expect(text.match(/hidden-\d+/g)).toBeNull();
      expect(text.match(/(before|after)-\d+/g)?.length).toBe(2 * HIDDEN.length);
    }
  });

  it('keeps what only looks hidden', async () => {
    const html =
      '<td style="font-size:0px"><div style="font-size:13px">sized</div></td><p style="font-size:10px">small</p>' +
      '<p style="font-size:1em">normal</p><p style="opacity:0.9">faded</p><p style="height:0">tall</p>';
    expect((await read(html)).text.split(/\s+/)).toEqual(['sized', 'small', 'normal', 'faded', 'tall']);
  });

  it('keeps the body of a page that leaves out end tags', async () => {
    expect(await read('<html><head><title>T</title><body><p>one<p>two')).toMatchObject({
      title: 'T',
      text: 'one\n\ntwo',
    });
  });

  it('loses characters that only a machine reads', async () => {
    const tags = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    expect((await read(`vis\u200bible${tags}\u202e\u0007 text`)).text).toBe('visible text');
  });

  it('that nests without end does not stop the process', async () => {
    expect((await read(`${'<div>'.repeat(20_000)}deep`)).truncated).toBe(false);
  });

  it('that was made to be slow is read in part, and can be given up, while everything else goes on', async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 10);
    const slow = `<p>first${'<b>'.repeat(250_000)}${'</i>'.repeat(200_000)}last`;
    expect(await read(slow)).toMatchObject({ text: 'first', truncated: true });
    const stop = new AbortController();
    const reading = readPage(page(slow), createWeb(), { offset: 0, signal: stop.signal });
    stop.abort();
    await expect(reading).rejects.toEqual(errorWith('tool_failed', 'too complicated'));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it('is read with its style sheet, and with its tables as tables', async () => {
    const { text } = await read(
      '<style>.x{display:none}</style><p class=x>gone<table border=1><tr><th>Year<th>Sum<tr><td>2025<td>7</table>',
    );
    expect(text).toBe('| Year | Sum |\n| --- | --- |\n| 2025 | 7 |');
  });
});

describe('another kind of page', () => {
  it.each([
    'text/plain',
    'text/csv',
    'application/json',
    'application/ld+json',
    'application/atom+xml',
    'Application/XML',
  ])('is given as it is: %s', async (contentType) => {
    expect(await read('<a>{"b": 1}</a>', { contentType })).toMatchObject({ text: '<a>{"b": 1}</a>', title: null });
  });

  it.each(['image/png', 'application/octet-stream', 'video/mp4', 'multipart/mixed', ''])(
    'is refused with its type: %j',
    async (contentType) => {
      await expect(read('x', { contentType })).rejects.toEqual(
        errorWith('tool_failed', 'only text, HTML, JSON, XML and PDF'),
      );
    },
  );

  it('is read in the charset that it names, and in UTF-8 when that is unknown', async () => {
    const latin = Buffer.from('Grüße', 'latin1');
    expect((await read(latin, { contentType: 'text/plain; charset="ISO-8859-1"' })).text).toBe('Grüße');
    const html = Buffer.concat([Buffer.from('<meta charset=windows-1252><p>'), latin]);
    expect((await read(html, { contentType: 'text/html' })).text).toBe('Grüße');
    expect((await read('Grüße', { contentType: 'text/plain; charset=x-unknown' })).text).toBe('Grüße');
    expect((await read(Buffer.from([0xff, 0x41]), { contentType: 'text/plain' })).text).toBe('\ufffdA');
  });
});

describe('a PDF', () => {
  const pages = { title: 'Lease', text: 'Rent\u200b: 900', total_chars: 40, next_offset: 10, pages: '1-2 of 3' };
  const readPdf = async (given: Partial<WebPage>) => {
    const asked: unknown[] = [];
    const readDocument: WebCapability['readDocument'] = async (document) => {
      asked.push({ name: document.name, offset: document.offset });
      return pages;
    };
    const { signal } = new AbortController();
    const reader = { readHtml: createWeb().readHtml, readDocument };
    return { asked, result: await readPage(page('%PDF-1.7 ...', given), reader, { offset: 7, signal }) };
  };

  it.each([
    ['by its type', 'application/pdf; x=y'],
    ['by its bytes', 'application/octet-stream'],
    ['', 'text/plain'],
  ])('is read as a document %s', async (_, contentType) => {
    const { asked, result } = await readPdf({ contentType, url: 'https://public.example/a/lease.pdf?x' });
    expect(asked).toEqual([{ name: 'lease.pdf', offset: 7 }]);
    expect(result).toMatchObject({ title: 'Lease', text: 'Rent: 900', pages: '1-2 of 3', next_offset: 10 });
    expect(result.truncated).toBe(true);
  });

  it('that is larger than what is fetched is said to be so', async () => {
    await expect(readPdf({ truncated: true })).rejects.toEqual(errorWith('tool_failed', 'larger than max_bytes'));
  });
});

describe('the limits of web_fetch', () => {
  it('an error status is a failure, not a page', async () => {
    const { fetch } = await site((_, response) => response.writeHead(503, { 'content-type': 'text/html' }).end('busy'));
    await expect(fetch()).rejects.toEqual(errorWith('tool_failed', 'status 503'));
  });

  it('a long text is cut, with its true length', async () => {
    const result = await read('x'.repeat(30_000), { contentType: 'text/plain' });
    expect(result).toMatchObject({ total_chars: 30_000, truncated: true });
    expect(result.text.length).toBe(15_000);
  });

  it('a long text leads on, and together its stretches are all of it', async () => {
    const whole = Array.from({ length: 4000 }, (_, n) => `line ${n}`).join('\n');
    const stretches: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const stretch: Awaited<ReturnType<typeof readPage>> = await read(whole, { contentType: 'text/plain' }, offset);
      expect(stretch.truncated).toBe(stretch.next_offset !== undefined);
      stretches.push(stretch.text);
      offset = stretch.next_offset;
    }
    expect(stretches).toHaveLength(3);
    expect(stretches.join('')).toBe(whole);
  });

  it('what was cut on the way is marked', async () => {
    const { fetch } = await site((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(5000)),
    );
    expect(await fetch({ max_bytes: 1000 })).toMatchObject({ total_chars: 1000, truncated: true });
  });

  it('hosts of the own network are fetched only when the owner lists them', async () => {
    const { port } = await site((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('wiki'));
    const url = `http://127.0.0.1:${port}/`;
    const strict = (config: object) =>
      webFetch.run({ url }, { ...toolContext({ web: createWeb() }), config: settled(config) });
    await expect(strict({})).rejects.toEqual(errorWith('tool_failed', 'allow_hosts'));
    expect(await strict({ allow_hosts: ['127.0.0.1'] })).toMatchObject({ text: 'wiki' });
  });

  it('names the host as its target', async () => {
    const target = async (url: string) =>
      (await webFetch.effects?.({ url }, { ...toolContext(), config: settled({}) }))?.targets;
    expect(await target('https://Public.example/a?b')).toEqual(['public.example']);
    expect(await target('nonsense')).toEqual(['nonsense']);
  });
});
