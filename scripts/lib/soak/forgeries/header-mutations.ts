import type { Random } from '../random.ts';
import { EVIL } from './judge.ts';
import { type Mail, nameOf, utf8, withFields } from './mail.ts';
import { type Material, type Mutant, type Mutate, mutant } from './mutation.ts';
import { NEIGHBOUR, OTHER_PERSONA, STRANGER } from './originals.ts';

type Value = (material: Material) => string;

/** The boundaries that stand in a body, whoever wrote them there. */
const boundariesIn = (body: string): string[] => [
  ...new Set(body.match(/^--\S+?(?=(--)?\r$)/gm)?.map((line) => line.slice(2)) ?? []),
];
const boundary = ({ original, random }: Material): string =>
  random.pick(['MALLORY', ...boundariesIn(original.unsigned.body)]);

const text =
  (value: string): Value =>
  () =>
    value;

/** What an attacker would like a mail to say, by the header that says it. */
const VALUES: Readonly<Record<string, readonly [Value, ...Value[]]>> = {
  From: [
    text(NEIGHBOUR),
    text(STRANGER),
    text(`Boss <boss@owner.test>, ${STRANGER}`),
    text(`"${EVIL}" <boss@owner.test>`),
  ],
  Sender: [text(STRANGER), text(NEIGHBOUR)],
  To: [({ target }) => `${target.address}, ${STRANGER}`, ({ target }) => target.address, text(STRANGER)],
  Cc: [text(STRANGER), ({ target }) => `${target.address}, ${NEIGHBOUR}`],
  Bcc: [({ target }) => target.address],
  Subject: [text('STOP'), text('RESUME'), text(`Re: ${EVIL}`), text(utf8(`Größe ${EVIL}`)), text('=?utf-8?q?STOP?=')],
  Date: [() => new Date().toUTCString().replace('GMT', '+0000'), text('Mon, 02 Mar 2020 10:00:00 +0100')],
  'Message-ID': [({ random }) => `<again${random.between(1, 1e9)}@owner.test>`],
  'Reply-To': [text(NEIGHBOUR), text(STRANGER), text(`boss@owner.test, ${NEIGHBOUR}`)],
  'In-Reply-To': [({ target }) => target.thread, ({ target }) => target.otherQuestion, ({ target }) => target.question],
  References: [({ target }) => target.thread, ({ target }) => `${target.thread} ${target.otherQuestion}`],
  'MIME-Version': [text('1.0'), text('2.0')],
  'Content-Type': [
    (material) => `multipart/mixed; boundary="${boundary(material)}"`,
    (material) => `multipart/mixed; boundary=${boundary(material)}`,
    (material) => `multipart/alternative; boundary="${boundary(material)}"`,
    (material) => `multipart/related; boundary="${boundary(material)}"; start="<i1>"`,
    (material) =>
      `multipart/mixed; boundary*0="${boundary(material).slice(0, 3)}"; boundary*1="${boundary(material).slice(3)}"`,
    (material) => `multipart/mixed; boundary="x"; boundary="${boundary(material)}"`,
    (material) => `multipart/digest; boundary="${boundary(material)}"`,
    text('text/plain'),
    text('text/html'),
    text('text/plain; charset=utf-7'),
    text('text/html; charset=utf-16'),
    text('text/plain; charset=iso-2022-jp'),
    text('text/plain; format=flowed; delsp=yes'),
    text('message/rfc822'),
    text('message/partial; id=1; number=1; total=2'),
    text('application/octet-stream; name="evil.txt"'),
    text('text/calendar; method=REPLY'),
  ],
  'Content-Transfer-Encoding': [text('base64'), text('quoted-printable'), text('7bit'), text('x-uuencode')],
  'Content-Disposition': [text('attachment; filename="a.txt"'), text('inline')],
  'Delivered-To': [({ target }) => target.address, text(OTHER_PERSONA)],
  'X-Original-To': [({ target }) => target.address],
  'Return-Path': [text('<>'), text(`<${STRANGER}>`)],
  'Resent-From': [text(STRANGER)],
  'Resent-To': [({ target }) => target.address],
  'Resent-Message-ID': [text('<resent@evil.test>')],
  'Authentication-Results': [
    text('agents.localhost; dmarc=pass header.from=owner.test; dkim=pass header.d=owner.test'),
  ],
  'X-Epistle-Recursion': [text('3; s=0123456789abcdef0123456789abcdef')],
  'List-Id': [text('<list.evil.test>')],
  'X-Mailer': [text(EVIL)],
};

