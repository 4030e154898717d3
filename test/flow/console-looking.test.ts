import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTokens } from '../../engine/mail/html/tokens.ts';
import { atRest } from './at-rest.ts';
import { type Browser, openConsole } from './console-rig.ts';
import { MEMBER, OWNER } from './governance-rig.ts';

const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>\'';
const BOB = 'bob@example.com';
const LISTS = ['/', '/mail', '/runs', '/personas', '/tasks', '/people', '/costs'] as const;

const hostileMail = (): string =>
  [
    `From: "${HOSTILE.replaceAll('"', '')}" <${MEMBER}>`,
    'To: ada@agents.localhost',
    `Subject: ${HOSTILE}`,
    'Message-ID: <hostile@member.example>',
    'Date: Mon, 30 Nov 2026 07:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=x',
    ...['', '--x', 'Content-Type: text/html', '', `<p>Hello</p>${HOSTILE}<iframe src="https://spy.test"></iframe>`],
    ...['--x', `Content-Type: text/plain; name="<script>alert(3)</script>.txt"`],
    ...['Content-Disposition: attachment; filename="<script>alert(3)</script>.txt"', '', HOSTILE, '--x--', ''],
  ].join('\r\n');

let office: Awaited<ReturnType<typeof openConsole>>;
let olga: Browser;
let bob: Browser;
beforeAll(async () => {
  office = await openConsole({
    'personas/ben/persona.json': {
      name: 'Ben',
      address: 'ben@agents.localhost',
      owners: [BOB],
      access: { allow: ['*@member.example'] },
    },
    'personas/ada/persona.json': {
      name: 'Ada <b>Frank</b>',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
    },
    'data/personas/ada/files/hostile.md': HOSTILE,
  });
  await office.post({ from: MEMBER, raw: hostileMail() });
  await office.ask(`/read_file ${JSON.stringify({ path: 'hostile.md' })}`, MEMBER, `Read ${HOSTILE}`);
  await office.ask(
    `/send_email ${JSON.stringify({ to: ['carl@elsewhere.example'], subject: HOSTILE, body: HOSTILE })}`,
  );
  await office.post({ from: MEMBER, to: 'ben@agents.localhost', subject: 'For Ben', text: 'Hi' } as Parameters<
    typeof office.post
  >[0]);
  await atRest(office.root);
  olga = await office.loggedIn();
  bob = await office.loggedIn('--as', BOB);
});
afterAll(() => office?.close());

const IN_FRAME = ['iframe', 'object', 'base', 'form', 'link'];
const IN_PAGE = ['img', 'iframe', 'b', 'object', 'base'];

/** Every address that pages lead to, from the lists on. */
async function crawled(browser: Browser): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  const waiting: string[] = [...LISTS];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path) || pages.size > 300) continue;
    const { status, text } = await browser.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    pages.set(path, text);
    readTokens(
      text,
      (token) => {
        const to = token.kind === 'start' ? (token.attributes.get('href') ?? token.attributes.get('src')) : undefined;
        if (to?.startsWith('/') && !to.startsWith('/static/')) waiting.push(to);
        return true;
      },
      () => false,
    );
  }
  return pages;
}

const elementsIn = (text: string) => {
  const found: { readonly name: string; readonly attributes: ReadonlyMap<string, string> }[] = [];
  readTokens(
    text,
    (token) => {
      if (token.kind === 'start') found.push(token);
      return true;
    },
    () => false,
  );
  return found;
};

