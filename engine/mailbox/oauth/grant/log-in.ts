import { once } from 'node:events';
import { createServer } from 'node:http';
import { z } from 'zod';
import { EngineError } from '#contract';
import type { Clock } from '../../../lib/clock.ts';
import { type Credentials, provenBy, type TokenAnswer } from '../ask.ts';
import { clientAs, type Endpoints, type LoginFlow, type OAuthClient } from '../client.ts';
import { type JudgedRefusal, judgeRefusal, noRefreshToken, type TokenRefusal } from '../refusal.ts';
import { type TryLock, withLock } from '../tokens/lock.ts';
import type { Registered } from '../tokens/registered.ts';
import type { TokenFile } from '../tokens/token-file.ts';
import { firstTokens, grantedSchema, type Tokens } from '../tokens/tokens.ts';
import { type Begun, beginBrowser, beginDevice, isOpen } from './begin.ts';
import type { PendingLogin } from './pending.ts';

/** What a person chooses of a login, and hears of it. */
export interface HowToLogIn {
  /** Null: the provider's usual. */
  readonly flow: LoginFlow | null;
  /** The address that a browser ended on, as a person pasted it. */
  readonly returned: string | null;
  /** Lines that a person pastes meanwhile. */
  readonly pasted: AsyncIterable<string> | null;
  /** How long the person is waited for; 0: the login is begun, or looked after once. */
  readonly waitMs: number;
  /** What the person has to do now. `isResumed`: it was begun before. */
  onBegun(pending: PendingLogin, isResumed: boolean): void;
}

export interface LogInOptions extends HowToLogIn {
  readonly client: OAuthClient;
  /** For the command that a failure names. */
  readonly mailbox: string | null;
  readonly file: TokenFile;
  readonly tryLock: TryLock;
  readonly clientSecret: string | undefined;
  ask(url: string, form: Readonly<Record<string, string>> | null, credentials?: Credentials): Promise<TokenAnswer>;
  /** Finds where the login happens, and the client for it; null: the settings say both. */
  readonly register: ((redirectUri: string) => Promise<Registering>) | null;
  readonly clock: Clock;
  random(bytes: number): string;
}

export type Registering =
  | { readonly ok: true; readonly registered: Registered }
  | { readonly ok: false; readonly judged: JudgedRefusal };

export type LoggedIn =
  | { readonly state: 'granted'; readonly tokens: Tokens }
  | { readonly state: 'pending'; readonly pending: PendingLogin }
  | { readonly state: 'failed'; readonly judged: JudgedRefusal };

/**
 * One login of a person, begun or gone on with: it is on disk as soon as it is begun, so that a Ctrl-C costs nothing. The
 * tokens are on disk when it returns.
 */
export async function logIn(options: LogInOptions): Promise<LoggedIn> {
  const { file, clock, flow } = options;
  const before = file.pending();
  const isResumed = isOpen(before, flow, clock.now());
  const chosen = isResumed ? before.flow : (flow ?? options.client.flow);
  const browser = chosen === 'browser' ? createBrowser(options) : null;
  try {
    await browser?.open(isResumed && before.flow === 'browser' ? Number(new URL(before.redirect_uri).port) : null);
    const port = browser?.port() ?? 0;
    const isSame = isResumed && (before.flow === 'device' || Number(new URL(before.redirect_uri).port) === port);
    const begun: Begun = isSame ? { ok: true, pending: before } : await begin(options, chosen, port);
    if (!begun.ok) return failed(file, begun.judged);
    const { pending } = begun;
    file.keepPending(pending);
    options.onBegun(pending, isSame);
    const ended =
      pending.flow === 'device'
        ? await untilEntered(options, pending, isSame)
        : await (browser?.untilReturned(pending) ?? null);
    if (ended === null || ended.state === 'waiting') return { state: 'pending', pending };
    if (ended.state === 'failed') return failed(file, ended.judged);
    await withLock(options, file.lockPath, async () => file.write(ended.tokens));
    file.keepPending(null);
    return ended;
  } finally {
    await browser?.close();
  }
}

