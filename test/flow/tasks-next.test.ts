import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { run } from './command-line.ts';
import { epistle } from './gateway.ts';
import { openTaskOffice, type TaskOffice, taskFile } from './task-rig.ts';
import { makeWorkspace } from './workspace.ts';

const open: { office?: TaskOffice; workspace?: ReturnType<typeof makeWorkspace> } = {};
afterEach(async () => {
  await open.office?.closeAll();
  open.workspace?.remove();
});

const FROM = ['--from', '2026-03-28T00:00Z', '--days', '3'];
const BRIEF = taskFile('"30 2 * * *"', 'What is new?', 'timezone: Europe/Berlin');

describe('the preview of tasks', () => {
  it('shows the change of the clocks, and names what is wrong without holding the others up', async () => {
    const workspace = makeWorkspace({
      'personas/ada/tasks/brief.md': BRIEF,
      'personas/ada/tasks/off.md': taskFile('every 1h', 'Nothing yet.', 'enabled: false'),
      'personas/ada/tasks/broken.md': taskFile('30 25 * * *', 'Never.'),
    });
    open.workspace = workspace;
    const look = (...id: string[]) => epistle(workspace.root, ['tasks', 'next', ...id, ...FROM]);
    const [all, off, broken] = await Promise.all([look(), look('ada/off'), look('ada/broken')]);
    expect(all).toMatchObject({ code: 0, json: { ok: true, problems: [{ file: 'personas/ada/tasks/broken.md' }] } });
    expect(all.json.occurrences).toMatchObject([
      { task: 'ada/brief', due_at: '2026-03-28T01:30:00.000Z', local: '2026-03-28T02:30:00+01:00' },
      { task: 'ada/brief', due_at: '2026-03-29T01:00:00.000Z', local: '2026-03-29T03:00:00+02:00' },
      { task: 'ada/brief', due_at: '2026-03-30T00:30:00.000Z', local: '2026-03-30T02:30:00+02:00' },
    ]);
    expect(off).toMatchObject({ code: 0, json: { ok: true, occurrences: [] } });
    expect(broken).toMatchObject({
      code: 1,
      json: { ok: false, error: { problems: [{ file: 'personas/ada/tasks/broken.md', key: 'schedule' }] } },
    });
  });

  it('has company: `persona validate` names a wrong task file, and `tasks add` writes none for a time that is over', async () => {
    const workspace = makeWorkspace({ 'personas/ada/tasks/broken.md': taskFile('30 25 * * *', 'Never.') });
    open.workspace = workspace;
    const add = ['tasks', 'add', 'ada/late', '--schedule', 'at 2026-01-01T09:00', '--prompt', 'Go.'];
    const [ada, ben, late] = await Promise.all([
      epistle(workspace.root, ['persona', 'validate', 'ada']),
      epistle(workspace.root, ['persona', 'validate', 'ben']),
      epistle(workspace.root, add),
    ]);
    const problems = [{ file: 'personas/ada/tasks/broken.md', key: 'schedule' }];
    expect(ada).toMatchObject({ code: 1, json: { ok: false, problems, personas: [{ id: 'ada', state: 'ready' }] } });
    expect(ben).toMatchObject({ code: 0, json: { ok: true, problems: [] } });
    expect(late).toMatchObject({ code: 2, json: { error: { code: 'config_invalid' } } });
    expect(late.json.error.message).toMatch(/^schedule: `at 2026-01-01T09:00` is over: in UTC it is .* still to come$/);
    expect(existsSync(join(workspace.root, 'personas/ada/tasks/late.md'))).toBe(false);
  });

  it('shows no more lines than somebody reads, and says that there are more', async () => {
    const workspace = makeWorkspace({ 'personas/ada/tasks/tick.md': taskFile('every 5s', 'Tick.') });
    open.workspace = workspace;
    const shown = await run(['--workspace', workspace.root, 'tasks', 'next', 'ada/tick', '--days', '1']);
    expect(shown.stdout.split('\n').length).toBeLessThan(60);
    expect(shown.stdout).toMatch(/more/);
  });

  it('prices runs by the prompt until there are runs to go by', async () => {
    const prices = { 'steady/m': { input: 2, output: 10 } };
    const office = await openTaskOffice({
      now: '2026-11-23T08:59:58Z',
      tasks: { brief: BRIEF },
      files: { 'configs/inference.json': { provider: 'steady', model: 'm', prices } },
    });
    open.office = office;
    const estimate = async () =>
      (await office.cli('tasks', 'next', 'ada/brief', ...FROM)).json.occurrences[0].estimated_cost_usd;
    // 500 tokens of answer alone are half a cent; the system prompt and the tools come on top.
    expect(await estimate()).toBeGreaterThan(0.006);
    await office.cli('tasks', 'run', 'ada/brief', '--wait=180');
    const { runs } = (await office.cli('runs', 'list')).json;
    const { tokens } = runs[0];
    expect(await estimate()).toBeCloseTo((tokens.input * 2 + tokens.output * 10) / 1_000_000, 8);
    expect(tokens.output).toBe(20);
  });
});
