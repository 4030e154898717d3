import { afterEach, describe, expect, it, vi } from 'vitest';
import { startFakeModel } from '../../fakes/model-server.ts';
import { MEMBER } from '../governance-rig.ts';
import { openPersonaDb } from '../persona-db.ts';
import { openTaskOffice, type TaskOffice, taskFile } from '../task-rig.ts';
import { STEADY } from '../workspace.ts';

const open: TaskOffice[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((office) => office.closeAll()));
});

const soon = { timeout: 90_000, interval: 100 };

/** By run, oldest first. */
function lastEvents({ root }: TaskOffice): (string | undefined)[] {
  const db = openPersonaDb(root, 'ada');
  try {
    return db.runs().map(({ id }) => db.events(id).at(-1)?.type);
  } finally {
    db.close();
  }
}

describe('a task whose own model is dead', () => {
  it('waits for that model alone: mail of its persona is answered by the model that works', async () => {
    const mood = { dead: false };
    const second = await startFakeModel('openai', () => ({ text: 'The other model says so.' }));
    const office = await openTaskOffice({
      now: '2026-11-23T08:00:00Z',
      tasks: { watch: taskFile('every 12h', 'What is new?') },
      plan: () => (mood.dead ? { status: 503, message: 'out of order' } : { text: 'All is well.' }),
      files: {
        'configs/security.json': { owners: ['owner@example.com'] },
        'personas/ada/persona.json': {
          name: 'Ada',
          address: 'ada@agents.localhost',
          access: { allow: ['*@member.example'] },
        },
        'extensions/providers/second/manifest.json': {
          ...STEADY['extensions/providers/steady/manifest.json'],
          name: 'second',
        },
      },
    });
    open.push(office);
    try {
      const states = async () => (await office.history('watch')).map(({ state }) => state);
      await office.cli('tasks', 'run', 'ada/watch');
      await vi.waitFor(async () => expect(await states()).toEqual(['ran']), soon);
      // A job that follows the run pins its model.
      const model = async () => (await office.cli('tasks', 'show', 'watch')).json.task.model;
      await vi.waitFor(async () => expect(await model()).toBe('steady/m'), soon);
      mood.dead = true;
      const listed = { steady: office.model.baseUrl, second: second.baseUrl };
      const providers = Object.entries(listed).map(([name, base_url]) => ({ name, config: { base_url } }));
      office.workspace.write('extensions/extensions.json', { providers });
      office.workspace.write('configs/inference.json', { provider: 'second', model: 'm' });
      await office.cli('tasks', 'run', 'ada/watch');
      await vi.waitFor(() => expect(lastEvents(office)).toEqual(['run_ended', 'deferred']), soon);
      for (const number of [1, 2]) {
        const sent = await office.ask('And this?', MEMBER, `Question ${number}`);
        expect(sent.json.results).toMatchObject([{ status: 'done' }]);
      }
      expect((await office.left('reply', MEMBER)).at(-1)?.mail.text).toContain('The other model says so.');
      expect(await office.left('notice')).toEqual([]);
      expect(await states()).toEqual(['ran', 'queued']);
    } finally {
      await second.stop();
    }
  });
});
