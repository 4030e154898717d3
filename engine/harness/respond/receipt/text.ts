import type { Language } from '../../../languages/language.ts';
import { say, type Under } from '../../../languages/say.ts';
import { whenInWords } from '../../../languages/schedule.ts';
import { sizeOf } from '../../../languages/sizes.ts';
import { dayWithYear } from '../../../languages/times.ts';
import { toolInWords } from '../../../languages/tools.ts';
import { bounded, withoutDirections } from '../../../mail/text/invisible.ts';
import type { ReceiptLine } from './calls.ts';

/** A line as the readers of the mail may see it. */
export interface ShownLine extends ReceiptLine {
  /** Somebody who gets the mail may not know what it was done to. */
  readonly hidden: boolean;
  /** How it is called where its readers were not shown what it was done to; null: an owner. */
  readonly shown_as?: readonly (string | null)[];
  /** It could only say that something was done to somebody. */
  readonly left_out?: true;
}

/** A tool of an MCP server that was away; `known`: an owner has seen its name. */
export interface AwayTool {
  readonly tool: string;
  readonly server: string;
  readonly why: Under<'receipt.away'>;
  readonly known: boolean;
}

/** A file of the mail that is answered and that is too large to be read, and the limit that it is beyond. */
export interface TooLarge {
  readonly name: string;
  readonly bytes: number;
  readonly limit: number;
}

interface ReceiptText {
  readonly language: Language;
  /** Whether it also says that there is nothing to say. */
  readonly always: boolean;
  /** What tools and owners said of a thing that was not done is for those who may see all. */
  readonly isForOwners: boolean;
  readonly lines: readonly ShownLine[];
  /** What else was made since an owner was last told of it; null where no owner reads this. */
  readonly madeForOthers: number | null;
  /** Who is asked about what waits; empty where the readers may not know. */
  readonly asked: readonly string[];
  readonly away: readonly AwayTool[];
  readonly too_large: readonly TooLarge[];
}

const MAX_LINES = 12;
const MAX_TARGETS = 5;
const MAX_TARGET = 120;
const MAX_TITLE = 100;
const MAX_SAID = 160;
const STATES = ['done', 'not_done', 'unclear', 'waiting'] as const;

/** The receipt as it stands in the mail, plain lines; empty where there is none. The same input gives the same bytes. */
export function receiptText(receipt: ReceiptText): string {
  const { language, lines, madeForOthers } = receipt;
  const headings = {
    done: say(language, 'receipt.done'),
    not_done: say(language, 'receipt.notDone'),
    unclear: say(language, 'receipt.unclear'),
    waiting: say(language, 'receipt.waiting'),
  };
  const parts = STATES.flatMap((state) => {
    const some = lines.filter((line) => line.state === state);
    if (some.length === 0) return [];
    return [`${headings[state]}: ${counted(some, MAX_LINES, language, ' · ', (line) => lineText(line, receipt))}`];
  });
  if (madeForOthers !== null && madeForOthers > 0)
    parts.push(say(language, 'receipt.madeForOthers', { count: madeForOthers }));
  if (lines.length === 0 && receipt.always) parts.unshift(say(language, 'receipt.nothing'));
  parts.push(...awayLines(receipt.away, language), ...tooLargeLines(receipt.too_large, language));
  if (lines.some(({ hidden }) => hidden)) parts.push(say(language, 'receipt.shortened'));
  return parts.join('\n');
}

/** A sentence for each reason. A name that no owner has seen is the server's word, and reaches nobody else before. */
function awayLines(away: readonly AwayTool[], language: Language): string[] {
  return [...Map.groupBy(away, ({ why }) => why)].map(([why, tools]) => {
    const known = tools.flatMap(({ tool, known: isKnown }) => (isKnown ? [tool] : []));
    const unseen = Map.groupBy(
      tools.filter(({ known: isKnown }) => !isKnown),
      ({ server }) => server,
    );
    const named = known.length === 0 ? [] : [counted(known, MAX_TARGETS, language, ', ', (name) => name)];
    const all = [
      ...named,
      ...[...unseen].map(([server, ofIt]) => say(language, 'receipt.newTools', { count: ofIt.length, server })),
    ];
    return say(language, `receipt.away.${why}`, { tools: counted(all, MAX_TARGETS, language, ', ', (one) => one) });
  });
}

