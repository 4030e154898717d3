import { html, raw } from 'hono/html';
import { shortDayAndTime } from '../languages/times.ts';
import { systemZone } from '../lib/schedule/zone.ts';
import type { ConsoleViewer } from '../queries/viewer.ts';
import type { Html, Screen } from './screen.ts';

/** Names of the files that pages use, with what tells one edition from another. */
export interface StaticNames {
  readonly style: string;
  readonly script: string;
  readonly htmx: string;
  /** For pages with a button for a passkey alone. */
  readonly passkeys: string;
}

/** A place of the list on the left. */
interface NavPlace extends Pick<Screen, 'name' | 'address' | 'key'> {
  readonly count: number;
}

const head = (title: string, { style, script }: StaticNames): Html => html`<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="htmx-config" content='{"includeIndicatorCSS":false,"history":false}'>
<title>${title} · Epistle</title><link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${style}"><script src="${script}" defer></script></head>`;

/** A whole page for somebody who is let in. */
export const pageOf = (page: {
  readonly title: string;
  readonly body: Html;
  readonly places: readonly NavPlace[];
  /** The address of the entry that it belongs to. */
  readonly at: string;
  readonly viewer: ConsoleViewer;
  readonly formToken: Html;
  readonly files: StaticNames;
  /** Where the box at the top looks; null: nothing searches yet. */
  readonly search: Required<Screen>['search'] | null;
  /** What had changed when it was made. */
  readonly since: string;
}): Html => html`<!doctype html>
<html lang="en">${head(page.title, page.files)}<body data-since="${page.since}" data-htmx="${page.files.htmx}">
<a class="skip" href="#main">Skip to the content</a>
<div class="frame">
<header><span class="brand">Epistle</span>
<nav aria-label="Screens"><ul>${page.places.map(
  (place) =>
    html`<li><a href="${place.address}" data-key="${place.key}" ${place.address === page.at ? raw('aria-current="page"') : ''}>${place.name}${place.count > 0 ? html` <span class="count">${place.count}<span class="unseen"> waiting</span></span>` : ''}</a></li>`,
)}</ul></nav>
<div class="who"><p><span class="unseen">Logged in as </span>${page.viewer.address} <span class="soft">${page.viewer.role}</span></p>
<form method="post" action="/session/end">${page.formToken}<button class="plain">Log out</button></form>
<p class="soft only-script"><button class="plain" type="button" data-does="live" aria-pressed="true">Live</button> <button class="plain" type="button" data-does="help">Keys</button></p></div></header>
<div class="page">${
  page.search === null
    ? ''
    : html`<form class="search" role="search" action="${page.search.address}"><label class="unseen" for="search">Search</label><input id="search" name="q" type="search" placeholder="${page.search.words}" autocomplete="off"></form>`
}
<main id="main" tabindex="-1"><h1>${page.title}</h1>${page.body}
<p class="soft foot">Times are those of ${systemZone()}.</p></main></div></div>
<div id="said" class="unseen" role="status"></div>
<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2><dl>
<dt><kbd>?</kbd></dt><dd>these keys</dd><dt><kbd>/</kbd></dt><dd>search</dd><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next and previous entry</dd>
<dt><kbd>o</kbd></dt><dd>open the entry</dd><dt><kbd>u</kbd></dt><dd>up, to the list</dd><dt><kbd>.</kbd></dt><dd>live on and off</dd>
<dt><kbd>a</kbd> <kbd>d</kbd> <kbd>e</kbd></dt><dd>on a question: approve, deny, write a reason</dd>
${page.places.map(({ key, name }) => html`<dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${name}</dd>`)}</dl>
<p><label><input type="checkbox" data-does="keys" checked> Keys of one letter are on</label></p>
<form method="dialog"><button>Close</button></form></dialog>
</body></html>`;

/** What somebody sees who is not let in: nothing of this workspace, its folder included. */
const outside = (page: {
  readonly title: string;
  readonly files: StaticNames;
  readonly said: string | null;
  readonly body: Html;
}): Html =>
  html`<!doctype html>
<html lang="en">${head(page.title, page.files)}<body class="outside">
<main id="main" tabindex="-1"><h1>Epistle</h1>
${page.said === null ? '' : html`<p class="warn" role="alert">${page.said}</p>`}
${page.body}
</main></body></html>`;

const codeForm = (to: string, does: 'log-in' | 'by-mail'): Html =>
  html`<form method="post" action="${to}" data-does="${does}"><label for="code">Code</label>
<input id="code" name="code" required autocomplete="off" autocapitalize="none" spellcheck="false" minlength="26" maxlength="60">
<button class="main">Log in</button></form>`;

/** Another way in, which is there under one address alone. */
export interface OtherWay {
  /** Whether this page is under it. */
  readonly isHere: boolean;
  readonly page: string;
}

