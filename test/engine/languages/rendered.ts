import type { Language } from '../../../engine/languages/language.ts';
import { type Key, say, type ValuesOf } from '../../../engine/languages/say.ts';
import { scheduleInWords } from '../../../engine/languages/schedule.ts';
import { sizeOf, sumOf } from '../../../engine/languages/sizes.ts';
import { clockTime, dayAndTime, whenSeenFrom } from '../../../engine/languages/times.ts';
import { toolInWords } from '../../../engine/languages/tools.ts';
import { textsIn, valuesIn } from '../../../scripts/lib/sentences.ts';

/** A sentence as a person gets it. */
export interface Rendered {
  readonly key: Key;
  /** Of a sentence that depends on a number or on a choice: which of its forms this is. */
  readonly form: string | null;
  readonly text: string;
}

const NOW = Date.parse('2026-11-29T09:32:00Z');
const ZONE = 'Europe/Berlin';

type Value = string | number | boolean;
type Of = (language: Language) => Value;

const place = (language: Language) => ({ language, zone: ZONE });
const day =
  (at: string): Of =>
  (language) =>
    dayAndTime(Date.parse(at), place(language));
const time =
  (at: string): Of =>
  (language) =>
    clockTime(Date.parse(at), place(language));
const always =
  (value: Value): Of =>
  () =>
    value;
const said =
  (key: Key, values: object = {}): Of =>
  (language) =>
    sayAny(language, key, values);
const sayAny = (language: Language, key: Key, values: object): string =>
  say(language, key, values as ValuesOf<typeof key>);

const money =
  (amount: number): Of =>
  (language) =>
    sumOf(amount, language);
const paidOf = (spent: number, language: Language): string =>
  say(language, 'waitingNotices.paid.USD', { spent: sumOf(spent, language), limit: sumOf(5, language) });
const mostOf = (language: Language): string =>
  say(language, 'waitingNotices.most', { most: `carol@example.com, ${sumOf(4.2, language)}` });

