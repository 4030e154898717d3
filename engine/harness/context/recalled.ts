import type { Configs, Persona } from '../../config/types.ts';
import { contentWords } from '../../memory/recall/content-words.ts';
import { type Recalled, recall } from '../../memory/recall/recall.ts';
import { askerOf, viewerOf } from '../../policy/viewer.ts';
import type { Intent } from '../../record/codec/intent.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import { type Began, gatherPart, type Part } from './parts.ts';
import type { GatherReader } from './reader.ts';

/** It reads an index that answers in ms; a mail does not wait for one that does not. */
const RECALL_MS = 2000;

/** The part of the gathering that looks at earlier mail. Null where it is switched off, and for a task, which nobody wrote now. */
async function recalledFor(
  options: {
    readonly loaded: LoadedRun;
    readonly persona: Pick<Persona, 'memory' | 'timezone'>;
    readonly configs: Pick<Configs, 'system'>;
    readonly store: GatherReader;
  },
  began: Began,
  intent: Intent | null = null,
): Promise<Part<Recalled> | null> {
  const { loaded, persona, configs, store } = options;
  const { run, message, thread } = loaded;
  const isOn = persona.memory.recall ?? configs.system.memory.recall;
  if (!isOn || loaded.trigger.kind !== 'mail') return null;
  const mail = { threadId: thread.id, subject: message.subject, text: message.new_text };
  return gatherPart(
    { name: 'recall', deadlineMs: RECALL_MS, charsOf: ({ text }: Recalled) => text.length },
    () =>
      recall({
        ...{ store, viewer: viewerOf(run), asker: askerOf(run), mail, timezone: persona.timezone },
        about: intent === null ? null : aboutOf(intent),
      }),
    began,
  );
}

const DAY_MS = 86_400_000;

/** A day wider at each end, since its days are those of whichever zone. */
function aboutOf({ time_range: range, people }: Intent): NonNullable<Parameters<typeof recall>[0]['about']> {
  const time = range === null ? null : { from: Date.parse(range.from), until: Date.parse(range.to) };
  return {
    ...{ from: time ? time.from - DAY_MS : 0, until: time ? time.until + 2 * DAY_MS : Number.MAX_SAFE_INTEGER },
    words: people.flatMap((address) => contentWords({ subject: '', text: address.replaceAll(/[@._-]/g, ' ') })),
  };
}

/** Whether there is more to recall by than the mail itself. */
const narrowsRecall = ({ time_range: range, people }: Intent): boolean => range !== null || people.length > 0;

/** A part that failed is told to the model, or it would take silence for an answer. */
export const limitationsOf = (recalled: Part<Recalled> | null): readonly string[] =>
  recalled === null || recalled.span.error === null
    ? []
    : [
        'Earlier mail could not be looked through for this mail: where it matters, say so instead of saying there is none.',
      ];

/** At once by the words of the mail; again by what the mail is about, where a model has told by then. */
export async function recalledBy(
  options: Parameters<typeof recalledFor>[0],
  began: Began,
  intentOf: Promise<Intent | null>,
): Promise<Part<Recalled> | null> {
  const [first, intent] = await Promise.all([recalledFor(options, began), intentOf]);
  if (first === null || intent === null || !narrowsRecall(intent)) return first;
  const again = await recalledFor(options, began, intent);
  return again?.result ? again : first;
}
