import { describe, expect, it } from 'vitest';
import type { Waiting } from '../../engine/storage/ports/waiting.ts';
import type { AuditRecord, UndoItem } from '../../engine/storage/types/approvals.ts';
import type { NewJob } from '../../engine/storage/types/jobs.ts';
import { LEARNED } from '../../engine/storage/types/learning/refinements.ts';
import type { StorageEngine } from './engine.ts';
import { factRow } from './fact-worlds.ts';
import {
  accept,
  approval,
  arrival,
  arrive,
  claim,
  DAY,
  eachWithAStore,
  finish,
  leased,
  MIA,
  message,
  NOON,
  notice,
  outgoing,
  plan,
  step,
  ZOE,
} from './world.ts';

// What the suites do not come by, for the sake of its statements: each operation once, with rows that lead it all the way.

const job = (id: string): NewJob => ({ id, kind: 'notice', payload: '{}', due_at: NOON });
const audit = (id: string): AuditRecord => ({
  id,
  at: NOON,
  actor: 'engine',
  event: 'undo_asked',
  run_id: 'r-a',
  approval_id: null,
  tool: null,
  decision: null,
  detail: {},
});
const undo = (id: string, change: Partial<UndoItem> = {}): UndoItem => ({
  id,
  run_id: 'r-a',
  thread_id: 't-a',
  call_id: `call-${id}`,
  tool: 'write_file',
  arguments: {},
  result: null,
  state: 'open',
  number: null,
  notice_id: null,
  until: NOON + 1000,
  decided_by: null,
  created_at: NOON,
  updated_at: NOON,
  ...change,
});
const waiting = (change: Partial<Waiting> = {}): Waiting => ({
  code: 'provider_unavailable',
  until: null,
  giveUpMs: 1000,
  tell: {
    sendersAfterMs: 1,
    ownersAfterMs: 1,
    window: null,
    note: ({ sender }) => job(`waiting_note:${sender}`),
    notice: () => job('waiting_notice'),
  },
  cause: { cause: 'down', provider: 'main', message: 'no answer', whose: null },
  now: NOON,
  ...change,
});
const owner = { address: MIA, threadId: null };
const furtherOf = {
  seq: 1,
  tier: 'member' as const,
  createdAt: NOON,
  now: NOON + 1000,
  most: 3,
  mayBeTakenIn: () => true,
};

