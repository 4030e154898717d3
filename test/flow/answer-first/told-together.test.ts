import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchOffice, OWNER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { type AnswerFirst, BOB, deletion, mailCall, openAnswerFirst } from './rig.ts';

// One mail asks about several things; whatever one answer decides of them is told in one mail, and done each once.

let office: AnswerFirst;
beforeAll(async () => {
  office = await openAnswerFirst();
});
afterAll(() => office.close());

const fileIn = (of: AnswerFirst, path: string) => join(of.root, 'data/personas/ada/files', path);
const save = (path: string, text: string) => {
  mkdirSync(join(fileIn(office, path), '..'), { recursive: true });
  writeFileSync(fileIn(office, path), text);
};
const reached = async (of: AnswerFirst, subject: string): Promise<number> =>
  (await of.left('reply', BOB)).filter(({ mail }) => mail.subject === subject).length;
const purposes = (of: AnswerFirst, messageId: string) => of.answersTo(messageId).map(({ purpose }) => purpose);

/** The mails that follow the answer, once so many have left. */
async function followUps(of: AnswerFirst, messageId: string, count: number): Promise<readonly string[]> {
  return onceRecorded(of.root, async () => {
    expect(purposes(of, messageId)).toEqual(['final', ...Array.from({ length: count }, () => 'follow_up')]);
    const inThread = (await of.left('reply')).filter(({ mail }) => mail.inReplyTo === messageId);
    expect(inThread).toHaveLength(count + 1);
    return inThread.slice(1).map(({ mail }) => mail.text ?? '');
  });
}

