import { html } from 'hono/html';
import { visible } from '../delivery/questions/approval-text.ts';
import type { Fate } from '../queries/mail/traffic.ts';
import type { Html, ScreenLook } from './screen.ts';

// Pieces that the screens of what is looked at share.

const FATES: Readonly<Record<Fate, readonly [words: string, look: 'ok' | 'warn' | 'bad' | 'soft']>> = {
  answered: ['answered', 'ok'],
  read: ['taken in', 'soft'],
  at_work: ['at work', 'ok'],
  asks: ['waits for you', 'warn'],
  waits: ['waits', 'warn'],
  not_answered: ['not answered', 'bad'],
  refused: ['refused', 'warn'],
  unreadable: ['could not be read', 'bad'],
  again: ['came again', 'soft'],
  sent: ['sent', 'ok'],
  not_sent: ['not sent', 'bad'],
  uncertain: ['not known', 'warn'],
};

export function fatePill(fate: Fate): Html {
  const [words, look] = FATES[fate];
  return html`<span class="pill ${look}">${words}</span>`;
}

/** `3 h 46 min 39 s`, `820 ms`: the two or three largest units. */
export function tookOf(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const parts = [
    [days, 'days'],
    [hours, 'h'],
    [minutes, 'min'],
    [seconds % 60, 's'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .slice(0, 3)
    .map(([count, unit]) => `${count} ${count === 1 && unit === 'days' ? 'day' : unit}`)
    .join(' ');
}

/** The same page with other filters: what is null or empty goes. */
export function addressWith(
  address: string,
  query: URLSearchParams,
  change: Readonly<Record<string, string | null>>,
): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text === '' ? address : `${address}?${text}`;
}

/** What a filter is set to; undefined: it is not. */
export const filterOf = ({ query }: Pick<ScreenLook, 'query'>, name: string): string | undefined => {
  const value = query.get(name)?.trim();
  return value === undefined || value === '' ? undefined : value;
};

interface Choice {
  readonly value: string;
  readonly words: string;
}

/** One filter out of some. */
export const choiceOf = (
  look: ScreenLook,
  name: string,
  label: string,
  all: string,
  choices: readonly Choice[],
): Html => {
  const set = filterOf(look, name);
  return html`<label>${label} <select name="${name}"><option value="">${all}</option>${choices.map(
    ({ value, words }) =>
      value === set
        ? html`<option value="${value}" selected>${words}</option>`
        : html`<option value="${value}">${words}</option>`,
  )}</select></label>`;
};

export const textOf = (look: ScreenLook, name: string, label: string, type = 'text'): Html =>
  html`<label>${label} <input name="${name}" type="${type}" value="${filterOf(look, name) ?? ''}" autocomplete="off"></label>`;

/** The filters of a list. Their state stands in the address, so that it can be kept and handed on. */
export const filters = (address: string, fields: readonly Html[], isSet: boolean): Html =>
  html`<form class="filters" action="${address}" aria-label="Filters">${fields}<span class="deeds"><button>Show</button>${
    isSet ? html`<a href="${address}">Show all</a>` : ''
  }</span></form>`;

/** More of the persona filter than this is no list to choose from: its name is typed. */
const MOST_CHOICES = 50;

export function personaChoice(look: ScreenLook): Html {
  const ids = [...look.viewer.personas].sort();
  if (ids.length > MOST_CHOICES) return textOf(look, 'persona', 'Persona');
  const named = ids.map((id) => ({ value: id, words: nameOf(look, id) }));
  return choiceOf(look, 'persona', 'Persona', 'all', named);
}

/** Which of their personas a form is about; its id is typed where there are many. */
export function personaField(look: ScreenLook, chosen: string | undefined): Html {
  const ids = [...look.viewer.personas].sort();
  if (ids.length > MOST_CHOICES)
    return html`<label>Persona <input name="persona" value="${chosen ?? ''}" required autocomplete="off"></label>`;
  return html`<label>Persona <select name="persona" required>${ids.map(
    (id) => html`<option value="${id}" ${id === chosen ? html`selected` : ''}>${visible(nameOf(look, id))}</option>`,
  )}</select></label>`;
}

/** As people call the persona. */
export function nameOf({ ports }: Pick<ScreenLook, 'ports'>, id: string): string {
  const entry = ports.live.personas().get(id);
  return entry?.state === 'ready' ? entry.persona.name : id;
}

export const pager = (address: string, look: ScreenLook, next: string | number | null, isFirst: boolean): Html =>
  html`<nav class="pager" aria-label="Pages">${isFirst ? '' : html`<a href="${addressWith(address, look.query, { after: null })}">Newest</a>`} ${
    next === null
      ? ''
      : html`<a rel="next" href="${addressWith(address, look.query, { after: String(next) })}">Older</a>`
  }</nav>`;

/** How much of the whole, drawn; what it says stands beside it as text. */
export function bar(share: number, look: 'ok' | 'warn' | 'bad' | 'soft' = 'ok', from = 0): Html {
  const x = Math.max(0, Math.min(99.4, from * 100));
  const width = share <= 0 && from === 0 ? 0 : Math.max(0.6, Math.min(100 - x, share * 100));
  return html`<svg class="bar ${look}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="whole" width="100" height="8"/><rect class="part" x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="8"/></svg>`;
}

export const number = (count: number): string => count.toLocaleString('en-US');

export const bytesOf = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} bytes`
    : bytes < 1024 * 1024
      ? `${Math.round(bytes / 1024)} kB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** A sentence whose names of commands and keys stand between backticks; commands as they are to be typed here. */
