import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { streamSSE } from 'hono/streaming';
import { EngineError, type Log } from '#contract';
import { carriesLogIns } from '../config/mailboxes/other-ids.ts';
import { ConfigError, describeProblem } from '../config/problems/problem.ts';
import type { Changes } from '../lib/changes.ts';
import { loadedAtFirstUse } from '../lib/kept-value.ts';
import { hideDisguised } from '../lib/secrets/secrets.ts';
import type { QueryPorts } from '../queries/ports.ts';
import { isOwner, portsOf, viewerOf } from '../queries/viewer.ts';
import type { GatewayDesk } from './desk.ts';
import {
  askedName,
  calledAs,
  cookieFor,
  cookieIn,
  cookieName,
  type DoorPlace,
  type DoorRefusal,
  mailedOrigin,
  oidcName,
  passkeyName,
  passkeyPlace,
  refusedOf,
} from './door/allowed.ts';
import type { OidcDoor } from './door/oidc.ts';
import type { PasskeyDoor } from './door/passkeys.ts';
import { createSessions, isFormOf, type LogInOutcome, type OpenSession } from './door/sessions.ts';
import { cameBackPage, logInPage, mailedPage, type OtherWay, pageOf, saidBody } from './frame.ts';
import { createLive } from './live.ts';
import { FILE_CHANGED } from './pieces.ts';
import type { Act, Acting, Deed, Done, Html, NotDone, Screen, ScreenLook } from './screen.ts';
import { loadStaticFiles } from './static-files.ts';

interface PeopleDeps {
  readonly ports: QueryPorts;
  readonly acting: Acting;
  readonly desk: GatewayDesk;
  /** What open pages hear of. */
  readonly changes: Changes;
  readonly log: Log;
  /** A command as it is to be typed here. */
  command(words: string): string;
  readonly screens: readonly Screen[];
  /** Somebody has asked for a mail that lets them in. */
  wakeLogIns(): void;
}

/** The part of the console that people look at. */
export interface People {
  handle(request: IncomingMessage, response: ServerResponse): void;
}