const NAMES = Object.keys(VALUES) as [string, ...string[]];
/** Those that say something of weight are tried more often. */
const HEAVY = [
  'Content-Type',
  'Content-Type',
  'Subject',
  'Reply-To',
  'In-Reply-To',
  'References',
  'To',
  'Cc',
  'From',
] as const;

type Shape = (name: string, value: string) => readonly string[];

/** Ways to write a field that readers disagree about. Each is a run of raw lines. */
const SHAPES: Readonly<Record<string, Shape>> = {
  plain: (name, value) => [`${name}: ${value}`],
  'lower-case': (name, value) => [`${name.toLowerCase()}:${value}`],
  'upper-case': (name, value) => [`${name.toUpperCase()}: ${value}`],
  'blank-before-colon': (name, value) => [`${name} : ${value}`],
  'tab-before-colon': (name, value) => [`${name}\t: ${value}`],
  folded: (name, value) => [`${name}:\r\n ${value}`],
  'folded-empty': (name, value) => [`${name}:\r\n \r\n\t${value}`],
  'folded-name': (name, value) => [`${name}\r\n : ${value}`],
  'blank-in-front': (name, value) => ['X-A: b', ` ${name}: ${value}`],
  'nul-in-name': (name, value) => [`${name.slice(0, 2)}\0${name.slice(2)}: ${value}`],
  'control-in-front': (name, value) => [`\x01${name}: ${value}`],
  'bom-in-front': (name, value) => [`\xef\xbb\xbf${name}: ${value}`],
  'nbsp-before-colon': (name, value) => [`${name}\xa0: ${value}`],
  'bare-cr': (name, value) => [`X-A: b\r${name}: ${value}`],
  'bare-lf': (name, value) => [`X-A: b\n${name}: ${value}\nX-B: c`],
  'lf-alone': (name, value) => [`X-A: b\n${name}: ${value}`],
  'cr-cr-lf': (name, value) => [`X-A: b\r`, `${name}: ${value}\r`],
  'vertical-tab': (name, value) => [`X-A: b\v${name}: ${value}`],
  'form-feed': (name, value) => [`X-A: b\f${name}: ${value}`],
  'line-separator': (name, value) => [`X-A: b${utf8('\u2028')}${name}: ${value}`],
  'next-line': (name, value) => [`X-A: b\x85${name}: ${value}`],
  'below-dashes': (name, value) => ['--', `${name}: ${value}`],
  'below-delimiter': (name, value) => ['--MALLORY', `${name}: ${value}`],
  'below-text': (name, value) => ['this is no header', `${name}: ${value}`],
  'below-empty-name': (name, value) => [': nothing', `${name}: ${value}`],
  'below-mbox-line': (name, value) => ['From mallory@evil.test Mon Mar  2 10:00:00 2026', `${name}: ${value}`],
  'double-colon': (name, value) => [`${name}:: ${value}`],
  'eight-bit-name': (name, value) => [`${name.replace('o', '\xf6')}: ${value}`],
  'trailing-blanks': (name, value) => [`${name}: ${value} \t `],
  'nul-in-value': (name, value) => [`${name}: \0${value}\0`],
  commented: (name, value) => [`${name}: (${EVIL}) ${value}`],
  'long-in-front': (name, value) => [`X-Pad: ${'a'.repeat(9000)}`, `${name}: ${value}`],
  'many-in-front': (name, value) => [...Array.from({ length: 600 }, (_, n) => `X-${n}: a`), `${name}: ${value}`],
};
const SHAPE_NAMES = Object.keys(SHAPES) as [string, ...string[]];

type Place = 'top' | 'bottom' | 'before' | 'after' | 'replace' | 'after-signature';
const PLACES: readonly [Place, ...Place[]] = ['top', 'top', 'bottom', 'before', 'after', 'replace', 'after-signature'];

function place(mail: Mail, lines: readonly string[], name: string, where: Place): Mail {
  const { fields } = mail;
  const at = fields.findIndex((field) => nameOf(field) === name.toLowerCase());
  if (where === 'top' || (at < 0 && where !== 'after-signature')) {
    return withFields(mail, where === 'bottom' ? [...fields, ...lines] : [...lines, ...fields]);
  }
  if (where === 'bottom') return withFields(mail, [...fields, ...lines]);
  if (where === 'after-signature') return withFields(mail, [...fields.slice(0, 1), ...lines, ...fields.slice(1)]);
  const cut = where === 'before' ? at : at + 1;
  const before = where === 'replace' ? fields.slice(0, at) : fields.slice(0, cut);
  return withFields(mail, [...before, ...lines, ...fields.slice(where === 'replace' ? at + 1 : cut)]);
}

const heavyName = (random: Random): string => (random.chance(0.6) ? random.pick(HEAVY) : random.pick(NAMES));