/** What code puts into sentences, by the name of the value: words of other people, names, and words of the same language. */
const VALUES: Readonly<Record<string, Of>> = {
  answer: always('on 3'),
  tokens: always(52000),
  open: always(1),
  no: always(1),
  yes: always(2),
  people: always(4),
  which: (language) => toolInWords('delete_file', language),
  named: always('carol@example.com'),
  of: always('dave@example.com'),
  about: always('Lunch on Friday'),
  all: always('"B-120"'),
  at: time('2026-11-29T08:15:00Z'),
  because: said('unfinished.partly.timeout'),
  before: always(70),
  by: always('olga@example.com'),
  call: (language) => toolInWords('write_file', language),
  cause: said('notices.causes.unavailable'),
  characters: always(5200),
  command: always('`epistle doctor`'),
  cure: said('mails.none'),
  day: day('2026-12-05T09:00:00Z'),
  count: always(3),
  days: always(7),
  detail: always('We still have tyres'),
  doctor: always('`epistle doctor`'),
  error: always('the folder is full'),
  failures: always(5),
  file: always('offer.txt'),
  files: (language) => `plan.pdf (${sizeOf(31_457_280, language)})`,
  folder: always('Drafts'),
  from: always('Carol Stein'),
  key: always('OPENAI_API_KEY'),
  kind: always('invoice'),
  known: always('The flight of Olga is at 9'),
  limit: always('1'),
  minutes: always(10),
  line: (language) => say(language, 'mails.editLine'),
  lines: always('notes/old.md'),
  list: always('Lunch on Friday (carol@example.com)'),
  mailbox: always('ada@example.com'),
  model: always('OpenAI gpt-6'),
  models: always('OpenAI gpt-6'),
  host: always('Nora Kestrel'),
  hours: always(48),
  mails: always(3),
  waited: always(3),
  waiting: always(1),
  ended: always(1),
  held: always(1),
  several: always(true),
  allowed: always(true),
  most: (language) => say(language, 'waitingNotices.most', { most: 'carol@example.com' }),
  name: always('Ada'),
  names: always('Ada'),
  now: always(90),
  number: always(1),
  outboxId: always('01a2'),
  own: always(420),
  owner: always('Olga Berg'),
  page: always('https://example.com/prices'),
  paid: (language) => say(language, 'waitingNotices.paid.mails', { spent: '11', limit: '12' }),
  path: always('notes/old.md'),
  persona: always('Ada'),
  place: said('mails.where.mail'),
  provider: always('OpenAI'),
  question: (language) => say(language, 'mails.may.delete', { path: 'notes/old.md' }),
  reason: said('waiting.reason.budget'),
  changes: always('configs/security.json, console.port: 8025, was 8000'),
  runId: always('01a2'),
  said: (language) => scheduleInWords('0 8 * * 1', language),
  says: always('121.30'),
  sender: always('carol@example.com'),
  server: always('Calendar of the club'),
  servers: always('Calendar of the club'),
  service: always('Microsoft'),
  share: always('3/10'),
  since: time('2026-11-29T07:40:00Z'),
  size: (language) => sizeOf(31_457, language),
  span: (language) => scheduleInWords('every 30m', language),
  spent: always('11'),
  status: always('401'),
  subject: always('Lunch on Friday'),
  task: always('Count the till'),
  text: always('we still have tyres'),
  time: time('2026-11-30T07:00:00Z'),
  title: always('Pump order'),
  to: always('carol@example.com'),
  tool: (language) => toolInWords('web_fetch', language),
  tools: (language) => toolInWords('send_email', language),
  until: time('2026-11-29T23:00:00Z'),
  runs: always(8),
  usd: (language) => sumOf(0.0042, language, 4),
  user: always('ada@example.com'),
  value: always('23,50'),
  verb: said('refusedAnswers.verbs.allow'),
  version: always(2),
  words: always('535 authentication failed'),
  was: (language) => dayAndTime(Date.parse('2026-12-05T09:00:00Z'), place(language)),
  what: always('notes/old.md'),
  when: day('2026-12-05T09:00:00Z'),
  where: (language) => say(language, 'mails.where.attachment', { name: 'offer.pdf', from: 'carol@example.com' }),
  who: always('Carol Stein'),
  whose: always('bob@example.com'),
  zone: always('Europe/Berlin'),
};

function taughtCall(language: Language): string {
  return `${toolInWords('send_email', language)} (carol@example.com)`;
}

function loginTrouble(): Readonly<Record<string, Of>> {
  return {
    cause: said('logins.causes.login_revoked', { service: 'Microsoft' }),
    cure: said('logins.cures.login', { command: '`epistle mailbox login ada`' }),
  };
}