function failed(file: TokenFile, judged: JudgedRefusal): LoggedIn {
  // What the network broke off can be gone on with.
  if (judged.until === 'person') file.keepPending(null);
  return { state: 'failed', judged };
}

async function begin(options: LogInOptions, flow: LoginFlow, port: number): Promise<Begun> {
  const { mailbox, ask, clock, register } = options;
  const { host, path } = options.client.redirect;
  const redirectUri = `http://${host}:${port}${path}`;
  const registering = await register?.(redirectUri);
  if (registering?.ok === false) return registering;
  const registered = registering?.registered ?? null;
  const { client, clientSecret } = withRegistered(options, registered);
  const found = await discover(client, ask);
  const now = clock.now();
  if (!found.ok) {
    const asked = { client, mailbox, during: 'authorization', grantedAt: null, endsAt: null, now } as const;
    return { ok: false, judged: judgeRefusal(found.refusal, asked) };
  }
  const beginning = { client, mailbox, endpoints: found.endpoints, clientSecret, ask, now };
  if (flow === 'device') return beginDevice(beginning);
  return beginBrowser(beginning, { redirectUri, registered, random: options.random });
}

/** The secret that was given at the registration, or that of the settings. */
const withRegistered = ({ client, clientSecret }: LogInOptions, registered: Registered | null) =>
  registered === null
    ? { client, clientSecret }
    : { client: clientAs(client, registered), clientSecret: registered.client_secret ?? clientSecret };

const endingOf = (options: LogInOptions, registered: Registered | null = null): Ending => ({
  mailbox: options.mailbox,
  ask: options.ask,
  now: options.clock.now,
  ...withRegistered(options, registered),
});

async function untilEntered(
  options: LogInOptions,
  pending: Extract<PendingLogin, { flow: 'device' }>,
  isResumed: boolean,
): Promise<Ended | null> {
  const { clock, waitMs } = options;
  const until = Math.min(clock.now() + waitMs, pending.ends_at);
  let intervalMs = pending.interval_ms;
  for (let isFirst = true; ; isFirst = false) {
    // A code that was just given has not been entered by anybody.
    if (!isFirst || isResumed) {
      const ended = await askForDevice(endingOf(options), { ...pending, interval_ms: intervalMs });
      if (ended.state !== 'waiting') return ended;
      ({ intervalMs } = ended);
    }
    if (clock.now() + intervalMs > until) return null;
    await clock.sleep(intervalMs);
  }
}

/** Waits for the browser to come back to this machine, or for the address that it ended on to be pasted. */
function createBrowser(options: LogInOptions) {
  const { client, waitMs, returned, pasted, clock } = options;
  const came: { door: ReturnDoor | null; pending: Extract<PendingLogin, { flow: 'browser' }> | null } = {
    door: null,
    pending: null,
  };
  const arrived = Promise.withResolvers<Returned>();
  const onReturn = (written: string): boolean => {
    const found = came.pending && returnedIn(written, came.pending);
    if (found) arrived.resolve(found);
    return found !== null;
  };
  return {
    /** `before`: the port of a login that is gone on with; one that is taken begins the login anew. */
    async open(before: number | null) {
      const wanted = before ?? client.redirect.port;
      came.door = await openReturnDoor(wanted, onReturn).catch((error: unknown) => {
        if (wanted !== 0 && wanted === client.redirect.port) {
          const message = `port ${wanted}, to which the browser is sent back, is taken; change oauth.redirect_port`;
          throw new EngineError('port_in_use', message, { cause: error });
        }
        return openReturnDoor(0, onReturn);
      });
    },
    port: () => came.door?.port ?? 0,
    async untilReturned(pending: Extract<PendingLogin, { flow: 'browser' }>): Promise<Ended | null> {
      came.pending = pending;
      if (returned !== null && !onReturn(returned)) {
        throw new EngineError('usage', 'this address belongs to no login that was begun here; paste the whole of it');
      }
      const over = new AbortController();
      const late = clock.sleep(waitMs, over.signal).then(
        () => null,
        () => null,
      );
      void readPasted(pasted, onReturn, over.signal);
      const found = await Promise.race([arrived.promise, late]);
      over.abort();
      return found && askForBrowser(endingOf(options, pending.registered), pending, found);
    },
    close: async () => came.door?.close(),
  };
}

