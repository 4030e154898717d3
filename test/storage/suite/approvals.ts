import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FencedError } from '../../../engine/storage/ports/runs.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import type { Approval, ApprovalState } from '../../../engine/storage/types/approvals.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, approval, claim, eachWithAStore, leased, NOON, notice, outgoing, step } from '../world.ts';

const RESTS = { status: 'waiting_approval', leased_by: null, leased_until: null, tool_calls: 1 } as const;
const yes = (id: string, by = 'owner') => ({ id, state: 'approved' as const, by, reason: null });

async function held(store: Store, ...rows: readonly Approval[]): Promise<void> {
  await accept(store, 'a');
  await store.holdRun({ ...step(await leased(store), { patch: RESTS }), held: rows });
}

export const approvalPromises = (engine: StorageEngine): void => {
  describe('a question to owners', () => {
    const store = eachWithAStore(engine);
    const stateOf = async (id: string): Promise<ApprovalState | undefined> => (await store().getApproval(id))?.state;

    it('is decided once, whoever else decides at the same time', async () => {
      await held(store(), approval('x', 'r-a'));
      const by = ['mail', 'cli', 'timer'].map((who) => store().decideApprovals([yes('x', who)], [], NOON));
      const outcomes = (await Promise.all(by)).flat().map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['decided', 'not_pending', 'not_pending']);
      expect(await store().getApproval('x')).toMatchObject({ state: 'approved', decided_by: 'mail' });
      const decisions = (await store().runEvents('r-a')).filter(({ type }) => type === 'approval_decided');
      expect(decisions).toHaveLength(1);
    });

    it('has expired once its time is over, whatever is said then', async () => {
      await held(store(), approval('x', 'r-a'));
      expect(await store().decideApprovals([yes('x')], [], NOON + 1000)).toEqual([{ id: 'x', outcome: 'expired' }]);
      expect(await stateOf('x')).toBe('expired');
      expect(await store().decideApprovals([yes('none')], [], NOON)).toEqual([{ id: 'none', outcome: 'not_found' }]);
    });

    it('lets its run go on when the last of them is decided, and not before', async () => {
      await held(store(), approval('x', 'r-a'), approval('y', 'r-a'));
      await store().decideApprovals([yes('x')], [], NOON);
      expect(await claim(store())).toBeUndefined();
      await store().decideApprovals([yes('y')], [], NOON);
      expect(await claim(store())).toMatchObject({ run: { id: 'r-a' }, approvals: [{ id: 'x' }, { id: 'y' }] });
    });

    it('is on record only as far as it was decided', async () => {
      await held(store(), approval('x', 'r-a'));
      const record = (id: string) => ({
        id,
        at: NOON,
        actor: 'owner',
        event: 'approval_decided',
        run_id: 'r-a',
        approval_id: 'x',
        tool: null,
        decision: 'approved',
        detail: { reason: null },
      });
      await store().decideApprovals([yes('x')], [record('one')], NOON);
      await store().decideApprovals([yes('x')], [record('two')], NOON);
      expect(await store().listAudit({ limit: 10 })).toEqual([record('one')]);
    });

    it('is replaced by an edit once, and nobody decides the old one any more', async () => {
      await held(store(), approval('x', 'r-a'));
      const edits = ['y', 'z'].map((id) =>
        store().replaceApproval({ id: 'x', by: 'owner' }, approval(id, 'r-a'), [], [], NOON),
      );
      expect(await Promise.all(edits)).toEqual([true, false]);
      expect(await store().decideApprovals([yes('x')], [], NOON)).toEqual([{ id: 'x', outcome: 'not_pending' }]);
      expect((await store().approvalsOfRun('r-a')).map(({ id, state }) => [id, state])).toEqual([
        ['x', 'stale'],
        ['y', 'pending'],
      ]);
    });

    it('is found by its likeness, the newest first, with who asked and what was taken back', async () => {
      await held(
        store(),
        approval('w', 'r-a', { likeness: 'k' }),
        approval('x', 'r-a', { likeness: 'k', teaches: 1 }),
        approval('y', 'r-a', { likeness: 'other' }),
        approval('z', 'r-a', { likeness: 'k', teaches: 0 }),
      );
      const like = (limit = 10) => store().likeQuestions({ likeness: 'k', limit });
      expect(await like()).toEqual([]);
      await store().decideApprovals([yes('w'), yes('x'), yes('y')], [], NOON);
      expect(await like()).toMatchObject([
        {
          id: 'x',
          state: 'approved',
          teaches: 1,
          fingerprint: 'f',
          decided_by: 'owner',
          tier: 'member',
          isUndone: false,
        },
        { id: 'w', teaches: null },
      ]);
      expect(await like(1)).toHaveLength(1);
      expect(await store().likeQuestions({ likeness: 'none', limit: 10 })).toEqual([]);
    });

    it('is on record as one that offered, where its notice did', async () => {
      await held(store(), approval('x', 'r-a'), approval('y', 'r-a'));
      const job = { id: 'j', runId: 'r-a', again: { id: 'again', kind: 'notice', due_at: NOON, payload: '{}' } };
      const numbered = [
        { id: 'x', number: 1, offers: true as const },
        { id: 'y', number: 2 },
      ];
      await store().sendApprovalNotice(notice('n'), numbered, outgoing('n'), job, []);
      expect((await store().findNotice({ id: 'n' }))?.items.map(({ offered_at: at }) => at)).toEqual([NOON, null]);
    });

    it('is counted once with what owners said of it, and whether one of them had changed it', async () => {
      await held(store(), approval('x', 'r-a'));
      const none = { asked: 0, approved: 0, changed: 0, denied: 0, expired: 0, open: 0 };
      expect((await store().trust()).calls).toEqual({ ...none, asked: 1, open: 1 });
      const edited = {
        id: 'a-edited',
        at: NOON,
        actor: 'owner',
        event: 'approval_edited',
        run_id: 'r-a',
        approval_id: 'y',
        tool: null,
        decision: 'pending',
        detail: {},
      };
      await store().replaceApproval({ id: 'x', by: 'owner' }, approval('y', 'r-a'), [], [edited], NOON);
      expect((await store().trust()).calls).toEqual({ ...none, asked: 1, open: 1 });
      await store().decideApprovals([yes('y')], [], NOON);
      expect((await store().trust()).calls).toEqual({ ...none, asked: 1, approved: 1, changed: 1 });
    });

    it('takes each step of its state from where it is, or the whole batch is nothing', async () => {
      await held(store(), approval('x', 'r-a'));
      await store().decideApprovals([yes('x')], [], NOON);
      const lease = await leased(store());
      const doing = { id: 'x', from: 'approved', to: 'executing' } as const;
      await store().commitStep(step(lease, { firstSeq: 20, approvals: [doing] }));
      const again = store().commitStep(step(lease, { firstSeq: 21, approvals: [doing], patch: { active_ms: 9 } }));
      await expect(again).rejects.toThrow(FencedError);
      expect(await stateOf('x')).toBe('executing');
      expect((await store().getRun('r-a'))?.active_ms).toBe(1);
    });

    it('comes back as it was frozen', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      const text = fc.string();
      const file = fc.record({ name: text, type: text, bytes: fc.nat(), sha256: text, kept: fc.boolean() });
      const value = fc.record({ kind: text, value: text, at: text, origin: fc.option(text) });
      const parts = fc.record({ attached: fc.array(file), origins: fc.array(value), preview: fc.option(text) });
      let next = 0;
      await fc.assert(
        fc.asyncProperty(parts, async (frozen) => {
          next += 1;
          const asked = approval(`x${next}`, 'r-a', frozen);
          await store().holdRun({ ...step(lease, { firstSeq: 10 + next }), held: [asked] });
          expect(await store().getApproval(asked.id)).toEqual(asked);
        }),
        { numRuns: 30 },
      );
    });
  });

  describe('a notice', () => {
    const store = eachWithAStore(engine);

    it('has each question once, numbered, and is found by what an answer names', async () => {
      await held(store(), approval('x', 'r-a'), approval('y', 'r-a'));
      const job = { id: 'ask', kind: 'approval_notice', due_at: NOON, payload: '{}' };
      const numbered = [
        { id: 'x', number: 1 },
        { id: 'y', number: 2 },
      ];
      const about = { id: 'ask', runId: 'r-a', again: job };
      await store().sendApprovalNotice(notice('n1'), numbered, outgoing('o1'), about, []);
      await store().sendApprovalNotice(notice('n2'), numbered, outgoing('o2', { purpose: 'n2' }), about, []);
      expect((await store().findNotice({ id: 'n1' }))?.items.map(({ id }) => id)).toEqual(['x', 'y']);
      expect((await store().findNotice({ id: 'n2' }))?.items).toEqual([]);
      expect(await store().findNotice({ tokenSha256: 'token of n1' })).toMatchObject({ items: [{ id: 'x' }, {}] });
      expect(await store().findNotice({ messageIds: ['<n2@out.example>'] })).toMatchObject({ notice: { id: 'n2' } });
      expect(await store().findNotice({ id: 'none' })).toBeUndefined();
      expect(await store().unnoticedApprovals(null)).toEqual([]);
    });

    it('is answered back about no more often than was said', async () => {
      const answer = (id: string) => ({
        id,
        notice_id: 'n1',
        message_id: `<${id}@x.example>`,
        at: NOON,
        by: 'owner',
        verdict: 'unclear' as const,
        rules: ['a rule'],
        items: [],
        unclear: 'no_decision',
        detail: null,
      });
      const told = (id: string) => ({
        job: { id: `clarify:${id}`, kind: 'clarify', due_at: NOON, payload: '{}' },
        since: NOON - 1000,
        most: 2,
      });
      const used = (id: string) => ({
        signatures: [`of ${id}`],
        messageId: `<${id}@x.example>`,
        forgottenBefore: 0,
        now: NOON,
      });
      await Promise.all(['1', '2', '3', '1'].map((id) => store().recordAnswer(answer(id), told(id), used(id))));
      expect(await store().knowsSignature({ signatures: ['of 3'] })).toBe(true);
      expect((await store().dueJobs(NOON, 9)).map(({ id }) => id).toSorted()).toEqual(['clarify:1', 'clarify:2']);
      expect(await store().knowsAnswer('3')).toBe(true);
      expect(await store().answersByMessageId('<3@x.example>')).toEqual([{ ...answer('3'), asked_back: false }]);
    });
  });
};