/** Where the same name holds something else. */
const BY_KEY: Readonly<Record<string, Readonly<Record<string, Of>>>> = {
  'mails.may.use': { tool: always('crm lookup') },
  'mails.would.use': { tool: always('crm lookup') },
  'mails.where.result': { tool: always('crm lookup') },
  'mails.didUse': { tool: always('crm lookup') },
  'mails.may.do': { what: (language) => toolInWords('attach', language) },
  'mails.where.attachment': { name: always('offer.pdf'), from: always('carol@example.com') },
  'extensionOff.text': { name: always('chat'), file: always('extensions/hooks/chat') },
  'extensionOff.subject': { name: always('chat') },
  'hookOff.subject': { name: always('chat') },
  'hookOff.text': { name: always('chat'), file: always('extensions/hooks/chat') },
  'notices.undelivered': { cause: said('notices.mailCauses.no_mailbox') },
  'notices.sentForYou': { cause: said('notices.mailCauses.no_mailbox') },
  'notices.byCommand': { command: always('epistle mail retry last') },
  'ownerCommands.notAlone': { line: always('after the holidays') },
  'refusedSenders.prove': { list: always('`epistle why last`') },
  'refusedSenders.allow': { command: always('`epistle senders allow carol@example.com`') },
  'refusedSenders.namesake': { name: always('Maria Lind'), address: always('maria@example.com') },
  'refusedSenders.more': { command: always('`epistle senders`') },
  'waitingNotices.most': { most: always('carol@example.com') },
  'waitingNotices.paid.mails': { spent: always('11'), limit: always('12') },
  'schedule.every': { span: (language) => spanOf(language) },
  'playbooks.does': { when: said('playbooks.always') },
  'playbooks.of.line': { words: always('Order:') },
  'playbooks.of.word': { words: always('Order:') },
  'playbooks.is.present': { what: said('playbooks.of.subject') },
  'playbooks.is.absent': { what: said('playbooks.of.subject') },
  'playbooks.is.containing': { what: said('playbooks.of.subject'), value: always('invoice') },
  'playbooks.is.equal': { what: said('playbooks.of.domain'), value: always('example.com') },
  'playbooks.is.not_equal': { what: said('playbooks.of.domain'), value: always('example.com') },
  'playbooks.never': { when: said('playbooks.always') },
  'unpriced.subject': { day: (language) => dayOf(language) },
  'unpriced.text': { day: (language) => dayOf(language) },
  ...Object.fromEntries(
    [
      'taskFailedSubject',
      'taskFailed',
      'taskNotMailed',
      'taskPausedSubject',
      'taskPaused',
      'taskWellSubject',
      'taskWell',
    ].map((name) => [`notices.${name}`, { name: always('Morning brief') }]),
  ),
  ...Object.fromEntries(
    ['byCommand', 'changedAgain', 'expired', 'notWritten'].map((name) => [
      `pinnedTools.${name}`,
      { command: always('`epistle extensions pins`') },
    ]),
  ),
  'mails.at': { day: (language) => new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' }).format(NOW) },
  'mails.asked': { when: (language) => whenSeenFrom(NOW, Date.parse('2026-11-29T07:27:00Z'), place(language)) },
  'mails.askedByYou': { when: (language) => whenSeenFrom(NOW, Date.parse('2026-11-29T07:27:00Z'), place(language)) },
  'mails.didLearn': { from: always(1), to: always(2) },
  'mails.howFromNowOn': { answer: said('mails.answers.fromNowOn'), what: taughtCall },
  'rules.taught': { what: taughtCall },
  'mails.undoSubject': { what: (language) => say(language, 'mails.didDelete', { path: 'notes/old.md' }) },
  'disputedFacts.text': { said: always('The flight of Olga is at 11') },
  'playbooks.says': { said: always('Never save files for anybody') },
  'previews.cost': { said: (language) => say(language, 'previews.aRun', { usd: sumOf(0.0042, language, 4) }) },
  'previews.asItsLast': { runs: always(8) },
  'usage.text': { said: always(2400) },
  'receipt.acts.mail.did': { what: always('carol@example.com') },
  'receipt.acts.mail.toDo': { what: always('carol@example.com') },
  'receipt.acts.accepted.did': { what: always('carol@example.com') },
  'receipt.acts.declined.did': { what: always('carol@example.com') },
  'receipt.acts.tentative.did': { what: always('carol@example.com') },
  'receipt.acts.question.did': { what: said('receipt.acts.question.some') },
  'receipt.acts.question.toDo': { what: said('receipt.acts.question.some') },
  'receipt.acts.part.did': { what: said('receipt.acts.part.some') },
  'receipt.acts.part.toDo': { what: said('receipt.acts.part.some') },
  'receipt.acts.other.did': { what: (language) => toolInWords('web_fetch', language) },
  'receipt.acts.other.toDo': { what: (language) => toolInWords('web_fetch', language) },
  'receipt.tooLarge': { limit: (language) => sizeOf(26_214_400, language) },
  'receipt.dataUntil': { when: day('2026-11-28T09:00:00Z') },
  'schedule.on': { days: (language) => scheduleDays(language) },
  'schedule.monthly': { day: always('1') },
  'schedule.yearly': {
    day: (language) => new Intl.DateTimeFormat(language, { day: 'numeric', month: 'long' }).format(NOW),
  },
  'sources.sheet': { name: always('travel.xlsx'), sheet: always('May') },
  'sources.row': { name: always('costs.csv'), row: always('12') },
  'sources.old': { when: day('2026-11-28T09:00:00Z') },
  'waitingNotices.paid.USD': { spent: money(4.8), limit: money(5) },
  'waitingNotices.over.USD': { spent: money(5.2), limit: money(5) },
  'waitingNotices.spent.USD': { paid: (language) => paidOf(5, language), most: (language) => mostOf(language) },
  'waitingNotices.nearlySpent.USD': { paid: (language) => paidOf(4.8, language), most: (language) => mostOf(language) },
  'clarify.why.closed_item': { detail: always('2') },
  'clarify.why.edit_unknown_key': { detail: always('Date') },
  'refusedAnswers.why.pattern': { detail: always('*@example.com') },
  'refusedAnswers.why.unknown_sender': { detail: always('carol@example.com') },
  'refusedAnswers.blockedHere': { others: always('Ben') },
  'drafts.again': { command: always('`epistle outbox retry last`') },
  'logins.ends': { command: always('epistle mailbox login ada'), when: day('2026-12-01T09:00:00Z') },
  'logins.tools': loginTrouble(),
  'logins.cures.login': { command: always('`epistle mailbox login ada`') },
  'logins.mailbox': loginTrouble(),
  'waitingNotices.putKey': { file: always('.env') },
  'waitingNotices.mendSettings': { file: always('persona.json') },
  'waitingNotices.raise': { file: always('persona.json') },
  'waitingNotices.spentUntil': { file: always('persona.json') },
  'weekly.subject': { from: day('2026-11-23T09:00:00Z'), to: day('2026-11-29T09:00:00Z') },
  'news.noName': { where: always('ada@example.com'), value: always('mx1') },
};

const spanOf = (language: Language): string =>
  new Intl.NumberFormat(language, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(30);

const dayOf = (language: Language): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: ZONE }).format(Date.parse('2026-12-05T09:00:00Z'));

