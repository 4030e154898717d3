import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, describe, expect, it } from 'vitest';
import { defineTool } from '#contract';
import { sha256 } from '../../../engine/lib/ids.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import proposePlan from '../../../extensions/tools/propose_plan/index.ts';
import { CARL, call, live, makeApprovalRig, once, placeToDie, toCarl } from './approvals-rig.ts';
import type { Model, Rig } from './rig.ts';

const open: { rig?: Rig } = {};
afterEach(() => open.rig?.close());

/** Two tools that change things only by an owner's word, so that a plan is wanted. */
const burn = defineTool({
  description: 'Burns',
  risk: 'destructive',
  scope: 'files:delete',
  input: { type: 'object' },
  effects: async (args) => ({ targets: [(args as { path?: string }).path ?? JSON.stringify(args)] }),
  run: () => 'burnt',
});

async function story(model: Model) {
  const made = await makeApprovalRig(model, { tools: { propose_plan: proposePlan, burn, shred: burn } });
  const { rig } = made;
  const folder = rig.harness.filesOf('ada').filesRoot;
  mkdirSync(folder, { recursive: true });
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  /** What was attached to mail that reached Carl, mail by mail. */
  const reached = async () => {
    const rows = await made.mailTo(CARL);
    return Promise.all(
      rows.map(async ({ id }) => {
        const raw = Buffer.from((await rig.withStore((store) => store.outboxRaw(id)))?.raw ?? []);
        const read = await readMail(raw, rig.configs.gateway.limits);
        if (!read.ok) throw new Error(read.message);
        return read.mail.attachments.map(({ content }) => Buffer.from(content).toString('utf8'));
      }),
    );
  };
  open.rig = rig;
  return { ...made, put, reached };
}

const withReport = once((n) => [call('m1', 'send_email', toCarl(n, { attachments: ['report.txt'] }))]);
const statesOf = (rows: readonly { state: string }[]) => rows.map(({ state }) => state);

describe('M3: a mail that was approved with its attachments', () => {
  it('M3: goes with the bytes whose hash was approved', async () => {
    const { rig, put, pending, decide, reached } = await story(withReport);
    put('report.txt', 'as it was shown');
    await rig.answer({ text: 'n=1' });
    const [asked] = await pending();
    expect(asked?.attached).toMatchObject([
      { name: 'report.txt', bytes: 15, sha256: sha256('as it was shown'), kept: true },
    ]);
    await decide(await pending(), 'approved');
    await rig.drain();
    expect(await reached()).toEqual([['as it was shown']]);
  });

  it('M3: does not go when the file becomes another after it was compared, and the owner is asked anew', async () => {
    const { rig, put, pending, decide, reached, ofRun } = await story(withReport);
    put('report.txt', 'as it was shown');
    const { run } = await rig.answer({ text: 'n=1' });
    await decide(await pending(), 'approved');
    // The claim is committed; the very next thing is the call.
    rig.crash.pass = (point) => {
      if (point === 'run.step_intended') put('report.txt', 'as somebody wants it');
    };
    await rig.drain();
    rig.crash.pass = () => {};
    expect(await reached()).toEqual([]);
    expect(statesOf(await ofRun(run.id))).toEqual(['stale', 'pending']);
    expect((await rig.ended(run.id)).run.status).toBe('waiting_approval');
    await decide(await pending(), 'approved');
    await rig.drain();
    expect(await reached()).toEqual([['as somebody wants it']]);
    expect((await rig.ended(run.id)).text).toBe('m1 ok');
  });

  it('M3: does not go with other bytes after a crash in the middle of the call', async () => {
    const place = placeToDie(1);
    const { rig, put, pending, decide, reached, ofRun } = await story(withReport);
    put('report.txt', 'as it was shown');
    const { run } = await rig.answer({ text: 'n=1' });
    await decide(await pending(), 'approved');
    const { ghost } = await live(rig, 'second', place);
    expect(statesOf(await ofRun(run.id))).toEqual(['executing']);
    put('report.txt', 'as somebody wants it');
    await rig.drain('third');
    expect(await reached()).toEqual([]);
    expect(statesOf(await ofRun(run.id))).toEqual(['stale', 'pending']);
    place.bury();
    await ghost;
  });

  it('M3: is asked about anew when the owner was asked by a version that showed only names', async () => {
    const { rig, put, pending, decide, reached, ofRun } = await story(withReport);
    put('report.txt', 'as it was shown');
    const { run } = await rig.answer({ text: 'n=1' });
    const database = new SQLite(join(rig.root, 'personas/ada/persona.db'));
    database.exec('update approvals set preview = null, basis = null, attached_json = null');
    database.close();
    await decide(await pending(), 'approved');
    await rig.drain();
    expect(await reached()).toEqual([]);
    expect(statesOf(await ofRun(run.id))).toEqual(['stale', 'pending']);
  });
});

