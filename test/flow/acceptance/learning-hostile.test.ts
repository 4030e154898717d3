import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE } from '../../engine/learning/refine/hostile-candidates.ts';
import { BY_MODEL } from '../../engine/learning/refine/judging-rig.ts';
import type { HeardRequest, Turn } from '../../fakes/model-script.ts';
import { someOf } from '../../size.ts';
import { MEMBER } from '../governance-rig.ts';
import { openSchool, type Pupil, type School, toolOf } from '../learning-rig.ts';

const open: { school?: School } = {};
const school = (): School => {
  if (!open.school) throw new Error('not open');
  return open.school;
};

const SECRET = 'canary-of-the-environment';
const said = { written: '' };

function answer({ view }: HeardRequest): Turn {
  if (view.model === 'hostile')
    return { text: view.system.startsWith('You write') ? said.written : 'It is of no use.' };
  const [, name] = /Keep it as (\S+)/.exec(view.lastUser) ?? [];
  if (name === undefined) return { text: 'Noted.' };
  if (view.results.length > 0) return { text: `Your file is kept as ${name}, as you asked.` };
  return { calls: [{ name: 'write_file', arguments: { path: name, content: BY_MODEL } }] };
}

beforeAll(async () => {
  open.school = await openSchool(answer, {
    tools: ['push', 'stuck'],
    environment: { EPISTLE_CANARY: SECRET },
    settings: { tool_timeout_s: 5 },
    files: {
      ...toolOf('push', `async run({ line }) { keep(line); return 'pushed'; }`),
      ...toolOf('stuck', 'run({ line }) { keep(line); return new Promise(() => {}); }'),
    },
  });
  for (const pupil of ['on', 'policy'] as const) await school().mail(pupil, 'Hello.');
});
afterAll(() => open.school?.close());

const linesOf = (name: string): string[] => {
  const path = join(school().root, `${name}.log`);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};
const push = (line: string, more: object = {}) => ({ tool: 'push', arguments: { line }, ...more });
const when = (of: string) => [{ of, is: 'present' }];
const everythingSeen = async (): Promise<string> =>
  [
    ...school().model.requests.map(({ raw }) => raw.toString()),
    ...(await school().left('reply')).map(({ mail }) => mail.text ?? ''),
    ...linesOf('push'),
  ].join('\n');

/** What stands in the store in the place of a playbook, and how far a run gets with it. */
const MALICIOUS: readonly (readonly [what: string, body: object, comes: string])[] = [
  ['brings a program along', { steps: [push('x')], code: 'process.exit(1)' }, 'syntax'],
  ['makes 51 calls', { steps: Array.from({ length: 51 }, (_, n) => push(`call ${n}`)) }, 'syntax'],
  ['calls in a loop', { steps: [push('x', { repeat: 1e9 })] }, 'syntax'],
  ['goes back for ever', { steps: [push('x', { goto: 1 })] }, 'syntax'],
  ['looks at the environment by a condition', { steps: [push('x', { when: when('process.env') })] }, 'syntax'],
  ['takes the environment as an argument', { steps: [push('{{process.env.EPISTLE_CANARY}}')] }, 'unfilled'],
  ['takes a constructor as an argument', { steps: [push('{{mail.constructor.constructor}}')] }, 'unfilled'],
  ['takes a prototype as an argument', { steps: [push('{{mail.__proto__.constructor.name}}')] }, 'unfilled'],
  ['writes by another tool than it may', { steps: [{ tool: 'shell', arguments: { command: 'id' } }] }, 'meta_invalid'],
];

