import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { setBudget } from '../../../../engine/actions/set-up/set-budget.ts';
import { listTasks } from '../../../../engine/queries/tasks/listing.ts';
import type { Workspace } from '../../../../engine/workspace.ts';
import { openSite } from '../../actions/site.ts';

const MANY = 2000;
const LOOKS = ['statSync', 'lstatSync', 'readFileSync', 'readdirSync', 'openSync'] as const;
const before = Object.fromEntries(LOOKS.map((name) => [name, fs[name]]));
const seen = { looks: 0 };

/** How often a file or a folder is looked at meanwhile. */
async function looksOf(work: () => unknown): Promise<number> {
  for (const name of LOOKS)
    Object.assign(fs, {
      [name](...given: unknown[]) {
        seen.looks += 1;
        return (before[name] as (...given: unknown[]) => unknown)(...given);
      },
    });
  syncBuiltinESMExports();
  seen.looks = 0;
  try {
    await work();
    return seen.looks;
  } finally {
    Object.assign(fs, before);
    syncBuiltinESMExports();
  }
}

describe('a workspace of 2,000 personas', () => {
  const open: { site?: ReturnType<typeof openSite> } = {};
  const workspace = (): Workspace => {
    if (!open.site) throw new Error('it is not open');
    return open.site.workspace;
  };
  beforeAll(() => {
    const files = Array.from({ length: MANY }, (_, at) => {
      const id = `p${at}`;
      return [`personas/${id}/persona.json`, { name: id, address: `${id}@agents.localhost` }] as const;
    });
    const task = '---\nname: Week ahead\nschedule: every monday at 9:00\n---\nSay what is due.\n';
    open.site = openSite(Object.fromEntries([...files, ['personas/p7/tasks/week.md', task]]));
  }, 120_000);
  afterAll(() => open.site?.close());
  afterEach(() => Object.assign(fs, before));

  it('counts what is looked at', async () => {
    expect(await looksOf(() => workspace().live.sweep())).toBeGreaterThan(MANY);
  });

  it('lists its tasks, as three pages of the console do at each change, without a look at the files of all', async () => {
    await listTasks(workspace());
    const looks = await looksOf(async () => {
      expect((await listTasks(workspace())).map(({ entry }) => entry.id)).toEqual(['week']);
    });
    expect(looks).toBeLessThan(100);
  });

  it('sees what was written into one file at once, by a look at that persona alone, as often as it is written', async () => {
    const { live } = workspace();
    for (const usd of [1, 2, 3]) {
      await setBudget(workspace(), { persona: 'p7', limits: { usd_per_day: usd }, by: 'cli' });
      expect(await looksOf(() => live.lookAtPersona('p7'))).toBeLessThan(20);
      const entry = live.personas().get('p7');
      expect(entry?.state === 'ready' && entry.persona.budget.usd_per_day).toBe(usd);
    }
  });
});
