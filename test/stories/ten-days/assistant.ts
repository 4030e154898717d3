import type { HeardRequest, ScriptedCall, Turn } from '../../fakes/model-script.ts';
import { type Asked, askedBy, deep, type Step } from './asked.ts';
import { ARTICLES, cronIn, type Language, languageOf, SAY, WANTS, type Want } from './words.ts';

/** One mail, and what the assistant made of it. */
interface Job extends Asked {
  readonly language: Language;
  say(what: keyof typeof SAY): string;
  did(name: string): readonly Step[];
  can(name: string): boolean;
}

/**
 * The assistant of a bicycle shop, by rules: it reads the mail in front of it, says what it is about to do, makes calls, and
 * answers with what came of them. What it knows of the shop it has from the knowledge and the files of its persona alone.
 */
export function assistant(request: HeardRequest): Turn {
  const asked = askedBy(request);
  if (asked.kind === null) return aside(asked, request);
  const language = languageOf(`${asked.subject} ${asked.text}`);
  const job: Job = {
    ...asked,
    language,
    say: (what) => SAY[what][language],
    did: (name) => asked.steps.filter((step) => step.name === name),
    can: (name) => asked.tools.includes(name),
  };
  if (asked.kind === 'task') return task(job);
  return withWhatWaits(job, DOES[wantOf(job)](job));
}

/** An answer says of a call that waits that it does, and not what came of it. */
function withWhatWaits(job: Job, turn: Turn): Turn {
  const acts = job.steps.filter(({ name }) => ACTS.includes(name));
  if (turn.calls !== undefined || !acts.some(({ waits }) => waits)) return turn;
  const said = acts.every(({ waits }) => waits) ? [] : [turn.text ?? ''];
  return { text: [...said, job.say('waits')].join('\n') };
}

const ACTS = ['send_email', 'schedule_task', 'delete_file', 'write_file', 'remember'];

/** Smaller questions of the gateway, of which each wants its own form. */
function aside({ system }: Asked, { view, raw }: HeardRequest): Turn {
  const wants = (key: string) => system.includes(`"${key}"`);
  if (wants('facts')) return { text: JSON.stringify({ facts: factsIn(raw.toString()) }) };
  if (wants('verdicts')) return { text: JSON.stringify({ verdicts: [{ claim: 0, relation: 'new', of: null }] }) };
  if (wants('wanted_effects'))
    return { text: '{"kind":"other","wanted_effects":[],"time_range":null,"people":[],"done":true}' };
  if (wants('key_facts'))
    return {
      text: '{"objective":"Mail of the shop","key_facts":[],"decisions":[],"open_loops":[],"constraints":[],"next":[]}',
    };
  if (wants('keywords'))
    return { text: '{"summary":"Mail of the shop.","tags":["shop","bicycle"],"keywords":["bicycle","shop","mail"]}' };
  return { text: view.lastUser.trim() === '' ? '' : 'OK' };
}

/** What somebody says of themselves. */
function factsIn(raw: string): object[] {
  const text = raw.replaceAll('\\\\n', ' ').replaceAll('\\n', ' ');
  const said =
    /\b(?:I prefer|I always|ich bevorzuge|ich möchte immer|prefiero|siempre quiero)\b[^.!?"\\]{3,120}[.!?]/i.exec(
      text,
    )?.[0];
  return said === undefined ? [] : [{ text: said, quote: said, kind: 'preference', subject: 'author' }];
}

function wantOf(job: Job): Want | 'plain' {
  const text = `${job.text}\n${job.subject}`;
  const wants = (Object.keys(WANTS) as Want[]).filter((want) => WANTS[want].test(want === 'thanks' ? job.text : text));
  // Orders to write to somebody are those of people of the shop, and name an address.
  const fitting = wants.filter(
    (want) =>
      (want !== 'write' || recipientsIn(job).length > 0) &&
      (want !== 'price' || !wants.includes('write') || recipientsIn(job).length === 0) &&
      (want !== 'hours' || !wants.includes('delete')),
  );
  return fitting[0] ?? 'plain';
}

const call = (name: string, values: ScriptedCall['arguments']): ScriptedCall => ({
  name,
  ...(values === undefined ? {} : { arguments: values }),
});

