import type { ModelMessage } from '#contract';
import { aroundTexts, fencedIn, filesAbove, filesInPlace } from '../../policy/values/shown.ts';
import { factsByFields } from '../../record/result-facts.ts';
import type { Evidence } from './evidence.ts';

/** How a mail names what came with it; its own texts stand before these lines, and those of its files behind them. */
const NAMED = /^\[attachment (\w{1,100})\] (.{1,400}), [\w.+-]{1,100}\/[\w.+-]{1,100}, \d{1,15} bytes$/gm;

/** What is shown of a mail that no run of the thread has answered: its words are between these, whatever they look like. */
const OF_OTHERS = /^\[[^\n]*\]\n<earlier_mail_[0-9a-f]{16}>\n/;

/**
 * Files that stood whole in what the model was shown, with the mail or with an earlier one of its thread: an answer rests on
 * them as on what a call has read. A file that was shown twice is here once.
 */
export function enclosedIn(messages: readonly ModelMessage[]): readonly Evidence[] {
  const blocks = messages.flatMap((message) =>
    message.role === 'user' ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  const ofMails = blocks.filter((block) => !OF_OTHERS.test(block));
  const whole = ofMails.flatMap(filesOf);
  const found = [...whole, ...ofMails.flatMap((block) => filesAgain(block, whole))];
  return found.filter(({ id }, at) => found.findIndex((other) => other.id === id) === at);
}

/** Files of which it is said that they have the words of one above. */
function filesAgain(block: string, whole: readonly Evidence[]): readonly Evidence[] {
  const names = namesIn(aroundTexts(block));
  return filesAbove(block).flatMap(({ file, same }) => {
    const name = file.part ?? names.get(file.id);
    if (file.part === null) return [unnamed(file.id)];
    const before = same.part === null ? undefined : whole.find(({ id, ok }) => ok && id === sourceIdOf(same));
    return name === undefined || !before ? [] : [fileOf(sourceIdOf(file), name, before.content)];
  });
}

/** As query_table names a file in an archive. */
const sourceIdOf = ({ id, part }: { readonly id: string; readonly part?: string | null }): string =>
  part == null ? id : `${id}/${part}`;

const namesIn = (lines: string): ReadonlyMap<string, string> =>
  new Map([...lines.matchAll(NAMED)].map(([, id = '', name = '']) => [id, name]));

function filesOf(block: string): readonly Evidence[] {
  const files = filesInPlace(block);
  const names = namesIn(block.slice(0, files[0]?.at ?? 0));
  return files.flatMap(({ id, part, text }) => {
    const name = names.get(id);
    if (name === undefined) return [];
    if (part === null) return [unnamed(id)];
    return [fileOf(sourceIdOf({ id, ...(part === undefined ? {} : { part }) }), part ?? name, text)];
  });
}

/** By which a part is known whose name cannot be read: it is no source, and the model is told how to make it one. */
export const UNNAMED_PART = 'unnamed_part';

const unnamed = (id: string): Evidence => ({
  ...fileOf(`${id}/`, '', ''),
  ...{ ok: false, code: UNNAMED_PART, result: {}, source: id },
});

const fileOf = (id: string, name: string, text: string): Evidence => ({
  id,
  tool: 'attachment',
  ok: true,
  code: null,
  risk: 'read',
  result: { id, name, text },
  content: text,
  ref: null,
  source: id,
  observedAt: null,
  facts: factsByFields(null),
});

/** By which the earlier mails of the thread are cited. */
export const THREAD = 'thread';

/**
 * What people wrote in an earlier mail of the thread, without what stood beside it; of others all that is shown is their mail's. The
 * persona's own mails are none: what it said itself bears out nothing.
 */
const writtenIn = (message: ModelMessage): readonly string[] => {
  if (message.role !== 'user') return [];
  return message.content.flatMap((part) => {
    if (part.type !== 'text') return [];
    const isOfOthers = OF_OTHERS.test(part.text);
    const words = isOfOthers ? part.text.split('\n').slice(2, -1).join('\n') : fencedIn(part.text, 'new_text').inside;
    return words === '' ? [] : [words];
  });
};

/** Earlier mails of the thread as the model was shown them, the newest first: a source without a call. Null where there are none. */
export function threadIn(history: readonly ModelMessage[]): Evidence | null {
  const text = history.toReversed().flatMap(writtenIn).join('\n\n');
  return text === '' ? null : { ...fileOf(THREAD, THREAD, text), tool: THREAD, result: { text } };
}
