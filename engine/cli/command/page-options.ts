import { EngineError } from '#contract';
import type { Page } from '../../queries/list-across.ts';

/** What every list takes. */
export const PAGE_OPTIONS = {
  limit: { flags: '--limit <n>', about: 'how many', fallback: '50' },
  after: { flags: '--after <id>', about: 'go on after this id, which is `next` of the page before' },
  persona: { flags: '--persona <id>', about: 'of one persona' },
  status: { flags: '--status <status>', about: 'in this state' },
} as const;

interface Given {
  readonly limit: string;
  readonly after: string | undefined;
  readonly persona: string | undefined;
  readonly status: string | undefined;
}

/** `states`: those that `--status` may name; none where the rows have no state. Throws `usage`. */
export function pageOf({ limit, ...given }: Given, states?: readonly string[]): Page {
  if (states !== undefined) statusOf(given.status, states);
  return { ...given, limit: limitOf(limit) };
}

/** Throws `usage` for what is no whole number from 1. */
export function limitOf(limit: string): number {
  const count = Number(limit);
  if (!Number.isInteger(count) || count < 1) throw new EngineError('usage', '--limit takes a whole number from 1');
  return count;
}

/** Throws `usage` for a status that is not one of `known`. */
export function statusOf(status: string | undefined, known: readonly string[]): void {
  if (status !== undefined && !known.includes(status)) {
    throw new EngineError('usage', `--status takes one of ${known.join(', ')}`);
  }
}