/** Nothing but what comes from here is loaded, nothing is framed, and nothing is sent elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Not `no-referrer`: with it browsers write `Origin: null` into our own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cache-control': 'no-store',
} as const;
const MAX_FORM_BYTES = 64 * 1024;

const REFUSED: Readonly<Record<DoorRefusal, { readonly status: 400 | 403 | 415 | 421; readonly said: string }>> = {
  foreign_host: { status: 421, said: 'The console has no such name; see console.public_url in configs/system.json.' },
  foreign_origin: { status: 403, said: 'This came from a page of somebody else.' },
  foreign_site: { status: 403, said: 'Another page has sent this, and the console takes nothing from there.' },
  no_upgrade: { status: 400, said: 'There is no such thing here.' },
  wrong_type: { status: 415, said: 'This is no form of the console.' },
};
const NOT_IN: Readonly<Record<Extract<LogInOutcome, { ok: false }>['why'], string>> = {
  unknown: 'Nobody is let in by this code. Look whether it is complete, or make another one.',
  used: 'This link or code was used before. Each lets somebody in once; make another one.',
  late: 'This link or code is older than five minutes. Make another one.',
  too_many: 'Too many wrong codes came from here. Try again in a minute.',
};

const NOT_IN_BY_MAIL =
  'Nobody is let in by this. A link or code of a mail works once, for ten minutes, and only in the browser in which it was asked for.';
const NOT_IN_BY_PASSKEY =
  'Nobody is let in by this passkey. It may have been taken away, or whose it is owns nothing any more, or it took longer than five minutes.';
const NOT_IN_BY_OIDC =
  'Nobody is let in by this. The provider has to say that the address is verified, it has to be an owner’s, and it all has to be done in this browser within five minutes.';
const NO_PROVIDER = 'The provider does not answer. Try again, or log in another way; the log of the gateway says more.';
const TOO_MANY_ASKED = 'Too many mails were asked for from here. Try again in a minute.';

const NOTHING_HERE = 'There is nothing at this address, or nothing that you may see.';
const NOT_YOUR_FORM = 'This form is not of your session.\n';

type Bindings = { Bindings: HttpBindings; Variables: { session: OpenSession } };
type Asking = Context<Bindings>;

export function createPeople(place: DoorPlace, deps: PeopleDeps): People {
  const { ports, log, screens } = deps;
  const { files, names } = loadStaticFiles();
  const sessions = createSessions(ports);
  const live = createLive({
    changes: deps.changes,
    clock: ports.clock,
    epoch: ports.ids.random(4),
    heed: () => ports.overviews.heed(),
  });
  const app = new Hono<Bindings>({ strict: true });

  const nameOf = (c: Asking) => {
    const called = calledAs(place, c.req.header('host'));
    if (called === null) throw new Error('a host that is not ours was let through');
    return { called, cookie: cookieName(place, called) };
  };
  // A page that stays open asks by itself: nobody sits there for that.
  const isUsed = (c: Asking) => c.req.path !== '/events' && c.req.header('x-live') === undefined;
  const findSession = (c: Asking) => sessions.find(cookieIn(c.req.header('cookie'), nameOf(c).cookie), isUsed(c));
  const outside = async (c: Asking, status: 200 | 401 | 429 | 503, said: string | null) =>
    c.html(
      logInPage({
        files: names,
        said,
        to: pathOf(c),
        mail: mailOf(c),
        passkey: await passkeyOf(c),
        oidc: oidcOf(c),
      }),
      status,
    );
  const isOwnerNow = (address: string): boolean => isOwner(viewerOf(ports.live, address, 'viewer'));
  const atPasskeys = passkeyPlace(place);
  /** Loaded at its first use; null: browsers have no passkeys for this name. */
  const passkeyDoor =
    atPasskeys === null
      ? null
      : loadedAtFirstUse(async (): Promise<PasskeyDoor> => {
          const { createPasskeys } = await import('./door/passkeys.ts');
          return createPasskeys({ ...ports, log, place: atPasskeys, isOwner: isOwnerNow });
        });
  const isAtPasskeys = (c: Asking): boolean => nameOf(c).called.origin === atPasskeys?.origin;
  /** Null also where nobody has any, so that no button leads nowhere. */
  const passkeyOf = async (c: Asking): Promise<OtherWay | null> => {
    if (atPasskeys === null || (await ports.gateway.listPasskeys()).length === 0) return null;
    return { isHere: isAtPasskeys(c), page: `${atPasskeys.origin}/session` };
  };
  const oidcOrigin = place.publicUrl === null ? null : mailedOrigin(place);
  const { oidc } = ports.live.current().system.console;
  /** Loaded at its first use; null: nobody has set one, or the console has no address to which it could lead back. */
  const oidcDoor =
    oidc === null || oidcOrigin === null
      ? null
      : loadedAtFirstUse(async (): Promise<OidcDoor> => {
          const { createOidc } = await import('./door/oidc.ts');
          const { secretOf } = ports.environment;
          const redirect = `${oidcOrigin}/session/oidc/back`;
          return createOidc({ ...ports, log, secretOf, isOwner: isOwnerNow, settings: oidc, redirect });
        });
  const oidcOf = (c: Asking): OtherWay | null =>
    oidcDoor === null ? null : { isHere: nameOf(c).called.origin === oidcOrigin, page: `${oidcOrigin}/session` };
  const passkeyLook = (c: Asking, session: OpenSession): ScreenLook['passkeys'] =>
    passkeyDoor === null || atPasskeys === null
      ? null
      : {
          origin: atPasskeys.origin,
          script: names.passkeys,
          askToMake: async () => (isAtPasskeys(c) ? (await passkeyDoor()).askToMake(session) : null),
          async made(answer, asked) {
            const device = await (await passkeyDoor()).made(answer, asked, session);
            return device && { ...device, rp_id: atPasskeys.rpId };
          },
        };
  /** Under which name of ours a link is asked for by mail; null: under none. */
  const mailedAt = () => {
    const { system, gateway } = ports.live.current();
    return system.console.log_in_by_mail && gateway.mailboxes.some(carriesLogIns) ? mailedOrigin(place) : null;
  };
  const mailOf = (c: Asking): OtherWay | null => {
    const origin = mailedAt();
    return origin === null ? null : { isHere: nameOf(c).called.origin === origin, page: `${origin}/session` };
  };
  const peerOf = (c: Asking): string => c.env.incoming.socket.remoteAddress ?? '';

  const lookOf = (c: Asking, session: OpenSession): ScreenLook => {
    const viewer = viewerOf(ports.live, session.address, session.role);
    const now = ports.clock.now();
    return {
      viewer,
      ports: portsOf(ports, viewer),
      desk: deps.desk,
      params: c.req.param(),
      query: new URL(c.req.url).searchParams,
      now,
      since: live.idNow(),
      isFresh: now < session.freshUntil,
      formToken: html`<input type="hidden" name="form" value="${session.formToken}">`,
      command: deps.command,
      passkeys: passkeyLook(c, session),
    };
  };
  const framed = async (look: ScreenLook, at: string, title: string, body: Html) => {
    const listed = screens.filter(
      ({ isFor, isListed }) => (isFor?.(look.viewer) ?? true) && (isListed?.(look) ?? true),
    );
    const places = await Promise.all(
      listed.map(async ({ name, address, key, count }) => ({ name, address, key, count: (await count?.(look)) ?? 0 })),
    );
    const mail = listed.some(({ name }) => name === 'Mail') ? { address: '/mail', words: 'Search (/)' } : null;
    const search = listed.find(({ address }) => address === at)?.search ?? mail;
    return pageOf({
      title,
      body,
      places,
      at,
      viewer: look.viewer,
      formToken: look.formToken,
      files: names,
      search,
      since: look.since,
    });
  };
  const answered = async (c: Asking, look: ScreenLook, at: string, done: Done) => {
    if ('to' in done) return c.redirect(done.to, 303);
    if ('body' in done) return c.html(await framed(look, at, done.title, done.body));
    return c.html(await framed(look, at, 'Not done', saidBody(done.refused, done.page)), done.status);
  };
  const nothing = async (c: Asking, look: ScreenLook) =>
    c.html(await framed(look, '', 'Nothing here', saidBody(NOTHING_HERE)), 404);

  app.use(async (c, next) => {
    const refused = refusedOf({ method: c.req.method, headers: c.req.header() }, calledAs(place, c.req.header('host')));
    if (refused === null) await next();
    else c.res = c.text(`${REFUSED[refused].said}\n`, REFUSED[refused].status);
    for (const [name, value] of Object.entries(HEADERS)) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  });

  app.get('/static/:name', (c) => {
    const file = files.get(c.req.path);
    if (!file) return c.text('There is nothing here.\n', 404);
    const isThis = new URL(c.req.url).search === `?${file.edition}`;
    return c.body(file.bytes, 200, {
      'content-type': file.type,
      'cache-control': isThis ? 'private, max-age=31536000, immutable' : 'no-cache',
    });
  });

  app.get('/session', (c) => outside(c, 200, null));

  app.post('/session', async (c) => {
    const form = await formIn(c);
    const { called, cookie } = nameOf(c);
    const peer = peerOf(c);
    const came = await sessions.logIn(form?.get('code') ?? '', peer, cookieIn(c.req.header('cookie'), cookie));
    if (!came.ok) {
      log.warn({ peer, why: came.why }, 'a log-in to the console was refused');
      return outside(c, came.why === 'too_many' ? 429 : 401, NOT_IN[came.why]);
    }
    log.info({ peer }, 'somebody logged in to the console');
    c.header('set-cookie', cookieFor(cookie, came.token, called, came.maxAgeS));
    return c.redirect('/', 303);
  });

  app.post('/session/ask', async (c) => {
    if (!mailOf(c)?.isHere) return c.text('There is nothing here.\n', 404);
    const form = await formIn(c);
    const { called, cookie } = nameOf(c);
    const name = askedName(cookie);
    const asked = await sessions.ask(form?.get('address') ?? '', peerOf(c), cookieIn(c.req.header('cookie'), name));
    if (asked === null) return outside(c, 429, TOO_MANY_ASKED);
    deps.acting.pass('log_in.asked');
    // The answer has left by then, so that how long it takes tells nothing of the address.
    c.env.outgoing.once('close', deps.wakeLogIns);
    c.header('set-cookie', cookieFor(name, asked.token, called, asked.maxAgeS));
    return c.redirect('/session/mail', 303);
  });

  app.get('/session/mail', (c) =>
    mailOf(c) === null ? c.text('There is nothing here.\n', 404) : c.html(mailedPage({ files: names, said: null })),
  );

  app.post('/session/mail', async (c) => {
    if (!mailOf(c)?.isHere) return c.text('There is nothing here.\n', 404);
    const form = await formIn(c);
    const { called, cookie } = nameOf(c);
    const [peer, cookies] = [peerOf(c), c.req.header('cookie')];
    const asked = cookieIn(cookies, askedName(cookie));
    const came = await sessions.logIn(form?.get('code') ?? '', peer, cookieIn(cookies, cookie), { asked });
    if (!came.ok) {
      log.warn({ peer, why: came.why }, 'a log-in to the console by mail was refused');
      const isTooMany = came.why === 'too_many';
      const said = isTooMany ? NOT_IN.too_many : NOT_IN_BY_MAIL;
      return c.html(mailedPage({ files: names, said }), isTooMany ? 429 : 401);
    }
    log.info({ peer }, 'somebody logged in to the console by mail');
    c.header('set-cookie', cookieFor(cookie, came.token, called, came.maxAgeS));
    c.header('set-cookie', cookieFor(askedName(cookie), '', called, 0), { append: true });
    return c.redirect('/', 303);
  });

  app.post('/session/passkey/ask', async (c) => {
    if (passkeyDoor === null || !isAtPasskeys(c)) return c.text('There is nothing here.\n', 404);
    const { called, cookie } = nameOf(c);
    const asked = (await passkeyDoor()).ask();
    c.header('set-cookie', cookieFor(passkeyName(cookie), asked.cookie, called, asked.maxAgeS));
    return c.json(asked.options);
  });

  app.post('/session/passkey', async (c) => {
    if (passkeyDoor === null || !isAtPasskeys(c)) return c.text('There is nothing here.\n', 404);
    const form = await formIn(c);
    const { called, cookie } = nameOf(c);
    const [peer, cookies] = [peerOf(c), c.req.header('cookie')];
    const asked = cookieIn(cookies, passkeyName(cookie));
    const begin = (await passkeyDoor()).begin(form?.get('credential') ?? '', asked);
    const came = await sessions.letIn(peer, cookieIn(cookies, cookie), begin);
    // What it was asked is over, whatever became of it.
    c.header('set-cookie', cookieFor(passkeyName(cookie), '', called, 0));
    if (!came.ok) {
      log.warn({ peer, why: came.why }, 'a log-in to the console by a passkey was refused');
      const isTooMany = came.why === 'too_many';
      return outside(c, isTooMany ? 429 : 401, isTooMany ? NOT_IN.too_many : NOT_IN_BY_PASSKEY);
    }
    log.info({ peer }, 'somebody logged in to the console by a passkey');
    c.header('set-cookie', cookieFor(cookie, came.token, called, came.maxAgeS), { append: true });
    return c.redirect('/', 303);
  });

  app.get('/session/oidc', async (c) => {
    if (oidcDoor === null || !oidcOf(c)?.isHere) return c.text('There is nothing here.\n', 404);
    // Begun by a page of ours or by hand: nobody is sent there by a link of somebody else.
    const site = c.req.header('sec-fetch-site');
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return c.redirect('/session', 303);
    const { called, cookie } = nameOf(c);
    const begun = await (await oidcDoor()).begin();
    if (begun === null) return outside(c, 503, NO_PROVIDER);
    c.header('set-cookie', cookieFor(oidcName(cookie), begun.cookie, called, begun.maxAgeS, 'Lax'));
    return c.redirect(begun.to.href, 303);
  });

  app.get('/session/oidc/back', async (c) => {
    if (oidcDoor === null || !oidcOf(c)?.isHere) return c.text('There is nothing here.\n', 404);
    const { called, cookie } = nameOf(c);
    const cookies = c.req.header('cookie');
    const begin = (await oidcDoor()).end(new URL(c.req.url).searchParams, cookieIn(cookies, oidcName(cookie)));
    const came = await sessions.letIn(peerOf(c), cookieIn(cookies, cookie), begin);
    c.header('set-cookie', cookieFor(oidcName(cookie), '', called, 0, 'Lax'));
    if (!came.ok) {
      log.warn({ peer: peerOf(c), why: came.why }, 'a log-in to the console by the provider was refused');
      const isTooMany = came.why === 'too_many';
      return outside(c, isTooMany ? 429 : 401, isTooMany ? NOT_IN.too_many : NOT_IN_BY_OIDC);
    }
    log.info({ peer: peerOf(c) }, 'somebody logged in to the console by the provider');
    c.header('set-cookie', cookieFor(cookie, came.token, called, came.maxAgeS), { append: true });
    return c.html(cameBackPage(names));
  });

  app.use(async (c, next) => {
    const session = await findSession(c);
    if (session === null) return outside(c, 401, null);
    c.set('session', session);
    return next();
  });

  app.get('/events', (c) => {
    const session = c.get('session');
    const viewer = async () => {
      const still = await findSession(c);
      return still && viewerOf(ports.live, still.address, still.role);
    };
    const lastId = c.req.header('last-event-id') ?? c.req.query('since') ?? null;
    const run = live.open({ id: session.id, viewer, lastId });
    if (run === null) return c.text('Too many pages are open.\n', 503);
    // The door ends connections that are still; this one has a heartbeat, and an end of its own.
    c.env.incoming.socket.setTimeout(0);
    return streamSSE(c, async (stream) => {
      const over = new AbortController();
      stream.onAbort(() => over.abort());
      const end = await run({ signal: over.signal, write: async (text) => void (await stream.write(text)) });
      // What lies before somebody who does not read is let go of.
      if (end === 'stuck') c.env.incoming.socket.destroy();
    });
  });

  app.post('/session/end', async (c) => {
    const session = c.get('session');
    const form = await formIn(c);
    if (!isFormOf(session, form?.get('form'))) return c.text(NOT_YOUR_FORM, 403);
    await sessions.logOut(session);
    const { called, cookie } = nameOf(c);
    c.header('set-cookie', cookieFor(cookie, '', called, 0));
    return c.redirect('/', 303);
  });

  for (const screen of screens) {
    const look = (c: Asking): ScreenLook | null => {
      const made = lookOf(c, c.get('session'));
      return (screen.isFor?.(made.viewer) ?? true) ? made : null;
    };
    for (const page of screen.pages) {
      app.get(page.address, async (c) => {
        const made = look(c);
        const opened = made && (await unlessMissing(() => page.open(made)));
        if (!made || !opened) return nothing(c, lookOf(c, c.get('session')));
        return c.html(await framed(made, screen.address, opened.title, opened.body));
      });
    }
    for (const document of screen.framed ?? []) {
      app.get(document.address, async (c) => {
        const made = look(c);
        const opened = made && (await unlessMissing(() => document.open(made)));
        if (!opened) return c.text('There is nothing here.\n', 404);
        return c.html(opened.html, 200, {
          'content-security-policy': opened.policy,
          'x-frame-options': 'SAMEORIGIN',
        });
      });
    }
    for (const act of screen.acts ?? []) {
      app.post(act.address, async (c) => {
        const form = await formIn(c);
        // The form may have been on its way for seconds, in which somebody has been put out.
        const session = await findSession(c);
        if (session === null) return outside(c, 401, null);
        c.set('session', session);
        if (form === null || !isFormOf(session, form.get('form'))) return c.text(NOT_YOUR_FORM, 403);
        const made = look(c);
        if (!made) return nothing(c, lookOf(c, session));
        return answered(
          c,
          made,
          screen.address,
          await doneBy(act, { ...made, form, acting: deps.acting, session: session.tokenSha256 }),
        );
      });
    }
  }

  app.notFound((c) => {
    const session = c.get('session');
    return session ? nothing(c, lookOf(c, session)) : c.text('There is nothing here.\n', 404);
  });
  app.onError((error, c) => {
    log.error({ error: String(error), path: c.req.path }, 'a page of the console failed');
    return c.text('This is a fault of the gateway; its log says more.\n', 500);
  });

  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return { handle: (request, response) => void listener(request, response) };
}

