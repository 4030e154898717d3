import type { Configs, Persona } from '../../config/types.ts';
import { DAY_MS } from '../../lib/time.ts';
import { contentWords } from '../../memory/recall/content-words.ts';
import { type Recalled, recall } from '../../memory/recall/recall.ts';
import { closingsToShow } from '../../memory/threads/closing-shown.ts';
import type { OnceText } from '../../memory/threads/once.ts';
import { askerOf, hasReaders, viewerOf } from '../../policy/viewer.ts';
import type { Intent } from '../../record/codec/intent.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { GatherReader } from './parts.ts';
import { type Began, gatherPart, type Part } from './parts.ts';

/** It reads an index that answers in ms; a mail does not wait for one that does not. */
const RECALL_MS = 2000;

interface Recalling {
  readonly loaded: LoadedRun;
  readonly persona: Pick<Persona, 'memory' | 'timezone'>;
  readonly configs: Pick<Configs, 'system'>;
  readonly store: GatherReader;
}

/** A mail that earlier mail is looked through for, with what it is about: two parts look by the same words. */
interface Looking extends Recalling {
  readonly words: readonly string[];
}

/** Null where it is switched off. */
export const lookingFor = (options: Recalling): Looking | null => {
  const { subject, new_text: text } = options.loaded.message;
  return isRecallOn(options) ? { ...options, words: contentWords({ subject, text }) } : null;
};

/** Not for a task, which nobody wrote now, nor where others are told as well, who may not see what the sender may. */
const isRecallOn = ({ loaded, persona, configs }: Recalling): boolean =>
  !hasReaders(loaded.run) && (persona.memory.recall ?? configs.system.memory.recall) && loaded.trigger.kind === 'mail';

/** The part of the gathering that looks at earlier mail. */
async function recalledFor(looking: Looking, began: Began, intent: Intent | null = null): Promise<Part<Recalled>> {
  const { loaded, persona, store, words } = looking;
  const { run, message, thread } = loaded;
  const mail = { threadId: thread.id, text: message.new_text };
  return gatherPart(
    { name: 'recall', deadlineMs: RECALL_MS, charsOf: ({ text }: Recalled) => text.length },
    () =>
      recall({
        store,
        viewer: viewerOf(run),
        asker: askerOf(run),
        mail,
        words,
        timezone: persona.timezone,
        about: intent === null ? null : aboutOf(intent),
      }),
    began,
  );
}

/** A day wider at each end, since its days are those of whichever zone. */
function aboutOf({ time_range: range, people }: Intent): NonNullable<Parameters<typeof recall>[0]['about']> {
  const time = range === null ? null : { from: Date.parse(range.from), until: Date.parse(range.to) };
  return {
    from: time ? time.from - DAY_MS : 0,
    until: time ? time.until + 2 * DAY_MS : Number.MAX_SAFE_INTEGER,
    words: people.flatMap((address) => contentWords({ subject: '', text: address.replaceAll(/[@._-]/g, ' ') })),
  };
}

/** Whether there is more to recall by than the mail itself. */
const narrowsRecall = ({ time_range: range, people }: Intent): boolean => range !== null || people.length > 0;

/** A part that failed is told to the model, or it would take silence for an answer. */
export const limitationsOf = (...parts: readonly (Part<unknown> | null)[]): readonly string[] =>
  parts.every((part) => part === null || part.span.error === null)
    ? []
    : [
        'Earlier mail could not be looked through for this mail: where it matters, say so instead of saying there is none.',
      ];

/** At once by the words of the mail; again by what the mail is about, where a model has told by then. */
export async function recalledBy(
  looking: Looking | null,
  began: Began,
  intentOf: Promise<Intent | null>,
): Promise<Part<Recalled> | null> {
  if (looking === null) return null;
  const [first, intent] = await Promise.all([recalledFor(looking, began), intentOf]);
  if (intent === null || !narrowsRecall(intent)) return first;
  const again = await recalledFor(looking, began, intent);
  return again.result ? again : first;
}

/** The part of the gathering that looks at threads that are over. Null where earlier mail is not recalled, and where it found none. */
export async function closedThreadsFor(
  looking: Looking | null,
  began: Began,
): Promise<Part<readonly OnceText[]> | null> {
  if (looking === null || looking.words.length === 0) return null;
  const { words, store } = looking;
  const { run, thread } = looking.loaded;
  const part = await gatherPart(
    { name: 'closed_threads', deadlineMs: RECALL_MS, charsOf: (texts: readonly OnceText[]) => lengthOf(texts) },
    () =>
      closingsToShow(store, {
        words,
        viewer: viewerOf(run),
        asker: askerOf(run),
        exceptThread: thread.id,
      }),
    began,
  );
  return part.span.error === null && part.result?.length === 0 ? null : part;
}

const lengthOf = (texts: readonly OnceText[]): number => texts.reduce((sum, { text }) => sum + text.length, 0);
