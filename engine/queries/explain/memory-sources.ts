import { iso } from '../../lib/clock.ts';
import type { RunLog } from '../../record/run-log.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { FactStatus } from '../../storage/types/facts.ts';
import type { Rule } from '../../storage/types/rules.ts';

/** A mail of which the prompt of a run held an excerpt, beside the mail that was answered. */
interface MemorySource {
  readonly message_id: string;
  readonly thread_id: string;
  readonly direction: 'in' | 'out';
  readonly from: string | null;
  readonly tier: string | null;
  readonly date: string;
  /** Null of what was forgotten since, or is private now. */
  readonly subject: string | null;
  /** It stands beside what was found. */
  readonly beside: boolean;
  /** It was written by somebody other than owners and the sender: what the run did since may be their doing. */
  readonly foreign: boolean;
}

/** A fact that stood in the prompt of a run. */
interface MemoryFact {
  readonly id: string;
  /** As it is now; null of what was forgotten since. */
  readonly text: string | null;
  readonly status: FactStatus;
  readonly said_by: string;
  readonly date: string;
}

/** A rule that stood in the prompt of a run. */
interface ShownRule {
  readonly id: string;
  readonly text: string;
  readonly effect: Rule['effect'];
  readonly said_by: string;
  readonly date: string;
  /** It holds no more. */
  readonly ended: boolean;
}

/** What a run was given of what its persona remembers. */
export interface RememberedShape {
  readonly memory_sources: readonly MemorySource[];
  readonly memory_facts: readonly MemoryFact[];
  /** What owners have said is to hold, as far as it was for this run. */
  readonly standing_rules: readonly ShownRule[];
}

/** In the order in which the model was shown them; empty where nothing was recalled or remembered. */
export async function rememberedIn(
  log: RunLog,
  store: Pick<Store, 'episodesAt' | 'factsByIds' | 'rulesByIds'>,
): Promise<RememberedShape> {
  const sources = log.of('gather_part').findLast(({ data }) => data.part === 'recall')?.data.sources ?? [];
  const seqs = sources.flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
  const episodes = await store.episodesAt(seqs, null);
  const subjects = new Map(episodes.map(({ seq, subject }) => [seq, subject]));
  const rules = await store.rulesByIds(log.last('context_built')?.data.rule_ids ?? []);
  const facts = await store.factsByIds(log.last('context_built')?.data.fact_ids ?? []);
  return {
    memory_sources: sources.map(
      ({ seq, message_id, thread_id, direction, from, tier, written_at, beside, foreign }): MemorySource => ({
        message_id,
        thread_id,
        direction,
        from,
        tier,
        date: iso(written_at),
        subject: subjects.get(seq ?? -1) ?? null,
        beside,
        foreign,
      }),
    ),
    memory_facts: facts.map(({ id, text, status, said_by, recorded_at }) => ({
      id,
      text: status === 'forgotten' ? null : text,
      status,
      said_by,
      date: iso(recorded_at),
    })),
    standing_rules: rules.map(({ id, text, effect, said_by, made_at, ended_at }) => ({
      id,
      text,
      effect,
      said_by,
      date: iso(made_at),
      ended: ended_at !== null,
    })),
  };
}
