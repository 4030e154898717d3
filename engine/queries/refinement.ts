import type { ToolWorld } from '../learning/refine/candidate.ts';
import { toolWorldOf } from '../learning/refine/candidate.ts';
import { brought } from '../learning/refine/examples.ts';
import { LEAST_SCENARIOS } from '../learning/refine/judge.ts';
import { scoreOf } from '../learning/refine/score.ts';
import { emptyPlaybook, type RefineSubject, subjectOf } from '../learning/refine/subject.ts';
import { iso } from '../lib/clock.ts';
import type { Refinement } from '../storage/types/learning/refinements.ts';
import { personaNamed } from './find-across.ts';
import type { QueryPorts } from './ports.ts';

/** What became of an attempt to make a better version, as a person reads it. */
export interface RefinementShape extends Omit<Refinement, 'accepted' | 'at'> {
  readonly accepted: boolean;
  readonly at: string;
}

export const refinementShape = ({ accepted, at, ...rest }: Refinement): RefinementShape => ({
  ...rest,
  accepted: accepted === 1,
  at: iso(at),
});

/** What a playbook is worth by the newest examples, beside doing nothing. */
interface Baseline {
  readonly kind: string;
  readonly version: number;
  /** Scores from 0 to 1: of an empty playbook, and of the version in force. */
  readonly raw: number;
  readonly current: number;
  readonly delta: number;
  readonly examples: readonly {
    readonly id: string;
    readonly verdict: 'good' | 'bad';
    readonly subject: string;
    /** What was expected was done; what is forbidden was done. */
    readonly present: boolean;
    readonly forbidden: boolean;
    readonly calls: number;
  }[];
}

type NoBaseline = 'INSUFFICIENT_SCENARIOS' | 'NO_CURRENT_VERSION';

/** Nothing is called for it. `count`: the newest that are looked at. */
export async function baselineOf(
  ports: QueryPorts,
  persona: string,
  { kind, count }: { readonly kind: string; readonly count: number },
): Promise<Baseline | NoBaseline> {
  const subject = await refineSubject(ports, persona, kind);
  if (!subject?.parent) return 'NO_CURRENT_VERSION';
  const examples = subject.examples.slice(0, count);
  if (examples.length < LEAST_SCENARIOS) return 'INSUFFICIENT_SCENARIOS';
  const raw = scoreOf(emptyPlaybook(kind), examples, subject.world.changes).score;
  const { score: current, examples: scored } = scoreOf(subject.playbook, examples, subject.world.changes);
  return {
    kind,
    version: subject.parent.number,
    raw,
    current,
    delta: current - raw,
    examples: scored.map(({ example, isPresent, isForbidden }) => ({
      id: example.id,
      verdict: example.verdict,
      subject: example.mail.subject,
      present: isPresent,
      forbidden: isForbidden,
      calls: brought(example).length,
    })),
  };
}

/** Null: nothing is known of the persona yet. */
export async function refineSubject(
  ports: QueryPorts,
  persona: string,
  kind: string,
): Promise<(RefineSubject & { readonly world: ToolWorld }) | null> {
  const { tools } = await ports.extensions();
  const entry = personaNamed(ports, persona);
  if (entry.state !== 'ready' || !ports.stores.exists(entry.id)) return null;
  const world = toolWorldOf(entry.persona, ports.live.current().security.tool_policy, tools);
  const subject = await ports.stores.use(entry.id, (store) => subjectOf(kind, store, world));
  return { ...subject, world };
}
