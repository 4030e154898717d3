import type { TableQuery } from '#contract';
import { answerIn } from '../../../engine/tables/answer-in.ts';

export const NOTHING: TableQuery = {
  table: null,
  header: null,
  select: [],
  where: [],
  match: 'all',
  group_by: [],
  order_by: [],
  limit: 50,
  offset: 0,
  numbers: null,
  dates: null,
};

export const sourceOf = (text: string, name = 'table.csv') => ({ name, type: '', bytes: Buffer.from(text) });

/** The answer to a question over a text. Throws where there is none. */
export async function ask(text: string, query: Partial<TableQuery>, name?: string) {
  const found = await answerIn({ source: sourceOf(text, name), query: { ...NOTHING, ...query }, file: null });
  if (!found.ok) throw new Error(found.message);
  return found.answer;
}

/** What the model is told in place of an answer. */
export async function refused(text: string, query: Partial<TableQuery>, name?: string): Promise<string> {
  const found = await answerIn({ source: sourceOf(text, name), query: { ...NOTHING, ...query }, file: null });
  return found.ok ? `answered: ${JSON.stringify(found.answer.rows)}` : found.message;
}
