import type { Playbook } from '../../record/codec/playbook.ts';
import { witnessesOf } from './audience.ts';
import { type Example, effectKey } from './examples.ts';
import { type Played, play } from './play.ts';

interface Seen {
  readonly example: Example;
  readonly played: Played;
}

export interface Holding {
  readonly examples: readonly Example[];
  /** The example by which it was known that others do not hold any more; null: all do. */
  readonly knownBy: Example | null;
}

/**
 * Examples without those that newer ones contradict: of a step that was right once, two good runs found that its call comes
 * to nothing and made another with that tool, and none since the first of them made it as the step does. Neither what
 * somebody calls bad nor a run that found no other way is such a word. `examples`: newest first. Pure.
 */
export function stillHolding(playbook: Playbook, examples: readonly Example[]): Holding {
  const seen = examples.map((example): Seen => ({ example, played: play(playbook, example) }));
  const witness = witnessesOf(
    examples.filter(({ verdict }) => verdict === 'good'),
    playbook.meta.kind,
  );
  const over = new Set<Example>();
  let knownBy: Example | null = null;
  for (let step = 1; step <= playbook.steps.length; step += 1) {
    const against = seen.filter((one) => contradicts(one, step)).map(({ example }) => example);
    const oldest = against.at(-1);
    const proof = against.findLast((one) => oldest !== undefined && witness(one) !== witness(oldest));
    if (oldest === undefined || proof === undefined) continue;
    const first = examples.indexOf(oldest);
    if (seen.slice(0, first).some((one) => bearsOut(one, step))) continue;
    const before = seen.slice(first + 1).filter((one) => bearsOut(one, step));
    for (const { example } of before) over.add(example);
    if (before.length > 0) knownBy ??= proof;
  }
  return { examples: examples.filter((one) => !over.has(one)), knownBy };
}

const bearsOut = ({ example, played }: Seen, step: number): boolean =>
  example.verdict === 'good' && played.calls.some((call) => call.step === step && call.isKnown);

function contradicts({ example, played }: Seen, step: number): boolean {
  const call = played.calls.find((one) => one.step === step && !one.isKnown);
  if (call === undefined || example.verdict !== 'good') return false;
  const isWrong = example.forbidden.some((one) => effectKey(one) === effectKey(call));
  return isWrong && example.expected.some(({ tool }) => tool === call.tool);
}
