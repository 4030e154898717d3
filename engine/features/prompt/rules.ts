import { type GatherPart, type Placed, type TimedLook, timedLook } from '../../harness/context/parts.ts';
import { rulesBlock } from '../../memory/rules/shown.ts';
import { ruleReaderOf } from '../../policy/standing-rules.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Rule } from '../../storage/types/rules.ts';

/** It reads an index that answers in ms; a mail does not wait for it. */
const RULES_MS = 2000;

/** What is to hold from now on, above all else beside the mail. */
export const rules: GatherPart = {
  forRun: ({ loaded: { run }, store, now }) => ({
    async gather(began) {
      const look = await timedLook(
        { name: 'rules', deadlineMs: RULES_MS, charsOf: (found) => rulesBlock(found).length },
        async () => {
          const held = await store.rulesFor(ruleReaderOf(run, now()));
          const shown = held.filter((rule) => isShown(rule, run) && isAbout(rule, run));
          return shown.length === 0 ? null : shown;
        },
        began,
      );
      // Where nothing holds there is nothing to tell of.
      if (look.result === null)
        return look.span.error === null ? null : { span: look.span, limitations: limitationsOf(look) };
      return {
        span: look.span,
        placed: placed(look.result),
        onRecord: { rule_ids: look.result.map(({ id }) => id) },
      };
    },
  }),
  again: async ({ store, built }) => placed(await store.rulesByIds(built?.rule_ids ?? [])),
};

/** A member's words are for a mail that they are proven to have written; what owners have said is for whatever comes. */
const isShown = ({ said_tier: by }: Rule, { tier }: LoadedRun['run']): boolean =>
  by === 'owner' || (tier !== 'unauthenticated' && tier !== 'stranger');

/** A copy for somebody else's mail is made by the gateway in every run; told it is where mail may go to them. */
const isAbout = ({ effect }: Rule, { kind }: LoadedRun['run']): boolean => kind !== 'delegation' || effect !== 'cc';

/** A look that failed is told to the model, or it would act as if nothing had been said. */
const limitationsOf = ({ span }: TimedLook<readonly Rule[]>): readonly string[] =>
  span.error
    ? [
        'What your owners have said is to hold from now on could not be loaded: say so, and do nothing that cannot be undone.',
      ]
    : [];

/** In this run alone: the next run is shown what holds by then. */
function placed(held: readonly Rule[]): Placed | null {
  const text = rulesBlock(held);
  if (text === '') return null;
  // An owner's words of an earlier mail, which is no word about a value of today.
  return {
    text,
    at: 'beyond',
    shown: [{ origin: 'a standing rule', text, trusted: false, foreign: false, own: true }],
  };
}