export const logInPage = (page: {
  readonly files: StaticNames;
  readonly said: string | null;
  readonly to: string;
  /** Where a mail can be asked for that lets somebody in; null: nowhere. */
  readonly mail: OtherWay | null;
  /** Where a passkey lets somebody in; null: nowhere, or there is none. */
  readonly passkey: OtherWay | null;
  /** Where another provider lets somebody in; null: nowhere. */
  readonly oidc: OtherWay | null;
}): Html =>
  outside({
    title: 'Log in',
    ...page,
    body: html`<p>Run <code>epistle console</code> on the machine of the gateway. It prints a link that opens this page, and a code for this field.</p>
${codeForm('/session', 'log-in')}
${page.passkey === null ? '' : byPasskey(page.passkey, page.files)}
${page.oidc === null ? '' : byOidc(page.oidc)}
${page.mail === null ? '' : byMail(page.mail)}
<p class="soft">A link of that command works once, for five minutes. If you are logged in and came here by a link of another page, <a href="${page.to}">go on</a>.</p>`,
  });

const byPasskey = ({ isHere, page }: OtherWay, { passkeys }: StaticNames): Html =>
  isHere
    ? html`<form method="post" action="/session/passkey" class="only-script" data-does="passkey" data-asks="/session/passkey/ask"><input type="hidden" name="credential" value="">
<button>Log in with a passkey</button><p role="status"></p></form><script src="${passkeys}" defer></script>`
    : html`<p>To log in with a passkey, open this page as <a href="${page}">${page}</a>.</p>`;

/** A link and no form: a browser lets no form lead to another site. */
const byOidc = ({ isHere, page }: OtherWay): Html =>
  isHere
    ? html`<p><a href="/session/oidc">Log in by your provider</a></p>`
    : html`<p>To log in by your provider, open this page as <a href="${page}">${page}</a>.</p>`;

/** A browser that another site has led here sends no cookie of ours along before a page of ours goes on. */
export const cameBackPage = (files: StaticNames): Html =>
  html`<!doctype html>
<html lang="en">${head('Log in', files)}<meta http-equiv="refresh" content="0; url=/"><body class="outside">
<main id="main" tabindex="-1"><h1>Epistle</h1>
<p>You are logged in. <a href="/">Go on</a></p>
</main></body></html>`;

const byMail = ({ isHere, page }: OtherWay): Html =>
  isHere
    ? html`<p>Or have a link mailed to you, if you are an owner.</p>
<form method="post" action="/session/ask"><label for="address">Your address</label>
<input id="address" name="address" type="email" required autocomplete="email" maxlength="254">
<button>Mail me a link</button></form>`
    : html`<p>To have a link mailed to you, open this page as <a href="${page}">${page}</a>.</p>`;

/** Where somebody waits for the mail that they asked for, and where its link leads. A person presses: opening it does nothing. */
export const mailedPage = (page: { readonly files: StaticNames; readonly said: string | null }): Html =>
  outside({
    title: 'Log in by mail',
    ...page,
    body: html`<p>If the address is an owner's, a mail is on its way to it. Open its link in this browser, or type its code here, and press the button.</p>
${codeForm('/session/mail', 'by-mail')}
<p class="soft">It works once, for ten minutes, and only in the browser in which it was asked for. At most three mails leave in an hour. <a href="/session">Ask for another</a></p>`,
  });

/** What is not there, or not to be done, inside the frame. */
export const saidBody = (text: string, page?: string): Html =>
  html`<p class="card" role="alert">${text}</p>${page === undefined ? '' : html`<p><a href="${page}" data-up>Its page</a></p>`}`;

// Pieces that several screens show.

/** A time on the clock of the gateway's machine, such as `26 Nov 2026, 13:52`, with all of it for programs. */
export function timeOf(at: number | string | null): Html {
  if (at === null) return html`<span class="soft">–</span>`;
  const ms = typeof at === 'number' ? at : Date.parse(at);
  if (!Number.isFinite(ms)) return html`${at}`;
  const text = shortDayAndTime(ms, { language: 'en', zone: systemZone() });
  return html`<time datetime="${new Date(ms).toISOString()}">${text}</time>`;
}

/** `in 3 h`, `2 min ago`. */
export function awayFrom(at: number, now: number): string {
  const minutes = Math.round(Math.abs(at - now) / 60_000);
  const [count, unit] =
    minutes < 60
      ? [minutes, 'min']
      : minutes < 48 * 60
        ? [Math.round(minutes / 60), 'h']
        : [Math.round(minutes / 1440), 'days'];
  if (count === 0) return 'now';
  return at > now ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}

export const dollars = (usd: number): string => `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;

/** The same by a command, to copy. */
export const asCommand = (command: string): Html =>
  html`<p class="soft command">As a command: <code>${command}</code> <button class="plain only-script" type="button" data-copies="${command}">Copy<span class="unseen"> the command</span></button></p>`;

/** What an empty list says: what would fill it, and how. */
export const empty = (text: string | Html): Html => html`<p class="empty">${text}</p>`;