describe('the screens of what is looked at', () => {
  it('lead from the lists to every mail, run and person, and each page is there', async () => {
    const pages = [...(await crawled(olga)).keys()];
    for (const kind of [
      /^\/mail\/\d+$/,
      /^\/mail\/\d+\/html$/,
      /^\/mail\/\d+\/source$/,
      /^\/runs\/ada\/[0-9a-f-]{36}$/,
      /^\/people\/.+/,
    ])
      expect(pages.filter((path) => kind.test(path)).length, String(kind)).toBeGreaterThan(0);
  });

  it('show what others wrote as text, wherever it stands', async () => {
    let shown = 0;
    for (const [path, text] of await crawled(olga)) {
      const elements = elementsIn(text);
      const scripts = elements.filter(({ name }) => name === 'script');
      expect({
        path,
        scripts: scripts.filter(({ attributes }) => !attributes.get('src')?.startsWith('/static/')),
      }).toEqual({
        path,
        scripts: [],
      });
      expect({
        path,
        found: elements
          .filter(({ name }) => (path.endsWith('/html') ? IN_FRAME : IN_PAGE).includes(name))
          .filter(
            ({ name, attributes }) => !(name === 'iframe' && /^\/mail\/\d+\/html$/.test(attributes.get('src') ?? '')),
          ),
      }).toEqual({ path, found: [] });
      const acting = elements
        .flatMap(({ attributes }) => [...attributes.keys()])
        .filter((name) => (path.endsWith('/html') ? /^on|^srcdoc$/ : /^on|^style$|^srcdoc$/).test(name));
      expect({ path, acting }).toEqual({ path, acting: [] });
      if (text.includes('&lt;script&gt;alert(1)')) shown += 1;
    }
    // The list, the mails, the runs, the sources.
    expect(shown).toBeGreaterThan(6);
  });

  it('have a mail in a frame in which nothing runs, and which fetches nothing', async () => {
    const [path] = [...(await crawled(olga)).keys()].filter((one) => /^\/mail\/\d+\/html$/.test(one));
    const { headers, text } = await olga.get(path ?? '');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
    );
    expect(headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(elementsIn(text).map(({ name }) => name)).not.toContain('script');
    expect(text).not.toContain('spy.test');
    const page = (await olga.get((path ?? '').replace('/html', ''))).text;
    expect(
      elementsIn(page)
        .find(({ name }) => name === 'iframe')
        ?.attributes.get('sandbox'),
    ).toBe('');
  });

  it('are not there for an owner of another persona, each of their addresses', async () => {
    // The form of a test mail has for each of them their own personas.
    const isOfOne = (path: string) => /^\/(?:mail|runs)\/(?!test$)|persona=/.test(path);
    const hers = [...(await crawled(olga)).keys()].filter(isOfOne);
    const his = [...(await crawled(bob)).keys()].filter(isOfOne);
    expect(hers.length).toBeGreaterThan(10);
    expect(his.length).toBeGreaterThan(2);
    for (const [browser, paths] of [
      [bob, hers],
      [olga, his],
    ] as const)
      for (const path of paths)
        expect({ path, status: (await browser.get(path)).status }).toEqual({ path, status: 404 });
    for (const page of LISTS) {
      const { text } = await bob.get(page);
      expect(text).not.toContain('Frank');
      expect(text).not.toContain('alert(1)');
    }
    // Both had mail of her: each owner reads of their own persona alone.
    const [ofBob, ofOlga] = await Promise.all(
      [bob, olga].map((one) => one.get(`/people/${encodeURIComponent(MEMBER)}`)),
    );
    expect(ofBob?.text).toContain('With Ben');
    expect(ofBob?.text).not.toContain('alert(1)');
    expect(ofOlga?.text).not.toContain('With Ben');
    expect((await bob.get(`/people/${encodeURIComponent(OWNER)}`)).status).toBe(404);
  });

  it('answer odd addresses as if there were nothing', async () => {
    for (const path of [
      ...[
        '/mail/0',
        '/mail/999999999',
        '/mail/-1',
        '/mail/1e3',
        '/mail/1%2F..',
        '/mail/%00',
        '/mail/1/html/x',
        '/mail/x/html',
      ],
      ...[
        '/runs/ada',
        '/runs/ada/x',
        '/runs/..%2Fben/x',
        '/runs/__proto__/x',
        '/people/%3Cscript%3E',
        '/people/%E0%A4%A',
        '/people/',
      ],
      ...['/mail?persona=nobody', '/runs?persona=../ada', '/costs?persona=nobody', '/people?persona=ben'],
    ]) {
      const { status, text } = await olga.get(path);
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(text).not.toContain('<script>');
    }
    for (const path of [
      ...[
        '/mail?after=x&q=%25&fate=none&since=2026-99-99&way=up',
        '/mail?q=%27%22%3E%3Cscript%3E',
        '/runs?after=%27&status=x',
      ],
      ...['/costs?from=2026-02-31&to=x', '/costs?from=2026-12-01&to=2026-01-01', '/people?after=-1&who=%5C'],
    ]) {
      const { status, text } = await olga.get(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(
        elementsIn(text)
          .filter(({ name }) => name === 'script')
          .every(({ attributes }) => attributes.has('src')),
      ).toBe(true);
    }
  });
});

describe('what a page answers', () => {
  it('what became of a mail, why, and what to do', async () => {
    const { text } = await olga.get('/mail?way=out');
    expect(text).toContain('Re: ');
    expect((await olga.get(`/mail?q=${encodeURIComponent('carl@elsewhere')}&fate=refused`)).text).toContain(
      'No mail fits.',
    );
    const asked = await olga.get('/runs?status=waiting_approval');
    expect(asked.text).toContain('waits for you');
    const [run] = /\/runs\/ada\/[0-9a-f-]{36}/.exec(asked.text) ?? [];
    const page = (await olga.get(run ?? '')).text;
    expect(page).toContain('asked owners about');
    expect(page).toContain('goes on');
    expect(page).toContain('an owner has to agree');
  });
});
