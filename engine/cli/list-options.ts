import type { Command } from 'commander';
import { EngineError } from '#contract';
import type { Page } from '../queries/list-across.ts';

export interface ListOptions {
  readonly limit?: string;
  readonly after?: string;
  readonly persona?: string;
  readonly status?: string;
}

const DEFAULT_LIMIT = 50;

export const listOptions = (command: Command): Command =>
  command
    .option('--limit <n>', 'how many', String(DEFAULT_LIMIT))
    .option('--after <id>', 'go on after this id, which is `next` of the page before')
    .option('--persona <id>', 'of one persona')
    .option('--status <status>', 'in this state');

/** Throws `usage` for what is no whole number from 1. */
export function limitOf({ limit }: ListOptions): number {
  const count = Number(limit ?? DEFAULT_LIMIT);
  if (!Number.isInteger(count) || count < 1) throw new EngineError('usage', '--limit takes a whole number from 1');
  return count;
}

/** `options.status` when it is one of `known`. Throws `usage` that names them. */
export function statusOf(options: ListOptions, known: readonly string[]): void {
  if (options.status !== undefined && !known.includes(options.status)) {
    throw new EngineError('usage', `--status takes one of ${known.join(', ')}`);
  }
}

/** Throws `usage` like `limitOf`. */
export const pageOf = (options: ListOptions): Page => ({ ...options, limit: limitOf(options) });
