import type { Usage } from '../provider.ts';

/**
 * Says of a vendor's counts which of them it did not give. An answer costs something on either side: a 0 is a count that a
 * server between leaves out, or sets for one that it does not know.
 */
export function unknownOf({ input, output }: Pick<Usage, 'input' | 'output'>): Pick<Usage, 'unknown'> {
  const unknown = [...(input > 0 ? [] : ['input' as const]), ...(output > 0 ? [] : ['output' as const])];
  return unknown.length === 0 ? {} : { unknown };
}
