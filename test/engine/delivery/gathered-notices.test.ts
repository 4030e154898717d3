import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNoticeWriter } from '../../../engine/delivery/notices/notices.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { gatheredAs, notice } from '../../../engine/record/jobs/notice-job.ts';
import { queuedMail } from '../../../engine/storage/queued-mail.ts';
import { openWorkspace, type Workspace } from '../../../engine/workspace.ts';
import { doJob } from '../../fakes/do-job.ts';
import { makeWorkspace, type TestWorkspace } from '../../flow/workspace.ts';

const HOUR = 3_600_000;
const BEGUN = Date.parse('2026-11-23T09:00:00Z');

let folder: TestWorkspace;
let workspace: Workspace;
const time = { now: BEGUN };
beforeEach(() => {
  time.now = BEGUN;
  const persona = {
    name: 'Ada',
    address: 'ada@agents.localhost',
    timezone: 'Europe/Berlin',
    owners: ['boss@owner.test'],
  };
  folder = makeWorkspace({ 'personas/ada/persona.json': persona });
  workspace = openWorkspace({
    root: folder.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
});
afterEach(async () => {
  await workspace.close();
  folder.remove();
});

const happens = (what: string, kind: 'dead_letter' | 'loop_limit' = 'dead_letter') =>
  workspace.stores.use('ada', (store) =>
    store.addJobs([
      notice.job({
        id: `notice:${what}`,
        due_at: time.now,
        gather: gatheredAs(kind),
        payload: { subject: 'A mail could not be taken in', text: `It was ${what}.` },
      }),
    ]),
  );

/** Writes what is due, and gives what was written so far: subject, and the text without its signature. */
async function written(): Promise<string[]> {
  const entry = workspace.live.personas().get('ada');
  if (entry?.state !== 'ready') throw new Error('ada is not ready');
  const write = createNoticeWriter({
    hint: (text: string) => text,
    configs: workspace.live.current,
    clock: { ...workspace.clock, now: () => time.now },
    ids: workspace.ids,
    log: silentLog,
  });
  return workspace.stores.use('ada', async (store) => {
    for (const job of await store.dueJobs(time.now, 99)) await doJob(write, job, { persona: entry.persona, store });
    const rows = await store.listOutbox({ limit: 99 });
    const raws = await Promise.all(rows.toReversed().map(async ({ id }) => (await store.outboxRaw(id))?.raw));
    return raws.map((raw) => Buffer.from(raw ?? []).toString('utf8'));
  });
}

describe('M2: what others make the gateway tell its owners', () => {
  it('is told at once, then only counted, and the rest in one mail when the hour is over', async () => {
    await happens('the first');
    expect(await written()).toHaveLength(1);
    for (let n = 0; n < 40; n += 1) {
      time.now = BEGUN + (n + 1) * 60_000;
      await happens(`number ${n}`);
      expect(await written()).toHaveLength(1);
    }
    time.now = BEGUN + HOUR - 1;
    expect(await written()).toHaveLength(1);
    time.now = BEGUN + HOUR;
    const [, rest, ...more] = await written();
    expect(more).toEqual([]);
    expect(rest).toContain('Subject: [Ada] A mail could not be taken in, and 39 more');
    expect(rest).toContain('Since 10:01 this has happened 40 more times. The newest:');
    expect(rest).toContain('It was number 39.');
    time.now = BEGUN + 5 * HOUR;
    expect(await written()).toHaveLength(2);
    await happens('the next day');
    expect(await written()).toHaveLength(3);
  });

  it('is one an hour also while it goes on for hours', async () => {
    for (let minute = 0; minute <= 300; minute += 5) {
      time.now = BEGUN + minute * 60_000;
      await happens(`minute ${minute}`);
      await written();
    }
    expect(await written()).toHaveLength(6);
  });

  it('is counted by kind', async () => {
    await happens('one');
    await happens('another', 'loop_limit');
    await happens('one more');
    expect(await written()).toHaveLength(2);
  });

  it('tells later what came while it was told', async () => {
    for (const what of ['a', 'b', 'c']) await happens(what);
    await written();
    time.now = BEGUN + HOUR;
    await workspace.stores.use('ada', async (store) => {
      const [job] = await store.dueJobs(time.now, 9);
      const row = await store.gathered('dead_letter');
      await happens('in between');
      if (!job || !row) throw new Error('nothing was gathered');
      const entry = workspace.live.personas().get('ada');
      if (entry?.state !== 'ready') throw new Error('ada is not ready');
      const mail = queuedMail({
        id: 'x',
        messageId: '<x@x>',
        raw: Buffer.from('x'),
        now: time.now,
        persona: entry.persona,
        runId: '',
        purpose: job.id,
        kind: 'notice',
        inReplyTo: null,
        threadId: null,
      });
      const told = { ...gatheredAs('dead_letter'), count: row.count, now: time.now };
      await store.queueNotice(job.id, { row: mail, recipients: [] }, { told });
      expect(await store.gathered('dead_letter')).toMatchObject({ count: 1, since: time.now });
    });
    time.now = BEGUN + 2 * HOUR;
    expect((await written()).join('\n')).toContain('this has happened once more');
  });

  it('is told in time when the clock was set back', async () => {
    await happens('one');
    await written();
    time.now = BEGUN - 24 * HOUR;
    await happens('another');
    expect(await written()).toHaveLength(2);
  });
});
