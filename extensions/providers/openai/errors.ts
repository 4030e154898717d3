import type { EngineError } from '#contract';
import { failureInAnswer, fieldOf, noAnswer, type VendorHabits } from '#contract/http';

/** As usual: what a status leaves open these servers say by their codes. */
export const habits: VendorHabits = {};

/**
 * The failure inside an answer with status 200: OpenRouter reports what went wrong with the model behind it as an
 * `error` in place of choices, or within one, the Responses API beside an empty output, LM Studio as a text. Undefined
 * where there is none.
 */
export function errorInAnswer(answer: unknown, about: { name: string; key: string }): EngineError | undefined {
  const choices = fieldOf(answer, 'choices');
  const inside = choices === undefined ? fieldOf(answer, 'error') : errorIn(choices);
  if (typeof inside === 'string') {
    return noAnswer(about, (about.key === '' ? inside : inside.replaceAll(about.key, '[key]')).slice(0, 500));
  }
  if (typeof inside !== 'object' || inside === null) return undefined;
  const vendorCode = fieldOf(inside, 'code');
  const status = typeof vendorCode === 'number' && vendorCode >= 400 ? vendorCode : statusOfCode(vendorCode);
  return failureInAnswer(inside, status, about, habits);
}

/** Of the first choice, where it has nothing else: what came before a failure in mid-answer is not whole, but there. */
function errorIn(choices: unknown): unknown {
  const [first] = Array.isArray(choices) ? choices : [];
  return fieldOf(first, 'message') === undefined ? fieldOf(first, 'error') : undefined;
}

const statusOfCode = (code: unknown): number => (code === 'rate_limit_exceeded' ? 429 : 502);
