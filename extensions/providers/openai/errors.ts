import type { EngineError } from '#contract';
import { type Failure, failureInAnswer, fieldOf, type VendorHabits } from '#contract/http';

const TOO_LONG =
  /context[ _-](length|window|size)|maximum (context|prompt)|prompt is too long|too many (input )?tokens|input is too long|exceeds? the (available|model'?s) context/i;

/** Decides by status first and by text only where the status is ambiguous. */
export const habits: VendorHabits = {
  judge({ status, text, error }, usual): Failure {
    const vendorCode = fieldOf(error, 'code');
    if (usual.code === 'auth') return usual;
    // An empty account is reported as a rate limit, and no wait fills it.
    if (status === 429) return vendorCode === 'insufficient_quota' ? { code: usual.code, retry: 'never' } : usual;
    // llama.cpp and others report an overlong prompt as a server error.
    const isTooLong = vendorCode === 'context_length_exceeded' || (status !== 503 && TOO_LONG.test(text));
    return isTooLong ? { code: 'context_overflow', retry: 'never' } : usual;
  },
};

/**
 * The failure inside an answer with status 200: OpenRouter reports what went wrong with the model behind it as
 * an `error` in place of choices, the Responses API beside an empty output. Undefined where there is none.
 */
export function errorInAnswer(answer: unknown, about: { name: string; key: string }): EngineError | undefined {
  const inside = fieldOf(answer, 'choices') === undefined ? fieldOf(answer, 'error') : undefined;
  if (typeof inside !== 'object' || inside === null) return undefined;
  const vendorCode = fieldOf(inside, 'code');
  const status = typeof vendorCode === 'number' && vendorCode >= 400 ? vendorCode : statusOfCode(vendorCode);
  return failureInAnswer(inside, status, about, habits);
}

const statusOfCode = (code: unknown): number => (code === 'rate_limit_exceeded' ? 429 : 502);