/** Said by itself where the receipt is left out: nobody but the gateway knows for certain that a file was not read. */
export function tooLargeLines(files: readonly TooLarge[], language: Language): string[] {
  return [...Map.groupBy(files, ({ limit }) => limit)].map(([limit, some]) =>
    say(language, 'receipt.tooLarge', {
      files: counted(
        some,
        MAX_TARGETS,
        language,
        ', ',
        ({ name, bytes }) => `${clean(name, MAX_TARGET)} (${sizeOf(bytes, language)})`,
      ),
      limit: sizeOf(limit, language),
    }),
  );
}

function lineText(line: ShownLine, receipt: ReceiptText): string {
  const { language } = receipt;
  const { act, state, title, times, hidden } = line;
  const name = say(language, `receipt.acts.${act}.${state === 'done' ? 'did' : 'toDo'}`, {
    what: whatOf(line, language),
  });
  const titled =
    hidden || line.shown_as || title === null
      ? name
      : `${name} ${say(language, 'receipt.quote', { text: clean(title, MAX_TITLE) })}`;
  const notes = notesOf(line, receipt);
  const often = times > 1 ? ` ×${times}` : '';
  return `${titled}${often}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

function whatOf({ act, targets, tool, hidden, shown_as: named }: ShownLine, language: Language): string {
  const some = say(language, `receipt.acts.${act}.some`);
  if (hidden) return some;
  if (named)
    return counted(named, MAX_TARGETS, language, ', ', (name) =>
      clean(name ?? say(language, 'receipt.anOwner'), MAX_TARGET),
    );
  const listed = counted(targets, MAX_TARGETS, language, ', ', (target) => clean(target, MAX_TARGET));
  if (act === 'other') {
    const named = toolInWords(tool, language);
    return targets.length === 0 ? named : `${named}: ${listed}`;
  }
  return targets.length === 0 ? some : listed;
}

/** The day was said without a clock. */
const untilDay = (day: string, language: Language): string =>
  say(language, 'receipt.until', { day: dayWithYear(Date.parse(`${day}T12:00:00Z`), { language, zone: 'UTC' }) });

function notesOf(line: ShownLine, { language, isForOwners, asked }: ReceiptText): string[] {
  const { act, state, why, said, when, hidden, taken_back, own_words } = line;
  if (state === 'waiting')
    return [
      say(language, 'receipt.approvalOf', {
        who: asked.length === 0 ? say(language, 'receipt.anOwner') : asked.join(', '),
      }),
    ];
  if (state === 'unclear') return [say(language, 'receipt.unknown')];
  const reason =
    why === null
      ? []
      : [say(language, `receipt.why.${why}`) + saidOf(said, language, isForOwners || (why === 'denied' && !hidden))];
  return [
    ...(when === null || hidden
      ? []
      : [act === 'ruled' ? untilDay(when, language) : clean(whenInWords(when, language), MAX_TITLE)]),
    ...reason,
    // Whoever else reads it does not hear whose word it was.
    ...(own_words && isForOwners ? [say(language, 'receipt.becauseYouAsked')] : []),
    ...(taken_back ? [say(language, 'receipt.takenBack')] : []),
  ];
}

const saidOf = (said: string | null, language: Language, isShown: boolean): string =>
  said === null || said.trim() === '' || !isShown
    ? ''
    : `: ${say(language, 'receipt.quote', { text: clean(said, MAX_SAID) })}`;

function counted<Item>(
  items: readonly Item[],
  most: number,
  language: Language,
  between: string,
  told: (item: Item) => string,
): string {
  const shown = items.slice(0, most).map(told);
  const left = items.length - shown.length;
  return [...shown, ...(left > 0 ? [say(language, 'receipt.more', { count: left })] : [])].join(between);
}

/** On one line, and nothing in it that would turn the rest of the line about: names of files are chosen by anybody. */
function clean(text: string, most: number): string {
  const line = withoutDirections(text)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  const { text: short, cut } = bounded(line, most);
  return cut ? `${short}…` : short;
}
