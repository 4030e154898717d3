import { describe, expect, it } from 'vitest';
import type { Scope } from '#contract';
import {
  type ContractOutcome,
  contractFrom,
  isMetByState,
  judgeContract,
  NO_CONTRACT,
  undoneIn,
} from '../../../../engine/harness/evidence/contract.ts';
import { readAnswer, withAnswer } from '../../../../engine/record/declared.ts';
import type { Contract } from '../../../../engine/record/settings.ts';

const done: ContractOutcome = { ok: true, scope: 'mail:create', changes: true };
const refused: ContractOutcome = { ...done, ok: false };
const judged = (contract: Partial<Contract>, outcomes: readonly ContractOutcome[], text = 'All set.') =>
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
  const FIELDS = ['text', 'question', 'did', 'not_done', 'claims', 'confidence', 'figures'];

  it('always has all that an answer may say of itself', () => {
    for (const contract of [{}, { claims: 'required' as const }, { effects: ['mail:create'] }]) {
      const schema = JSON.stringify(withAnswer([tool], { ...NO_CONTRACT, ...contract }).at(-1)?.inputSchema);
      expect(FIELDS.filter((field) => !schema.includes(`"${field}"`))).toEqual([]);
    }
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

describe('what is on record nowhere', () => {
  const SCOPES: Readonly<Record<string, Scope>> = { send_email: 'mail:create', write_file: 'files:create' };
  const undone = (
    given: { readonly wanted?: readonly string[]; readonly declares?: object },
    outcomes: readonly ContractOutcome[] = [],
  ) => {
    const read = readAnswer({ id: 'x', name: 'answer', arguments: { text: 'So it is.', ...given.declares } as never });
    if (!read.ok) throw new Error(read.message);
    const scopeOf = (tool: string) => SCOPES[tool] ?? null;
    return undoneIn({ wanted: given.wanted ?? [], declared: read.declared, outcomes, scopeOf }).map(
      ({ effect }) => effect,
    );
  };
  const mailed: ContractOutcome = { ok: true, scope: 'mail:create', changes: true, tool: 'send_email', id: 'call_1' };

  it.each([
    ['an effect that was asked for', { wanted: ['mail:create'] }, ['mail:create']],
    ['a tool that it says it called', { declares: { did: 'send_email' } }, ['mail:create']],
    ['a scope', { declares: { did: ['mail:create', 'write_file'] } }, ['mail:create', 'files:create']],
    ['both at once, said once', { wanted: ['mail:create'], declares: { did: 'send_email' } }, ['mail:create']],
    ['words of its own, where nothing was changed', { declares: { did: 'told the workshop' } }, [null]],
    [
      'another effect than the one it owns up to',
      { wanted: ['mail:create'], declares: { not_done: 'files' } },
      ['mail:create'],
    ],
  ] as const)('is %s', (_what, given, expected) => {
    expect(undone(given)).toEqual(expected);
  });

  const failed: ContractOutcome = { ...mailed, ok: false };
  const saved: ContractOutcome = { ...mailed, scope: 'files:create', tool: 'write_file', id: 'call_2' };
  const ran: ContractOutcome = { ...failed, scope: 'shell:write', tool: 'shell' };
  const again: ContractOutcome = { ...mailed, id: 'call_2' };
  it.each([
    ['by the tool', { did: 'send_email' }, [failed], ['mail:create']],
    ['by the call', { did: 'call_1' }, [failed], ['mail:create']],
    ['by the scope', { did: ['mail:create'] }, [failed], ['mail:create']],
    ['in words of its own', { did: 'told Carl' }, [failed], [null]],
    ['beside something else that was done', { did: 'send_email' }, [failed, saved], ['mail:create']],
    ['of a command that failed', { did: ['mail:create'] }, [ran], ['mail:create']],
  ])('tells of what failed and is claimed, %s', (_name, declares, outcomes, expected) => {
    expect(undone({ declares }, outcomes)).toEqual(expected);
  });

  it('tells of nothing that failed first and was then done, nor of a reading', () => {
    expect(undone({ declares: { did: 'send_email' } }, [failed, again])).toEqual([]);
    expect(undone({ declares: { did: 'call_1' } }, [failed, again])).toEqual([]);
    const read: ContractOutcome = { ok: false, scope: 'mail:read', changes: false, tool: 'search_mail', id: 'call_3' };
    expect(undone({ declares: { did: ['search_mail', 'send_email'] } }, [read, mailed])).toEqual([]);
  });

  it.each([
    ['an effect that a call had', { wanted: ['mail:create'] }, [mailed]],
    ['one that a call tried, which the receipt tells', { wanted: ['mail:create'] }, [{ ...mailed, ok: false }]],
    ['a call by its id', { declares: { did: 'call_1' } }, [mailed]],
    ['words of its own, where something was changed', { declares: { did: 'told Carl' } }, [mailed]],
    ['a note, wherever it is kept', { wanted: ['memory:create'] }, [{ ...mailed, scope: 'files:create' }]],
    ['what a command may have done', { wanted: ['mail:create'] }, [{ ...mailed, scope: 'shell:write' }]],
    ['what it says is not done', { wanted: ['mail:create'], declares: { not_done: ['send_email'] } }, []],
    ['what it only asks about', { wanted: ['mail:create'], declares: { question: true } }, []],
    ['nothing that it names', { declares: { did: 'None' } }, []],
    ['a list in one text', { declares: { did: '["send_email"]' } }, [mailed]],
    ['what it looked up', { declares: { did: 'read_file' } }, [{ ...mailed, tool: 'read_file', changes: false }]],
  ] as const)('is not %s', (_what, given, outcomes) => {
    expect(undone(given, outcomes)).toEqual([]);
  });
});
