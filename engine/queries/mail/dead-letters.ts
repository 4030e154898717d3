import { existsSync, readFileSync } from 'node:fs';
import { EngineError } from '#contract';
import type { DeadLetter } from '../../storage/types/gateway.ts';
import { nextOf, type Page } from '../list-across.ts';
import type { QueryPorts } from '../ports.ts';
import { type DeadLetterShape, deadLetterShape } from '../shapes.ts';

export interface DeadLettersPage {
  readonly dead_letters: readonly DeadLetterShape[];
  readonly next: string | null;
}

export async function listDeadLetters({ gateway }: QueryPorts, page: Page): Promise<DeadLettersPage> {
  const { limit, after, persona } = page;
  const rows = await gateway.listDeadLetters({ after, persona, limit: limit + 1 });
  const { next } = nextOf(
    rows.map((row) => ({ row })),
    limit,
  );
  return { dead_letters: rows.slice(0, limit).map(deadLetterShape), next };
}

/** Throws `not_found`. */
export async function deadLetterOf({ gateway }: QueryPorts, id: string): Promise<DeadLetter> {
  const letter = await gateway.getDeadLetter(id);
  if (!letter) throw new EngineError('not_found', `no dead letter has the id ${id}; see \`epistle deadletters list\``);
  return letter;
}

/** The mail itself; null where it was not kept. */
export const sourceOf = ({ raw_path: path }: Pick<DeadLetter, 'raw_path'>): Buffer | null =>
  path !== null && existsSync(path) ? readFileSync(path) : null;
