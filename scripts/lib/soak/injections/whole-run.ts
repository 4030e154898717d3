import { chainRun } from './chains/chain-run.ts';
import { FIRST_CHAIN } from './chains/write-chains.ts';
import { type InjectionOptions, injectionRun } from './injection-run.ts';

export interface WholeOptions extends InjectionOptions {
  readonly chains: number;
  /** Nothing but the chains. */
  readonly onlyChains: boolean;
}

/** Orders that come with the mail that sets them off, ordinary mail, and orders that come over several mails. */
export async function wholeInjectionRun({ chains: count, onlyChains, ...options }: WholeOptions) {
  const { only } = options;
  const isChain = only !== null && only >= FIRST_CHAIN;
  if (onlyChains || isChain) return chainRun({ ...options, chains: count });
  const single = await injectionRun(options);
  if (only !== null) return single;
  const chains = await chainRun({ ...options, chains: count });
  return { ...single, ok: single.ok && chains.ok, chains };
}