export const withCode = (text: string, { command }: Pick<ScreenLook, 'command'>): Html =>
  html`${text.split('`').map((part, at) => {
    if (at % 2 === 0) return part;
    return html`<code>${part.startsWith('epistle ') ? command(part.slice('epistle '.length)) : part}</code>`;
  })}`;

/** A person's page. */
export const personLink = (address: string | null): Html =>
  address === null
    ? html`<span class="soft">not named</span>`
    : html`<a href="/people/${encodeURIComponent(address)}">${address}</a>`;

/** What models cost is paid by whoever owns the gateway. */
export const mayPay = ({ role, ownsGateway }: ScreenLook['viewer']): boolean => role === 'owner' && ownsGateway;

/** A task's page. */
export const taskAddress = (persona: string, task: string): string => `/tasks/${persona}/${encodeURIComponent(task)}`;

/** A button that does something, with what it needs beside the token of the form. */
export const pressOf = (
  { formToken }: Pick<ScreenLook, 'formToken'>,
  address: string,
  words: string,
  given: Readonly<Record<string, string>> = {},
): Html =>
  html`<form method="post" action="${address}" class="deeds">${formToken}${Object.entries(given).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button>${words}</button></form>`;

/** How somebody comes in anew who has to have done so a moment ago; by mail is not enough. */
export const logInAgain = ({ passkeys }: Pick<ScreenLook, 'passkeys'>): string =>
  `Make a new link (epistle console) and open it in this browser${passkeys === null ? '' : ', or log in with a passkey at /session'}.`;

/** Why somebody may not do now what takes something away; null: they may. */
export const notFresh = (look: Pick<ScreenLook, 'isFresh' | 'passkeys'>, why = 'This takes something away') =>
  look.isFresh
    ? null
    : ({
        refused: `${why}, so it needs a log-in that is less than five minutes old. ${logInAgain(look)} Then press again.`,
        status: 403,
      } as const);

export const LETS_IN = 'This decides who is let in';

export const NOT_YOUR_MONEY = {
  refused: 'What may be spent is said by the owners of the gateway (configs/security.json).',
  status: 403,
} as const;

export const FILE_CHANGED = {
  refused: 'The file was changed meanwhile, so nothing was written. Look at it again.',
  status: 409,
} as const;

export const NOT_UNDOABLE = { refused: 'This cannot be taken back any more.', status: 409 } as const;

export const NO_PERSONA = { refused: 'There is no such persona, or none that you may see.', status: 404 } as const;

export const NO_MAIL = { refused: 'There is no such mail, or none that you may see.', status: 404 } as const;

/** One address and no pattern: what stands in the address of a page was chosen by whoever wrote the link. */
export const isOneAddress = (text: string): boolean => /^[^\s@*,<>"]+@[^\s@*,<>"]+$/.test(text) && text.length <= 254;

/** Somebody was let in by a rule before which another one counts. */
export const stillRefused = (sender: string) =>
  ({ refused: `${sender} is still refused: a rule that denies them counts before.`, status: 409 }) as const;
