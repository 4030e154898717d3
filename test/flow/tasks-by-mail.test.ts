import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '#contract';
import { MEMBER, OWNER } from './governance-rig.ts';
import { openTaskOffice, type TaskOffice, taskFile } from './task-rig.ts';

const open: { office?: TaskOffice } = {};
afterEach(async () => {
  await open.office?.closeAll();
});

/** A model that makes the call which stands in the mail, as JSON on its last line. */
const obedient = async (tasks: Readonly<Record<string, string>> = {}) => {
  open.office = await openTaskOffice({
    now: '2026-10-22T10:00:00Z',
    tasks,
    files: {
      'personas/ada/persona.json': {
        name: 'Ada',
        address: 'ada@agents.localhost',
        timezone: 'Europe/Berlin',
        access: { allow: ['*@member.example'] },
      },
    },
    plan(prompt, turn) {
      const call = /\{"action".*\}/.exec(prompt)?.[0];
      if (turn > 0 || call === undefined) return { text: 'Done.' };
      return { calls: [{ name: 'schedule_task', arguments: JSON.parse(call) as Json }] };
    },
  });
  return open.office;
};

const words = (change: object) => `Every Monday at 9 please.\n${JSON.stringify(change)}`;

/** Without what the owner wrote, whose words stand in the mail as they are. */
const withoutAsked = (text: string): string => text.replace(/^ *>.*$/gm, '');

describe('an owner who asks for a task by mail', () => {
  it('sees file, next runs and cost, approves, and can have it changed and removed likewise', async () => {
    const office = await obedient();
    const file = join(office.root, 'personas/ada/tasks/monday-report.md');
    const asked = async (change: object, count: number) => {
      await office.post({ subject: 'A task', text: words(change) });
      const notice = await office.arrival('approval', OWNER, count);
      return notice;
    };
    const taken = async (count: number) => (await office.arrival('reply', OWNER, count)).mail.text ?? '';

    const create = { action: 'create', task: 'monday-report', schedule: '0 9 * * 1', prompt: 'Sum up the week.' };
    const notice = await asked(create, 1);
    expect(existsSync(file)).toBe(false);
    const text = notice.mail.text ?? '';
    // Summer time ends in between, and nine o'clock stays nine o'clock.
    for (const at of ['Mon, 26 Oct 2026, 09:00', 'Mon, 2 Nov 2026, 09:00', 'Mon, 23 Nov 2026, 09:00']) {
      expect(text).toContain(at);
    }
    expect(text).toContain('Estimated cost: 0 USD');
    expect(text).toContain('Sum up the week.');
    // People are shown days and sentences: no cron line, no file, no offset.
    expect(text).toContain('When: every Monday at 09:00');
    expect(withoutAsked(text)).not.toMatch(/0 9 \* \* 1|^ *\|? *---|schedule:|\d{4}-\d\d-\d\d/m);
    await office.answer(notice, 'approve');
    const receipt = await taken(1);
    expect(receipt).toContain('Done: scheduled monday-report (every Monday at 09:00, next on Mon, 26 Oct 2026, 09:00)');
    expect(readFileSync(file, 'utf8')).toBe('---\nschedule: 0 9 * * 1\n---\nSum up the week.\n');

    const change = await asked({ action: 'change', task: 'monday-report', schedule: '0 8 * * 1' }, 2);
    await office.answer(change, 'approve');
    await taken(2);
    expect(readFileSync(file, 'utf8')).toContain('schedule: 0 8 * * 1');
    await vi.waitFor(
      async () => {
        const { tasks } = (await office.cli('tasks', 'list')).json;
        expect(tasks).toMatchObject([{ id: 'ada/monday-report', schedule: '0 8 * * 1', error: null }]);
      },
      { timeout: 90_000, interval: 250 },
    );

    const denied = await asked({ action: 'remove', task: 'monday-report' }, 3);
    await office.answer(denied, 'deny');
    await taken(3);
    expect(existsSync(file)).toBe(true);
    await office.answer(await asked({ action: 'remove', task: 'monday-report' }, 4), 'approve');
    await taken(4);
    expect(existsSync(file)).toBe(false);
  });
});

describe('a task that an owner pauses by mail', () => {
  it('is skipped when it is due, until it is resumed by mail', async () => {
    const office = await obedient({ brief: taskFile('every 5s', 'What is new?') });
    const asked = async (action: string, count: number) => {
      await office.post({ subject: 'The brief', text: words({ action, task: 'brief' }) });
      await office.answer(await office.arrival('approval', OWNER, count), 'approve');
      await office.arrival('reply', OWNER, count);
    };
    const newest = async () => (await office.history('brief')).at(-1);
    const shown = async () => (await office.cli('tasks', 'show', 'brief')).json.task;
    await asked('pause', 1);
    expect(await shown()).toMatchObject({ paused_reason: 'paused by mail', next_at: null });
    await vi.waitFor(async () => expect(await newest()).toMatchObject({ state: 'skipped', code: 'paused' }), {
      timeout: 90_000,
      interval: 250,
    });
    await asked('resume', 2);
    expect(await shown()).toMatchObject({ paused_reason: null, next_at: expect.any(String) });
    await vi.waitFor(async () => expect(await newest()).toMatchObject({ state: 'ran', code: null }), {
      timeout: 90_000,
      interval: 250,
    });
  });
});

describe('what cannot be done', () => {
  it('is told to the model at once, and no owner is asked', async () => {
    const office = await obedient();
    const resultOf = async (change: object, from: string) => {
      const before = office.model.requests.length;
      await office.ask(words(change), from);
      await vi.waitFor(() => expect(office.model.requests.length).toBeGreaterThanOrEqual(before + 2), 90_000);
      return office.model.requests.at(-1)?.view.results[0]?.content ?? '';
    };
    expect(await resultOf({ action: 'change', task: 'none' }, OWNER)).toContain('there is no task none');
    expect(await resultOf({ action: 'create', task: 'x', schedule: 'often', prompt: 'p' }, OWNER)).toContain(
      'schedule',
    );
    const over = { action: 'create', task: 'x', schedule: 'at 2026-10-22T09:00', prompt: 'p' };
    // The clock begins at ten o'clock UTC, which is noon in Berlin.
    expect(await resultOf(over, OWNER)).toMatch(/is over: in Europe\/Berlin it is 2026-10-22T12:\S+; give a time/);
    const create = { action: 'create', task: 'x', schedule: 'every 1h', prompt: 'p' };
    expect(await resultOf(create, MEMBER)).toContain('only an owner');
    expect(await office.left('approval')).toEqual([]);
  });
});
