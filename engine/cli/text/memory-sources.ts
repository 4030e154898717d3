import type { MemorySource } from '../../queries/explain/memory-sources.ts';

/** One line for each mail that was recalled. */
export const memorySourceLines = (sources: readonly MemorySource[]): string[] =>
  sources.map(
    ({ date, direction, from, message_id, beside, foreign }) =>
      `${date.slice(0, 10)}  ${direction === 'out' ? 'our answer' : (from ?? 'nobody')}  ${message_id}` +
      `${beside ? ', beside what was found' : ''}${foreign ? ', words of others' : ''}`,
  );
