import type { EngineError, ProviderCode, Whose } from '#contract';

/** A call that failed for good, for now: which model, of which run, and what its adapter says of it. */
export interface FailedCall {
  /** `provider/model`. */
  readonly target: string;
  readonly run: string;
  readonly code: ProviderCode;
  readonly whose: Whose;
}

export interface Verdicts {
  /**
   * Whose a failure is, by what the mails before it met. `unclear`: no other mail has asked since, so that the next one
   * decides, and nobody else has to wait.
   */
  judge(call: FailedCall): Whose;
  /** A run was answered: what failed for others and had no witness was not the vendor's. */
  answered(target: string, run: string): void;
  /** A key or a setting was changed: what was so before may be otherwise. */
  forget(): void;
}

/**
 * A run that failed and whose failure may be its own. `tries`: how often by itself. `others`: another run was answered
 * by the same model after it had failed, so that the fault is this one's.
 */
interface Suspect {
  readonly tries: number;
  readonly others: boolean;
}

/** Runs that are remembered of one model; the oldest are forgotten first. */
const MAX_SUSPECTS = 1000;
/** Refused requests of a run that nobody else bears out, where the model has answered others before. */
const ALONE = 3;
/** What an owner has to mend, where one mail after the other meets it. */
const SETUP: ReadonlySet<ProviderCode> = new Set<ProviderCode>(['auth', 'no_credit', 'model_gone', 'bad_request']);

/**
 * Holds a failure that may be the vendor's or the mail's against this mail first. A second mail that fails as well,
 * with no answer in between, makes it the vendor's (or the setup's); a second mail that is answered makes it the first
 * one's. In memory: after a start the question is open again.
 */
export function createVerdicts(): Verdicts {
  const targets = new Map<string, { readonly suspects: Map<string, Suspect>; hasAnswered: boolean }>();
  const of = (target: string) => {
    const known = targets.get(target) ?? { suspects: new Map<string, Suspect>(), hasAnswered: false };
    targets.set(target, known);
    return known;
  };
  return {
    judge(call) {
      const { suspects, hasAnswered } = of(call.target);
      if (call.whose === 'request') return 'request';
      const witnesses = [...suspects].filter(([other, { others }]) => other !== call.run && !others).length;
      // Mails with the same fault come after each other; a model that has answered is not gone for that.
      const hasWitness = witnesses >= (call.code === 'bad_request' && hasAnswered ? 2 : 1);
      const suspect = suspectAgain(suspects, call.run);
      return suspect.others ? 'request' : verdictOf(call, { ...suspect, hasWitness, hasAnswered });
    },
    answered(target, run) {
      const known = of(target);
      known.hasAnswered = true;
      known.suspects.delete(run);
      for (const [other, suspect] of known.suspects) known.suspects.set(other, { ...suspect, others: true });
    },
    forget() {
      targets.clear();
    },
  };
}

function suspectAgain(suspects: Map<string, Suspect>, run: string): Suspect {
  const before = suspects.get(run);
  const now = { tries: (before?.tries ?? 0) + 1, others: before?.others ?? false };
  suspects.delete(run);
  suspects.set(run, now);
  if (suspects.size > MAX_SUSPECTS) suspects.delete(suspects.keys().next().value ?? run);
  return now;
}

/** Where no other mail was answered since it first failed. Pure. */
function verdictOf(
  { whose, code }: FailedCall,
  known: { readonly tries: number; readonly hasWitness: boolean; readonly hasAnswered: boolean },
): Whose {
  if (whose !== 'unclear') return whose;
  if (known.hasWitness) return SETUP.has(code) ? 'setup' : 'vendor';
  return code === 'bad_request' && known.hasAnswered && known.tries >= ALONE ? 'request' : 'unclear';
}

/** Of adapters that know nothing of this: what they call a bad request is one, and all else another mail has to tell. */
export function whoseOf({ code, whose }: EngineError): Whose {
  if (whose !== null) return whose;
  const isOwn = code === 'bad_request' || code === 'context_overflow' || code === 'content_refused';
  return isOwn || code === 'unparsable' ? 'request' : 'unclear';
}
