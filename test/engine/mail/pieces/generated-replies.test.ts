import { expect, it } from 'vitest';
import type { PieceKind } from '#contract';
import { partition } from '../../../../engine/mail/pieces/partition.ts';
import { type Reply, repliesOf } from '../../../corpus/whose-words/replies.ts';
import { SIZE } from '../../../size.ts';
import { parsed } from '../fixtures.ts';

const SEED = 20261128;
const COUNT = 260 * SIZE;

interface Outcome {
  readonly reply: Reply;
  /** Names of others that count as the sender's word. */
  readonly believed: readonly string[];
  /** Names in the sender's own words that do not. */
  readonly doubted: readonly string[];
  /** Names that stand nowhere. */
  readonly lost: readonly string[];
}

async function outcomeOf(reply: Reply): Promise<Outcome> {
  const pieces = partition(await parsed(reply.raw), reply.record);
  const stands = (name: string, kinds: readonly PieceKind[] | null = null): boolean =>
    pieces.some(
      ({ kind, text }) => (kinds === null || kinds.includes(kind)) && new RegExp(`${name}(?!\\d)`).test(text),
    );
  return {
    reply,
    believed: reply.others.filter((name) => stands(name, ['written'])),
    doubted: reply.own.filter((name) => stands(name) && !stands(name, ['written'])),
    lost: [...reply.own, ...reply.others].filter((name) => !stands(name)),
  };
}

it('tells the words of the sender from those of others, as 30 programs write them in 30 languages', {
  timeout: 60_000 + COUNT * 100,
}, async () => {
  const outcomes: Outcome[] = [];
  for (const reply of repliesOf(COUNT, SEED)) outcomes.push(await outcomeOf(reply));
  const named = (what: 'believed' | 'doubted' | 'lost') =>
    outcomes.filter((outcome) => outcome[what].length > 0).map((outcome) => `${what}: ${outcome.reply.name}`);
  const own = outcomes.reduce((sum, { reply }) => sum + reply.own.length, 0);
  const doubted = outcomes.reduce((sum, outcome) => sum + outcome.doubted.length, 0);
  if (SIZE > 1) process.stdout.write(`${COUNT} mails, ${own} sentences of senders, ${doubted} of them doubted\n`);
  expect(named('lost')).toEqual([]);
  expect(named('believed')).toEqual([]);
  expect(doubted / own, named('doubted').join('\n')).toBeLessThan(0.01);
});