export function otherOperations(engine: StorageEngine): void {
  const store = eachWithAStore(engine);

  describe('operations that no suite comes by', () => {
    it('on what was done and can be taken back', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      await accept(store(), 'b');
      const learned = undo('u-2', { tool: LEARNED });
      // A call id is the model's word: another run may have the same.
      const others = undo('u-0', { run_id: 'r-b', call_id: 'call-u-1', state: 'undone' });
      await store().commitStep(step(lease, { undo: [undo('u-1'), learned, undo('u-3'), others] }));
      expect((await store().unnoticedUndo('calls')).map(({ id }) => id)).toEqual(['u-1', 'u-3']);
      expect((await store().unnoticedUndo('learned')).length).toBe(1);
      await store().sendUndoNotice(notice('n'), [{ id: 'u-1', number: 1 }], outgoing('o-n'), {
        of: 'calls',
        job: job('undo_notice'),
      });
      expect((await store().undoOfNotice('n')).map(({ id }) => id)).toEqual(['u-1']);
      expect(await store().learnedToldAt()).toBe(null);
      expect(await store().areMoreDecided(0)).toBe(false);
      expect((await store().undoOfCall({ runId: 'r-a', callId: 'call-u-1' }))?.id).toBe('u-1');
      expect((await store().undoOfCall({ runId: 'r-b', callId: 'call-u-1' }))?.id).toBe('u-0');
      expect(await store().undoOfCall({ runId: 'r-c', callId: 'call-u-1' })).toBeUndefined();
      expect((await store().undosOfRun('r-a')).map(({ id }) => id)).toContain('u-1');
      expect(await store().undosOfRun('r-c')).toEqual([]);
      await store().askUndo([job('undo')], [audit('a-1')]);
      for (const number of [1, 2]) {
        await store().keepPlaybook(
          {
            id: `v-${number}`,
            kind: 'answer',
            number,
            parent_id: null,
            playbook_json: '{}',
            origin: 'owner',
            tainted: 0,
            score: null,
            created_at: NOON,
          },
          [],
        );
      }
      await store().pinPlaybook('answer', 'v-2', NOON);
      const pin = { kind: 'answer', version: 'v-1' };
      await store().settleUndo({ id: 'u-1', state: 'undone', by: MIA, now: NOON, pin }, [audit('a-2')], 'undo', []);
      expect((await store().getUndo('u-1'))?.state).toBe('undone');
      await store().recordRemovedFile({ run_id: 'r-a', path: 'a.md', sha256: 'h', bytes: 3, until: NOON }, job('end'));
      expect((await store().removedFile('r-a', 'a.md'))?.bytes).toBe(3);
      expect(await store().removedBytes()).toBe(3);
      expect(await store().endUndo(NOON)).toEqual({ hashes: ['h'], nextAt: null });
      expect((await store().listAudit({ limit: 5, after: 'z' })).length).toBe(2);
    });

    it('on a thread, its mails and what its answers were made of', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      await accept(store(), 'b', { thread: 't-a', after: 1 });
      expect(await store().furtherMail({ ...furtherOf, threadId: 't-a', sender: MIA })).toHaveLength(1);
      await store().commitStep(step(lease, { takenIn: [{ runId: 'r-b', message: 'b', rendered: '[]' }] }));
      expect((await store().takenInBy('r-a')).length).toBe(1);
      const taken = { by: MIA, at: NOON };
      expect(await store().setThreadTaken('t-a', taken, audit('a-1'))).toBe(true);
      expect(await store().setThreadTaken('t-a', null, audit('a-2'))).toBe(true);
      expect(await store().askedAfterAnswer({ threadId: 't-a', sender: MIA })).toEqual([]);
      await store().changeFacts([{ change: 'add', fact: factRow('one'), replaces: null, corrects: ['a'] }]);
      expect((await store().correctionOf('a'))?.fact).toBe('one');
      expect(await store().answersWith('one')).toEqual([]);
      await store().rulesInForce(NOON);
      await store().listRules({ all: false, limit: 5, now: NOON, after: 'z' });
      for (const by of ['tool', 'model'] as const) expect(await store().callUsage(0, NOON, by)).toEqual([]);
      expect(await store().extendDay(DAY)).toBe(true);
      expect((await store().week(0, NOON)).answered).toBe(0);
      expect((await store().trust()).drafts).toEqual({ sent: 0, edited: 0, deleted: 0, open: 0 });
    });

    it('on questions to owners', async () => {
      await store().endNoticeJob('ask', null);
      await accept(store(), 'a');
      const lease = await leased(store());
      const held = [approval('p-1', 'r-a'), approval('p-2', 'r-a', { kind: 'answer' }), approval('p-3', 'r-a')];
      await store().holdRun({ ...step(lease), held });
      expect(await store().isAsked('r-a')).toBe(true);
      expect(await store().approvalsBelow('r-a')).toEqual([]);
      expect(await store().worksBelow('r-a')).toBe(false);
      await store().splitApproval({ id: 'p-1', by: MIA }, [approval('p-4', 'r-a')], { jobs: [], audit: [] }, NOON);
      await store().sendQuestion(notice('q'), 'p-2', outgoing('o-q', { purpose: 'q' }), 'ask', [job('remind')]);
      const again = { id: 'ask', runId: null, again: job('ask') };
      await store().sendApprovalNotice(notice('n'), [{ id: 'p-4', number: 1 }], outgoing('o-n'), again, []);
      const message = { notice: notice('w'), jobs: [job('after')] };
      await store().queueNotice('w', outgoing('o-w', { purpose: 'w' }), message);
      await store().sendNotice(notice('m'), outgoing('o-m', { purpose: 'm' }), 'm');
      await store().endNoticeJob('ask', 'r-a');
      await store().queueAboutNotice({ id: 'n', column: 'reminded_at', now: NOON }, 'remind', outgoing('o-r'));
      expect((await store().findNotice({ tokenSha256: 'token of n' }))?.notice.id).toBe('n');
      expect((await store().findNotice({ messageIds: ['<n@out.example>'] }))?.notice.id).toBe('n');
      expect((await store().findNotice({ id: 'n' }))?.items.length).toBe(1);
      expect((await store().mailsQuotable(['<o-n@out.example>'])).length).toBe(1);
      expect(await store().areSentByUs(['<o-n@out.example>', '<x@y.example>'], ['<o-n@out.example>'])).toBe(false);
      await store().earlierTexts(MIA);
      const answer = {
        id: 'answer',
        notice_id: 'n',
        message_id: '<a@x.example>',
        at: NOON,
        by: MIA,
        verdict: 'unclear' as const,
        rules: [],
        items: [],
        unclear: null,
        detail: null,
      };
      const used = { signatures: [], messageId: '<a@x.example>', forgottenBefore: 0, now: NOON };
      await store().recordAnswer(answer, { job: job('clarify'), since: 0, most: 3 }, used);
      expect(await store().knowsAnswer('answer')).toBe(true);
      expect((await store().answersByMessageId('<a@x.example>')).length).toBe(1);
      expect((await store().answersOfNotice('n')).map(({ id }) => id)).toEqual(['answer']);
      await store().queueClarification('clarify', outgoing('o-c', { purpose: 'c' }));
      expect((await store().openApprovalsOfThread('t-a')).length).toBe(3);
      expect((await store().openApprovalsOfAll()).length).toBe(3);
      expect(await store().answersInWords('t-a')).toEqual([]);
      expect((await store().newestNotices(2)).length).toBe(2);
      expect((await store().listApprovals({ limit: 5, after: 'z', status: 'pending' })).length).toBe(3);
      expect((await store().approvalsOfRun('r-a')).length).toBe(4);
      await store().replaceApproval({ id: 'p-3', by: MIA }, approval('p-5', 'r-a'), [], [audit('a-1')], NOON);
      await store().decideApprovals([{ id: 'p-5', state: 'approved', by: MIA, reason: null }], [audit('a-2')], NOON);
      const approvals = [{ id: 'p-5', from: 'approved' as const, to: 'executing' as const, by: null, reason: null }];
      await store().commitStep(step(lease, { firstSeq: 90, approvals, audit: [audit('a-3')] }));
      await store().auditOnce(audit('a-4'), used);
    });

    it('on mail that waits', async () => {
      for (const id of ['a', 'b', 'c']) await accept(store(), id);
      expect(await store().deferUnbegun(waiting(), { onlyNew: true })).toBe(3);
      expect(await store().deferredCodes()).toEqual([{ code: 'provider_unavailable', until: null }]);
      expect((await store().waitingMails({ sender: MIA, limit: 5 })).length).toBe(3);
      expect((await store().countDeferred()).length).toBe(1);
      expect((await store().incident('provider_unavailable'))?.provider).toBe('main');
      expect(await store().hasOneToTakeUp('provider_unavailable')).toBe(true);
      await store().takeUp('provider_unavailable', { kind: 'one', last: 'r-a' });
      await store().takeUp('provider_unavailable', { kind: 'due', now: NOON });
      const claimed = await claim(store());
      const lease = { runId: claimed?.run.id ?? '', fence: claimed?.run.fence ?? 0 };
      if (!claimed) throw new Error('nothing is due');
      const parked = { run: claimed.run, waiting: waiting({ now: NOON + 1 }), uncount: DAY };
      await store().parkRun(step(lease, { patch: { status: 'queued', leased_by: null, leased_until: null } }), parked);
      await store().takeUp('provider_unavailable', { kind: 'all' });
      await store().deferUnbegun(waiting({ code: 'sender_rate_limited', tell: null }), { onlyNew: false });
      await store().respread({ runsPerHour: 1, now: NOON });
      expect(await store().isToldOfWaiting({ sender: MIA, since: 0 })).toBe(false);
      expect(await store().takeUp('budget', { kind: 'all' })).toBe(0);
    });

    it('on an answer to what a run sent', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      const invites = {
        id: 'i',
        uid: 'meeting',
        recurrence_id: '',
        thread_id: 't-s',
        message: 's',
        attachment: '',
        organizer: MIA,
        sequence: 0,
        stamped_at: NOON,
        facts_json: '{}',
      };
      const sent = { ...message('s', 't-s', { direction: 'out', duplicate_key: null }), run_id: lease.runId };
      const mail = {
        thread: { id: 't-s', kind: 'thread' as const, subject: 'Plan' },
        message: sent,
        mail: outgoing('o'),
        invites,
      };
      const toolEvents = [
        {
          id: 'e',
          thread_id: 't-a',
          parent_message_id: 'a',
          run_id: lease.runId,
          step_index: 0,
          event_type: 'tool_call' as const,
          tool_name: 'send_email',
          tool_call_id: 'c',
          payload_json: '{}',
          created_at: NOON,
        },
      ];
      await store().commitStep(step(lease, { outgoing: [mail], toolEvents }));
      await accept(store(), 'b', { thread: 't-s' });
      const [answer] = await store().claimRuns({
        instance: 'one',
        deadHolders: 'all others',
        now: NOON,
        leaseMs: 1000,
        day: DAY,
        limit: 1,
      });
      expect(answer?.trigger).toMatchObject({ kind: 'mail', answersRequest: { request: { id: 'a' } } });
      await arrive(store(), arrival('c'), { ...plan('c'), newThread: { id: 't-c', kind: 'task', subject: 'Report' } });
      expect((await store().loadRun('r-c'))?.trigger).toMatchObject({ kind: 'mail', answersTask: null });
    });

    it('on what lists and pages ask', async () => {
      await accept(store(), 'a');
      await finish(store(), await leased(store()), outgoing('o'));
      const page = { limit: 5, after: 'z' };
      await store().subjectsOfRuns(['r-a']);
      for (const of of ['runs', 'approvals', 'outbox', 'threads'] as const)
        await store().idsLike({ of, part: 'r', limit: 5 });
      await store().eventsOfRuns(['r-a']);
      await store().runsByMessageId('<a@x.example>');
      await store().attachmentsOf('a');
      await store().listThreads(page);
      await store().listOutbox({ ...page, status: 'queued' });
      for (const by of ['provider', 'sender', 'thread_id', 'task', null] as const) await store().usage(0, NOON + 1, by);
      await store().toolEventsOfRuns(['r-a']);
      await store().getThread('t-a');
      await store().loadRun('r-a');
      await store().listTasks();
      await store().dearestSender(0);
      await store().dueTasks(NOON);
      await store().parkJob('notice', { code: 'unknown', dueAt: NOON });
      await store().ownInvitations({ limit: 5 });
      await store().messagesByMessageId('<a@x.example>');
      expect(await store().keptByMessageId('<nowhere@x.example>')).toEqual([]);
      await store().outboxByMessageId('<o@out.example>');
      await store().outboxByPurpose('final');
      await store().outboxOfMail('<a@x.example>');
      await store().outboxHeads(['o'], 3);
      await store().outboxRecipients(['o']);
      await store().unsentOutbox();
      await store().outboxCounts();
      expect(await store().listHeldRaw(5)).toEqual([]);
    });

    it('on what a run looks at', async () => {
      await arrive(store(), arrival('a', { runsPerHour: 3, sender: MIA }), {
        ...plan('a'),
        ownerMail: { ground: 'dmarc', names: [{ name: 'Zoe', address: ZOE }] },
        attachments: [
          {
            id: 'f',
            message: 'a',
            position: 0,
            name: 'a.txt',
            type: 'text/plain',
            bytes: 1,
            sha256: 'h',
            unreadable: null,
            charset: null,
          },
        ],
      });
      expect((await store().ownerMail('a'))?.ground).toBe('dmarc');
      await store().namesOfPeople('t-a');
      const several = { address: MIA, threadId: 't-a', also: [ZOE] };
      for (const viewer of [null, owner, { ...owner, threadId: 't-a' }, several]) {
        await store().threadPage('t-a', 9, 5, viewer);
        await store().findAttachment('f', viewer);
        await store().openMail('<a@x.example>', viewer);
        if (viewer) await store().countSeen('t-a', viewer);
        const search = { query: 'text', limit: 3, viewer };
        await store().search(search);
        await store().search({
          ...search,
          query: null,
          from: 'mia',
          to: 'zoe',
          since: 0,
          before: NOON * 2,
          direction: 'in',
          hasAttachment: true,
          threadId: 't-a',
          except: '<a@x.example>',
        });
        await store().likelyEpisodes({ words: ['text', 'plan'], viewer, exceptThread: null, limit: 3, minShare: 0 });
        await store().episodesAt([1], viewer);
        for (const asker of ['owner', 'nobody', { address: MIA, tier: 'member' }] as const)
          for (const waitingWith of [undefined, { addresses: [MIA], thread: 't-a' }])
            await store().seenThreads({ since: 0, viewer, asker, limit: 5, ...(waitingWith && { waitingWith }) });
      }
      await store().shownWith({ threadId: 't-a', reader: MIA, addresses: [ZOE] });
      await store().attachmentNamed('f');
      await store().nameOfSender(MIA);
      await store().wordsOfPerson(MIA, 2);
      await store().wasLetIn(MIA);
      await store().wordsOfOwner(MIA, 3);
      await store().hasWrittenTo(MIA);
      await store().lastSent('t-a');
      await store().recordMadeFile('a.md', 'h');
      await store().madeFileHash('a.md');
      await store().keepDocument({
        sha256: 'h',
        part: '',
        hint: '',
        reader: 1,
        facts_json: '{}',
        text_sha256: null,
        tables_sha256: null,
        read_at: NOON,
      });
      await store().findDocument({ sha256: 'h', part: '', hint: '' });
      await store().findResult({ threadId: 't-a', ref: 'r', asker: { address: MIA, tier: 'member' }, runId: 'r-a' });
      await store().wroteItself('https://web.example/page/one');
      await store().wroteItself('https://web');
      expect(await store().useOwnWords({ runId: 'r-a', turn: 1, callId: 'c', kind: 'undoable', at: NOON })).toBe(true);
      await store().indexMail(5);
      const [file] = await store().filesToIndex(5);
      await store().indexFiles(file?.seq ?? 0, ['words of a file']);
      await store().setThreadPrivate('t-a', NOON);
      await store().compactIndex(true);
      await store().mergeIndex(true);
      await store().zeroFreePages();
      await store().forgetInIndex({ messages: [1] });
      await store().forgetInIndex({ person: MIA });
      await store().unnamedBlobs(['a'.repeat(64)], { contentOf: async () => '', breathe: async () => {} });
    });

    it('on what is remembered, and said of threads that are over', async () => {
      await accept(store(), 'a');
      const facts = [
        factRow('one'),
        factRow('two', { disputes: 'one', status: 'disputed' }),
        factRow('three', { disputes: 'two' }),
      ];
      for (const fact of facts) await store().changeFacts([{ change: 'add', fact, replaces: null }]);
      await store().changeFacts([{ change: 'add', fact: factRow('four'), replaces: 'one' }]);
      expect((await store().factById('two'))?.superseded_by).toBe('four');
      await store().factsOfMessage('a');
      await store().factsOfPerson(MIA);
      await store().disputedFacts(3);
      await store().countSayers('phrase', MIA, 3);
      await store().factById('f');
      await store().isForgottenSource('a');
      await store().beginTry('job');
      await store().threadsToClose({ before: NOON + 1, below: 'z', scan: 5 });
      await store().addJobs([job('close')]);
      const asked = { threadId: 't-a', after: 0, before: 9, limit: 5 };
      const seqs = (await store().threadItems(asked)).map(({ seq }) => seq);
      const state = {
        threadId: 't-a',
        text: 'They planned a journey.',
        tags: ['journey'],
        keywords: ['plan'],
        watermark: 1,
        items: 1,
        tier: 'member' as const,
        saidBy: MIA,
        othersWords: false,
        lastMailAt: NOON,
        closedAt: NOON,
      };
      const closing = { state, from: { closing: 0, memory: 0 }, asked, seqs, viewers: [MIA] };
      await store().keepClosing({ jobId: 'close', runId: 'r-a', event: null, closing, jobs: [], now: NOON });
      expect((await store().closingOf('t-a'))?.tags).toEqual(['journey']);
      expect(await store().closingViewers('t-a')).toEqual([MIA]);
      const search = { words: ['journey', 'planned'], viewer: owner, exceptThread: null, limit: 3 };
      expect((await store().findClosings(search)).length).toBe(1);
    });

    it('on the gateway', async () => {
      const gateway = await engine.openGateway();
      const folder = { mailbox: 'main', uidvalidity: '1' };
      const place = { ...folder, uid: 7 };
      await gateway.beginTry(place, NOON);
      await gateway.forgiveTry(place);
      await gateway.forgetOtherTries(folder);
      await gateway.waitedFor(folder);
      await gateway.uidsWaitingFor(folder, 'ada', 5);
      expect(await gateway.countUnsettled('main')).toBe(1);
      const held = {
        decision: 'deferred' as const,
        code: 'resync_held',
        message_id: '<h@x.example>',
        persona_id: 'ada',
      };
      await gateway.recordSeen(
        [
          {
            ...held,
            recipient: null,
            direction: 'in',
            from_address: MIA,
            tier: null,
            detail: null,
            subject: '',
            received_at: NOON,
            thread_id: null,
            run_id: null,
            ...place,
          },
        ],
        place,
      );
      expect(await gateway.settleHeld('main', 'take')).toBe(1);
      expect(await gateway.settleHeld('main', 'leave')).toBe(1);
      await gateway.forgetPlaces(folder);
      await gateway.deferredSince(place, 'dns');
      await gateway.keptRefusals();
      await gateway.keptRefusal('h');
      await gateway.removeRefused('h');
      await gateway.pruneRefused({ refused: 0, taken: 0 });
      await gateway.recentRuns(5);
      await gateway.newestSeen();
      await gateway.pruneSeen({ olderThan: 0, rows: 0, batch: 5 });
      await gateway.refusalCounts();
      await gateway.deadLetterFiles();
      await gateway.getDeadLetter('d');
      await gateway.removeDeadLetter('d');
      await gateway.close();
    });
  });
}
