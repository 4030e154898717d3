import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADA } from '../governance-rig.ts';
import { openPersonaDb, runsEnded } from '../persona-db.ts';
import { openTaskOffice, type TaskOffice, taskFile } from '../task-rig.ts';

let office: TaskOffice;

beforeAll(async () => {
  office = await openTaskOffice({
    now: '2026-11-23T09:00:00Z',
    tasks: {
      note: taskFile('at 2026-11-23T09:00', 'Write the note.', 'answer:', '  claims: off', '  effects: [files:create]'),
    },
    plan: (_prompt, turn) =>
      turn === 0
        ? { calls: [{ name: 'write_file', arguments: { path: 'note.md', content: 'Noted.' } }] }
        : { text: 'These words were not needed.' },
  });
});

afterAll(() => office?.closeAll());

describe('a task whose contract is one effect and no words', () => {
  it('ends when the effect is there, without another model call, and its answer is that it is done', async () => {
    const { mail } = await office.arrival('task');
    const [run] = await runsEnded(office.root, 'ada', 1);
    expect(run).toMatchObject({ status: 'done', outcome: 'final', model_calls: 1 });
    const db = openPersonaDb(office.root, 'ada');
    try {
      const events = db.events(run?.id ?? '');
      expect(events.findLast(({ type }) => type === 'decision')?.data).toMatchObject({
        decision: 'FINAL',
        reason: 'contract_met',
        contract: { required: ['answer', 'files:create'], missing: [], not_done: [] },
      });
      expect(events.find(({ type }) => type === 'context_built')?.data.frame).toMatchObject({
        trigger: 'task',
        profile: 'task',
        contract: { claims: 'off', effects: ['files:create'] },
      });
    } finally {
      db.close();
    }
    expect(office.model.requests).toHaveLength(1);
    expect(office.model.requests[0]?.view.tools).not.toContain('answer');
    expect(mail.text).toContain('This is done.');
    expect(mail.from?.value[0]?.address).toBe(ADA);
    expect(await office.cli('runs', 'replay', run?.id ?? '')).toMatchObject({ code: 0 });
  });
});
