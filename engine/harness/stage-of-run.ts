import type { Configs, Persona } from '../config/types.ts';
import { createStageCaller, type StageBooking, type StageOptions, stageTargets } from '../models/stage.ts';
import type { Recorder } from '../record/recorder.ts';
import type { Target } from '../record/settings.ts';
import type { BudgetStore } from '../storage/ports/budget.ts';
import type { GatherRun } from './context/parts.ts';

/** Small models beside the one that answers, booked on the run. */
export function stagesOf(run: {
  readonly deps: Pick<StageOptions, 'models' | 'clock'> & { defaultModel(provider: string): string };
  readonly configs: Pick<Configs, 'inference'>;
  readonly persona: Persona;
  readonly signal: AbortSignal;
  readonly store: Pick<BudgetStore, 'reserveBudget'>;
  /** The models that answer the persona's mail. */
  readonly own: readonly Target[];
  readonly recorder: Pick<Recorder, 'runId' | 'spendBeside' | 'release'>;
  readonly day: string;
}): GatherRun['stage'] {
  const { deps, configs, persona, signal, store, own, recorder, day } = run;
  return (settings) => {
    const booking = bookingOfRun({ store, recorder, budget: persona.budget, day });
    return {
      signal,
      call: (until) =>
        createStageCaller({
          models: deps.models,
          clock: deps.clock,
          inference: configs.inference,
          booking,
          signal: until,
          settings: { ...settings, temperature: settings.temperature ?? 0 },
          targets: stageTargets(settings, own, deps.defaultModel),
          runId: recorder.runId,
        }),
    };
  };
}

/** Books on a run that is under way, within the same limits as the calls of its loop. */
const bookingOfRun = ({
  store,
  recorder,
  budget,
  day,
}: {
  readonly store: Pick<BudgetStore, 'reserveBudget'>;
  readonly recorder: Pick<Recorder, 'runId' | 'spendBeside' | 'release'>;
  readonly budget: Persona['budget'];
  readonly day: string;
}): StageBooking => ({
  budget,
  async reserve(most) {
    if (budget.usd_per_run !== null || budget.usd_per_day !== null || budget.tokens_per_run !== null) {
      const want = { runId: recorder.runId, day, ...most, leastOutputTokens: most.outputTokens };
      const granted = await store.reserveBudget(want, budget);
      if (granted === 'in_use' || 'spent' in granted) return null;
    }
    return {
      async settle(paid) {
        if (paid === null) recorder.release();
        else recorder.spendBeside(paid.usage, paid.usd);
      },
    };
  },
});
