import type { CorpusCase } from './build.ts';
import { charsetCases } from './charsets.ts';
import { forgedCases } from './forged.ts';
import { hiddenCases } from './hidden.ts';
import { machineCases } from './machines.ts';
import { quotingCases } from './quoting.ts';
import { senderCases } from './senders.ts';
import { structureCases } from './structure.ts';
import { styledCases } from './styled.ts';

export type { CorpusCase, Expected } from './build.ts';

/**
 * Nasty mail, each with what the mail room should make of it. Sent to ada@agents.localhost, from sender@example.com
 * unless the case is about the sender; our own domain is agents.localhost.
 */
export const cases: readonly CorpusCase[] = [
  ...structureCases,
  ...charsetCases,
  ...senderCases,
  ...machineCases,
  ...forgedCases,
  ...hiddenCases,
  ...styledCases,
  ...quotingCases,
];