const DOES: Readonly<Record<Want | 'plain', (job: Job) => Turn>> = {
  hours: (job) => fromKnowledge(job, 'opening hours Öffnungszeiten horario', hoursIn, 'hours'),
  price: (job) => fromKnowledge(job, `price ${articlesIn(job.text).join(' ')}`, pricesIn(job), 'prices'),
  write: (job) => {
    const [to] = recipientsIn(job);
    const isQuote = WANTS.price.test(job.text);
    if (isQuote && job.can('search_knowledge') && job.did('search_knowledge').length === 0)
      return { text: job.say('look'), calls: lookUps(job, `price ${articlesIn(job.text).join(' ')}`) };
    const sent = job.did('send_email');
    if (sent.length > 0 || !job.can('send_email')) return { text: mailsTold(job, sent) };
    const lines = isQuote ? pricesIn(job)(knownTo(job)) : [];
    const other = languageFor(to ?? '', job.language);
    const body = isQuote
      ? [SAY.quoteBegins[other], '', ...lines.map((line) => `- ${line}`), '', SAY.quoteEnds[other]].join('\n')
      : messageIn(job);
    const mail = { to: recipientsIn(job), subject: SAY[isQuote ? 'quoteSubject' : 'newsSubject'][other], body };
    const file = { path: `quotes/${(to ?? '').replace(/@.*/, '')}.md`, content: `${body}\n` };
    const keeps = isQuote && job.can('write_file') ? [call('write_file', file)] : [];
    return { text: job.say('writing'), calls: [...keeps, call('send_email', mail)] };
  },
  every: (job) => {
    const planned = job.did('schedule_task');
    const [first] = planned.flatMap(({ result }) => (result as { next?: string[] } | null)?.next ?? []);
    if (planned.length > 0)
      return { text: planned[0]?.ok ? `${job.say('planned')} ${dayOf(first)}.` : whatFailed(job, planned) };
    if (!job.can('schedule_task')) return { text: job.say('plain') };
    const name = job.subject.slice(0, 80) || 'Every week';
    const id =
      name
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, '') || 'weekly';
    const prompt = `Remind the owner: ${sentence(job.text)}`;
    const wanted = { action: 'create', task: id, name, schedule: cronIn(job.text), prompt };
    return { text: job.say('planning'), calls: [call('schedule_task', wanted)] };
  },
  delete: (job) => {
    const gone = job.did('delete_file');
    if (gone.length > 0) return { text: filesTold(job, gone) };
    const looked = job.did('list_files');
    if (looked.length === 0 && job.can('list_files'))
      return { text: job.say('look'), calls: [call('list_files', { recursive: true })] };
    const paths = pathsIn(looked, job.text);
    if (paths.length === 0 || !job.can('delete_file')) return { text: job.say('noFiles') };
    const text = [job.say('deleting'), ...paths.map((path) => `- ${path}`)].join('\n');
    return { text, calls: paths.map((path) => call('delete_file', { path })) };
  },
  decide: (job) => {
    const [asked] = job.did('ask_owner');
    if (asked !== undefined) return { text: `${job.say('answered')} ${plainly(asked)}` };
    if (job.isOwner || !job.can('ask_owner')) return DOES.plain(job);
    const question = `${job.from}: "${sentence(job.text).slice(0, 400)}"`;
    return { text: job.say('asking'), calls: [call('ask_owner', { question })] };
  },
  remember: (job) => {
    const [kept] = job.did('remember');
    if (kept !== undefined)
      return { text: kept.ok ? `${job.say('remembered')} ${kept.arguments.text}` : whatFailed(job, [kept]) };
    if (!job.can('remember')) return DOES.plain(job);
    const quote = job.text.split(/(?<=[.!?])\s+|\n+/).find((line) => WANTS.remember.test(line)) ?? job.text;
    return { calls: [call('remember', { text: quote.trim().slice(0, 300), quote: quote.trim().slice(0, 500) })] };
  },
  note: (job) => {
    const [kept] = job.did('write_file');
    if (kept !== undefined)
      return { text: kept.ok ? `${job.say('noted')} ${kept.arguments.path}.` : whatFailed(job, [kept]) };
    if (!job.can('write_file')) return DOES.plain(job);
    const name =
      job.subject
        .toLowerCase()
        .replaceAll(/[^\p{L}\d]+/gu, '-')
        .replaceAll(/^-|-$/g, '') || 'note';
    return { calls: [call('write_file', { path: `notes/${name}.md`, content: `${job.text.trim()}\n` })] };
  },
  looked: (job) => {
    const [found] = job.did('search_mail');
    if (found === undefined && job.can('search_mail')) {
      const query = job.text.replaceAll(/[^\p{L}\d\s]/gu, ' ').slice(0, 200);
      return { text: job.say('look'), calls: [call('search_mail', { query, limit: 3 })] };
    }
    const subjects = deep(found?.result, 'subject').map((subject) => `- ${subject}`);
    return { text: subjects.length === 0 ? job.say('unknown') : [job.say('foundMail'), ...subjects].join('\n') };
  },
  thanks: (job) => ({ text: job.say('thanks') }),
  plain: (job) => ({ text: job.say('plain') }),
};

function task(job: Job): Turn {
  const words = job.text.replace(/^Remind the owner: /, '');
  return { text: words === '' ? 'NOTHING' : words };
}

