import type { MailOnRecord } from '../../../engine/mail/pieces/partition.ts';
import { recordWords } from '../../../engine/mail/pieces/record-words.ts';
import type { Question } from '../owner-answers/answer-case.ts';
import { escaped } from '../owner-answers/html.ts';
import { type Draft, letterOf, type Pen, type Piece, penOf } from '../owner-answers/letter.ts';
import { programsOf } from '../owner-answers/programs/index.ts';
import { type Program, settingOf } from '../owner-answers/programs/program.ts';
import { type Chance, chance, seedOf } from '../owner-answers/random.ts';
import { TONGUES, type Tongue } from './languages.ts';

/** A mail of which it is known whose each of its words is. */
export interface Reply {
  readonly name: string;
  readonly raw: Buffer;
  /** Names that stand in what its sender wrote, one in each sentence. */
  readonly own: readonly string[];
  /** The same of what others wrote. */
  readonly others: readonly string[];
  /** What the thread has on record; empty: nothing. */
  readonly record: readonly MailOnRecord[];
}

interface Made {
  readonly tongue: Tongue;
  readonly program: Program;
  readonly question: Question;
  readonly random: Chance;
  own(index: number): string;
}

const SENDER = 'jane@owner.example';
const SENT = Date.parse('2026-03-03T09:05:00Z');

/** A mail of somebody else, a few paragraphs of which some are long enough to be broken. */
function questionOf(tongue: Tongue, name: (sentence: string) => string, mark: string): Question {
  const [one = '', two = '', three = ''] = tongue.others;
  const paragraphs = [tongue.greeting, name(one), tongue.yes, `${name(two)} ${name(three)}`, tongue.wait];
  return {
    from: { name: 'Eve Example', address: 'eve@elsewhere.example' },
    subject: 'Q3',
    messageId: `<${mark}@elsewhere.example>`,
    text: paragraphs.join('\n\n'),
    html: `<html><body><div>${paragraphs.map((text) => `<p>${escaped(text)}</p>`).join('')}</div></body></html>`,
    sentAt: new Date(SENT),
  };
}

type Way = (made: Made, pen: Pen) => Draft;

const above = ({ tongue, own, random }: Made, pen: Pen): Piece =>
  pen.typed([
    ...(random.next() < 0.4 ? [tongue.greeting, ''] : []),
    ...(random.next() < 0.4 ? [random.of([tongue.yes, tongue.wait]), ''] : []),
    own(0),
    ...(random.next() < 0.5 ? ['', own(1)] : []),
  ]);

/** What people do with a quotation. */
const WAYS: Readonly<Record<string, Way>> = {
  above: (made, pen) => ({ above: [above(made, pen)], quote: {} }),
  'above, with a footer': (made, pen) => ({
    above: [above(made, pen), ...(made.program.footer ? [pen.footer()] : [])],
    quote: {},
  }),
  'above, with a disclaimer below the quotation': (made, pen) => ({
    above: [above(made, pen)],
    quote: {},
    below: [pen.typed(['', made.tongue.disclaimer])],
  }),
  'between the lines': (made, pen) => ({
    above: [pen.typed([made.own(0)])],
    quote: { between: { after: 2, lines: [made.own(1)], isInside: false } },
  }),
  'with a signature': (made, pen) => ({
    above: [above(made, pen), pen.signed(['Jane Doe', 'Example Works'], '-- ')],
    quote: {},
  }),
  'without a quotation': (made, pen) => ({ above: [above(made, pen)], quote: null }),
};

/** What programs nobody has heard of do with the text of the mail that they quote; `isMarked`: it can be told without the record. */
const ODD: Readonly<Record<string, { readonly isMarked: boolean; of(made: Made): string }>> = {
  'a sign without a blank': { isMarked: true, of: ({ question }) => prefixed(question, '>') },
  'signs that are lost where lines are broken': {
    isMarked: true,
    of: ({ question }) => `${headOf(question)}\n${brokenBehind(question, '> ')}`,
  },
  'a header in any order': {
    isMarked: true,
    of: ({ question, tongue, random }) => `${rowsOf(question, tongue, random).join('\n')}\n\n${question.text}`,
  },
  'a header in any order, and lines that are broken': {
    isMarked: true,
    of: ({ question, tongue, random }) => `${rowsOf(question, tongue, random).join('\n')}\n\n${broken(question.text)}`,
  },
  'a line that says who wrote, and no signs': {
    isMarked: true,
    of: ({ question }) => `${headOf(question)}\n\n${question.text}`,
  },
  'no mark at all': { isMarked: false, of: ({ question }) => question.text },
  'no mark, and lines that are broken': { isMarked: false, of: ({ question }) => broken(question.text) },
  'bars before each line': { isMarked: false, of: ({ question }) => prefixed(question, '| ') },
  'indented lines': { isMarked: false, of: ({ question }) => prefixed(question, '    ') },
};

const headOf = ({ from }: Question): string => `2026-03-03 10:05 GMT+01:00 ${from.name} <${from.address}>:`;

