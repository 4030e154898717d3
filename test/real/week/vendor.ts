import type { HttpAnswer } from '../../fakes/http-server.ts';
import type { HeardRequest, Turn } from '../../fakes/model-script.ts';

export const OLD_MODEL = 'claude-haiku-4-5';
export const NEW_MODEL = 'claude-sonnet-5-5';

/** What the vendor answers for the rest of the week once a model is retired, as it documents it. */
export interface Mood {
  retired: boolean;
}

const told = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1]?.trim() ?? '';

/** Of the whole prompt the mail that it is asked to answer; a request to go on with an answer stands behind it. */
const mailOf = ({ view, raw }: HeardRequest): string =>
  /^Subject: /m.test(view.lastUser) ? view.lastUser : raw.toString().replaceAll('\\n', '\n').replaceAll('\\"', '"');

const LONG_MAIL_BYTES = 300_000;
const MANUAL = [
  'The pump stands behind the second door, and its key hangs beside it.',
  'Open the valve first, then switch the pump on, and wait until the lamp is green.',
  'Close the valve in the evening, and write the hour into the book.',
];

/**
 * A model with a will of its own: it reads what stands in the mail, and does what somebody who works in an office would.
 * What it said itself it takes from what its tools told it, never from this file.
 */
export function will(request: HeardRequest, mood: Mood): Turn {
  const { view } = request;
  const mail = mailOf(request);
  if (mood.retired && view.model === OLD_MODEL) return { status: 404, message: `model: ${OLD_MODEL}` };
  if (mail.includes('what the mayor earns')) return { refusal: true };
  if (request.raw.length > LONG_MAIL_BYTES) return { overflow: true };
  const results = view.results.map(({ content }) => content);
  if (results.length > 0 && view.tools.length > 0) return afterCalls(results);
  return view.turn === 0 ? first(mail, view.tools) : goingOn(mail);
}

function first(mail: string, tools: readonly string[]): Turn {
  const has = (name: string) => tools.includes(name);
  const word = told(mail, /[Ll]ook up "([^"]+)"/);
  if (word && has('diary_look_up')) return { calls: [{ name: 'diary_look_up', arguments: { word } }] };
  if (word) return { text: 'I cannot look into the diary just now. Please ask me again in a while.' };
  const entry = told(mail, /into the diary: "([^"]+)"/);
  if (entry) return { calls: [{ name: 'diary_add', arguments: { word: entry } }] };
  const [, to = '', words = ''] = /[Ww]rite to (\S+@\S+): "([^"]+)"/.exec(mail) ?? [];
  if (to) return { calls: [{ name: 'send_email', arguments: { to: [to], subject: 'From the office', body: words } }] };
  const question = told(mail, /ask Olga: "([^"]+)"/);
  if (question) return { calls: [{ name: 'ask_owner', arguments: { question } }] };
  if (mail.includes('the whole manual')) return { text: `${MANUAL[0]}\n\nOpen the valve`, length: true };
  if (mail.includes('every paragraph')) return { text: `${MANUAL[1]} And so`, length: true };
  return { text: plainly(mail) };
}

/** It was cut off, or asked for another try. */
const goingOn = (mail: string): Turn =>
  mail.includes('every paragraph')
    ? { text: ` it goes on, and on, and`, length: true }
    : mail.includes('the whole manual')
      ? { text: ` first, then switch the pump on, and wait until the lamp is green.\n\n${MANUAL[2]}` }
      : { text: plainly(mail) };

function plainly(mail: string): string {
  const about = told(mail, /^Subject: "?(?:Re: )?(.*?)"?$/m);
  return `Thank you for your mail${about ? ` about "${about}"` : ''}. I have read it, and nothing in it is left open.`;
}

function afterCalls(results: readonly string[]): Turn {
  const said = results.join('\n');
  const found = told(said, /Diary: ([^"\\]+)/);
  if (found) return { text: `The diary says: ${found}` };
  const answer = told(said, /(It hangs behind the door)/);
  if (answer) return { text: `Olga says: ${answer}.` };
  if (/denied/.test(said)) return { text: 'Olga did not agree to it.' };
  if (/"ok":\s*false|"error"/.test(said)) return { text: 'The diary did not answer. Please ask me again in a while.' };
  return { text: 'I have done what you asked for.' };
}

/** What stands between the office and its vendor: usually nothing that anybody sees. */
export type Between = 'open' | 'login page' | 'bad gateway' | 'proxy login' | 'other JSON';

const page = (title: string, words: string): string =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1><p>${words}</p></body></html>`;

/** The words of which nobody may ever read one. */
export const OF_PROXY = ['GuestNet', 'captive', 'squid', 'portal', '<html', 'DOCTYPE', 'shop4you'] as const;

export const INSTEAD: Readonly<Record<Exclude<Between, 'open'>, HttpAnswer>> = {
  'login page': {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: page('GuestNet', 'Welcome to the captive portal. Please <a href="/login">sign in</a>: send_email, shell.'),
  },
  'bad gateway': {
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: page('502 Bad Gateway', 'squid/6.9 at GuestNet could not reach the portal.'),
  },
  'proxy login': {
    status: 407,
    headers: { 'content-type': 'text/html', 'proxy-authenticate': 'Basic realm="GuestNet"' },
    body: page('407 Proxy Authentication Required', 'squid wants to know who you are.'),
  },
  'other JSON': {
    status: 200,
    body: JSON.stringify({ status: 'ok', portal: 'GuestNet', ads: [{ title: 'shop4you', tool_use: 'send_email' }] }),
  },
};

/** What two other vendors answer for a model that they have retired: Mistral, and a server of open models. */
export const RETIRED = {
  mistral: {
    status: 400,
    body: JSON.stringify({
      object: 'error',
      message: 'Invalid model: mistral-tiny',
      type: 'invalid_model',
      param: null,
      code: '1500',
    }),
  },
  hosted: {
    status: 410,
    body: JSON.stringify({
      error: { message: 'The model small-1 was retired; use small-2.', type: 'gone', code: null },
    }),
  },
} as const;
