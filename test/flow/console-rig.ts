import { request } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { eventually } from './eventually.ts';
import { ADA, openOffice } from './governance-rig.ts';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  /** As they go over the wire, beside those that a browser of this page would send. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly form?: Readonly<Record<string, string>>;
}

export type Browser = ReturnType<typeof browserAt>;

/**
 * Who asks as a browser does: with the headers that one cannot be made to leave out, and one cookie. `fetch` of Node would
 * not let a test say another Host.
 */
export function browserAt(origin: string, had = '') {
  const { hostname, port, host } = new URL(origin);
  let cookie = had === '' ? undefined : `epistle_${port}=${had.slice(had.indexOf('=') + 1)}`;
  /** What a browser has that asked for a mail. */
  let asked: string | undefined;
  let formToken = '';

  function send(path: string, { method = 'GET', headers = {}, form }: Sent = {}): Promise<Answered> {
    const body = form === undefined ? '' : new URLSearchParams(form).toString();
    const usual = {
      host,
      ...(cookie === undefined && asked === undefined
        ? {}
        : { cookie: [cookie, asked].filter((one) => one !== undefined).join('; ') }),
      ...(method === 'GET'
        ? { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
        : { origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' }),
      ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    };
    const all = Object.entries({ ...usual, ...headers }).filter((one): one is [string, string] => one[1] !== undefined);
    return new Promise((resolve, reject) => {
      const asked = request(
        { hostname, port, path, method, headers: Object.fromEntries(all), agent: false },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (part: string) => {
            text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        },
      );
      asked.once('error', reject);
      asked.end(body);
    });
  }

  async function get(path: string): Promise<Answered> {
    const found = await send(path);
    formToken = /name="form" value="([0-9a-f]{32})"/.exec(found.text)?.[1] ?? formToken;
    return found;
  }

  return {
    origin,
    send,
    get,
    cookie: () => cookie ?? '',
    formToken: () => formToken,
    /** Opens a link as it was printed, or one that was mailed and presses the button. */
    async open(link: string): Promise<Answered> {
      const { pathname, hash } = new URL(link);
      const answered = await send(pathname, { method: 'POST', form: { code: hash.slice(1) } });
      const [set] = [answered.headers['set-cookie'] ?? []].flat();
      if (set !== undefined) cookie = set.split(';')[0];
      if (answered.status === 303) await get('/');
      return answered;
    },
    /** Asks for a mail that lets somebody in. */
    async ask(address: string): Promise<Answered> {
      const answered = await send('/session/ask', { method: 'POST', form: { address } });
      const [set] = [answered.headers['set-cookie'] ?? []].flat();
      if (set !== undefined) asked = set.split(';')[0];
      return answered;
    },
    asked: () => asked ?? '',
    /** Presses a button of a page of ours. */
    press: (path: string, form: Readonly<Record<string, string>> = {}) =>
      send(path, { method: 'POST', form: { form: formToken, ...form } }),
  };
}

export type Outside = ReturnType<typeof outsideOf>;
/** A browser that opens the console at `url` under its public address, as through a web server with TLS, and keeps every cookie. */
export function outsideOf(url: string, publicOrigin: string) {
  const wire = browserAt(url);
  const cookies = new Map<string, string>();
  const headersOf = (own: object, origin: string | undefined = publicOrigin) => ({
    host: new URL(publicOrigin).host,
    cookie: cookies.size === 0 ? undefined : [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    ...(origin === undefined ? {} : { origin }),
    ...own,
  });
  const kept = <Answer extends Awaited<ReturnType<typeof wire.send>>>(answer: Answer): Answer => {
    for (const set of [answer.headers['set-cookie'] ?? []].flat()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
      if (/Max-Age=0\b/.test(set)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return {
    cookies,
    get: async (path: string, headers: object = {}) =>
      kept(await wire.send(path, { headers: headersOf({ origin: undefined, ...headers }) })),
    post: async (path: string, form: Readonly<Record<string, string>> = {}, headers: object = {}) =>
      kept(await wire.send(path, { method: 'POST', form, headers: headersOf(headers) })),
  };
}

export const CONSOLE = { enabled: true, screens: true, port: 0 };

/** What the database of the gateway holds. */
export function readDatabase(root: string, sql: string): readonly Readonly<Record<string, unknown>>[] {
  const database = new Database(join(root, 'data/gateway.db'), { readonly: true });
  try {
    return database.prepare<[], Record<string, unknown>>(sql).all();
  } finally {
    database.close();
  }
}

/** An office whose console lets owners in by mail over a server on loopback. */
export async function openMailed(
  files: Readonly<Record<string, string | object>> = {},
  changed: object = {},
  beside: readonly object[] = [],
) {
  const peer = await startSmtpPeer();
  const smtp = { host: '127.0.0.1', tls: 'none', auth: 'none', secret_env: 'NONE', user: ADA, port: peer.port };
  const office = await openConsole({
    'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes: [{ id: 'main', smtp }, ...beside] },
    'configs/system.json': {
      console: { ...CONSOLE, log_in_by_mail: true, ...changed },
      log: { level: 'debug', format: 'json', file: true },
    },
    ...files,
  });
  const linkIn = (raw: string): string =>
    /https?:\/\/\S+\/session\/mail#[0-9a-z-]+/.exec(raw.replace(/=\r\n/g, ''))?.[0] ?? '';
  const links = (): string[] => peer.mails.map(({ raw }) => linkIn(raw)).filter((link) => link !== '');
  return {
    ...office,
    peer,
    links,
    /** The newest, once so many were mailed. */
    mailed: async (count: number): Promise<string> =>
      (await eventually(links, (found) => found.length >= count)).at(count - 1) ?? '',
    async close() {
      await office.close();
      await peer.stop();
    },
  };
}

/** An office whose console is on; `link` is one of `epistle console`. */
export async function openConsole(
  files: Readonly<Record<string, string | object>> = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const office = await openOffice(
    { 'configs/system.json': { console: CONSOLE, log: { level: 'warn', format: 'json' } }, ...files },
    environment,
  );
  const url = () => office.ready().console?.url ?? '';
  const link = async (...args: string[]): Promise<string> => {
    const told = await office.cli('console', ...args);
    if (told.code !== 0) throw new Error(JSON.stringify(told));
    return told.json.console.link;
  };
  return {
    ...office,
    url,
    link,
    /** A browser in which somebody has logged in. */
    async loggedIn(...args: string[]): Promise<Browser> {
      const browser = browserAt(url());
      const { status } = await browser.open(await link(...args));
      if (status !== 303) throw new Error(`the log-in was answered with ${status}`);
      return browser;
    },
  };
}