/** In the prompt where there is little of it, else behind two tools. */
function fromKnowledge(job: Job, query: string, linesIn: (text: string) => string[], title: 'hours' | 'prices'): Turn {
  const searched = job.did('search_knowledge');
  if (job.can('search_knowledge') && searched.length === 0)
    return { text: job.say('look'), calls: [call('search_knowledge', { query })] };
  const ids = searched.flatMap(({ result }) => deep(result, 'id'));
  const opened = job.did('read_knowledge');
  if (ids.length > 0 && opened.length === 0 && job.can('read_knowledge'))
    return { calls: [call('read_knowledge', { ids: ids.slice(0, 10) })] };
  const lines = linesIn(knownTo(job));
  if (lines.length > 0) return { text: [job.say(title), '', ...lines.map((line) => `- ${line}`)].join('\n') };
  return { text: job.say('unknown') };
}

/** Before it writes to somebody: what it costs, and what was written to them before. */
function lookUps(job: Job, query: string): ScriptedCall[] {
  const [to = ''] = recipientsIn(job);
  const earlier = job.can('search_mail') ? [call('search_mail', { from: to, limit: 3 })] : [];
  return [call('search_knowledge', { query }), ...earlier];
}

const knownTo = (job: Job): string =>
  [
    job.system,
    ...['search_knowledge', 'read_knowledge'].flatMap((name) =>
      job.did(name).flatMap(({ result }) => [...deep(result, 'text'), ...deep(result, 'snippet')]),
    ),
  ].join('\n');

const hoursIn = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .filter((line) => /\d{1,2}:\d\d to \d{1,2}:\d\d/.test(line))
      .map((line) => line.trim()),
  ),
];

const articlesIn = (text: string): string[] =>
  Object.entries(ARTICLES).flatMap(([name, words]) => (words.test(text) ? [name] : []));

/** "Chain: 19.90 EUR", of each article that the mail names, as the price list has it. */
const pricesIn = (job: Job) => (text: string) =>
  articlesIn(job.text).flatMap((name) => {
    const line = text.split('\n').find((one) => one.includes(name) && /\d+\.\d\d/.test(one.slice(one.indexOf(name))));
    const price = /\b(\d+\.\d\d)\b/.exec(line?.slice(line.indexOf(name)) ?? '')?.[1];
    return price === undefined ? [] : [`${name}: ${price} EUR`];
  });

const recipientsIn = ({ text, from }: Job): string[] => [
  ...new Set((text.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? []).filter((address) => address !== from)),
];

/** People of the shop know who speaks what. */
const languageFor = (address: string, otherwise: Language): Language =>
  address.startsWith('lucia')
    ? 'es'
    : address.startsWith('olga')
      ? 'de'
      : address.startsWith('carol')
        ? 'en'
        : otherwise;

/** What is to be written: what stands in quotation marks or behind a colon, else the mail itself. */
const messageIn = ({ text }: Job): string =>
  /["“„«]([^"“”»]{3,})["”“»]/.exec(text)?.[1] ?? /:\s+([\s\S]{3,})$/.exec(text)?.[1]?.trim() ?? text.trim();

const sentence = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const dayOf = (at: string | undefined): string => (at ?? '').slice(0, 16).replace('T', ' ');
const plainly = ({ said, result }: Step): string =>
  typeof result === 'string' ? result : ([...deep(result, 'answer'), ...deep(result, 'text')][0] ?? said.slice(0, 300));
const whatFailed = (job: Job, steps: readonly Step[]): string =>
  `${job.say('failed')} ${steps.map(({ said }) => deep(JSON.parse(said || 'null'), 'message')[0] ?? '').join(' ')}`.trim();

const mailsTold = (job: Job, sent: readonly Step[]): string =>
  sent
    .map((step) => `${job.say(step.ok ? 'written' : 'notWritten')} ${[step.arguments.to].flat().join(', ')}.`)
    .join('\n') || job.say('plain');

function filesTold(job: Job, gone: readonly Step[]): string {
  const named = (ok: boolean) => gone.filter((step) => step.ok === ok).map((step) => String(step.arguments.path));
  const [deleted, kept] = [named(true), named(false)];
  return [
    ...(deleted.length > 0 ? [`${job.say('deleted')} ${deleted.join(', ')}`] : []),
    ...(kept.length > 0 ? [`${job.say('kept')} ${kept.join(', ')}`] : []),
  ].join('\n');
}

/** Those that the mail names by their path or folder, or all that are called old. */
function pathsIn(looked: readonly Step[], text: string): string[] {
  const files = looked.flatMap(({ result }) => {
    const { entries = [] } = (result ?? {}) as { entries?: { path: string; type: string }[] };
    return entries.filter(({ type }) => type === 'file').map(({ path }) => path);
  });
  const named = files.filter((path) => path.split('/').some((part) => part.length > 2 && text.includes(part)));
  return named.length > 0 ? named : files.filter((path) => /old|alt|draft/i.test(path));
}
