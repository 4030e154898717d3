import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { epistle } from './gateway.ts';
import { olderIn } from './older-workspace.ts';

/** What it waits for has not expired. */
const THEN = { NODE_ENV: 'test', EPISTLE_TEST_NOW: '2026-11-28T12:00:00Z' };

let place = '';
afterEach(() => rmSync(place, { recursive: true, force: true }));

it('a run of an older version comes out as it did, byte for byte', async () => {
  place = mkdtempSync(join(tmpdir(), 'older-runs-'));
  const root = olderIn(place);
  const command = (...args: string[]) => epistle(root, args, '', THEN);
  const { json } = await command('runs', 'list', '--persona', 'ada');
  const begun: { id: string; status: string }[] = json.runs.filter(
    (run: { status: string }) => run.status !== 'queued',
  );
  expect(begun.map(({ status }) => status).toSorted()).toEqual([
    ...Array.from({ length: 6 }, () => 'done'),
    ...['waiting_approval', 'waiting_approval'],
  ]);
  for (const { id, status } of begun) {
    const { json: again } = await command('runs', 'replay', id);
    expect(again.replay).toMatchObject({ identical: true, difference: null, stale: null });
    if (status === 'done') expect(again.replay.compared.mail_bytes).toBeGreaterThan(1000);
  }
});
