import { describe, expect, it } from 'vitest';
import {
  contractFrom,
  isMetByState,
  judgeContract,
  NO_CONTRACT,
  type Outcome,
} from '../../../../engine/harness/evidence/contract.ts';
import { withAnswer } from '../../../../engine/record/declared.ts';
import type { Contract } from '../../../../engine/record/settings.ts';

const done: Outcome = { ok: true, scope: 'mail:create', changes: true };
const refused: Outcome = { ...done, ok: false };
const judged = (contract: Partial<Contract>, outcomes: readonly Outcome[], text = 'All set.') =>
  judgeContract({ ...NO_CONTRACT, ...contract }, { text, declared: null, evidence: [], outcomes });

describe('a contract', () => {
  it('is the task’s before the persona’s, key by key', () => {
    const persona: Contract = { claims: 'required', effects: ['mail:create'], contract: ['figures'] };
    expect(contractFrom(persona, null)).toEqual(persona);
    expect(contractFrom(persona, { claims: 'off', contract: [] })).toEqual({
      claims: 'off',
      effects: ['mail:create'],
      contract: [],
    });
  });

  it('asks for nothing but words where nobody says more', () => {
    expect(judged({}, [])).toMatchObject({ missing: [], not_done: [] });
    expect(judged({}, [], ' ')).toMatchObject({ missing: ['answer'] });
  });

  it.each([
    [[], ['mail:create'], []],
    [[refused], [], ['mail:create']],
    [[refused, done], [], []],
    [[{ ...done, scope: 'files:write' }], ['mail:create'], []],
    [[{ ...done, changes: false }], ['mail:create'], []],
    [[{ ...done, scope: null }], ['mail:create'], []],
  ] as const)('counts an effect as done only by a call that did it: %j', (outcomes, missing, notDone) => {
    expect(judged({ effects: ['mail:create'] }, outcomes)).toMatchObject({ missing, not_done: notDone });
  });

  it('is met by state where a receipt is all that is wanted, every effect is there and nothing failed', () => {
    const receipt: Contract = { claims: 'off', effects: ['mail:create'], contract: [] };
    expect(isMetByState(receipt, [done])).toBe(true);
    expect(isMetByState(receipt, [])).toBe(false);
    expect(isMetByState(receipt, [done, refused])).toBe(false);
    expect(isMetByState({ ...receipt, claims: 'optional' }, [done])).toBe(false);
    expect(isMetByState({ ...receipt, effects: [] }, [done])).toBe(false);
  });

  it('may ask that a tool or a scope has brought something', () => {
    const has = { text: 'x', declared: null, outcomes: [] };
    const evidence = [{ tool: 'search_mail', ok: true, scope: 'mail:read' as const }];
    const contract: Contract = { ...NO_CONTRACT, contract: ['search_mail', 'mail:read', 'web:read'] };
    expect(judgeContract(contract, { ...has, evidence }).missing).toEqual(['web:read']);
    expect(
      judgeContract(contract, { ...has, evidence: evidence.map((item) => ({ ...item, ok: false })) }).missing,
    ).toHaveLength(3);
  });
});

describe('the tool answer', () => {
  const tool = { name: 'read_file', description: 'Read.', inputSchema: {} };
  const fieldsFor = (contract: Partial<Contract>) => {
    const schema = JSON.stringify(withAnswer([tool], { ...NO_CONTRACT, ...contract }).at(-1)?.inputSchema);
    return ['figures', 'question', 'confidence'].filter((field) => schema.includes(field));
  };

  it('has what only a contract makes use of where there is one', () => {
    expect(fieldsFor({})).toEqual(['figures']);
    for (const contract of [{ claims: 'required' as const }, { effects: ['mail:create'] }, { contract: ['figures'] }])
      expect(fieldsFor(contract)).toEqual(['figures', 'question', 'confidence']);
  });

  it('is there with other tools, or where claims are required, and never twice', () => {
    const names = (tools: Parameters<typeof withAnswer>[0], contract: Partial<Contract> = {}) =>
      withAnswer(tools, { ...NO_CONTRACT, ...contract }).map(({ name }) => name);
    expect(names([])).toEqual([]);
    expect(names([], { claims: 'required' })).toEqual(['answer']);
    expect(names([tool], { claims: 'off' })).toEqual(['read_file']);
    expect(names(withAnswer([tool], NO_CONTRACT))).toEqual(['read_file', 'answer']);
  });
});