describe('several things that one answer decides', () => {
  it('are told in one mail after a yes to all, and are each done once', async () => {
    const calls = [mailCall('All one'), mailCall('All two'), mailCall('All three')];
    const { messageId } = await office.asks('All of it', [calls, 'They wait.']);
    await office.answer(await office.questionAbout('All two'), 'yes to all');
    const [told = ''] = await followUps(office, messageId, 1);
    expect(told).toContain('What was still open about your mail is done now.');
    for (const subject of ['All one', 'All two', 'All three']) {
      expect([subject, await reached(office, subject)]).toEqual([subject, 1]);
      expect(told.replace(/\s+/g, ' ')).toContain(`"${subject}"`);
    }
    expect(await office.replays(messageId)).toEqual([]);
    // One run carries them out, and asks no model.
    expect(office.runsOf(messageId).map(({ model_calls }) => model_calls)).toEqual([2, 0]);
  });

  it('are told in one mail where some are a yes and some a no, and say which', async () => {
    const calls = [mailCall('Some one'), mailCall('Some two'), mailCall('Some three')];
    const { messageId } = await office.asks('Some of it', [calls, 'They wait.'], {
      from: OWNER,
      text: 'Please see to it.',
    });
    await office.answer(await office.questionAbout('Some two'), 'approve 1,3\ndeny 2 because it is too early');
    const [told = ''] = await followUps(office, messageId, 1);
    expect(told).toContain('Part of what was still open about your mail is done now, and part is not.');
    const [done = '', left = ''] = told.replace(/\s+/g, ' ').split('Not done:');
    for (const subject of ['Some one', 'Some three']) expect(done).toContain(`"${subject}"`);
    expect(left).toContain('"Some two"');
    expect(left).toContain('too early');
    const sent = await Promise.all(['Some one', 'Some two', 'Some three'].map((subject) => reached(office, subject)));
    expect(sent).toEqual([1, 0, 1]);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('are told again for what a later answer decides', async () => {
    const calls = [mailCall('Later one'), mailCall('Later two'), mailCall('Later three')];
    const { messageId } = await office.asks('Later', [calls, 'They wait.']);
    const question = await office.questionAbout('Later two');
    await office.answer(question, 'approve 1,2');
    await followUps(office, messageId, 1);
    await office.answer(question, 'deny 3');
    const [, last = ''] = await followUps(office, messageId, 2);
    expect(last).toContain('What was still open about your mail is not going to be done.');
    expect(last).not.toContain('Later one');
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('do not end with one that fails: what is gone is told beside what is done', async () => {
    save('gone.txt', 'Here\n');
    const calls = [deletion('gone.txt'), mailCall('Beside it')];
    const { messageId } = await office.asks('Gone', [calls, 'They wait.'], { text: `Delete gone.txt, tell ${BOB}.` });
    const question = await office.questionAbout('gone.txt');
    rmSync(fileIn(office, 'gone.txt'));
    await office.answer(question, 'yes to all');
    const [told = ''] = await followUps(office, messageId, 1);
    expect(told).toContain('Part of what was still open about your mail is done now, and part is not.');
    expect(await reached(office, 'Beside it')).toBe(1);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('do not wait for one that has to be asked about anew; the one mail follows its answer', async () => {
    save('new.txt', 'Here\n');
    const calls = [deletion('new.txt'), mailCall('At once')];
    const { messageId } = await office.asks('Anew', [calls, 'They wait.'], { text: `Delete new.txt, tell ${BOB}.` });
    const question = await office.questionAbout('new.txt');
    save('new.txt', 'Other words\n');
    await office.answer(question, 'yes to all');
    const again = await office.questionAbout('new.txt', [question.mail.messageId ?? '']);
    await onceRecorded(office.root, async () => expect(await reached(office, 'At once')).toBe(1));
    expect(readFileSync(fileIn(office, 'new.txt'), 'utf8')).toBe('Other words\n');
    await office.answer(again, 'yes');
    const [told = ''] = await followUps(office, messageId, 1);
    expect(told).toContain('What was still open about your mail is done now.');
    expect([existsSync(fileIn(office, 'new.txt')), await reached(office, 'At once')]).toEqual([false, 1]);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('are undone by the id of any of them', async () => {
    for (const path of ['notes/a.txt', 'notes/b.txt']) save(path, `The words of ${path}\n`);
    const calls = [mailCall('With a'), deletion('notes/a.txt')];
    const { messageId } = await office.asks('Undo one', [calls, 'They wait.'], { text: `a.txt, and ${BOB}.` });
    await office.answer(await office.questionAbout('notes/a.txt'), 'yes to all');
    await followUps(office, messageId, 1);
    const { json } = await office.cli('approvals', 'list');
    const { id } = json.approvals.find(({ tool }: { tool: string }) => tool === 'delete_file');
    expect((await office.cli('approvals', 'undo', id)).code).toBe(0);
    await onceRecorded(office.root, () => expect(existsSync(fileIn(office, 'notes/a.txt'))).toBe(true));
  });
});

describe('several things that nobody answers', () => {
  it('are over at once, and told in one mail', async () => {
    const short = await openAnswerFirst({}, { ttl_hours: 8 / 3600, reminder_hours: 0 });
    try {
      const calls = [mailCall('Late one'), mailCall('Late two')];
      const { messageId } = await short.asks('Late', [calls, 'They wait.']);
      const [told = ''] = await followUps(short, messageId, 1);
      expect(told).toContain('is not going to be done');
      expect(await short.left('reply', BOB)).toEqual([]);
      expect(await short.replays(messageId)).toEqual([]);
    } finally {
      await short.close();
    }
  });
});

describe('a process that is killed while it carries them out', () => {
  it.each(['run.event.approval_decided', 'run.event.calls_taken_up', 'run.step_intended', 'run.tool_executed'])(
    'at %s: each is done once, and one mail follows',
    async (label) => {
      const killed = await openAnswerFirst({}, {}, launchOffice);
      try {
        const calls = [mailCall('Killed one'), mailCall('Killed two')];
        const { messageId } = await killed.asks('Killed', [calls, 'They wait.']);
        const question = await killed.questionAbout('Killed two');
        const program = await killed.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
        const yes = () =>
          killed.answer(question, 'yes to all', {
            messageId: '<yes@example.com>',
            date: new Date('2026-11-22T10:00:00Z'),
          });
        await yes().catch(() => {});
        await program.death();
        await killed.restart({});
        await yes();
        const [told = ''] = await followUps(killed, messageId, 1);
        expect(told).toContain('is done now');
        expect([await reached(killed, 'Killed one'), await reached(killed, 'Killed two')]).toEqual([1, 1]);
        expect(await killed.replays(messageId)).toEqual([]);
      } finally {
        await killed.close();
      }
    },
  );
});
