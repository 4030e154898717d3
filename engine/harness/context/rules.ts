import { ruleReaderOf, rulesBlock } from '../../memory/rules/shown.ts';
import type { Prompt } from '../../policy/prompt.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Rule } from '../../storage/types/rules.ts';
import { type Began, type GatherReader, gatherPart, type Part } from './parts.ts';

/** It reads an index that answers in ms; a mail does not wait for it. */
const RULES_MS = 2000;

/** A member's words are for a mail that they are proven to have written; what owners have said is for whatever comes. */
const isShown = ({ said_tier: by }: Rule, { tier }: LoadedRun['run']): boolean =>
  by === 'owner' || (tier !== 'unauthenticated' && tier !== 'stranger');

/** The part of the gathering that looks at what is to hold from now on. */
export const rulesGathered = (
  {
    loaded: { run },
    store,
    now,
  }: { readonly loaded: Pick<LoadedRun, 'run'>; readonly store: Pick<GatherReader, 'rulesFor'>; now(): number },
  began: Began,
): Promise<Part<readonly Rule[]>> =>
  gatherPart(
    { name: 'rules', deadlineMs: RULES_MS, charsOf: (rules) => rulesBlock(rules).length },
    async () => {
      const rules = await store.rulesFor(ruleReaderOf(run, now()));
      const shown = rules.filter((rule) => isShown(rule, run) && isAbout(rule, run));
      return shown.length === 0 ? null : shown;
    },
    began,
  );

/** A copy for somebody else's mail is made by the gateway in every run; told it is where mail may go to them. */
const isAbout = ({ effect }: Rule, { kind }: LoadedRun['run']): boolean => kind !== 'delegation' || effect !== 'cc';

/** Where nothing holds there is nothing to tell of. */
export const worthASpan = (ruled: Part<readonly Rule[]>): Part<readonly Rule[]> | null =>
  ruled.result !== null || ruled.span.error !== null ? ruled : null;

export const rulesOnRecord = ({ result }: Part<readonly Rule[]>): { rule_ids?: readonly string[] } =>
  result === null ? {} : { rule_ids: result.map(({ id }) => id) };

/** A part that failed is told to the model, or it would act as if nothing had been said. */
export const limitationsOfRules = ({ span }: Part<readonly Rule[]>): readonly string[] =>
  span.error
    ? [
        'What your owners have said is to hold from now on could not be loaded: say so, and do nothing that cannot be undone.',
      ]
    : [];

/**
 * The prompt with what is to hold above all else beside the mail, in this run alone: the next run is shown what holds by then.
 */
export function withRules({ result }: Pick<Part<readonly Rule[]>, 'result'>, prompt: Prompt): Prompt {
  const text = rulesBlock(result ?? []);
  const { userBlock, shown } = prompt;
  if (text === '' || userBlock.role !== 'user') return prompt;
  return {
    ...prompt,
    userBlock: { ...userBlock, content: [{ type: 'text', text }, ...userBlock.content] },
    // An owner's words of an earlier mail, which is no word about a value of today.
    shown: [...shown, { origin: 'a standing rule', text, trusted: false, foreign: false, own: true }],
  };
}
