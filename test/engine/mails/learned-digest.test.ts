import { simpleParser } from 'mailparser';
import { afterEach, describe, expect, it } from 'vitest';
import { acceptedAs } from '../../../engine/learning/refine/refine-job.ts';
import { emptyPlaybook } from '../../../engine/learning/refine/subject.ts';
import type { PlaybookVersion } from '../../../engine/storage/types/learning/playbooks.ts';
import { type MailOffice, openMailOffice } from './office.ts';

const open: { office?: MailOffice } = {};
afterEach(() => open.office?.close());

const DAY_MS = 86_400_000;

async function school() {
  const office = await openMailOffice(() => ({ text: 'Yes.' }));
  open.office = office;
  const { rig } = office;
  const { runId } = await rig.deliver();
  await rig.drain();
  /** A better version of this kind, as a refinement keeps it. */
  const learn = (kind: string) =>
    rig.withStore(async (store) => {
      const versions = await store.playbookVersions(kind);
      const parent: PlaybookVersion | null = versions.at(-1) ?? null;
      const run = { id: runId ?? '', thread_id: '' };
      const subject = { kind, parent, examples: [], isPinned: false } as unknown as Parameters<
        typeof acceptedAs
      >[0]['subject'];
      const now = rig.clock.now();
      const kept = acceptedAs({
        subject,
        playbook: emptyPlaybook(kind),
        from: 0.5,
        to: 0.9,
        run,
        ids: rig.harness.ids,
        now,
        newest: parent?.number ?? 0,
      });
      for (const version of kept.versions) await store.keepPlaybook(version);
      const id = rig.harness.ids.next();
      await store.addJobs([{ id, kind: 'refine', due_at: now, payload: '{}' }]);
      await store.keepRefinement({
        jobId: id,
        refinement: {
          id,
          kind,
          run_id: run.id,
          asked_by: 'runs',
          accepted: 1,
          reason: null,
          detail: null,
          examples: 5,
          from_version: parent?.number ?? null,
          to_version: kept.number,
          from_score: 0.5,
          to_score: 0.9,
          at: now,
        },
        versions: [],
        drop: [],
        shown: [],
        undo: kept.undo,
        jobs: () => kept.jobs,
        event: () => ({ type: 'playbook_refined', v: 1, payload_json: '{}' }),
      });
      await office.work();
    });
  const mails = async () => Promise.all((await office.written('notice')).map((raw) => simpleParser(raw)));
  const pinned = (kind: string) =>
    rig.withStore(async (store) => {
      const id = await store.pinnedPlaybook(kind);
      return id === null ? null : (await store.playbookVersion(id))?.number;
    });
  /** Takes back what the newest mail tells of, in this order. */
  const undo = (numbers: readonly number[]) =>
    rig.withStore(async (store) => {
      const [last] = (await mails()).slice(-1);
      const found = await store.findNotice({ messageIds: [last?.messageId ?? ''] });
      const items = await store.undoOfNotice(found?.notice.id ?? '');
      for (const number of numbers) {
        const item = items.find((one) => one.number === number);
        const version = String(item?.arguments.former_id);
        const pin = { kind: String(item?.arguments.kind), version };
        const settled = { id: item?.id ?? '', state: 'undone', by: 'you', now: rig.clock.now(), pin } as const;
        await store.settleUndo(settled, [], 'none', []);
      }
    });
  return { ...office, learn, mails, pinned, undo };
}

describe('what a persona has learned', () => {
  it('is told once a day at most, each change with how it is taken back', async () => {
    const { rig, work, learn, mails } = await school();
    await learn('answer');
    expect(await mails()).toHaveLength(1);
    await learn('draft');
    await learn('triage');
    rig.time.now += DAY_MS - 60_000;
    await learn('answer');
    expect(await mails()).toHaveLength(1);
    rig.time.now += 60_000;
    await work();
    const [, digest] = await mails();
    for (const [kind, before] of Object.entries({ draft: 1, triage: 1, answer: 2 }))
      expect(digest?.text).toMatch(new RegExp(`“${kind}” by .*\\(before: version ${before};`));
    expect(digest?.text).toContain('Reply "undo all", or name one by its number, as in "undo 1".');
    expect(digest?.text).toMatch(/1\. .*2\. .*3\. /s);
    rig.time.now += 10 * DAY_MS;
    await work();
    expect(await mails()).toHaveLength(2);
    await learn('answer');
    expect(await mails()).toHaveLength(3);
  });

  it('is as before all of them when several changes of a kind are taken back, in whatever order', async () => {
    for (const order of [
      [1, 2],
      [2, 1],
    ]) {
      const { rig, work, learn, pinned, undo, close } = await school();
      await learn('draft');
      await learn('answer');
      await learn('answer');
      rig.time.now += DAY_MS;
      await work();
      await undo(order);
      expect(await pinned('answer'), String(order)).toBe(1);
      await close();
    }
    delete open.office;
  });
});
