import { EngineError } from '#contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Answer, Credentials } from '../ask.ts';
import { clientAs, type Flow, type OAuthClient } from '../client.ts';
import { type Judged, judgeRefusal } from '../refusal.ts';
import { type TryLock, withLock } from '../tokens/lock.ts';
import type { Registered } from '../tokens/registered.ts';
import type { TokenFile } from '../tokens/token-file.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { type Begun, beginBrowser, beginDevice, isOpen } from './begin.ts';
import { discover } from './discover.ts';
import { askForBrowser, askForDevice, type Ended, type Ending, type Returned, returnedIn } from './end.ts';
import type { Pending } from './pending.ts';
import { openReturnDoor, type ReturnDoor } from './return-door.ts';

/** What a person chooses of a login, and hears of it. */
export interface HowToLogIn {
  /** Null: the provider's usual. */
  readonly flow: Flow | null;
  /** The address that a browser ended on, as a person pasted it. */
  readonly returned: string | null;
  /** Lines that a person pastes meanwhile. */
  readonly pasted: AsyncIterable<string> | null;
  /** How long the person is waited for; 0: the login is begun, or looked after once. */
  readonly waitMs: number;
  /** What the person has to do now. `isResumed`: it was begun before. */
  onBegun(pending: Pending, isResumed: boolean): void;
}

export interface LogInOptions extends HowToLogIn {
  readonly client: OAuthClient;
  /** For the command that a failure names. */
  readonly mailbox: string | null;
  readonly file: TokenFile;
  readonly tryLock: TryLock;
  readonly clientSecret: string | undefined;
  ask(url: string, form: Readonly<Record<string, string>> | null, credentials?: Credentials): Promise<Answer>;
  /** Finds where the login happens, and the client for it; null: the settings say both. */
  readonly register: ((redirectUri: string) => Promise<Registering>) | null;
  readonly clock: Clock;
  random(bytes: number): string;
}

export type Registering =
  | { readonly ok: true; readonly registered: Registered }
  | { readonly ok: false; readonly judged: Judged };

export type LoggedIn =
  | { readonly state: 'granted'; readonly tokens: Tokens }
  | { readonly state: 'pending'; readonly pending: Pending }
  | { readonly state: 'failed'; readonly judged: Judged };

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

function failed(file: TokenFile, judged: Judged): LoggedIn {
  // What the network broke off can be gone on with.
  if (judged.until === 'person') file.keepPending(null);
  return { state: 'failed', judged };
}

async function begin(options: LogInOptions, flow: Flow, port: number): Promise<Begun> {
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
  ...{ mailbox: options.mailbox, ask: options.ask, now: options.clock.now },
  ...withRegistered(options, registered),
});

async function untilEntered(
  options: LogInOptions,
  pending: Extract<Pending, { flow: 'device' }>,
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
  const came: { door: ReturnDoor | null; pending: Extract<Pending, { flow: 'browser' }> | null } = {
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
    async untilReturned(pending: Extract<Pending, { flow: 'browser' }>): Promise<Ended | null> {
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
