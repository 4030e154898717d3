import { EngineError, type ProviderCode, type Retry, type Whose } from '#contract';

/** A call that failed for good, for now: which model, of which run, and what its adapter says of it. */
export interface FailedCall {
  /** `provider/model`. */
  readonly target: string;
  readonly run: string;
  readonly code: ProviderCode;
  readonly whose: Whose;
}

interface Verdicts {
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

type AfterFailure =
  | { readonly next: 'retry'; readonly afterMs: number; readonly coolMs: number }
  | { readonly next: 'next_target'; readonly coolMs: number }
  | { readonly next: 'compact'; readonly coolMs: 0 }
  /** The same without what a vendor may not take of it. */
  | { readonly next: 'plainer'; readonly coolMs: 0; readonly plain: 1 | 2 }
  | { readonly next: 'exhausted'; readonly coolMs: number };

const COOLDOWN_MS = 60_000;
/** A vendor that asks for more patience than this is out for this run. */
const MAX_WAIT_MS = 15 * 60_000;
const ONCE: Record<ProviderCode, number> = {
  rate_limited: 1,
  overloaded: 1,
  timeout: 1,
  unavailable: 1,
  auth: 1,
  bad_request: 1,
  context_overflow: 1,
  unparsable: 1,
  content_refused: 1,
  model_gone: 1,
  no_credit: 1,
  no_price: 1,
};
/** How often one target is asked at once, when there is nobody else to ask; then the run waits for it. */
const MAX_ATTEMPTS: Record<ProviderCode, number> = {
  ...ONCE,
  rate_limited: 3,
  overloaded: 3,
  timeout: 2,
  unavailable: 3,
};
/** Attempts before the next model is asked: a busy or slow model is not asked twice, an unavailable one may be chance. */
const MAX_ATTEMPTS_BEFORE_NEXT: Record<ProviderCode, number> = { ...ONCE, unavailable: 2 };

/** What follows a failed model call. Pure; `backoffMs` is our own wait, used when the vendor names none that is longer. */
export function afterFailure(failure: {
  code: ProviderCode;
  retry: Retry;
  /** Only a vendor's lets the provider rest. */
  whose: Whose;
  /** Failures of this target in a row, this one included. */
  attempts: number;
  backoffMs: number;
  hasNext: boolean;
  compacted: boolean;
  /** It asks for all the mail that waits for the model: there is no haste, and one answer is enough. */
  isProbe?: boolean;
}): AfterFailure {
  const { code, retry, whose, attempts, hasNext } = failure;
  if (code === 'context_overflow' && !failure.compacted) return { next: 'compact', coolMs: 0 };
  const wanted = retry === 'never' ? 0 : retry.afterMs;
  const coolMs = whose === 'vendor' ? Math.max(COOLDOWN_MS, wanted) : 0;
  // Another vendor is not asked for what one has declined.
  if (code === 'content_refused') return { next: 'exhausted', coolMs: 0 };
  if (hasNext && attempts >= MAX_ATTEMPTS_BEFORE_NEXT[code]) return { next: 'next_target', coolMs };
  const isLast = failure.isProbe === true || attempts >= MAX_ATTEMPTS[code];
  if (isLast || wanted > MAX_WAIT_MS) return { next: 'exhausted', coolMs };
  return { next: 'retry', afterMs: Math.max(wanted, failure.backoffMs), coolMs: 0 };
}

const PROVIDER_CODES: ReadonlySet<string> = new Set<ProviderCode>([
  'auth',
  'rate_limited',
  'overloaded',
  'timeout',
  'unavailable',
  'context_overflow',
  'bad_request',
  'unparsable',
  'content_refused',
  'model_gone',
  'no_credit',
  'no_price',
]);

/** What the language itself throws at code that is wrong. */
const MISTAKES = [TypeError, RangeError, ReferenceError, URIError] as const;

/**
 * What an adapter threw, in the codes that decide what follows. A mistake in its code does not pass with time, so the
 * mail fails at once, with its words for the owner; what cannot be told may pass, so that mail waits.
 */
export function asProviderError(error: unknown): EngineError {
  if (error instanceof EngineError && PROVIDER_CODES.has(error.code)) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (isMistake(error)) {
    return new EngineError('bad_request', `a mistake in the adapter: ${error.name}: ${message}`, { cause: error });
  }
  // Mostly JSON.parse of what the vendor sent.
  if (error instanceof SyntaxError) return new EngineError('unparsable', message, { cause: error });
  return new EngineError('unavailable', message, { retry: { afterMs: 0 }, cause: error });
}

/** fetch() throws a TypeError, too, where a name, a connection or a certificate failed; that one has a cause. */
const isMistake = (error: unknown): error is Error =>
  MISTAKES.some((kind) => error instanceof kind) && error instanceof Error && error.cause === undefined;