const valueFor = (name: string, material: Material): string =>
  material.random.pick(VALUES[name] ?? [text(EVIL)])(material);

/** Puts a field in: any field, anywhere, in any shape. */
const addField: Mutate = (material): Mutant => {
  const { original, random } = material;
  const name = heavyName(random);
  const shape = random.chance(0.4) ? 'plain' : random.pick(SHAPE_NAMES);
  const where = random.pick(PLACES);
  const lines = SHAPES[shape]?.(name, valueFor(name, material)) ?? [];
  return mutant(`${name} ${where} ${shape}`, place(original.mail, lines, name, where));
};

/** Two at once, as most that work do: where it belongs, and what it is. */
const addTwo: Mutate = (material): Mutant => {
  const { original, random } = material;
  const pair = random.pick([
    ['In-Reply-To', 'Reply-To'],
    ['References', 'Cc'],
    ['Content-Type', 'MIME-Version'],
    ['Content-Type', 'Content-Transfer-Encoding'],
    ['To', 'Delivered-To'],
    ['Message-ID', 'Subject'],
    ['Message-ID', 'Date'],
    ['Message-ID', 'References'],
  ]);
  const mail = pair.reduce(
    (made, name) =>
      place(made, [`${name}: ${valueFor(name, material)}`], name, random.pick(['top', 'bottom', 'replace'])),
    original.mail,
  );
  return mutant(pair.join(' and '), mail);
};

/** A field that is there once more, as it is. */
const repeatField: Mutate = ({ original, random }): Mutant => {
  const at = random.between(0, original.mail.fields.length - 1);
  const field = original.mail.fields[at] ?? '';
  const where = random.pick(['top', 'bottom', 'after'] as const);
  return mutant(`${nameOf(field)} repeated ${where}`, place(original.mail, [field], nameOf(field), where));
};

const removeField: Mutate = ({ original, random }): Mutant => {
  const at = random.between(1, original.mail.fields.length - 1);
  const fields = original.mail.fields.filter((_, index) => index !== at);
  return mutant(`without ${nameOf(original.mail.fields[at] ?? '')}`, withFields(original.mail, fields));
};

const withoutMime: Mutate = ({ original, random }): Mutant | null => {
  const names = random.pick([
    ['mime-version'],
    ['content-type'],
    ['mime-version', 'content-type'],
    ['content-transfer-encoding'],
  ]);
  const fields = original.mail.fields.filter((field) => !names.includes(nameOf(field)));
  if (fields.length === original.mail.fields.length) return null;
  return mutant(`without ${names.join(', ')}`, withFields(original.mail, fields));
};

/** Signatures cover a field's place among those of its name, and nothing else of the order. */
const reorder: Mutate = ({ original, random }): Mutant => {
  const [first = '', ...rest] = original.mail.fields;
  const shuffled = rest.map((field) => ({ field, key: random.next() })).toSorted((a, b) => a.key - b.key);
  const fields = shuffled.map(({ field }) => field);
  return mutant('shuffled', withFields(original.mail, random.chance(0.5) ? [first, ...fields] : [...fields, first]));
};

/** A signed field in other clothes: folds, blanks and case, which relaxed signing does not see. */
const refold: Mutate = ({ original, random }): Mutant => {
  const at = random.between(1, original.mail.fields.length - 1);
  const how = random.pick(['fold', 'blank line', 'tabs', 'case', 'trailing', 'colon'] as const);
  const change = (field: string): string => {
    if (how === 'fold') return field.replace(/[:,;] /, (found) => `${found.trim()}\r\n\t`);
    if (how === 'blank line') return field.replace(': ', ':\r\n \r\n ');
    if (how === 'tabs') return field.replaceAll(' ', '\t \t');
    if (how === 'case') return nameOf(field).toUpperCase() + field.slice(nameOf(field).length);
    if (how === 'colon') return field.replace(':', ' \t:');
    return `${field} \t\r\n \t`;
  };
  const fields = original.mail.fields.map((field, index) => (index === at ? change(field) : field));
  return mutant(`${nameOf(original.mail.fields[at] ?? '')} ${how}`, withFields(original.mail, fields));
};

/** By how often each is tried. */
export const HEADER_MUTATIONS: Readonly<Record<string, { readonly weight: number; readonly mutate: Mutate }>> = {
  'field added': { weight: 40, mutate: addField },
  'fields added': { weight: 8, mutate: addTwo },
  'field repeated': { weight: 4, mutate: repeatField },
  'field removed': { weight: 4, mutate: removeField },
  'MIME removed': { weight: 3, mutate: withoutMime },
  'order changed': { weight: 2, mutate: reorder },
  'field refolded': { weight: 4, mutate: refold },
};
