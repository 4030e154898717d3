import { canonicalJson } from '../../lib/json.ts';
import type { Playbook } from '../../record/codec/playbook.ts';
import { heldToAudience, heldToTiers } from './audience.ts';
import { type CandidateFault, readCandidate, type ToolWorld } from './candidate.ts';
import type { Example } from './examples.ts';
import { type Unproven, unprovenIn } from './proof.ts';
import { type Score, scoreOf } from './score.ts';

/** As few examples say nothing of a playbook. */
export const LEAST_SCENARIOS = 3;
/** By how much a candidate has to be better. */
export const LEAST_GAIN = 0.05;

type Rejection = CandidateFault | Unproven | 'too_few_scenarios' | 'nothing_new' | 'forbidden_effect' | 'not_better';

export type Judgement =
  | { readonly accepted: true; readonly playbook: Playbook; readonly from: number; readonly to: number }
  | {
      readonly accepted: false;
      readonly reason: Rejection;
      readonly detail: string;
      /** Scores of the version before and of the candidate; null where none was played. */
      readonly from: number | null;
      readonly to: number | null;
    };

/**
 * Whether what a model wrote takes the place of the playbook before it. It has to be proved by examples in every part, do
 * nothing forbidden that the one before does not do, and be better by 0.05. Pure: nothing is called.
 */
export function judge(
  text: string,
  of: {
    readonly kind: string;
    readonly parent: Playbook;
    readonly examples: readonly Example[];
    readonly world: ToolWorld;
  },
): Judgement {
  const { kind, parent, examples, world } = of;
  const rejected = (reason: Rejection, detail: string, from: number | null = null, to: number | null = null) =>
    ({ accepted: false, reason, detail: detail.slice(0, 300), from, to }) as const;
  const read = readCandidate(text, kind, world);
  if (!read.ok) return rejected(read.reason, read.detail);
  if (examples.length < LEAST_SCENARIOS) return rejected('too_few_scenarios', `${examples.length} examples`);
  const shown = heldToAudience(read.playbook, examples);
  const tiered = heldToTiers(shown, scoreOf(shown, examples, world.changes).examples);
  const playbook = tiered ?? shown;
  if ([read.playbook, shown, playbook].some((one) => sayingOf(one) === sayingOf(parent)))
    return rejected('nothing_new', 'it says what the version before says');
  const before = scoreOf(parent, examples, world.changes);
  const after = scoreOf(playbook, examples, world.changes);
  const [from, to] = [before.score, after.score];
  const forbidden = newlyForbidden(before, after);
  if (forbidden !== null) return rejected('forbidden_effect', forbidden, from, to);
  const unproven = unprovenIn(playbook, after.examples, world);
  if (unproven !== null) return rejected(unproven.reason, unproven.detail, from, to);
  if (tiered === null) return rejected('unproven_step', 'under no tier was each of its steps right', from, to);
  if (to < from + LEAST_GAIN)
    return rejected('not_better', `${from.toFixed(2)} before, ${to.toFixed(2)} after`, from, to);
  return { accepted: true, playbook, from, to };
}

/** Without what differs from one version to the next by itself. */
const sayingOf = ({ meta: _, ...body }: Playbook): string => canonicalJson(body);

function newlyForbidden(before: Score, after: Score): string | null {
  const at = after.examples.findIndex(({ isForbidden }, index) => {
    return isForbidden && before.examples[index]?.isForbidden !== true;
  });
  return at < 0 ? null : `it does what must not be done in example ${at + 1}`;
}
