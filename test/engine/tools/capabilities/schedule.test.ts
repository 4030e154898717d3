import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTaskDesk } from '../../../../engine/config/tasks/task-desk.ts';
import type { Persona } from '../../../../engine/config/types.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import { createScheduleDesk } from '../../../../engine/tools/capabilities/schedule.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const persona = { id: 'ada', timezone: 'UTC' } as Persona;

let root: string;
let store: Store;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'epistle-desk-'));
  mkdirSync(join(root, 'personas/ada/tasks'), { recursive: true });
  store = openStore(':memory:');
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

const file = () => join(root, 'personas/ada/tasks/brief.md');
const asOwner = () =>
  createScheduleDesk({
    // Nothing has taken up any file yet.
    desk: createTaskDesk(root, () => []),
    persona,
    tier: 'owner',
    store,
    language: async () => 'en',
    now: () => NOON,
    priceFor: () => ({ target: { provider: 'steady', model: 'm' }, price: null }),
  });

describe('a task that an owner has changed', () => {
  it('keeps what the file says besides, also when no gateway has taken the file up yet', async () => {
    writeFileSync(file(), '---\nschedule: 0 9 * * 1\nmissed: skip\n---\nSum up the week.\n');
    await asOwner().apply({ action: 'change', task: 'brief', schedule: '0 8 * * 1' });
    expect(readFileSync(file(), 'utf8')).toBe('---\nschedule: 0 8 * * 1\nmissed: skip\n---\nSum up the week.\n');
  });

  it('is not written anew from what a wrong file may have meant', async () => {
    writeFileSync(file(), '---\nschedule: often\n---\nSum up the week.\n');
    await expect(asOwner().preview({ action: 'change', task: 'brief', name: 'Brief' })).rejects.toThrow('often');
    expect(readFileSync(file(), 'utf8')).toContain('often');
  });
});

describe('a time that is over', () => {
  const over = 'is over: in UTC it is 2026-11-21T12:00:00+00:00; give a time that is still to come';

  it('is refused, with what to do about it', async () => {
    const create = { action: 'create', task: 'brief', prompt: 'Go.' } as const;
    const past = asOwner().preview({ ...create, schedule: 'at 2026-11-21T12:00' });
    await expect(past).rejects.toThrow(over);
    const next = await asOwner().preview({ ...create, schedule: 'at 2026-11-21T12:01' });
    expect(next.text).toContain('Sat, 21 Nov 2026, 12:01');
  });

  it('may stay in a task that is changed in another way', async () => {
    writeFileSync(file(), '---\nschedule: at 2026-11-20T09:00\n---\nGo.\n');
    await asOwner().apply({ action: 'change', task: 'brief', name: 'Once' });
    await expect(asOwner().apply({ action: 'change', task: 'brief', schedule: 'at 2026-11-20T10:00' })).rejects.toThrow(
      over,
    );
  });
});
