import type { Playbook } from '../../record/codec/playbook.ts';
import type { ScenarioEffect } from '../../record/codec/scenario.ts';
import { type Example, effectKey } from './examples.ts';
import { type PlayedRun, play } from './play.ts';

/** How a playbook does in one example. */
export interface ExampleScore {
  readonly example: Example;
  readonly played: PlayedRun;
  /** All that is expected was done by the playbook itself. */
  readonly isPresent: boolean;
  /** Something that must not be done was done, or was let happen. */
  readonly isForbidden: boolean;
}

export interface Score {
  /** From 0 to 1; doing nothing is worth 0. */
  readonly score: number;
  readonly examples: readonly ExampleScore[];
}

/**
 * The mean of [what is expected was done] − [what is forbidden was done], 0 at least. The same for every version, whoever
 * made it. Pure. `changes`: whether a call of the tool changes something.
 */
export function scoreOf(playbook: Playbook, examples: readonly Example[], changes: (tool: string) => boolean): Score {
  const scored = examples.map((example) => scoreIn(play(playbook, example), example, changes));
  const sum = scored.reduce((total, { isPresent, isForbidden }) => total + Number(isPresent) - Number(isForbidden), 0);
  const mean = scored.length === 0 ? 0 : sum / scored.length;
  return { score: Math.max(0, Math.round(mean * 1e6) / 1e6), examples: scored };
}

function scoreIn(played: PlayedRun, example: Example, changes: (tool: string) => boolean): ExampleScore {
  const { expected, forbidden, verdict } = example;
  const missing = without(expected, played.calls);
  const more = without(played.calls, expected).filter(({ tool }) => changes(tool));
  const mustNot = new Set(forbidden.map(effectKey));
  const done = [...played.calls, ...(verdict === 'bad' ? played.left : [])];
  return {
    example,
    played,
    isPresent: expected.length > 0 && missing.length === 0,
    // Nothing is changed in passing that no good run has changed.
    isForbidden: done.some((call) => mustNot.has(effectKey(call))) || (verdict === 'good' && more.length > 0),
  };
}

/** Effects of one list that the other has not, each as often as it is there. */
function without<One extends ScenarioEffect>(effects: readonly One[], others: readonly ScenarioEffect[]): One[] {
  const left = new Map<string, number>();
  for (const key of others.map(effectKey)) left.set(key, (left.get(key) ?? 0) + 1);
  return effects.filter((effect) => {
    const key = effectKey(effect);
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return count === 0;
  });
}
