import { expect, it } from 'vitest';
import { filesOf } from '../../../../engine/harness/respond/recipients.ts';

const result = { path: 'a.csv', name: 'a.csv', type: 'text/csv', sha256: 'hash' };
const made = {
  call: { id: '1', name: 'attach', arguments: {} },
  risk: 'create',
  targets: [],
  approval: null,
  deniedBy: null,
  waited: false,
  turn: 1,
  content: JSON.stringify({ ok: true, result }),
};
const state = { outcomes: [{ tool: 'attach', ok: true, code: null, made }] };
const artifacts = { get: async (sha256: string) => Buffer.from(`bytes of ${sha256}`) };
const maria = { to: ['maria@example.com'], cc: [] };

it('a whole answer carries what was attached; half of one, a failure and one for nobody carry nothing', async () => {
  const whole = { decision: 'FINAL', reason: 'text', outcome: 'final' } as const;
  const content = Buffer.from('bytes of hash');
  expect(await filesOf({ artifacts, state, decision: whole }, maria)).toEqual([
    { name: 'a.csv', type: 'text/csv', content },
  ]);
  expect(await filesOf({ artifacts, state, decision: whole }, { to: [], cc: [] })).toEqual([]);
  const part = { decision: 'FINAL_PARTIAL', reason: 'budget' } as const;
  expect(await filesOf({ artifacts, state, decision: part }, maria)).toEqual([]);
  const failed = { decision: 'FAIL', reason: 'provider' } as const;
  expect(await filesOf({ artifacts, state, decision: failed }, maria)).toEqual([]);
});
