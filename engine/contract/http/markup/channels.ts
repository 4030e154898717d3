import type { ToolSpec } from '../../provider.ts';
import { parseValue } from './values.ts';
import { ownName, type WrittenCall } from './written-call.ts';

const CHANNEL = '<|channel|>';
const MESSAGE = '<|message|>';
const START = '<|start|>';
const ENDS = ['<|end|>', '<|return|>', '<|call|>', START, CHANNEL] as const;
const NAMES = ['analysis', 'commentary', 'final'] as const;

/** What is said in which channel; `none`: the text holds no channels. */
export type Channels =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly text: string; readonly calls: readonly WrittenCall[] }
  | { readonly kind: 'broken'; readonly by: 'reasoning' | 'call' };

interface Message {
  readonly channel: string;
  readonly to: string | null;
  readonly text: string;
  readonly isEnded: boolean;
}

/**
 * A text with the channels of gpt-oss (OpenAI's harmony format), or what is left of them where a server has taken the
 * special tokens out: `analysis…assistantfinal…`. The final channel is the answer.
 */
export function readChannels(text: string, tools: readonly Pick<ToolSpec, 'name'>[]): Channels {
  const whole = withTokens(text);
  const first = firstHeader(whole);
  if (first < 0) return { kind: 'none' };
  const before = whole.slice(0, first).trim();
  const messages = messagesFrom(whole, first);
  const calls = messages.filter(({ to }) => to !== null).map((message) => callOf(message, tools));
  const finals = messages.filter(({ channel, to }) => channel === 'final' && to === null);
  const last = messages.at(-1);
  if (calls.length > 0) {
    const whole = calls.flatMap((call) => (call?.arguments === undefined ? [] : [call]));
    return whole.length < calls.length ? { kind: 'broken', by: 'call' } : { kind: 'read', text: before, calls: whole };
  }
  if (finals.length > 0)
    return { kind: 'read', text: finals.map((message) => message.text.trim()).join('\n\n'), calls: [] };
  // A preamble is for whoever reads; what stands before all channels is, too, unless the first of them was cut off it.
  const said = messages.filter(({ channel }) => channel === 'commentary').map((message) => message.text.trim());
  if (last?.channel === 'analysis' && !last.isEnded) return { kind: 'broken', by: 'reasoning' };
  const words = [before, ...said].filter((each) => each !== '').join('\n\n');
  return words === '' ? { kind: 'broken', by: 'reasoning' } : { kind: 'read', text: words, calls: [] };
}

/** Only a channel's name with the mark of its message behind it is a header; the mark alone may be what a mail is about. */
function firstHeader(text: string): number {
  for (let at = text.indexOf(CHANNEL); at >= 0; at = text.indexOf(CHANNEL, at + 1)) {
    const isMentioned = /[`"'“„«]$/.test(
      text.slice(Math.max(0, at - START.length - 10), at).replace(`${START}assistant`, ''),
    );
    if (!isMentioned && isAtStart(text, at) && headerAt(text, at)) {
      const start = text.lastIndexOf(START, at);
      return start >= 0 && at - start < 80 ? start : at;
    }
  }
  return -1;
}

/** At the start of the text or of a line, behind another mark, or right behind a sentence. */
function isAtStart(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 80), at).replace(/<\|start\|>assistant[^<]{0,60}$/, '');
  return /(?:^|\n|[.!?…。:]|\|>)[ \t]{0,4}$/.test(before) && !isInFence(text, at);
}

function isInFence(text: string, at: number): boolean {
  let count = 0;
  for (let from = text.indexOf('```'); from >= 0 && from < at; from = text.indexOf('```', from + 3)) count++;
  return count % 2 === 1;
}

function headerAt(
  text: string,
  at: number,
): { readonly channel: string; readonly to: string | null; readonly end: number } | undefined {
  const from = at + CHANNEL.length;
  const end = text.indexOf(MESSAGE, from);
  if (end < 0 || end - from > 200) return undefined;
  const header = text.slice(from, end);
  const channel = NAMES.find((name) => header.trimStart().startsWith(name));
  if (channel === undefined || header.includes('\n')) return undefined;
  const before = text.slice(Math.max(0, at - 100), at);
  const to =
    /to=([\w.:-]{1,100})/.exec(header)?.[1] ?? /<\|start\|>assistant to=([\w.:-]{1,100})$/.exec(before)?.[1] ?? null;
  return { channel, to, end: end + MESSAGE.length };
}

function messagesFrom(text: string, first: number): readonly Message[] {
  const messages: Message[] = [];
  let at = text.indexOf(CHANNEL, first);
  while (at >= 0) {
    const header = headerAt(text, at);
    if (!header) break;
    const ends = ENDS.map((mark) => text.indexOf(mark, header.end)).filter((place) => place >= 0);
    const end = ends.length === 0 ? text.length : Math.min(...ends);
    messages.push({ ...header, text: text.slice(header.end, end), isEnded: end < text.length });
    at = text.indexOf(CHANNEL, end);
  }
  return messages;
}

function callOf({ to, text }: Message, tools: readonly Pick<ToolSpec, 'name'>[]): WrittenCall | undefined {
  if (to === null) return undefined;
  const name = ownName(
    to,
    tools.map((tool) => ({ ...tool, inputSchema: {} })),
  );
  return { name, arguments: text.trim() === '' ? {} : parseValue(text), raw: text };
}

const BARE = /assistant(analysis|commentary|final)(?: to=([\w.:-]{1,100}))?(?: ?(?:json|code))?/g;

/** Puts the tokens back where all of them are gone, in a text that begins with a channel's name and no blank behind it. */
function withTokens(text: string): string {
  const begun = /^\s{0,20}(analysis|commentary)(?= to=|[^\s\w]|[A-Z0-9])/.exec(text);
  if (!begun || text.includes(CHANNEL)) return withStart(text);
  const rest = text.slice(begun[0].length);
  const isMarked = begun[1] === 'commentary' || /assistant(?:final|commentary|analysis)/.test(rest);
  if (!isMarked) return text;
  const to = /^ to=([\w.:-]{1,100}?)(?: ?(?:json|code))?(?=\{)/.exec(rest);
  if (begun[1] === 'commentary' && !to && !/assistant(?:final|commentary|analysis)/.test(rest)) return text;
  const head = `${CHANNEL}${begun[1]}${to ? ` to=${to[1]}` : ''}${MESSAGE}`;
  const body = rest.slice(to?.[0].length ?? 0);
  return (
    head +
    body.replaceAll(BARE, (_, channel: string, recipient?: string) => {
      const target = recipient === undefined ? '' : ` to=${recipient.replace(/(?:json|code)$/, '')}`;
      return `<|end|>${START}assistant${CHANNEL}${channel}${target}${MESSAGE}`;
    })
  );
}

/** The first token may be lost alone: `analysis<|message|>…`. */
function withStart(text: string): string {
  const begun = text.trimStart();
  // Nothing but `<|constrain|>` stands between the two.
  if (/^(?:analysis|commentary|final)[^\n<]{0,100}(?:<\|constrain\|>[^\n<]{0,40})?<\|message\|>/.test(begun))
    return CHANNEL + begun;
  if (/^to=[\w.:-]{1,100}[^\n<]{0,40}(?:<\|constrain\|>[^\n<]{0,40})?<\|message\|>/.test(begun))
    return `${CHANNEL}commentary ${begun}`;
  if (begun.startsWith(MESSAGE)) return `${CHANNEL}final${begun}`;
  return /^assistantfinal[A-Z*#]/.test(begun) ? CHANNEL + begun.replace('assistantfinal', `final${MESSAGE}`) : text;
}
