import type { Question } from '../answer-case.ts';
import { bodyOf, escaped, type TextStyle } from '../html.ts';
import type { Coding } from '../mime.ts';
import { type Moment, momentOf } from './dates.ts';
import type { Wording } from './wording.ts';

/** What a program knows of the mail that it answers, and of whom it works for. */
export interface Setting {
  readonly question: Question;
  readonly owner: string;
  readonly language: string;
  readonly wording: Wording;
  readonly moment: Moment;
  /** For programs that write in English whatever the language of their user. */
  readonly english: Moment;
}

/** How a program shows the mail that is answered. */
export interface Shape {
  /** A line that says who wrote when, or a block of labels. */
  readonly kind: 'attribution' | 'header';
  readonly head: readonly string[];
  /** Before each line in the text part. */
  readonly prefix: string;
  /** The same in HTML: container, head, quotation. */
  readonly open: string;
  readonly headHtml: { readonly open: string; readonly text: string; readonly close: string };
  readonly quoteOpen: string;
  readonly quoteClose: string;
  readonly close: string;
}

export interface Shaping {
  readonly kind: Shape['kind'];
  of(setting: Setting): Shape;
}

export interface Program {
  readonly id: string;
  /** Default: all. */
  readonly languages?: readonly string[];
  readonly posts: 'top' | 'bottom';
  readonly parts: 'plain' | 'alternative' | 'html';
  readonly isFlowed: boolean;
  readonly headers: readonly string[];
  /** Before the subject. */
  readonly reply: (wording: Wording) => string;
  readonly coding: (language: string) => Coding;
  /** What it writes below each mail until its user switches it off. */
  readonly footer?: (wording: Wording) => string;
  readonly footerHtml: (html: string) => string;
  readonly line: (html: string) => string;
  readonly blank: string;
  /** Its own element for a signature, and the line above it in text. */
  readonly signature?: { readonly open: string; readonly close: string; readonly mark: string };
  /** Whether it quotes the text part or makes text of the HTML. */
  readonly style: TextStyle | 'text';
  readonly width: number;
  readonly dropsSignature: boolean;
  readonly quotedHtml: (html: string) => string;
  readonly shape: Shaping;
  readonly document: (html: string) => string;
  /** What it says of the mail that it answers; default: both. */
  readonly references?: 'both' | 'answered' | 'none';
  /** A server on the way breaks longer lines of text, whatever stands before them. */
  readonly breaksAt?: number;
}

type Given = Partial<Program> & Pick<Program, 'id' | 'shape'>;

const utf8 = { charset: 'utf-8', transfer: 'quoted-printable' } as const;

/** Gmail's way with cells and links, which most of those in a browser share. */
export const WEB_TEXT: TextStyle = {
  cells: '\n',
  link: (label, href) => `${label} <${href.replaceAll('&amp;', '&')}>`,
};
export const OUTLOOK_TEXT: TextStyle = {
  cells: '\t',
  link: (label, href) => `${label}<${href.replaceAll('&amp;', '&')}>`,
};
export const BARE_TEXT: TextStyle = { cells: ' ', link: (label) => label };

/** A program like most others, but for what is given. */
export const program = (given: Given): Program => ({
  posts: 'top',
  parts: 'alternative',
  isFlowed: false,
  headers: [],
  reply: () => 'Re:',
  coding: () => utf8,
  footerHtml: (html) => `<div>${html}</div>`,
  line: (html) => `<div>${html}</div>`,
  blank: '<div><br></div>',
  style: WEB_TEXT,
  width: 0,
  dropsSignature: false,
  quotedHtml: (html) => html,
  document: (html) => `<html><head></head><body>${html}</body></html>`,
  ...given,
});

/** A charset of its own for some languages, as older programs have it. */
export const codingBy =
  (charsets: Readonly<Record<string, string>>, transfer: Coding['transfer']) =>
  (language: string): Coding => ({ charset: charsets[language] ?? 'utf-8', transfer });

interface Markup {
  readonly open?: string;
  readonly head?: readonly [string, string];
  readonly quote?: readonly [string, string];
  readonly close?: string;
  readonly prefix?: string;
}

const around = (kind: Shape['kind'], head: readonly string[], text: string, markup: Markup): Shape => ({
  kind,
  head,
  prefix: markup.prefix ?? (kind === 'header' ? '' : '> '),
  open: markup.open ?? '',
  headHtml: { open: markup.head?.[0] ?? '<div>', text, close: markup.head?.[1] ?? '</div>' },
  quoteOpen: markup.quote?.[0] ?? '',
  quoteClose: markup.quote?.[1] ?? '',
  close: markup.close ?? '',
});

/** One line above the quotation. */
export const attributed = (line: (setting: Setting) => string, markup: Markup): Shaping => ({
  kind: 'attribution',
  of(setting) {
    const text = line(setting);
    return around('attribution', text.split('\n'), escaped(text).replaceAll('\n', '<br>'), markup);
  },
});

export type Label = readonly [label: string, value: string];

/** A block of labels above the mail, perhaps with a rule above it. */
export const headed = (
  rows: (setting: Setting) => readonly Label[],
  rule: (setting: Setting) => string | null,
  markup: Markup,
): Shaping => ({
  kind: 'header',
  of(setting) {
    const line = rule(setting);
    const colon = setting.wording.labels.colon;
    const block = rows(setting);
    const text = block.map(([label, value]) => `${label}${colon}${value}`);
    const html = block.map(([label, value]) => `<b>${escaped(`${label}${colon}`)}</b>${escaped(value)}`);
    const head = [...(line === null ? [] : [line]), ...text];
    return around('header', [...head, ''], html.join('<br>'), markup);
  },
});

/** Dates in words cost more than all else of a mail. */
const moments = new WeakMap<Question, Map<string, Moment>>();

function momentIn(question: Question, locale: string): Moment {
  const known = moments.get(question) ?? new Map<string, Moment>();
  moments.set(question, known);
  const moment = known.get(locale) ?? momentOf(question.sentAt, locale);
  known.set(locale, moment);
  return moment;
}

export const settingOf = (
  question: Question,
  owner: string,
  { language, locale }: { readonly language: string; readonly locale: string },
  wording: Wording,
): Setting => ({
  question,
  owner,
  language,
  wording,
  moment: momentIn(question, locale),
  english: momentIn(question, 'en-US'),
});

export const quotedBody = (question: Question): string => bodyOf(question.html);

export const who = ({ question }: Setting): [name: string, address: string] => [
  question.from.name,
  question.from.address,
];
