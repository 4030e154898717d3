import type { Configs, Persona } from '../../config/types.ts';
import { type Recalled, recall } from '../../memory/recall/recall.ts';
import { askerOf, viewerOf } from '../../policy/viewer.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import { type Began, gatherPart, type Part } from './parts.ts';
import type { GatherReader } from './reader.ts';

/** It reads an index that answers in ms; a mail does not wait for one that does not. */
const RECALL_MS = 2000;

/** The part of the gathering that looks at earlier mail. Null where it is switched off, and for a task, which nobody wrote now. */
export async function recalledFor(
  options: {
    readonly loaded: LoadedRun;
    readonly persona: Pick<Persona, 'memory' | 'timezone'>;
    readonly configs: Pick<Configs, 'system'>;
    readonly store: GatherReader;
  },
  began: Began,
): Promise<Part<Recalled> | null> {
  const { loaded, persona, configs, store } = options;
  const { run, message, thread } = loaded;
  const isOn = persona.memory.recall ?? configs.system.memory.recall;
  if (!isOn || loaded.trigger.kind !== 'mail') return null;
  const mail = { threadId: thread.id, subject: message.subject, text: message.new_text };
  return gatherPart(
    { name: 'recall', deadlineMs: RECALL_MS, charsOf: ({ text }: Recalled) => text.length },
    () => recall({ store, viewer: viewerOf(run), asker: askerOf(run), mail, timezone: persona.timezone }),
    began,
  );
}

/** A part that failed is told to the model, or it would take silence for an answer. */
export const limitationsOf = (recalled: Part<Recalled> | null): readonly string[] =>
  recalled === null || recalled.span.error === null
    ? []
    : [
        'Earlier mail could not be looked through for this mail: where it matters, say so instead of saying there is none.',
      ];