const rowsOf = ({ from, subject }: Question, { wording: { labels } }: Tongue, random: Chance): readonly string[] =>
  random.shuffled([
    `${labels.from}: ${from.name} <${from.address}>`,
    `${labels.sent}: 3. 3. 2026 10:05`,
    `${labels.to}: Jane`,
    `${labels.subject}: ${subject}`,
  ]);

const WIDTH = 72;

function rowsOfLine(line: string): readonly string[] {
  const rows: string[] = [''];
  // Of scripts without blanks every sign may end a line.
  const words = line.includes(' ') ? line.split(/(?<= )/) : [...line];
  for (const word of words) {
    const last = rows.at(-1) ?? '';
    if (last.length + word.length > WIDTH) rows.push(word);
    else rows[rows.length - 1] = last + word;
  }
  return rows.map((row) => row.trimEnd());
}

const broken = (text: string): string => text.split('\n').flatMap(rowsOfLine).join('\n');
const prefixed = ({ text }: Question, prefix: string): string =>
  text
    .split('\n')
    .map((line) => `${prefix}${line}`.trimEnd())
    .join('\n');
const brokenBehind = ({ text }: Question, prefix: string): string =>
  text
    .split('\n')
    .flatMap((line) => rowsOfLine(`${prefix}${line}`))
    .join('\n');

function plainMail(made: Made, body: string, { id, isForward }: { id: string; isForward: boolean }): Buffer {
  const { question, tongue } = made;
  const head = [
    `From: Jane Doe <${SENDER}>`,
    'To: Ada <ada@agents.example>',
    `Subject: =?utf-8?B?${Buffer.from(`${isForward ? tongue.forward : tongue.wording.reply} ${question.subject}`).toString('base64')}?=`,
    'Date: Tue, 03 Mar 2026 10:00:00 +0000',
    `Message-ID: ${id}`,
    ...(isForward ? [] : [`In-Reply-To: ${question.messageId}`, `References: ${question.messageId}`]),
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body.replaceAll('\n', '\r\n')}\r\n`);
}

/** So many mails, the same ones for the same seed. */
export function* repliesOf(count: number, seed: number): Generator<Reply> {
  const random = chance(seedOf(`whose words ${seed}`));
  for (let number = 0; number < count; number += 1) {
    const tongue = TONGUES[number % TONGUES.length];
    if (tongue) yield random.next() < 0.6 ? ordinary(tongue, number, random) : unheardOf(tongue, number, random);
  }
}

function mailOf(tongue: Tongue, number: number, random: Chance) {
  const names: { own: string[]; others: string[] } = { own: [], others: [] };
  const named = (whose: 'own' | 'others') => (sentence: string) => {
    const name = `${whose === 'own' ? 'Ovi' : 'Ter'}${names[whose].length + 1}n${number}`;
    names[whose].push(name);
    return sentence.replace('{}', name);
  };
  const question = questionOf(tongue, named('others'), `q${number}`);
  const own = (index: number): string => named('own')(tongue.own[index] ?? '');
  const made: Made = { tongue, program: random.of(programsOf(tongue.language)), question, random, own };
  const record = [
    {
      words: recordWords(question.text),
      isOwn: false,
      isOurs: true,
      messageId: question.messageId,
      from: question.from.address,
    },
  ];
  return { made, names, record, id: `<r${number}@owner.example>` };
}

function ordinary(tongue: Tongue, number: number, random: Chance): Reply {
  const { made, names, record, id } = mailOf(tongue, number, random);
  const [way, draft] = random.of(Object.entries(WAYS));
  const pen = penOf(made.program, settingOf(made.question, SENDER, tongue, tongue.wording));
  // Nobody can know an answer inside of a quotation that its program does not leave, if what is quoted is not on record.
  const isOnRecord =
    random.next() < 0.5 || (way === 'between the lines' && made.program.shape.of(pen.setting).open !== '');
  const raw = letterOf(pen, draft(made, pen), 'Jane Doe', id);
  const others = way === 'without a quotation' ? [] : names.others;
  const name = [tongue.language, made.program.id, way, isOnRecord ? 'on record' : 'unknown'].join(' · ');
  return { name, raw, own: names.own, others, record: isOnRecord ? record : [] };
}

function unheardOf(tongue: Tongue, number: number, random: Chance): Reply {
  const { made, names, record, id } = mailOf(tongue, number, random);
  const [mark, { isMarked, of }] = random.of(Object.entries(ODD));
  const isForward = mark.includes('header') && random.next() < 0.4;
  const written = [made.own(0), ...(random.next() < 0.5 ? ['', tongue.wait] : [])];
  const raw = plainMail(made, `${written.join('\n')}\n\n${of(made)}`, { id, isForward });
  const isOnRecord = !isForward && (!isMarked || random.next() < 0.5);
  const name = [tongue.language, mark, isForward ? 'forwarded' : isOnRecord ? 'on record' : 'unknown'].join(' · ');
  return { name, raw, own: names.own, others: names.others, record: isOnRecord ? record : [] };
}
