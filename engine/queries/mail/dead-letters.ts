import { existsSync, readFileSync } from 'node:fs';
import { EngineError } from '#contract';
import type { DeadLetter } from '../../storage/types/gateway.ts';
import type { About } from '../about.ts';
import { onlyOf } from '../id-named.ts';
import { nextOf, type Page } from '../list-across.ts';
import type { QueryPorts } from '../ports.ts';
import { type DeadLetterShape, deadLetterShape } from '../shapes.ts';

export interface DeadLettersPage {
  readonly dead_letters: readonly (DeadLetterShape & About)[];
  readonly next: string | null;
}

export async function listDeadLetters({ gateway }: QueryPorts, page: Page): Promise<DeadLettersPage> {
  const { limit, after, persona } = page;
  const rows = await gateway.listDeadLetters({ after, persona, limit: limit + 1 });
  const { next } = nextOf(
    rows.map((row) => ({ row })),
    limit,
  );
  const shown = rows.slice(0, limit);
  const about = await Promise.all(shown.map(({ message_id: id }) => aboutMail(gateway, id)));
  return { dead_letters: shown.map((row, at) => ({ ...deadLetterShape(row), ...(about[at] ?? NOTHING) })), next };
}

const NOTHING: About = { from: null, subject: null };

/** What could be read of it when it came. */
async function aboutMail(gateway: QueryPorts['gateway'], messageId: string): Promise<About> {
  const seen = (await gateway.seenByMessageId(messageId)).at(-1);
  return seen ? { from: seen.from_address, subject: seen.subject } : NOTHING;
}

/** So many are kept. */
export const ALL_LETTERS = 1000;

/** By its id, a part of it, or the `last`. Throws `not_found`, and `usage` where several fit. */
export async function deadLetterOf({ gateway }: QueryPorts, given: string): Promise<DeadLetter> {
  const exact = await gateway.getDeadLetter(given);
  if (exact) return exact;
  const ids = (await gateway.listDeadLetters({ limit: ALL_LETTERS })).map(({ id: one }) => one);
  const fitting = ids.filter((one) => given !== '' && (one.startsWith(given) || one.endsWith(given)));
  const id = given === 'last' ? (ids[0] ?? given) : onlyOf(fitting, 'dead letter', given);
  const letter = await gateway.getDeadLetter(id);
  if (!letter) throw new EngineError('not_found', `no dead letter has the id ${id}; see \`epistle deadletters list\``);
  return letter;
}

/** The mail itself; null where it was not kept. */
export const sourceOf = ({ raw_path: path }: Pick<DeadLetter, 'raw_path'>): Buffer | null =>
  path !== null && existsSync(path) ? readFileSync(path) : null;