async function readPasted(
  lines: AsyncIterable<string> | null,
  onReturn: (line: string) => boolean,
  over: AbortSignal,
): Promise<void> {
  for await (const line of lines ?? []) if (over.aborted || onReturn(line.trim())) return;
}

/** Where a browser is sent back to after a login: this machine alone can reach it. */
interface ReturnDoor {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Listens on loopback. `onReturn` is told the path and query of each request, and says whether it is the login that is
 * waited for. Throws EADDRINUSE where something else has the port.
 */
async function openReturnDoor(port: number, onReturn: (path: string) => boolean): Promise<ReturnDoor> {
  const server = createServer((request, response) => {
    const isOurs = request.method === 'GET' && onReturn(request.url ?? '/');
    const [status, words] = isOurs
      ? [200, 'The login has come back. This page can be closed.']
      : [404, 'This is not the login that is waited for.'];
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${words}\n`);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const metadata = z.object({
  issuer: z.string(),
  token_endpoint: z.string(),
  authorization_endpoint: z.string().optional(),
  device_authorization_endpoint: z.string().optional(),
});

type Discovered =
  | { readonly ok: true; readonly endpoints: Endpoints & { readonly token: string } }
  | { readonly ok: false; readonly refusal: TokenRefusal };

/**
 * The endpoints of a client: those that are known or set, else those that its issuer publishes (OpenID Connect
 * Discovery, RFC 8414). An answer in another's name, or one that leads out of TLS, counts for nothing.
 */
async function discover(
  { endpoints, issuer }: OAuthClient,
  ask: (url: string, form: null) => Promise<TokenAnswer>,
): Promise<Discovered> {
  if (endpoints.token !== null) return { ok: true, endpoints: { ...endpoints, token: endpoints.token } };
  if (issuer === null) return { ok: false, refusal: { status: 404, error: null, description: 'no issuer' } };
  let last: TokenRefusal = { status: 404, error: null, description: '' };
  for (const url of placesOf(issuer)) {
    const answer = await ask(url, null);
    const found = answer.ok ? metadata.safeParse(answer.body).data : undefined;
    if (found && isOf(issuer, found)) {
      const { token_endpoint: token, authorization_endpoint, device_authorization_endpoint } = found;
      return {
        ok: true,
        endpoints: {
          token,
          authorization: endpoints.authorization ?? authorization_endpoint ?? null,
          device: endpoints.device ?? device_authorization_endpoint ?? null,
        },
      };
    }
    if (!answer.ok) last = answer.refusal;
  }
  return { ok: false, refusal: last };
}

/** RFC 8414 section 3 puts its word before the path of the issuer, OpenID Connect behind it. */
function placesOf(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

function isOf(issuer: string, found: z.infer<typeof metadata>): boolean {
  const isSame = found.issuer.replace(/\/$/, '') === issuer.replace(/\/$/, '');
  const urls = [found.token_endpoint, found.authorization_endpoint, found.device_authorization_endpoint];
  return isSame && urls.every((url) => url === undefined || isGuarded(url, issuer));
}

/** Over TLS; in the clear where the issuer itself is on this machine. */
const isGuarded = (url: string, issuer: string): boolean =>
  url.startsWith('https:') || (issuer.startsWith('http:') && URL.parse(url)?.hostname === new URL(issuer).hostname);

interface Ending {
  readonly client: OAuthClient;
  readonly mailbox: string | null;
  readonly clientSecret: string | undefined;
  ask(url: string, form: Readonly<Record<string, string>>, credentials?: Credentials): Promise<TokenAnswer>;
  now(): number;
}

type Ended =
  | { readonly state: 'granted'; readonly tokens: Tokens }
  /** Nobody has entered the code yet; asked again sooner, the provider would be annoyed. */
  | { readonly state: 'waiting'; readonly intervalMs: number }
  | { readonly state: 'failed'; readonly judged: JudgedRefusal };

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
/** RFC 8628 section 3.5. */
const SLOWER_MS = 5000;

/** Asks once whether the code has been entered. */
async function askForDevice(ending: Ending, pending: Extract<PendingLogin, { flow: 'device' }>): Promise<Ended> {
  const proof = provenBy(ending);
  const form = { grant_type: DEVICE_GRANT, device_code: pending.device_code, ...proof.form };
  const answer = await ending.ask(pending.token_endpoint, form, proof.credentials);
  if (answer.ok) return ended(ending, pending, answer.body);
  const { error } = answer.refusal;
  if (error === 'authorization_pending') return { state: 'waiting', intervalMs: pending.interval_ms };
  if (error === 'slow_down') return { state: 'waiting', intervalMs: pending.interval_ms + SLOWER_MS };
  const judged = judgeRefusal(answer.refusal, asked(ending, 'device_code'));
  // The answer was lost, or the provider is away for a moment: the code is still good.
  if (judged.until === 'time') return { state: 'waiting', intervalMs: pending.interval_ms + SLOWER_MS };
  return { state: 'failed', judged };
}

/** What the address that a browser was sent back to says; null: it belongs to no login of ours. */
type Returned =
  | { readonly ok: true; readonly code: string }
  | { readonly ok: false; readonly error: string; readonly description: string };

/** Pure. `written`: the whole address, or its query. Whoever does not know `state` was not sent by us (RFC 6749 10.12). */
function returnedIn(written: string, pending: Extract<PendingLogin, { flow: 'browser' }>): Returned | null {
  const url = URL.parse(written, pending.redirect_uri);
  if (!url || url.searchParams.get('state') !== pending.state) return null;
  const issuer = url.searchParams.get('iss');
  if (issuer === null && pending.registered?.says_issuer) return null;
  if (issuer !== null && pending.issuer !== null && withoutSlash(issuer) !== withoutSlash(pending.issuer)) return null;
  const error = url.searchParams.get('error');
  if (error !== null) return { ok: false, error, description: url.searchParams.get('error_description') ?? '' };
  const code = url.searchParams.get('code');
  return code === null ? null : { ok: true, code };
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');

/** Gives back the code that the browser brought, for tokens. */
async function askForBrowser(
  ending: Ending,
  pending: Extract<PendingLogin, { flow: 'browser' }>,
  returned: Returned,
): Promise<Ended> {
  if (!returned.ok) {
    const refusal = { status: 400, error: returned.error, description: returned.description };
    return { state: 'failed', judged: judgeRefusal(refusal, asked(ending, 'authorization')) };
  }
  const proof = provenBy(ending);
  const form = {
    grant_type: 'authorization_code',
    code: returned.code,
    redirect_uri: pending.redirect_uri,
    code_verifier: pending.verifier,
    ...proof.form,
  };
  const answer = await ending.ask(pending.token_endpoint, form, proof.credentials);
  if (answer.ok) return ended(ending, pending, answer.body);
  return { state: 'failed', judged: judgeRefusal(answer.refusal, asked(ending, 'code')) };
}

const asked = ({ client, mailbox, now }: Ending, during: 'device_code' | 'authorization' | 'code') =>
  ({ client, mailbox, during, grantedAt: null, endsAt: null, now: now() }) as const;

function ended(ending: Ending, pending: PendingLogin, body: Readonly<Record<string, unknown>>): Ended {
  const { client, now } = ending;
  const granted = grantedSchema.safeParse(body).data;
  if (!granted) {
    const nonsense = { status: 200, error: null, description: '' };
    return { state: 'failed', judged: judgeRefusal(nonsense, asked(ending, 'code')) };
  }
  const account = { user: client.user, provider: client.name, client_id: client.clientId };
  const registered = pending.flow === 'browser' ? pending.registered : null;
  const tokens = firstTokens(granted, { account, token_endpoint: pending.token_endpoint, registered, now: now() });
  if (tokens) return { state: 'granted', tokens };
  return { state: 'failed', judged: { fault: noRefreshToken(client), until: 'person' } };
}
