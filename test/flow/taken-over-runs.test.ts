import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { toolFiles } from './acceptance/explain-rig.ts';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { MEMBER } from './governance-rig.ts';

// That the process ended in the middle of a run was on record only as a number that went from 1 to 2.

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

/** Says that it has begun, and never ends. */
const HANG = toolFiles('hang', {
  risk: 'create',
  scope: 'web:create',
  body: `const { writeFileSync } = await import('node:fs');
    writeFileSync(new URL('../../../begun', import.meta.url), ''); await new Promise(() => {});`,
});

it('a run that goes on in another process says so on its record, and is replayed as it went', async () => {
  const made = await openModelled(
    (turn) =>
      turn === 0 ? { calls: [{ name: 'hang', arguments: {} }] } : { text: 'I cannot say whether it was done.' },
    HANG,
  );
  open.made = made;
  const { office } = made;
  await office.launch();
  await office.post({ from: MEMBER, subject: 'A request', text: 'Push it.' });
  await vi.waitFor(() => expect(existsSync(join(office.root, 'begun'))).toBe(true), 90_000);
  process.kill(office.ready().pid, 'SIGKILL');
  await office.restart();
  await office.arrival('reply', MEMBER);
  const [run] = (await office.cli('runs', 'list')).json.runs;
  const { events } = (await office.cli('runs', 'show', run.id)).json.run;
  const starts = events.flatMap(({ type, data }: { type: string; data: object }) =>
    type === 'run_started' ? [data] : [],
  );
  expect(starts).toMatchObject([{ run_of_day: 1 }, { run_of_day: 1, taken_over: true }]);
  expect(starts[0]).not.toHaveProperty('taken_over');
  expect((await office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
});