const scheduleDays = (language: Language): string =>
  new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2026, 10, 30));

/** The numbers that a sentence is tried with: none, one, some. */
const COUNTS = [0, 1, 3] as const;

/** Every sentence of a language, with such values as people get; one that depends on a number in each of its forms. */
export function rendered(language: Language): readonly Rendered[] {
  return Object.entries(textsIn(language)).flatMap(([name, text]) => {
    const key = name as Key;
    const kinds = valuesIn(text);
    const values = Object.fromEntries([...kinds.keys()].map((value) => [value, sampleOf(key, value, language)]));
    const forms = formsOf(text, kinds);
    const all = forms.map(({ form, over }) => ({ key, form, text: sayAny(language, key, { ...values, ...over }) }));
    return all.filter((one, at) => all.findIndex((other) => other.text === one.text) === at);
  });
}

function sampleOf(key: Key, name: string, language: Language): Value {
  const value = BY_KEY[key]?.[name] ?? VALUES[name];
  if (value === undefined) throw new Error(`${key}: nothing stands for {${name}}; say in this file what it may be`);
  return value(language);
}

interface Form {
  readonly form: string | null;
  readonly over: Readonly<Record<string, Value>>;
}

function formsOf(text: string, kinds: ReadonlyMap<string, string>): readonly Form[] {
  const numbers = [...kinds].flatMap(([name, kind]) => (kind === 'number' ? [name] : []));
  const choices = [...kinds].flatMap(([name, kind]) => (kind === 'boolean' ? [name] : []));
  const counts = numbers.length === 0 ? [null] : COUNTS.filter((count) => count > 0 || text.includes('=0'));
  return counts.flatMap((count) =>
    (choices.length === 0 ? [null] : [true, false]).map((choice): Form => {
      const over = {
        ...(count === null ? {} : Object.fromEntries(numbers.map((name) => [name, count]))),
        ...(choice === null ? {} : Object.fromEntries(choices.map((name) => [name, choice]))),
      };
      const parts = Object.entries(over).map(([name, value]) => `${name} ${value}`);
      return { form: parts.length === 0 ? null : parts.join(', '), over };
    }),
  );
}
