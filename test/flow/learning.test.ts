import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { epistle } from './gateway.ts';
import { CARL, OWNER } from './governance-rig.ts';
import { bytesOf, openSchool, type Pupil, playbook, type School } from './learning-rig.ts';

const open: { school?: School } = {};
const school = (): School => {
  if (!open.school) throw new Error('not open');
  return open.school;
};

/** A model that writes the file which the mail names, unless it has a result already. */
function answer({ view }: HeardRequest): Turn {
  const [, name] = /Keep it as (\S+\.txt)/.exec(view.lastUser) ?? [];
  if (view.results.length > 0) return { text: `Done: ${view.results.map(({ content }) => content).join(' ')}` };
  if (name === undefined || !view.tools.includes('write_file')) return { text: 'Noted.' };
  return { calls: [{ name: 'write_file', arguments: { path: name, content: 'by the model' } }] };
}

beforeAll(async () => {
  open.school = await openSchool(answer);
  // Their stores are made at the first mail.
  for (const pupil of ['off', 'on', 'assisted', 'filter', 'policy'] as const) await school().mail(pupil, 'Hello.');
});
afterAll(() => open.school?.close());

const fileOf = (pupil: Pupil, name: string): string | null => {
  const path = join(school().root, `data/personas/${pupil}/files`, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
};
const runOf = (pupil: Pupil, id: string) =>
  school().rows<{ harness_version_id: string | null; outcome: string }>(
    pupil,
    'select * from runs where id = ?',
    id,
  )[0];
const outcomeOf = async (pupil: Pupil, id: string) => {
  const sql = 'select * from playbook_outcomes where run_id = ?';
  const find = () => school().rows<Record<string, unknown>>(pupil, sql, id)[0];
  await expect.poll(find, { timeout: 90_000 }).toBeDefined();
  return find();
};
const KEEP = {
  advice: 'Keep what is asked for, then say where.',
  steps: [{ tool: 'write_file', arguments: { path: '{{mail.word_after Keep it as}}', content: 'for {{mail.from}}' } }],
};

describe('a persona that learns', () => {
  it('H-2, H-14: asks the same, byte for byte, as one that learns nothing: with no version, and in mode none', async () => {
    const ask = async (pupil: Pupil, subject: string) => {
      const { requests, result } = await school().mail(pupil, 'Keep it as same.txt', { subject });
      return { run: result.run_id, bytes: bytesOf(requests[0] as HeardRequest) };
    };
    school().keep('off', 1, KEEP);
    const off = await ask('off', 'Same');
    const none = await ask('on', 'Same');
    expect(none.bytes).toBe(off.bytes);
    expect(school().events('off', off.run, 'playbook_selected')).toEqual([]);
    expect(school().rows('off', 'select * from playbook_outcomes')).toEqual([]);
    expect(school().events('on', none.run, 'playbook_selected')).toEqual([
      { kind: 'answer', loaded: false, reason: 'no_version', mode: 'none', by: 'outcomes', h: null },
    ]);
    expect(await outcomeOf('on', none.run)).toMatchObject({ version_id: null, succeeded: 1, used: 0, followed: 0 });
    const id = school().keep('on', 1, KEEP);
    const [offAgain, inNone] = [await ask('off', 'Again'), await ask('on', 'Again')];
    expect(inNone.bytes).toBe(offAgain.bytes);
    expect([runOf('off', off.run), runOf('on', inNone.run)].map((run) => run?.harness_version_id)).toEqual([null, id]);
    expect(await outcomeOf('on', inNone.run)).toMatchObject({ version_id: id, mode: 'none', used: 0, followed: 0 });
  });

  it('H-10, H-5: assisted is told what has proved itself, with the same tools, and the trace says whether it followed', async () => {
    const before = await school().mail('assisted', 'Keep nothing.');
    school().keep('assisted', 1, KEEP);
    const { requests, result } = await school().mail('assisted', 'Keep it as assisted.txt');
    const [asked] = requests;
    expect(asked?.view.system).toContain('Keep what is asked for, then say where.');
    expect(asked?.view.system).toContain('1. write_file');
    expect(asked?.view.tools).toEqual(before.requests[0]?.view.tools);
    expect(fileOf('assisted', 'assisted.txt')).toBe('by the model');
    const followed = await outcomeOf('assisted', result.run_id);
    expect(followed).toMatchObject({ version_id: 'answer-1', mode: 'assisted', used: 1, followed: 1, delegated: 0 });
    const ignored = await school().mail('assisted', 'Nothing to keep.');
    expect(await outcomeOf('assisted', ignored.result.run_id)).toMatchObject({ used: 1, followed: 0, succeeded: 1 });
  });

  it('counts as one that has read words of others where its playbook was learned from them', async () => {
    const taintOf = async (text: string) => {
      const { result } = await school().mail('assisted', text, { from: OWNER });
      return school()
        .events('assisted', result.run_id, 'permission')
        .map(({ asked }) => asked.tainted);
    };
    expect(await taintOf('Keep it as own.txt')).toEqual([false]);
    const id = school().keep('assisted', 2, KEEP, { tainted: 1 });
    expect(await taintOf('Keep it as learned.txt')).toEqual([true]);
    school().rows('assisted', 'delete from playbook_versions where id = ? returning id', id);
  });

  it('H-16: an answer that says bad judges the run before it, once, and wants no answer', async () => {
    const { result, messageId } = await school().mail('assisted', 'Tell me.', { subject: 'Judged' });
    await outcomeOf('assisted', result.run_id);
    const judge = async (text: string, from?: string) => {
      const asked = school().model.requests.length;
      const to = { to: 'assisted@agents.localhost', ...(from === undefined ? {} : { from }) };
      const reply = { subject: 'Re: Judged', inReplyTo: messageId, references: [messageId] };
      await school().post({ ...to, ...reply, text });
      return asked;
    };
    const verdicts = () => school().rows('assisted', 'select run_id, verdict from playbook_feedback');
    const asked = await judge('Bad.');
    await expect.poll(verdicts, { timeout: 90_000 }).toEqual([{ run_id: result.run_id, verdict: 'bad' }]);
    await judge('Good morning to you.');
    await expect.poll(() => school().model.requests.length, { timeout: 90_000 }).toBe(asked + 1);
    expect(verdicts()).toEqual([{ run_id: result.run_id, verdict: 'bad' }]);
  });

  it('H-11: filter refuses by its rule, tells the model why, and the answer goes on', async () => {
    const when = [{ of: 'arguments.path', is: 'equal', value: 'odd.txt' }];
    const deny = [{ rule: 'no-odd-files', tool: 'write_file', when, reason: 'odd files are not kept' }];
    school().keep('filter', 1, { ...KEEP, narrow: { deny } });
    const { requests, result } = await school().mail('filter', 'Keep it as odd.txt');
    expect(requests[1]?.view.results[0]?.content).toContain('odd files are not kept');
    expect(requests[1]?.view.results[0]?.content).toContain('no-odd-files');
    expect(result).toMatchObject({ status: 'done', outcome: 'partial' });
    expect(fileOf('filter', 'odd.txt')).toBeNull();
    const [permission] = school().events('filter', result.run_id, 'permission');
    expect(permission).toMatchObject({ verdict: 'deny', by: 'playbook rule no-odd-files' });
    expect(await outcomeOf('filter', result.run_id)).toMatchObject({
      mode: 'filter',
      followed: 0,
      failed: 0,
      succeeded: 1,
    });
    const even = await school().mail('filter', 'Keep it as even.txt');
    expect(fileOf('filter', 'even.txt')).toBe('by the model');
    expect(await outcomeOf('filter', even.result.run_id)).toMatchObject({ mode: 'filter', followed: 1 });
  });

  it('H-12: policy makes the steps and the answer without the model, and a replay comes to the same', async () => {
    school().keep('policy', 1, { ...KEEP, answer: 'It is kept as {{steps.1.result.path}}.' });
    const { requests, result } = await school().mail('policy', 'Keep it as policy.txt');
    expect(requests).toHaveLength(0);
    expect(result).toMatchObject({ status: 'done', outcome: 'final' });
    expect(result.reply.text).toContain('It is kept as policy.txt.');
    expect(fileOf('policy', 'policy.txt')).toBe('for mia@member.example');
    const [ended] = school().events('policy', result.run_id, 'tool_call_ended');
    expect(ended).toMatchObject({ sensed: { source: 'playbook', by: 'risk create' } });
    const outcome = await outcomeOf('policy', result.run_id);
    expect(outcome).toMatchObject({ mode: 'policy', followed: 1, delegated: 0, model_calls: 0 });
    const { json } = await school().cli('runs', 'replay', result.run_id);
    expect(json.replay).toMatchObject({ identical: true, difference: null });
    // Where the mail says too little, the model works as ever.
    const other = await school().mail('policy', 'Keep nothing.');
    expect(other.requests).toHaveLength(1);
    expect(await outcomeOf('policy', other.result.run_id)).toMatchObject({ followed: 0, delegated: 1, failed: 0 });
  });

  it('H-4, H-12: a step that writes asks the owner, and the run keeps its version while others come', async () => {
    const letter = { to: [CARL], subject: 'News', body: 'About {{mail.subject}}' };
    const second = school().keep('policy', 2, { steps: [{ tool: 'send_email', arguments: letter }] });
    const { result } = await school().mail('policy', 'Tell Carl.', { from: OWNER, subject: 'Telling' });
    expect(result).toMatchObject({ status: 'waiting_approval' });
    expect(runOf('policy', result.run_id)?.harness_version_id).toBe(second);
    school().keep('policy', 3, { advice: 'Say nothing to Carl.' });
    const notice = await school().arrival('approval', OWNER);
    expect(notice.mail.text).toContain('About Telling');
    await school().answer(notice, 'approve');
    await school().arrival('reply', CARL);
    await expect.poll(() => runOf('policy', result.run_id)?.outcome, { timeout: 90_000 }).toBe('final');
    expect(runOf('policy', result.run_id)?.harness_version_id).toBe(second);
    const outcome = await outcomeOf('policy', result.run_id);
    expect(outcome).toMatchObject({ version_id: second, followed: 1, model_calls: 1 });
    const next = await school().mail('policy', 'Tell nobody.', { from: OWNER, subject: 'Next' });
    expect(runOf('policy', next.result.run_id)?.harness_version_id).toBe('answer-3');
  });

  it('H-13: takes nothing from a playbook that wants what the persona may not use, whatever the mode', async () => {
    const steps = [{ tool: 'shell', arguments: { command: 'id' } }];
    school().keep('policy', 4, { advice: 'Use the shell.', steps });
    const { requests, result } = await school().mail('policy', 'Hello again.');
    expect(requests[0]?.view.system).not.toContain('Use the shell');
    expect(school().events('policy', result.run_id, 'playbook_selected')[0]).toMatchObject({
      loaded: false,
      reason: 'meta_invalid',
      mode: 'none',
      version: 4,
    });
  });
});

describe('what an owner sees and changes of it', () => {
  const KINDS = ['on', 'answer'] as const;
  const learn = async (...args: string[]) => (await school().cli('learn', ...args)).json;
  const codeOf = async (...args: string[]): Promise<string> => (await learn(...args)).error?.code;

  it('H-7: status says how it went, and that there are too few runs to say', async () => {
    await school().settled('on');
    const { kinds } = await learn('status', 'on');
    expect(kinds.find(({ kind }: { kind: string }) => kind === 'answer')).toMatchObject({
      persona: 'on',
      enabled: true,
      version: 1,
      pinned: false,
      h: null,
      mode: 'none',
      mode_by: 'outcomes',
    });
  });

  it('a version is added before the first mail', async () => {
    const text = JSON.stringify(playbook(1, { advice: 'Be brief.' }));
    const { json } = await epistle(school().root, ['learn', 'add', 'refined', 'answer'], text);
    expect(json).toMatchObject({ ok: true, version: 1 });
  });

  it('H-24, H-26: versions are added, named, compared and used, and a wrong name has its code', async () => {
    const write = async (body: object) =>
      (await epistle(school().root, ['learn', 'add', ...KINDS], JSON.stringify(playbook(9, body)))).json;
    expect(await write({ advice: 'Be brief.' })).toMatchObject({ ok: true, version: 2 });
    expect(await write({ steps: [{ tool: 'shell', arguments: {} }] })).toMatchObject({
      error: { code: 'meta_invalid' },
    });
    const compared = await learn('diff', ...KINDS, 'v1', 'latest');
    expect(compared).toMatchObject({ from: 1, to: 2 });
    expect(compared.lines).toContain('+   "advice": "Be brief.",');
    expect((await learn('inspect', ...KINDS, 'best')).version.number).toBe(2);
    expect(await learn('use', ...KINDS, 'v1')).toMatchObject({ ok: true, pinned: 1 });
    const { result } = await school().mail('on', 'Once more.', { subject: 'Pinned' });
    expect(runOf('on', result.run_id)?.harness_version_id).toBe('answer-1');
    await outcomeOf('on', result.run_id);
    expect(await codeOf('inspect', ...KINDS, 'v7')).toBe('NOT_FOUND');
    expect(await codeOf('inspect', ...KINDS, 'v1x')).toBe('INVALID_GRAMMAR');
    expect(await codeOf('inspect', 'on', 'triage')).toBe('NO_VERSIONS');
    expect(await codeOf('inspect', 'on', 'curate')).toBe('UNSUPPORTED_KIND');
  });

  it('H-16: a verdict is given once, changed and taken back', async () => {
    const verdict = () => school().rows<{ verdict: string }>('on', 'select verdict from playbook_feedback');
    for (let times = 0; times < 2; times += 1)
      expect(await learn('feedback', ...KINDS, 'bad')).toMatchObject({ verdict: 'bad' });
    expect(verdict()).toEqual([{ verdict: 'bad' }]);
    const ofAnswers = async () => {
      const { kinds } = await learn('status', 'on');
      return kinds.find(({ kind }: { kind: string }) => kind === 'answer');
    };
    expect(await ofAnswers()).toMatchObject({ good: 0, bad: 1 });
    await learn('feedback', ...KINDS, 'good');
    expect(await ofAnswers()).toMatchObject({ good: 1, bad: 0 });
    await learn('feedback', ...KINDS, 'clear');
    expect(verdict()).toEqual([]);
    expect(await ofAnswers()).toMatchObject({ good: 0, bad: 0 });
    expect(await codeOf('feedback', 'on', 'triage', 'good')).toBe('NO_RECENT_OUTCOME');
  });

  it('H-26: reset asks for its word, and counts what it forgets', async () => {
    await school().settled('on');
    expect(await codeOf('reset', 'on')).toBe('usage');
    expect(await learn('reset', 'on', '--force')).toMatchObject({ ok: true, versions: 2, scenarios: 2 });
    expect((await learn('status', 'on')).kinds).toEqual([]);
  });
});