const mayDo = ({ needs }: Act, { viewer }: Deed): boolean =>
  viewer.role === 'owner' || (viewer.role === 'operator' && needs === 'operator');

async function doneBy(act: Act, deed: Deed): Promise<Done> {
  if (!mayDo(act, deed)) return { refused: `You are here as ${deed.viewer.role}, and may not do this.`, status: 403 };
  try {
    return await act.act(deed);
  } catch (error) {
    const refused = refusalOf(error);
    if (refused === null) throw error;
    return refused;
  }
}

/** Why nothing was done, where what an act has thrown is no fault of the gateway; null: it is one. */
function refusalOf(error: unknown): NotDone | null {
  if (!(error instanceof EngineError)) return null;
  if (error.code === 'not_found') return { refused: NOTHING_HERE, status: 404 };
  if (error.code === 'cancelled') return FILE_CHANGED;
  if (error.code === 'usage') return { refused: `It was not done: ${hideDisguised(error.message)}.`, status: 409 };
  if (error.code !== 'config_invalid') return null;
  const wrong = error instanceof ConfigError ? error.problems.map(describeProblem) : [error.message];
  return { refused: `Nothing was written: ${wrong.map(hideDisguised).join('; ')}`, status: 422 };
}

/** What is named and is not there is no fault of the gateway; nor is a part of an address that nothing is named by. */
async function unlessMissing<Result>(look: () => Promise<Result>): Promise<Result | null> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof EngineError && (error.code === 'not_found' || error.code === 'usage')) return null;
    throw error;
  }
}

/** Null where it is too long. */
async function formIn(c: Asking): Promise<URLSearchParams | null> {
  if (Number(c.req.header('content-length') ?? 0) > MAX_FORM_BYTES) return null;
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of c.req.raw.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_FORM_BYTES) return null;
  }
  return new URLSearchParams(text);
}

/** Of this console, whatever stands in the address. */
const pathOf = (c: Asking): string => {
  const { pathname, search } = new URL(c.req.url);
  if (pathname.startsWith('/session')) return '/';
  return `/${pathname.replace(/^\/+/, '')}${search}`;
};