describe('H-15: a playbook that is hostile', () => {
  it.each(MALICIOUS)(
    '%s: is not worked by, the mail is answered, and the gateway works on',
    async (what, body, comes) => {
      school().rows('policy', 'delete from playbook_versions returning id');
      const text = JSON.stringify({ ...body, meta: { kind: 'answer', capabilities: ['steps'], version: 1 } });
      school().keep('policy', 1, {}, { text });
      const { pid } = school().ready();
      const { result, requests } = await school().mail('policy', 'Please.', { subject: what });
      expect(result).toMatchObject({ status: 'done', outcome: 'final' });
      expect(result.reply.text).toContain('Noted.');
      expect(requests).toHaveLength(1);
      const [selected] = school().events('policy', result.run_id, 'playbook_selected');
      const [left] = school().events('policy', result.run_id, 'playbook_left');
      expect(left?.reason ?? selected.reason).toBe(comes);
      expect(linesOf('push')).toEqual([]);
      expect(await everythingSeen()).not.toContain(SECRET);
      expect((await school().mail('on', 'Are you there?', { subject: what })).result.outcome).toBe('final');
      expect(school().ready().pid).toBe(pid);
    },
  );

  it('waits for ever in a step: is stopped, the model answers, and others are answered', async () => {
    school().rows('policy', 'delete from playbook_versions returning id');
    school().keep('policy', 1, { steps: [{ tool: 'stuck', arguments: { line: 'begun' } }, push('never')] });
    const waiting = school().mail('policy', 'Please.', { subject: 'For ever' });
    await expect.poll(() => linesOf('stuck'), { timeout: 90_000 }).toEqual(['begun']);
    expect((await school().mail('on', 'Are you there?', { subject: 'Meanwhile' })).result.outcome).toBe('final');
    const { result } = await waiting;
    expect(result).toMatchObject({ status: 'done', outcome: 'partial' });
    expect(school().events('policy', result.run_id, 'observation')).toMatchObject([
      { ok: false, code: 'tool_timeout' },
    ]);
    expect(school().events('policy', result.run_id, 'playbook_left')).toMatchObject([{ step: 1, reason: 'failed' }]);
    expect({ stuck: linesOf('stuck'), push: linesOf('push') }).toEqual({ stuck: ['begun'], push: [] });
  });
});

describe('H-15, H-18, H-19: what a hostile model writes in the place of a better playbook', () => {
  const pupil: Pupil = 'attacked';
  const NAMES = ['one.txt', 'two.txt', 'three.txt', 'evil.exe', 'worse.exe'];
  const count = (table: string) => school().rows(pupil, `select * from ${table}`).length;

  it('is refused, and nothing of it is done, while mail is answered as before', async () => {
    for (const [index, name] of NAMES.entries()) {
      const text = `Good day.\nKeep it as ${name}\nThank you.`;
      const { messageId, result } = await school().mail(pupil, text);
      expect(result.outcome).toBe('final');
      await school().settled(pupil);
      if (index < 3) continue;
      const reply = { subject: 'Re: A request', inReplyTo: messageId, references: [messageId] };
      await school().post({ to: `${pupil}@agents.localhost`, from: MEMBER, ...reply, text: 'bad' });
      await expect.poll(() => count('playbook_feedback'), { timeout: 90_000 }).toBe(index - 2);
      await school().settled(pupil);
    }
    expect(count('playbook_scenarios')).toBe(5);
    const calls = () => count("run_events where type = 'tool_call_intended'");
    const before = { calls: calls(), mails: count('outbox') };
    for (const [what, text, reason] of someOf(HOSTILE, 6)) {
      said.written = text;
      const { json } = await school().cli('learn', 'refine', pupil, 'answer');
      expect({ what, ...json.refinement }).toMatchObject({ what, accepted: false, reason, to_version: null });
    }
    expect({ calls: calls(), mails: count('outbox') }).toEqual(before);
    expect([count('playbook_versions'), count('undo_items')]).toEqual([0, 0]);
    const { result, requests } = await school().mail(pupil, 'Good day.\nKeep it as four.txt\nThank you.');
    expect(result.outcome).toBe('final');
    expect(requests.filter(({ view }) => view.model === 'm')).toHaveLength(2);
  });
});
