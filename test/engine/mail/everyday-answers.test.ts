import { expect, it } from 'vitest';
import { type Answer, readAnswer } from '../../../engine/mail/approval/approval-answer.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import { type EverydayAnswer, everydayAnswers } from '../../corpus/everyday-answers.ts';
import { LIMITS } from './limits.ts';

const HEADERS = 'From: maria@example.com\r\nTo: ada@example.com\r\nContent-Type: text/plain; charset=utf-8';

async function readOf({ text, of }: EverydayAnswer): Promise<Answer> {
  const outcome = await readMail(Buffer.from(`${HEADERS}\r\n\r\n${text}`), LIMITS);
  if (!outcome.ok) throw new Error('not read');
  return readAnswer(
    outcome.mail.newText,
    Array.from({ length: of }, (_, index) => index + 1),
  );
}

const read = await Promise.all(everydayAnswers.map(async (one) => ({ one, answer: await readOf(one) })));
const approvedBy = (answer: Answer): number => {
  if (answer.kind === 'mixed') return answer.approve.length;
  return answer.kind === 'approve' ? answer.items.length : 0;
};
const MEANT = { yes: ['approve'], no: ['deny'], mixed: ['mixed'], ask: ['ambiguous', 'none', 'deny'] };
const mostOf = ({ verdict, of }: EverydayAnswer): number => (verdict === 'yes' ? of : verdict === 'mixed' ? 1 : 0);

it('short answers from telephones never let through what was not meant', () => {
  expect(read.length).toBeGreaterThanOrEqual(390);
  expect(read.filter(({ one, answer }) => approvedBy(answer) > mostOf(one))).toEqual([]);
});

it('a yes is never read as a no, nor a no as a yes', () => {
  const turned = { yes: 'deny', no: 'approve', mixed: 'none', ask: 'approve' };
  expect(read.filter(({ one, answer }) => answer.kind === turned[one.verdict])).toEqual([]);
});

it('are understood in most cases; praise alone, a bare verb and both verbs in one line are asked about', () => {
  const clear = read.filter(({ one }) => one.verdict !== 'ask');
  const understood = clear.filter(({ one, answer }) => MEANT[one.verdict].includes(answer.kind));
  process.stdout.write(`${JSON.stringify({ clear: clear.length, understood: understood.length })}\n`);
  expect(understood.length / clear.length).toBeGreaterThan(0.66);
});

it.each(['Tak, oczywiście', 'Geht in Ordnung', 'Ja, kann raus', 'De acordo', 'Claro que sim', 'いいですよ'])(
  'is a yes: %s',
  async (text) => {
    expect((await readOf({ language: '', verdict: 'yes', of: 1, text })).kind).toBe('approve');
  },
);

it.each([
  'Tak',
  'Oczywiście, że nie',
  'Oczywiście nie',
  'いいですよね？',
  'Kann raus, sobald der Preis stimmt',
  'De acordo?',
  'Não estou de acordo',
  'Yes, please.\n\nRegards,\nMarie prima',
  'だめです',
])('is none: %s', async (text) => {
  expect((await readOf({ language: '', verdict: 'no', of: 1, text })).kind).not.toBe('approve');
});
