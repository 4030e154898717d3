import type { Random } from '../random.ts';
import { BODIES, type Written } from './bodies.ts';
import type { Signer } from './dkim.ts';
import { type Mail, nameOf, utf8, wordsOf } from './mail.ts';
import type { Style } from './styles.ts';

export const OWNER = 'boss@owner.test';
export const MEMBER = 'mia@member.test';
/** Of the owner's own provider, as anybody may be where a domain is everybody's. */
export const NEIGHBOUR = 'mallory@owner.test';
export const STRANGER = 'mallory@evil.test';
/** A persona that no mutated mail is sent to. */
export const OTHER_PERSONA = 'quinn@agents.localhost';

/** What the author of a mail meant by it, and what the signature covers: all that may be believed of it. */
export interface Facts {
  readonly from: string;
  /** Of To and Cc. */
  readonly recipients: readonly string[];
  readonly subject: string;
  /** The new text, in the words that it may be read as. */
  readonly says: readonly string[];
  readonly files: readonly string[];
  readonly replyTo: string | null;
  readonly messageId: string;
  readonly references: readonly string[];
  readonly date: number;
  readonly command: 'stop' | 'resume' | null;
  /** Which question it answers with yes. */
  readonly approves: string | null;
  /** Names in the signature's `h=`. */
  readonly signed: ReadonlySet<string>;
  readonly signedAt: number;
}

export interface Original {
  readonly template: string;
  readonly style: Style;
  readonly mail: Mail;
  /** The same before it was signed. */
  readonly unsigned: Mail;
  readonly facts: Facts;
}

/** The persona that mail goes to, and what an attacker may know of it. */
export interface Target {
  readonly address: string;
  /** Message-ID of a thread between the persona and its owner. */
  readonly thread: string;
  /** Of a question that waits for the owner's answer, and of another. */
  readonly question: string;
  readonly otherQuestion: string;
}

interface Content {
  readonly body?: string;
  readonly words?: { readonly text: string; readonly says: string };
  readonly to?: (target: Target) => readonly string[];
  readonly cc?: readonly string[];
  readonly toField?: (target: Target) => string;
  readonly subject?: { readonly raw: string; readonly text: string };
  readonly replyTo?: string;
  readonly refersTo?: (target: Target) => readonly string[];
  readonly command?: 'stop' | 'resume';
  readonly approves?: (target: Target) => string;
  readonly fromField?: string;
}

const QUESTION = { raw: 'A question', text: 'A question' };
const encoded = (text: string): string => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

/** Mails by what is special about their headers; every way of writing a body comes on top. */
const CONTENTS: Readonly<Record<string, Content>> = {
  'several-recipients': {
    to: ({ address }) => [address, 'carl@partner.test', 'dora@partner.test'],
    toField: ({ address }) =>
      `To: Persona <${address}>,\r\n\tCarl <carl@partner.test>,\r\n\t"Dora, D." <dora@partner.test>`,
  },
  'in-copy': { to: () => ['carl@partner.test'], cc: ['persona'] },
  'with-copy': { cc: ['carl@partner.test'] },
  // Of a domain that the persona's access rules name: another one would not be answered.
  'reply-to': { replyTo: 'boss.office@member.test' },
  'encoded-subject': { subject: { raw: `${encoded('Größe')} und mehr`, text: 'Größe und mehr' } },
  'raw-utf8': { subject: { raw: utf8('Grüße'), text: 'Grüße' }, fromField: `From: ${utf8('Böss')} <${OWNER}>` },
  'folded-subject': {
    subject: { raw: 'A very long\r\n question\r\n\tabout all', text: 'A very long question about all' },
  },
  'in-thread': { refersTo: ({ thread }) => [thread] },
  stop: { subject: { raw: 'STOP', text: 'STOP' }, command: 'stop' },
  approves: {
    words: { text: 'approve', says: 'approve' },
    refersTo: ({ question }) => [question],
    approves: ({ question }) => question,
  },
  // For another persona, or for none: worth nothing here, however well it is signed.
  'not-for-us': { to: () => [STRANGER] },
  'for-another': { to: () => [OTHER_PERSONA], cc: [STRANGER] },
};

export const TEMPLATES: readonly string[] = [...Object.keys(BODIES), ...Object.keys(CONTENTS)];

const STREWN = ['ascii', 'quoted', 'outlook', 'alternative', 'attached-text'] as const;

/** A mail that its author wrote and signed at `atMs`, like no other. */
export function writeOriginal(options: {
  template: string;
  style: Style;
  target: Target;
  keys: Signer;
  number: number;
  random: Random;
  atMs: number;
  from?: string;
}): Original {
  const { template, style, target, keys, number, random, atMs, from = OWNER } = options;
  const content = CONTENTS[template] ?? {};
  const make = BODIES[template] ?? BODIES[random.pick(STREWN)];
  const plain = content.words && { mime: [], body: `${content.words.text}\r\n`, says: content.words.says, files: [] };
  const written: Written | undefined = plain ?? make?.(`mark${number}`);
  if (!written) throw new Error(`there is no template ${template}`);
  const to = content.to?.(target) ?? [target.address];
  const cc = (content.cc ?? []).map((address) => (address === 'persona' ? target.address : address));
  const subject = content.subject ?? QUESTION;
  const messageId = `<m${number}.${random.between(1, 1e9)}@owner.test>`;
  const references = content.refersTo?.(target) ?? [];
  // Whole seconds: that is all a Date header can say.
  const date = Math.floor(atMs / 1000) * 1000;
  const unsigned: Mail = {
    fields: [
      from === OWNER ? (content.fromField ?? `From: Boss <${from}>`) : `From: ${from}`,
      content.toField?.(target) ?? `To: ${to.join(', ')}`,
      ...(cc.length > 0 ? [`Cc: ${cc.join(', ')}`] : []),
      `Subject: ${subject.raw}`,
      `Date: ${new Date(date).toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: ${messageId}`,
      ...(content.replyTo ? [`Reply-To: ${content.replyTo}`] : []),
      ...references.flatMap((id) => [`In-Reply-To: ${id}`, `References: ${id}`]),
      ...written.mime,
    ],
    body: written.body,
  };
  const present = new Set(unsigned.fields.map(nameOf));
  const manner = style.manner({ present, atS: date / 1000, bodyBytes: written.body.length });
  return {
    template,
    style,
    unsigned,
    mail: keys.sign(unsigned, from.slice(from.indexOf('@') + 1), withIdentity(manner, from)),
    facts: {
      from,
      recipients: [...to, ...cc],
      subject: wordsOf(subject.text),
      says: [written.says, written.orSays ?? written.says].map(wordsOf),
      files: written.files,
      replyTo: content.replyTo ?? null,
      messageId,
      references,
      date,
      command: content.command ?? null,
      approves: content.approves?.(target) ?? null,
      signed: new Set(manner.names.map((name) => name.toLowerCase())),
      signedAt: date,
    },
  };
}

/** `i=` has to belong to the domain that signs. */
const withIdentity = (manner: ReturnType<Style['manner']>, from: string) =>
  manner.tags?.i ? { ...manner, tags: { ...manner.tags, i: from.slice(from.indexOf('@')) } } : manner;