describe('M3: a mail that policy would let go', () => {
  const OWNERS = 'owner@example.com';
  const both = once(() => [
    call('b1', 'burn', { path: './report.txt' }),
    call('m1', 'send_email', { to: [OWNERS], subject: 'Report', body: 'Here', attachments: ['report.txt'] }),
  ]);

  it('M3: is shown and compared like any other once it waits for a call that is asked about', async () => {
    const { rig, put, pending, decide, ofRun, mailTo } = await story(both);
    put('report.txt', 'as it was shown');
    const { run } = await rig.answer({ text: 'n=1' });
    expect((await pending()).map(({ tool, basis }) => [tool, basis !== null])).toEqual([
      ['burn', false],
      ['send_email', true],
    ]);
    await decide(await pending(), 'approved');
    put('report.txt', 'as somebody wants it');
    await rig.drain();
    expect(statesOf(await ofRun(run.id))).toEqual(['executed', 'stale', 'pending']);
    expect((await mailTo(OWNERS)).filter(({ purpose }) => purpose.startsWith('tool:'))).toEqual([]);
  });
});

describe('M3: a plan with a mail in it', () => {
  const steps = [
    { tool: 'burn', arguments: { n: 1 } },
    { tool: 'send_email', arguments: toCarl(1, { attachments: ['report.txt'] }) },
  ];
  const planned = once(() => [call('p1', 'propose_plan', { steps })]);
  const DELETE = { text: 'Please delete all of it, n=1' };

  it('M3: shows the files of its steps, and is asked about anew when one of them has changed', async () => {
    const { rig, put, pending, decide, ofRun, reached } = await story(planned);
    put('report.txt', 'as it was shown');
    const { run } = await rig.answer(DELETE);
    const [asked] = await pending();
    expect(asked?.preview).toContain('"report.txt" (15 bytes)');
    expect(asked?.attached).toMatchObject([{ name: 'step 2 report.txt', sha256: sha256('as it was shown') }]);
    await decide(await pending(), 'approved');
    // It looks the same to whoever was asked: the name and the size are as they were.
    put('report.txt', 'as it was drawn');
    await rig.drain();
    expect(statesOf(await ofRun(run.id))).toEqual(['stale', 'pending']);
    expect(await reached()).toEqual([]);
  });

  it('M3: ends at the mail when the file changes while the plan is done', async () => {
    const { rig, put, pending, decide, ofRun, reached } = await story(planned);
    put('report.txt', 'as it was shown');
    const { run } = await rig.answer(DELETE);
    await decide(await pending(), 'approved');
    rig.crash.pass = (point) => {
      if (point === 'run.tool_executed') put('report.txt', 'as somebody wants it');
    };
    await rig.drain();
    expect(await reached()).toEqual([]);
    expect(await ofRun(run.id)).toMatchObject([
      { state: 'failed', reason: 'step 1 (burn): done; step 2 (send_email): failed, tool_failed' },
    ]);
  });

  it('M3: goes on after a crash with the bytes that were approved, or not at all', async () => {
    for (const later of ['as it was shown', 'as somebody wants it']) {
      // The first step is on record, the second is begun.
      const place = placeToDie(7);
      const { rig, put, pending, decide, reached } = await story(planned);
      put('report.txt', 'as it was shown');
      const { run } = await rig.answer(DELETE);
      await decide(await pending(), 'approved');
      const { ghost } = await live(rig, 'second', place);
      const { rows } = await rig.ended(run.id);
      expect(rows.map(({ event_type, tool_call_id }) => `${event_type} ${tool_call_id}`)).toEqual([
        'tool_call p1',
        'tool_call p1.1',
        'tool_result p1.1',
        'tool_call p1.2',
      ]);
      put('report.txt', later);
      await rig.drain('third');
      expect(await reached()).toEqual(later === 'as it was shown' ? [['as it was shown']] : []);
      place.bury();
      await ghost;
      await rig.close();
    }
  });

  it('M3: also has what its harmless steps would do before the owner', async () => {
    const toOwner = { to: ['owner@example.com'], subject: 'Report', body: 'Here', attachments: ['report.txt'] };
    const harmless = [...steps.slice(0, 1), { tool: 'send_email', arguments: toOwner }];
    const { rig, put, pending } = await story(once(() => [call('p1', 'propose_plan', { steps: harmless })]));
    put('report.txt', 'as it was shown');
    await rig.answer(DELETE);
    expect((await pending())[0]?.preview).toContain('"report.txt" (15 bytes)');
  });
});
