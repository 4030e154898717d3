import type { Persona } from '../../config/types.ts';
import { lineOf } from '../../memory/active/compose.ts';
import { factsBlock, factsToShow, readerOf, saysOthers } from '../../memory/facts/shown.ts';
import { isActive, type OnceText } from '../../memory/threads/once.ts';
import type { Prompt } from '../../policy/prompt.ts';
import { hasReaders } from '../../policy/viewer.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Fact, FactReader } from '../../storage/types/facts.ts';
import type { GatherReader } from './parts.ts';
import { type Began, gatherPart, type Part } from './parts.ts';

/** It reads indexes that answer in ms; a mail does not wait for them. */
const FACTS_MS = 2000;

/** With these eyes only what everybody may be told is seen. */
const NOBODY: FactReader = { address: '', isOwner: false, threadId: '' };

/** What others are told as well is nobody's to guess for the model: the sender alone chose who they are. */
export const limitationsOfReaders = ({ readers = [] }: LoadedRun['run']): readonly string[] =>
  readers.length === 0
    ? []
    : [
        `Your answer goes to ${readers.length === 1 ? 'one other address' : `${readers.length} other addresses`} in To and Cc of this mail, too. So of earlier mail you are shown, and find, only what all of them were sent, and nothing is shown to you of what you remember of the sender. For more the sender can write to you alone.`,
      ];

/** The part of the gathering that looks at what is remembered. Null where nothing is. */
export async function factsGathered(
  options: {
    readonly loaded: Pick<LoadedRun, 'run' | 'message'>;
    readonly persona: Pick<Persona, 'memory'>;
    readonly store: Pick<GatherReader, 'factsFor' | 'disputedFacts'>;
  },
  began: Began,
): Promise<Part<readonly Fact[]> | null> {
  const { loaded, persona, store } = options;
  const { run, message } = loaded;
  if (!persona.memory.facts || run.kind === 'delegation') return null;
  const reader = readerOf(run);
  const asked = { text: `${message.subject}\n${message.new_text}`, now: message.received_at };
  return gatherPart(
    { name: 'facts', deadlineMs: FACTS_MS, charsOf: (facts) => factsBlock(facts, reader.address).length },
    () => factsToShow(store, { reader, toldTo: hasReaders(run) ? NOBODY : reader }, asked),
    began,
  );
}

/**
 * What stands beside the mail, without the lines of `active.md` that say what is shown with its id anyway: said twice, it
 * would count twice.
 */
export const withoutShownFacts = (texts: readonly OnceText[], facts: readonly Fact[]): readonly OnceText[] =>
  texts.map((one) =>
    isActive(one) ? { ...one, text: withoutLines(one.text, new Set(facts.map((fact) => lineOf(fact).trim()))) } : one,
  );

const withoutLines = (text: string, lines: ReadonlySet<string>): string =>
  text
    .split('\n')
    .filter((line) => !lines.has(line))
    .join('\n');

/** A part that failed is told to the model, or it would take silence for an answer. */
export const limitationsOfFacts = (facts: Part<readonly Fact[]> | null): readonly string[] =>
  facts?.span.error
    ? [
        'What you remember of this sender could not be loaded: where it matters, say so instead of saying there is none.',
      ]
    : [];

/**
 * The prompt with what is remembered above the mail, in this run alone: later runs of the thread are shown the mail
 * without it, since by then it may be otherwise, or forgotten.
 */
export function withFacts({ run }: Pick<LoadedRun, 'run'>, facts: readonly Fact[], prompt: Prompt): Prompt {
  const { address } = readerOf(run);
  const inForce = facts.filter(({ status }) => status !== 'forgotten');
  const text = factsBlock(inForce, address);
  const { userBlock, shown } = prompt;
  if (text === '' || userBlock.role !== 'user') return prompt;
  const foreign = saysOthers(inForce, address);
  return {
    ...prompt,
    userBlock: { ...userBlock, content: [{ type: 'text', text }, ...userBlock.content] },
    // A model wrote these words: an address in them was never read anywhere.
    shown: [...shown, { origin: 'what is remembered', text, trusted: false, foreign, own: true }],
  };
}
