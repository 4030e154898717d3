import { describe, expect, it } from 'vitest';
import { undosOf } from '../../../engine/queries/approvals.ts';
import { type Approval, decidedRunId, type UndoItem } from '../../../engine/storage/types/approvals.ts';
import type { StoredRun } from '../../../engine/storage/types/runs.ts';

const NOON = 1_700_000_000_000;
const LATER = decidedRunId('q', NOON);

const question = (change: Partial<Approval> = {}): Approval => ({
  id: 'q',
  run_id: 'asked',
  thread_id: 't',
  call_id: 'call_0',
  kind: 'call',
  tool: 'delete_file',
  arguments_json: '{"path":"b.txt"}',
  arguments_hash: 'h',
  fingerprint: 'f',
  risk: 'destructive',
  preview: null,
  basis: null,
  attached: [],
  origins: [],
  state: 'executed',
  number: 1,
  notice_id: null,
  expires_at: NOON + 1000,
  decided_by: 'owner@example.com',
  decided_at: NOON,
  reason: null,
  created_at: NOON,
  updated_at: NOON,
  likeness: null,
  teaches: null,
  offered_at: null,
  ...change,
});

/** A record in which these calls were made, each as `run/call/tool`. */
function recordOf(...made: readonly string[]) {
  return recordWith([], made);
}

/** The same where these were asked by the same run. */
function recordWith(beside: readonly Approval[], made: readonly string[]) {
  const items = made.map((one) => {
    const [run_id = '', call_id = '', tool = ''] = one.split('/');
    return { id: one, run_id, call_id, tool } as UndoItem;
  });
  const runs = new Set(items.map(({ run_id }) => run_id));
  return {
    getRun: async (id: string) => (runs.has(id) ? ({ id } as StoredRun) : undefined),
    approvalsOfRun: async () => [question(), ...beside],
    undoOfCall: async ({ runId, callId }: { runId: string; callId: string }) =>
      items.find(({ run_id, call_id }) => run_id === runId && call_id === callId),
  };
}
const found = async (store: ReturnType<typeof recordWith>, change: Partial<Approval> = {}) =>
  (await undosOf(store, question(change))).map(({ id }) => id);

describe('what can be taken back of a question', () => {
  it('was done by the run that asked, where it waited', async () => {
    expect(await found(recordOf('asked/call_0/delete_file'))).toEqual(['asked/call_0/delete_file']);
  });

  it('was done by the run that was begun for the decision, where the answer had left', async () => {
    expect(await found(recordOf(`${LATER}/call_0/delete_file`))).toEqual([`${LATER}/call_0/delete_file`]);
  });

  it('was done by the run that is named by another question of the same answer', async () => {
    const first = question({ id: 'p', call_id: 'call_1' });
    const made = [`${decidedRunId('p', NOON)}/call_0/delete_file`];
    expect(await found(recordWith([first], made))).toEqual(made);
    // One that another answer decided is carried out by a run of its own.
    const other = recordWith(
      [{ ...first, decided_at: NOON - 1 }],
      [`${decidedRunId('p', NOON - 1)}/call_0/delete_file`],
    );
    expect(await found(other)).toEqual([]);
  });

  it('is never another call to which the vendor gave the same id', async () => {
    const earlier = 'asked/call_0/delete_file';
    expect(await found(recordOf(earlier, `${LATER}/call_0/delete_file`))).toEqual([`${LATER}/call_0/delete_file`]);
    expect(await found(recordOf(earlier, `${LATER}/call_1/delete_file`))).toEqual([]);
    expect(await found(recordOf('asked/call_0/write_file'))).toEqual([]);
    expect(await found(recordOf('other/call_0/delete_file', `${decidedRunId('p', NOON)}/call_0/delete_file`))).toEqual(
      [],
    );
    for (const change of [
      { state: 'pending', decided_at: null, decided_by: null },
      { state: 'rejected' },
      { state: 'expired' },
      { state: 'stale', reason: 'the run was cancelled' },
    ] as const)
      expect(await found(recordOf(earlier), change)).toEqual([]);
  });

  it('is each call of a plan', async () => {
    const plan = {
      kind: 'plan',
      tool: 'plan',
      call_id: 'plan_0',
      arguments_json: JSON.stringify({
        steps: ['a.txt', 'b.txt'].map((path) => ({ tool: 'delete_file', arguments: { path } })),
      }),
      basis: JSON.stringify(['call_0', 'call_1'].map((id) => ['f', null, id, 'destructive'])),
    } as const;
    const made = [`${LATER}/call_0/delete_file`, `${LATER}/call_1/delete_file`];
    expect(await found(recordOf(...made), plan)).toEqual(made);
  });
});
