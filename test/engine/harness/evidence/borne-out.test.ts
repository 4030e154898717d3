import { describe, expect, it } from 'vitest';
import type { Json, ModelMessage } from '#contract';
import { judgeDeclared } from '../../../../engine/harness/evidence/claims.ts';
import { evidenceOf } from '../../../../engine/harness/evidence/evidence.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import calculate from '../../../../extensions/tools/calculate/index.ts';
import { toolContext } from '../../../extensions/tools/context.ts';
import { ask } from '../../tables/ask.ts';
import { AT } from './evidence-of.ts';

// A claim rests on its results, on what their calls asked, on parts of a calculation, and on what another claim rests on.

const ORDERS = [
  'order;customer;state;due',
  'R-543;Iris;checked;2026-12-03',
  'R-545;Olga;in work;2026-12-02',
  'R-548;Conrad;in work;2026-12-19',
].join('\n');
const QUESTION = { where: [{ column: 'due', op: '<=' as const, value: '2026-12-06' }], order_by: ['due'] };

interface Made {
  readonly id: string;
  readonly tool: string;
  readonly args: Json;
  readonly result: Json;
}
const json = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
const calculated = async (id: string, expression: string): Promise<Made> => ({
  ...{ id, tool: 'calculate', args: { expression } },
  result: json(await calculate.run(calculate.input.parse({ expression }), toolContext() as never)),
});
const QUERY: Made = {
  ...{ id: 'q1', tool: 'query_table', args: json({ source: 'orders.csv', ...QUESTION }) },
  result: json({ path: 'orders.csv', ...(await ask(ORDERS, QUESTION)) }),
};
const NET = await calculated('k1', '(25 - 20) * 5.60');
const TAX = await calculated('k2', 'round((25 - 20) * 5.60 * 21%, 2)');
const OTHER = await calculated('k3', '9 * 5.60');

function messagesOf(made: readonly Made[]): readonly ModelMessage[] {
  const toolCalls = made.map(({ id, tool, args }) => ({ id, name: tool, arguments: args }));
  const results = made.map(({ id, tool, result }) => ({
    ...{ callId: id, name: tool, isError: false },
    content: JSON.stringify({ ok: true, result, source: { tool }, observed_at: '2026-11-21T12:00:00Z' }),
  }));
  return [
    { role: 'assistant', text: '', toolCalls },
    { role: 'tool', results },
  ];
}

function judged(claims: readonly object[], risk: 'read' | 'write' = 'read', isOlder = false): readonly string[] {
  const read = readAnswer({ id: 'x', name: 'answer', arguments: json({ text: 'So [1].', claims }) });
  if (!read.ok) throw new Error(read.message);
  const evidence = evidenceOf(messagesOf([QUERY, NET, TAX, OTHER]), () => risk);
  const given = { evidence, limitations: [], drifted: new Set<string>(), now: AT, mail: 'Which are due this week?' };
  return judgeDeclared(read.declared, { ...given, ...(isOlder ? {} : { enclosed: [] }) }).map(({ verdict, why }) =>
    `${verdict} ${why ?? ''}`.trim(),
  );
}

describe('a claim', () => {
  const until = { text: 'Due until 6/12: R-545 and R-543, the first on 2/12.', evidence: ['q1'] };

  it('may say what its question asked, and write a day as people do', () => {
    expect(judged([until])).toEqual(['supported']);
    expect(judged([{ ...until, text: 'Due until 6 December 2026: R-545 and R-543.' }])).toEqual(['supported']);
  });

  it('may not say another day, or only what its question asked, or what a call wrote', () => {
    expect(judged([{ ...until, text: 'Due until 7/12: R-545.' }])[0]).toMatch(/^unsupported the value at "7"/);
    expect(judged([{ ...until, text: 'Nothing is due until 6 December 2026.' }])[0]).toMatch(/^unsupported/);
    expect(judged([{ ...until, text: 'Due until 6 December 2026: R-545.' }], 'write')[0]).toMatch(/^unsupported/);
    expect(judged([until], 'read', true)[0]).toMatch(/^unsupported/);
  });

  it('may name the result of a part of its calculation, and of no other', () => {
    expect(judged([{ text: '21 % of 28.00 are 5.88.', evidence: ['k2'] }])).toEqual(['supported']);
    expect(judged([{ text: '21 % of 50.40 are 5.88.', evidence: ['k2'] }])[0]).toMatch(/^unsupported/);
  });

  it('may name what stands in brackets in its calculation', () => {
    expect(judged([{ text: '5 pairs at 5.60 are 28.00.', evidence: ['k1'] }])).toEqual(['supported']);
    expect(judged([{ text: '7 pairs at 5.60 are 28.00.', evidence: ['k1'] }])[0]).toMatch(/^unsupported/);
    expect(judged([{ text: '5 at 5.60 with 21 % are 5.88.', evidence: ['k2'] }])).toEqual(['supported']);
  });

  it('may rest on two calculations', () => {
    expect(judged([{ text: 'It is 28.00 and 50.40.', evidence: ['k1', 'k3'] }])).toEqual(['supported']);
    expect(judged([{ text: 'It is 28.00 and 51.40.', evidence: ['k1', 'k3'] }])[0]).toMatch(/^unsupported/);
  });

  it('may rest on another statement of the answer, by its number', () => {
    const first = { text: 'R-545 is due on 2 December 2026.', evidence: ['q1'] };
    const second = (name: string) => ({ text: 'R-543 is due on 3 December 2026.', evidence: [name] });
    for (const name of ['[1]', 'claim 1', 'claim [1]'])
      expect(judged([first, second(name)])).toEqual(['supported', 'supported']);
    expect(judged([first, second('[7]')])[1]).toMatch(/^unsupported nothing/);
    expect(judged([second('[1]')])[0]).toMatch(/^unsupported nothing/);
    expect(judged([second('[2]'), second('[1]')])[1]).toMatch(/^unsupported nothing/);
  });
});
