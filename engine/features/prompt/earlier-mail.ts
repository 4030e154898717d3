import type { Persona } from '../../config/types.ts';
import {
  type Began,
  type GatherPart,
  type GatherReader,
  type Placed,
  type RecordedRun,
  type TimedLook,
  timedLook,
} from '../../harness/context/parts.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { RecalledFrom } from '../../memory/recall/block.ts';
import { contentWords } from '../../memory/recall/content-words.ts';
import { type Recalled, recalledAgain, recall as recallMail } from '../../memory/recall/recall.ts';
import { CLOSED_THREADS, closingsToShow } from '../../memory/threads/closing-shown.ts';
import type { ToolFacts } from '../../policy/surface.ts';
import type { OnceText } from '../../policy/values/once.ts';
import type { ShownPiece } from '../../policy/values/shown.ts';
import { askerOf, viewerOf } from '../../policy/viewer.ts';
import type { Intent } from '../../record/codec/intent.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';

const READ_ATTACHMENT = 'read_attachment';
/** It reads an index that answers in ms; a mail does not wait for one that does not. */
const RECALL_MS = 2000;

interface Recalling {
  readonly loaded: LoadedRun;
  readonly persona: Pick<Persona, 'timezone'>;
  readonly store: GatherReader;
  readonly offered: readonly Pick<ToolFacts, 'name'>[];
}

/** What a mail is about: two parts look by the same words, which are found once. */
const known = new WeakMap<LoadedRun['message'], readonly string[]>();

function wordsOf({ message }: LoadedRun): readonly string[] {
  const words = known.get(message) ?? contentWords({ subject: message.subject, text: message.new_text });
  known.set(message, words);
  return words;
}

/** Excerpts of earlier mail of other threads. */
export const recall: GatherPart = {
  forRun: (run) => ({
    async gather(began, intent) {
      const { span, result } = await recalledBy(run, began, intent);
      return {
        span,
        limitations: span.error === null ? [] : [UNSEEN],
        ...(result && {
          placed: placed(result),
          tell(recorder) {
            // Not its words: of what is forgotten none is left, and a run that goes on reads the rest again.
            const { text, sources, timezone } = result;
            recorder.event('gather_part', { part: span.part, chars: text.length, timezone, sources });
          },
        }),
      };
    },
  }),
  async again(record) {
    const part = await asRecorded(record);
    return part && placed(part);
  },
};

/** A look that failed is told to the model, or it would take silence for an answer. */
const UNSEEN =
  'Earlier mail could not be looked through for this mail: where it matters, say so instead of saying there is none.';

async function recalledFor(run: Recalling, began: Began, intent: Intent | null = null): Promise<TimedLook<Recalled>> {
  const { loaded, persona, store, offered } = run;
  const { message, thread } = loaded;
  const mail = { threadId: thread.id, text: message.new_text, at: message.received_at };
  return timedLook(
    { name: 'recall', deadlineMs: RECALL_MS, charsOf: ({ text }: Recalled) => text.length },
    () =>
      recallMail({
        store,
        viewer: viewerOf(loaded.run),
        asker: askerOf(loaded.run),
        mail,
        words: wordsOf(loaded),
        timezone: persona.timezone,
        mayOpen: offered.some(({ name }) => name === READ_ATTACHMENT),
        about: intent === null ? null : aboutOf(intent),
      }),
    began,
  );
}

/** A day wider at each end, since its days are those of whichever zone. */
function aboutOf({ time_range: range, people }: Intent): NonNullable<Parameters<typeof recallMail>[0]['about']> {
  const time = range === null ? null : { from: Date.parse(range.from), until: Date.parse(range.to) };
  return {
    from: time ? time.from - DAY_MS : 0,
    until: time ? time.until + 2 * DAY_MS : Number.MAX_SAFE_INTEGER,
    words: people.flatMap((address) => contentWords({ subject: '', text: address.replaceAll(/[@._-]/g, ' ') })),
  };
}

/** Whether there is more to recall by than the mail itself. */
const narrowsRecall = ({ time_range: range, people }: Intent): boolean => range !== null || people.length > 0;

/** At once by the words of the mail; again by what the mail is about, where a model has told by then. */
async function recalledBy(
  run: Recalling,
  began: Began,
  intentOf: Promise<Intent | null>,
): Promise<TimedLook<Recalled>> {
  const [first, intent] = await Promise.all([recalledFor(run, began), intentOf]);
  if (intent === null || !narrowsRecall(intent)) return first;
  const again = await recalledFor(run, began, intent);
  return again.result ? again : first;
}

/** What was recalled, as far as provenance asks. */
interface RecalledPart {
  readonly text: string;
  readonly sources: readonly Pick<RecalledFrom, 'from' | 'direction' | 'foreign' | 'at' | 'chars'>[];
}

async function asRecorded({ log, store, built }: RecordedRun): Promise<RecalledPart | null> {
  const part = log.of('gather_part').findLast(({ data }) => data.part === 'recall')?.data;
  if (!part) return null;
  const sources = part.sources.flatMap(({ seq, extent, ...source }) =>
    seq && extent ? [{ ...source, seq, extent }] : [],
  );
  const again = await recalledAgain(store, {
    sources,
    timezone: part.timezone ?? 'UTC',
    isBefore: built?.brief === undefined,
  });
  const there = new Set(again.sources.map(({ message_id: id }) => id));
  // The run was shown it, so what it does may be its doing, also when nobody may read it any more.
  const gone = part.sources.filter(({ message_id: id }) => !there.has(id)).map((one) => ({ ...one, at: 0, chars: 0 }));
  return { text: again.text, sources: [...again.sources, ...gone] };
}

/** Not in the block of the mail, which later runs of the thread are shown: what is recalled is recalled anew. */
const placed = ({ text, sources }: RecalledPart): Placed => ({
  text,
  at: 'next',
  // Nobody's order, whoever wrote it: it was written for another occasion.
  shown: sources.map(
    ({ from, direction, foreign, at, chars }): ShownPiece => ({
      origin:
        direction === 'out'
          ? 'an earlier answer that was recalled'
          : `an earlier mail of ${from ?? 'nobody'}, recalled`,
      text: text.slice(at, at + chars),
      trusted: false,
      foreign,
      own: direction === 'out',
    }),
  ),
});

/** What was written down of threads that are over. */
export const closedThreads: GatherPart = {
  forRun(run) {
    const { loaded, store } = run;
    if (wordsOf(loaded).length === 0) return null;
    return {
      async gather(began) {
        const { span, result } = await timedLook(
          { name: 'closed_threads', deadlineMs: RECALL_MS, charsOf: (texts: readonly OnceText[]) => lengthOf(texts) },
          () =>
            closingsToShow(store, {
              words: wordsOf(loaded),
              viewer: viewerOf(loaded.run),
              asker: askerOf(loaded.run),
              exceptThread: loaded.thread.id,
            }),
          began,
        );
        if (span.error === null && result?.length === 0) return null;
        return { span, limitations: span.error === null ? [] : [UNSEEN], once: result ?? [] };
      },
    };
  },
  origins: { [CLOSED_THREADS]: 'the summary of an earlier thread' },
};

const lengthOf = (texts: readonly OnceText[]): number => texts.reduce((sum, { text }) => sum + text.length, 0);
