import type { Json, ModelMessage } from '#contract';
import { fencedIn } from '../../policy/values/shown.ts';
import type { Evidence } from './evidence.ts';

// What the persona wrote itself before bears out nothing: neither its answers and receipts, nor what is quoted of a mail, which may be
// one of them, nor a summary that a model made. Whose words these are is known by the rows, which say it in what the model was shown.

/** Sources of an answer, and apart from them what nobody but the persona may have said. */
interface Sources {
  readonly evidence: readonly Evidence[];
  /** The mail that is answered, as the model was shown it. */
  readonly mail: string;
}

export interface SourcesOfOthers extends Sources {
  /** What is not borne out by it is not called wrong for it either. */
  readonly own: string;
}

/** Pure. */
export function withoutOwnWords({ evidence, mail }: Sources, history: readonly ModelMessage[]): SourcesOfOthers {
  const answers = history.flatMap((message) => (message.role === 'assistant' ? [message.text] : []));
  const results = evidence.map((item) => ({ item, ...ofOthers(item.result) }));
  const shown = ofMail(mail);
  return {
    evidence: results.map(({ item, result, own }) => (own.length === 0 ? item : { ...item, result })),
    mail: shown.mail,
    own: [...answers, ...results.flatMap(({ own }) => own), shown.own].filter((text) => text !== '').join('\n\n'),
  };
}

type Fields = Readonly<Record<string, Json>>;
const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of a mail these are its writer's words; from whom, to whom and when it went is on record. */
const WORDS = ['text', 'snippet', 'subject'] as const;

interface OfOthers {
  readonly result: Json;
  readonly own: readonly string[];
}

/** A result that is a mail of the persona's, or that lists some, without what these say. */
function ofOthers(result: Json): OfOthers {
  if (!isFields(result)) return { result, own: [] };
  if (typeof result.message_id === 'string') return mailOfOthers(result);
  const own: string[] = [];
  const fields = Object.entries(result).map(([key, value]): [string, Json] => {
    if (!Array.isArray(value)) return [key, value];
    const entries = value.map((entry: Json) => {
      if (!isFields(entry) || typeof entry.message_id !== 'string') return entry;
      const one = mailOfOthers(entry);
      own.push(...one.own);
      return one.result;
    });
    return [key, entries];
  });
  return { result: own.length === 0 ? result : Object.fromEntries(fields), own };
}

function mailOfOthers(mail: Fields): OfOthers {
  const { direction, part } = mail;
  // What came back to the persona and went on with a mail of its own is somebody else's; what is quoted may be its own.
  const isOwn = direction === 'out' ? part !== 'forwarded' : direction === 'in' && part === 'quoted';
  if (!isOwn) return { result: mail, own: [] };
  const names: readonly string[] = WORDS;
  const own = WORDS.flatMap((name) => {
    const words = mail[name];
    return typeof words === 'string' ? [words] : [];
  });
  return { result: Object.fromEntries(Object.entries(mail).filter(([name]) => !names.includes(name))), own };
}

const OF_NOBODY = ['quoted_text', 'asked_text', 'thread_summary', 'closed_thread'] as const;

/** Of mail that was recalled, each piece behind a line that says by its row from whom it is. */
const RECALLED_OF_OURS =
  /^(?:\d{4}-\d\d-\d\d|[^\n]{1,60}) from you(?:, [^\n]*)?:\n<recalled_((?:[0-9a-f]{8}){1,2})>\n/gm;

function ofMail(text: string): { readonly mail: string; readonly own: string } {
  const own: string[] = [];
  let rest = text;
  for (const name of OF_NOBODY) {
    const { inside, outside } = fencedIn(rest, name);
    if (inside !== '') own.push(inside);
    rest = outside;
  }
  const kept: string[] = [];
  let from = 0;
  for (const { index, 0: open, 1: mark } of rest.matchAll(RECALLED_OF_OURS)) {
    if (index < from) continue;
    const start = index + open.length;
    const close = rest.indexOf(`\n</recalled_${mark}>`, start);
    const end = close === -1 ? rest.length : close;
    own.push(rest.slice(start, end));
    kept.push(rest.slice(from, index));
    from = end;
  }
  return { mail: [...kept, rest.slice(from)].join(''), own: own.join('\n\n') };
}
