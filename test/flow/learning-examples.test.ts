import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readScenario, type Scenario } from '../../engine/record/codec/scenario.ts';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { MEMBER } from './governance-rig.ts';
import { openSchool, type School } from './learning-rig.ts';

const open: { school?: School } = {};
const school = (): School => {
  if (!open.school) throw new Error('not open');
  return open.school;
};

/** Writes the file that the mail names. */
function answer({ view }: HeardRequest): Turn {
  const [, name] = /Keep it as (\S+)/.exec(view.lastUser) ?? [];
  if (name === undefined || view.results.length > 0) return { text: 'Done.' };
  return { calls: [{ name: 'write_file', arguments: { path: name, content: 'kept' } }] };
}

beforeAll(async () => {
  open.school = await openSchool(answer);
  await school().mail('on', 'Hello.');
});
afterAll(() => open.school?.close());

interface Example {
  readonly run: string;
  readonly verdict: string;
  readonly scenario: Scenario | undefined;
}
const rows = () =>
  school().rows<{ run_id: string; verdict: string; scenario_json: string }>(
    'on',
    'select run_id, verdict, scenario_json from playbook_scenarios order by created_at, id',
  );
const examples = (): readonly Example[] =>
  rows().map(({ run_id: run, verdict, scenario_json: text }) => ({ run, verdict, scenario: readScenario(text) }));
const exampleOf = (run: string) => examples().find((one) => one.run === run);
const settled = () => school().settled('on');

async function keep(name: string, subject: string) {
  const { result, messageId } = await school().mail('on', `Keep it as ${name}`, { subject });
  await expect
    .poll(() => school().rows('on', 'select 1 from playbook_outcomes where run_id = ?', result.run_id).length)
    .toBe(1);
  await settled();
  return { run: String(result.run_id), messageId };
}

const effect = (path: string) => ({ tool: 'write_file', arguments: { path, content: 'kept' } });

describe('H-17: runs as examples', () => {
  it('a run that went well wants what it changed; called bad, it forbids that; what is taken back is as before', async () => {
    const { run, messageId } = await keep('first.txt', 'First');
    expect(exampleOf(run)).toMatchObject({
      verdict: 'good',
      scenario: { mail: { from: MEMBER, subject: 'First' }, expected: [effect('first.txt')], forbidden: [] },
    });
    const reply = { subject: 'Re: First', inReplyTo: messageId, references: [messageId] };
    await school().post({ to: 'on@agents.localhost', from: MEMBER, ...reply, text: 'bad' });
    await expect.poll(() => exampleOf(run)?.verdict, { timeout: 90_000 }).toBe('bad');
    expect(exampleOf(run)?.scenario).toMatchObject({ expected: [], forbidden: [effect('first.txt')] });
    await school().cli('learn', 'feedback', 'on', 'answer', 'clear');
    await expect.poll(() => exampleOf(run)?.verdict, { timeout: 90_000 }).toBe('good');
  });

  it('is kept once where two are the same, and is none where nothing was called', async () => {
    const { run } = await keep('twice.txt', 'Twice');
    const again = await keep('twice.txt', 'Twice');
    expect([exampleOf(run)?.verdict, exampleOf(again.run)]).toEqual(['good', undefined]);
    const { result } = await school().mail('on', 'Hello again.', { subject: 'Nothing' });
    await settled();
    expect(exampleOf(result.run_id)).toBeUndefined();
  });

  it('goes with its mail when that is forgotten, and does not come back when its run is judged', async () => {
    const { run, messageId } = await keep('secret.txt', 'Secret');
    expect((await school().cli('memory', 'forget', '--persona', 'on', '--message', messageId)).code).toBe(0);
    expect(exampleOf(run)).toBeUndefined();
    await school().cli('learn', 'feedback', 'on', 'answer', 'good');
    await settled();
    expect(exampleOf(run)).toBeUndefined();
  });

  it('of more than twenty the oldest is let go, and status counts them', async () => {
    const before = examples().map(({ scenario }) => scenario?.mail.subject);
    expect(before).toContain('Twice');
    for (let n = 0; n < 20; n += 1) await school().mail('on', `Keep it as many-${n}.txt`, { subject: `Many ${n}` });
    await settled();
    // What is learned of mails that come one after the other may be learned in another order.
    const subjects = examples().map(({ scenario }) => scenario?.mail.subject);
    expect(subjects.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `Many ${n}`).toSorted());
    const { json } = await school().cli('learn', 'status', 'on');
    expect(json.kinds).toMatchObject([{ kind: 'answer', scenarios: 20 }]);
  });
});
