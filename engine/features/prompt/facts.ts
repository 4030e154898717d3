import { type GatherPart, type Placed, type TimedLook, timedLook } from '../../harness/context/parts.ts';
import { isActive, lineOf } from '../../memory/active/compose.ts';
import { factsBlock, factsToShow, readerOf, saysOthers } from '../../memory/facts/shown.ts';
import type { OnceText } from '../../policy/values/once.ts';
import { hasReaders } from '../../policy/viewer.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Fact, FactReader } from '../../storage/types/facts.ts';

/** It reads indexes that answer in ms; a mail does not wait for them. */
const FACTS_MS = 2000;

/** With these eyes only what everybody may be told is seen. */
const NOBODY: FactReader = { address: '', isOwner: false, threadId: '' };

/** What is remembered of whoever wrote, beside the mail. */
export const facts: GatherPart = {
  forRun({ loaded, store }) {
    const { run, message } = loaded;
    const reader = readerOf(run);
    const asked = { text: `${message.subject}\n${message.new_text}`, now: message.received_at };
    return {
      async gather(began) {
        const look = await timedLook(
          { name: 'facts', deadlineMs: FACTS_MS, charsOf: (found) => factsBlock(found, reader.address).length },
          () => factsToShow(store, { reader, toldTo: hasReaders(run) ? NOBODY : reader }, asked),
          began,
        );
        const found = look.result ?? [];
        return {
          span: look.span,
          limitations: limitationsOf(look),
          placed: placed(loaded, found),
          without: (texts) => withoutShown(texts, found),
          ...(found.length === 0 ? {} : { onRecord: { fact_ids: found.map(({ id }) => id) } }),
        };
      },
    };
  },
  again: async ({ loaded, store, built }) => placed(loaded, await store.factsByIds(built?.fact_ids ?? [])),
};

/**
 * What stands beside the mail, without the lines of `active.md` that say what is shown with its id anyway: said twice, it
 * would count twice.
 */
const withoutShown = (texts: readonly OnceText[], shown: readonly Fact[]): readonly OnceText[] =>
  texts.map((one) =>
    isActive(one.resolver)
      ? { ...one, text: withoutLines(one.text, new Set(shown.map((fact) => lineOf(fact).trim()))) }
      : one,
  );

const withoutLines = (text: string, lines: ReadonlySet<string>): string =>
  text
    .split('\n')
    .filter((line) => !lines.has(line))
    .join('\n');

/** A look that failed is told to the model, or it would take silence for an answer. */
const limitationsOf = ({ span }: TimedLook<readonly Fact[]>): readonly string[] =>
  span.error
    ? [
        'What you remember of this sender could not be loaded: where it matters, say so instead of saying there is none.',
      ]
    : [];

/**
 * In this run alone: later runs of the thread are shown the mail without it, since by then it may be otherwise, or
 * forgotten.
 */
function placed({ run }: Pick<LoadedRun, 'run'>, found: readonly Fact[]): Placed | null {
  const { address } = readerOf(run);
  const inForce = found.filter(({ status }) => status !== 'forgotten');
  const text = factsBlock(inForce, address);
  if (text === '') return null;
  const foreign = saysOthers(inForce, address);
  // A model wrote these words: an address in them was never read anywhere.
  return { text, at: 'beyond', shown: [{ origin: 'what is remembered', text, trusted: false, foreign, own: true }] };
}
