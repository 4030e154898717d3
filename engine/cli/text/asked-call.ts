import { textOfArgument } from '../../delivery/questions/approval-text.ts';
import type { ApprovalInFull } from '../../queries/approvals.ts';
import { indented } from './indented.ts';

/** What a call was given, word for word, and what it would change. */
export const askedCallLines = ({
  arguments: given,
  preview,
}: Pick<ApprovalInFull, 'arguments' | 'preview'>): string[] => [
  ...Object.entries(given).map(([key, value]) => `  ${indented(`${key}: ${textOfArgument(value)}`, '    ')}`),
  ...(preview ? [`  ${indented(`would change:\n${preview}`, '    ')}`] : []),
];
