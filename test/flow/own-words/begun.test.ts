import { afterEach, describe, expect, it, vi } from 'vitest';
import { ADA, MEMBER, OWNER } from '../governance-rig.ts';
import { openPersonaDb } from '../persona-db.ts';
import { onceRecorded } from '../record.ts';
import { STAMP, stampsIn } from '../stamp.ts';
import { mailCall, type OwnWordsOffice, openOwnWords, TIM } from './rig.ts';

const open: { office?: OwnWordsOffice } = {};
afterEach(() => open.office?.close());

const officeWith = async (...settings: Parameters<typeof openOwnWords>) => {
  open.office = await openOwnWords(...settings);
  return open.office;
};

const NAMED = `Please tell ${TIM} that we meet at three.`;

/** The newest run of a kind once it is over or waits. */
const runOfKind = (office: OwnWordsOffice, kind: string) =>
  onceRecorded(office.root, () => {
    const db = openPersonaDb(office.root, 'ada');
    try {
      const run = db.runs().findLast((one) => Reflect.get(one, 'kind') === kind);
      if (run === undefined || !['done', 'failed', 'waiting_approval'].includes(run.status))
        throw new Error('not there');
      return { run, verdicts: office.verdictsOf(run.id) };
    } finally {
      db.close();
    }
  });

function kindsIn(office: OwnWordsOffice): readonly unknown[] {
  const db = openPersonaDb(office.root, 'ada');
  try {
    return db.runs().map((one) => Reflect.get(one, 'kind'));
  } finally {
    db.close();
  }
}

describe("an owner's own words", () => {
  it('are not those of a task, nor of a child run', async () => {
    const office = await officeWith(
      { tool_policy: { risk: { create: 'allow' } } },
      {
        'personas/ada/persona.json': { name: 'Ada', address: ADA, delegation: { enabled: true } },
        'personas/ada/tasks/weekly.md': `---\nschedule: 0 9 1 1 *\n---\nThe weekly work: tell ${TIM} that we meet.\n`,
        'extensions/extensions.json': { tools: ['stamp'] },
        ...STAMP,
      },
    );
    office.script('The weekly work', [mailCall(TIM)]);
    await office.cli('tasks', 'run', 'ada/weekly');
    const task = await runOfKind(office, 'task');
    expect(task.verdicts).toMatchObject([{ verdict: 'approve', own: { verdict: 'asks', why: 'begun' } }]);
    const handOn = (task: string, tool: string) => ({ name: 'delegate', arguments: { task, tools: [tool] } });
    // A tool that no child may have is refused before one begins.
    const { run } = await office.told('Hand it on', NAMED, [
      handOn(`The part of a child: tell ${TIM} that we meet.`, 'send_email'),
    ]);
    expect(office.codesOf(run.id)).toEqual(['invalid_arguments']);
    const answers = office.requests.flatMap(({ view }) => view.results.map(({ content }) => content));
    expect(answers.filter((one) => one.includes('no child run has these: send_email'))).toHaveLength(1);
    expect(kindsIn(office)).not.toContain('delegation');
    // One that a child may have is asked about, whatever the owner's mail names.
    office.script('The part that stamps', [{ name: 'stamp', arguments: { name: TIM } }]);
    office.script('Have it stamped', [handOn(`The part that stamps: ${TIM}`, 'stamp')]);
    await office.post({ subject: 'Have it stamped', text: `Please stamp ${TIM}.` });
    const child = await runOfKind(office, 'delegation');
    expect(child.verdicts).toMatchObject([
      { tool: 'stamp', verdict: 'approve', own: { verdict: 'asks', why: 'begun' } },
    ]);
    expect(stampsIn(office.root)).toEqual([]);
    expect(await office.reached(TIM, 'Tomorrow')).toBe(0);
  });

  it('count after a pause, and no more once somebody is no owner', async () => {
    const office = await officeWith();
    office.script('While it stands still', [mailCall(TIM, { subject: 'Later' })]);
    await office.post({ subject: 'STOP', text: '' });
    const first = await office.post({ subject: 'While it stands still', text: NAMED });
    expect(await office.reached(TIM, 'Later')).toBe(0);
    await office.cli('persona', 'resume', 'ada');
    expect((await office.settled(first)).verdicts).toMatchObject([{ verdict: 'allow', by: 'own words' }]);
    await office.arrives(TIM, 'Later');
    await office.post({ subject: 'STOP', text: '' });
    office.script('No owner any more', [mailCall(TIM, { subject: 'Never' })]);
    const second = await office.post({ subject: 'No owner any more', text: NAMED });
    const { code } = await office.cli('config', 'set', 'security', 'owners', '["boss@example.com"]');
    expect(code).toBe(0);
    // The gateway goes by it once it refuses whoever was an owner.
    await vi.waitFor(() => expect(office.post({ subject: 'Still here', text: 'Hello' })).rejects.toThrow('5.7.1'), {
      timeout: 30_000,
      interval: 200,
    });
    await office.cli('persona', 'resume', 'ada');
    expect((await office.settled(second)).verdicts).toMatchObject([{ verdict: 'approve', own: { why: 'proof' } }]);
    expect(await office.reached(TIM, 'Never')).toBe(0);
  });

  it('are not those of a member, nor of a mail that nobody has proven', async () => {
    const office = await officeWith();
    office.script('A member asks', [mailCall(TIM)]);
    const asked = await office.settled(await office.post({ from: MEMBER, subject: 'A member asks', text: NAMED }));
    expect(asked.verdicts).toMatchObject([{ verdict: 'approve', own: { verdict: 'asks', why: 'proof' } }]);
  });

  it.each([
    ['a rule', { tool_policy: { rules: [{ tool: 'send_email', when: { to: TIM }, decision: 'approve' }] } }],
    ['an entry of the tool', { tool_policy: { tools: { send_email: 'approve' } } }],
  ])('do not stand in for %s that asks by name', async (_what, security) => {
    const office = await officeWith(security);
    const { verdicts, run } = await office.told('By name', NAMED, [mailCall(TIM)]);
    expect(verdicts).toMatchObject([{ verdict: 'approve', own: { verdict: 'asks', why: 'policy' } }]);
    expect(run.status).toBe('waiting_approval');
  });

  it('are not looked at where the setting is to ask, as in every workspace of before', async () => {
    const office = await officeWith({ approvals: { batch_window_s: 0 } });
    const { verdicts } = await office.told('As before', NAMED, [mailCall(TIM)]);
    expect(verdicts).toEqual([{ tool: 'send_email', verdict: 'approve', by: 'risk write', own: null }]);
    expect((await office.arrival('approval', OWNER)).mail.text).toContain(TIM);
  });
});
