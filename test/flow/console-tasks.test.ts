import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { atRest } from './at-rest.ts';
import { type Browser, openConsole } from './console-rig.ts';
import { OWNER } from './governance-rig.ts';

const HOSTILE = `<script>alert(1)</script>"><img src=x onerror=alert(2)>`;
const BOB = 'bob@example.com';
const WEEK = '/tasks/ada/week-ahead';

const taskFile = (schedule: string, prompt: string, ...front: readonly string[]): string =>
  ['---', `schedule: ${JSON.stringify(schedule)}`, ...front, '---', prompt, ''].join('\n');

let office: Awaited<ReturnType<typeof openConsole>>;
let owner: Browser;
beforeAll(async () => {
  office = await openConsole({
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', owners: [BOB] },
    'personas/ada/tasks/week-ahead.md': taskFile('0 8 * * 1', 'What is this week?', 'name: Week ahead'),
    'personas/ada/tasks/odd.md': taskFile('30 16 * * 5', HOSTILE, `name: ${JSON.stringify(HOSTILE)}`),
    'personas/ada/tasks/off.md': taskFile('0 9 * * *', 'No.', 'name: Water the plants', 'enabled: false'),
    'personas/ada/tasks/broken.md': 'no front matter',
  });
  owner = await office.loggedIn();
  // A gateway takes a file up within seconds.
  await vi.waitFor(async () => expect((await owner.get(WEEK)).text).toContain(`${WEEK}/pause`), { timeout: 60_000 });
}, 180_000);
afterAll(() => office?.close());

interface AuditRow {
  readonly event: string;
  readonly actor: string;
  readonly run_id: string | null;
  readonly detail: object;
}
const told = async (event: string): Promise<readonly AuditRow[]> =>
  (await office.cli('audit')).json.audit.filter((row: AuditRow) => row.event === event);
/** What was done to personas: who comes into the console stands there, too. */
const audited = async (): Promise<number> =>
  (await office.cli('audit', '--limit', '500')).json.audit.filter(
    ({ persona }: { persona: string | null }) => persona !== null,
  ).length;
const history = async () => (await office.cli('tasks', 'history', 'ada/week-ahead')).json.history;
const nextOf = async () =>
  (await office.cli('tasks', 'list')).json.tasks.find(({ id }: { id: string }) => id === 'ada/week-ahead');
const seenIn = (text: string): string => /name="seen" value="(\d+)"/.exec(text)?.[1] ?? '';

describe('the screen of tasks', () => {
  it('has two weeks around today, what is to come with what it costs, and every task in words', async () => {
    const { text, status } = await owner.get('/tasks');
    expect(status).toBe(200);
    expect(text.match(/<li class="(today|nothing|)"><h3>/g)).toHaveLength(14);
    expect(text.match(/<li class="today">/g)).toHaveLength(1);
    expect(text).toContain('every Monday at 08:00');
    expect(text).toMatch(/To come in these days: [12] runs?, (about|nobody knows)/);
    expect(text).toContain('switched off in its file');
    expect(text).toContain('its file is wrong');
    // What others wrote is text, and a schedule is words.
    expect(text).toContain('&lt;script&gt;alert(1)');
    expect(text).not.toMatch(/<script>|<img|0 8 \* \* 1/);
    const later = await owner.get('/tasks?shift=1');
    expect(later.text).not.toContain('<li class="today">');
    for (const odd of ['shift=x', 'shift=99999999999', 'after=%27', 'shift=-3.5'])
      expect((await owner.get(`/tasks?${odd}`)).status).toBe(200);
  });

  it('has a page for each, with what it asks for, when it is due and what became of it', async () => {
    const page = await owner.get(WEEK);
    expect(page.text).toContain('What is this week?');
    expect(page.text).toContain('It was not due yet.');
    expect(page.text.match(/<dt>Next<\/dt><dd>.*?<\/dd>/)?.[0].match(/Mon /g)).toHaveLength(5);
    const odd = await owner.get('/tasks/ada/odd');
    expect(odd.text).not.toMatch(/<script>|<img/);
    const broken = await owner.get('/tasks/ada/broken');
    expect(broken.status).toBe(200);
    expect(broken.text).toContain('Wrong in its file');
    expect(broken.text).not.toContain('Run it now');
    expect(await owner.press('/tasks/ada/broken/run', { seen: '1' })).toMatchObject({ status: 409 });
  });

  it('teaches how one is made where there is none', async () => {
    const bob = await office.loggedIn('--as', BOB);
    const { text } = await bob.get('/tasks');
    expect(text).toContain('There is no task.');
    expect(text).not.toMatch(/Week ahead|Ada/);
  });
});

describe('a task that is added by a form', () => {
  const typed = {
    persona: 'ada',
    name: 'Lock the plan room',
    often: 'fri',
    at: '16:30',
    day: '',
    prompt: 'Remind Carol.',
  };
  const asked = (more: Partial<typeof typed> = {}) =>
    `/tasks/new?${new URLSearchParams({ ...typed, ...more }).toString()}`;
  const has = (id: string): boolean => existsSync(join(office.root, `personas/ada/tasks/${id}.md`));

  it('is shown with its next times before anything is written, and is added once', async () => {
    const { text } = await owner.get(asked());
    expect(text).toContain('every Friday at 16:30');
    expect(text.match(/Fri (?:<[^>]*>)?\d{1,2} \w{3}/g)?.length ?? 0).toBeGreaterThanOrEqual(1);
    expect(has('lock-the-plan-room')).toBe(false);
    const added = await owner.press('/tasks/add', typed);
    expect(added).toMatchObject({ status: 303, headers: { location: '/tasks/ada/lock-the-plan-room' } });
    expect(has('lock-the-plan-room')).toBe(true);
    expect(await owner.press('/tasks/add', { ...typed, prompt: 'Another.' })).toMatchObject({ status: 409 });
    expect(await told('task_added')).toMatchObject([{ actor: OWNER, detail: { task: 'lock-the-plan-room' } }]);
    expect((await owner.get('/tasks/ada/lock-the-plan-room')).text).toContain(`by ${OWNER}`);
    rmSync(join(office.root, 'personas/ada/tasks/lock-the-plan-room.md'));
  });

  it.each([
    ['no name', { name: '' }],
    ['no time', { at: 'noon' }],
    ['another time', { at: '24:00' }],
    ['nothing to do', { prompt: '' }],
    ['nothing chosen', { often: 'x' }],
    ['a day that is over', { often: 'once', day: '2020-01-01' }],
    ['no day', { often: 'once', day: '' }],
  ])('is not added with %s', async (_, more) => {
    const { text, status } = await owner.get(asked(more));
    expect([status, text.includes('role="alert"'), text.includes('Add it')]).toEqual([200, true, false]);
    expect(await owner.press('/tasks/add', { ...typed, ...more })).toMatchObject({ status: 422 });
  });

  it('has what was typed as text, and a file of the folder of tasks whatever its name is', async () => {
    const name = `../../x ${HOSTILE}`;
    expect((await owner.get(asked({ name, prompt: HOSTILE }))).text).not.toMatch(/<script>|<img/);
    const { headers } = await owner.press('/tasks/add', { ...typed, name, prompt: HOSTILE });
    expect(headers.location).toMatch(/^\/tasks\/ada\/[a-z0-9-]+$/);
    const id = String(headers.location).split('/').at(-1) ?? '';
    expect(has(id)).toBe(true);
    expect((await owner.get(`/tasks/ada/${id}`)).text).not.toMatch(/<script>|<img/);
    rmSync(join(office.root, `personas/ada/tasks/${id}.md`));
  });

  it('is of a persona of whoever adds it', async () => {
    const bob = await office.loggedIn('--as', BOB);
    await bob.get('/tasks/new');
    expect(await bob.press('/tasks/add', typed)).toMatchObject({ status: 404 });
    expect(has('lock-the-plan-room')).toBe(false);
  });
});

describe('a task that is run by a button', () => {
  it('runs once, however often it is pressed, in the name of who pressed it, and stays due as it was', async () => {
    const before = await nextOf();
    const { text } = await owner.get(WEEK);
    const pressed = await Promise.all([1, 2, 3].map(() => owner.press(`${WEEK}/run`, { seen: seenIn(text) })));
    expect(pressed.map(({ status }) => status).toSorted()).toEqual([303, 409, 409]);
    expect(pressed.find(({ status }) => status === 409)?.text).toContain('run by hand since you opened this page');
    for (const seen of ['', '0', '-1', 'x', '1e99'])
      expect(await owner.press(`${WEEK}/run`, { seen })).toMatchObject({ status: 422 });
    await atRest(office.root);
    const times = await history();
    expect(times).toMatchObject([{ state: 'ran', code: 'by_hand', run_id: expect.any(String) }]);
    expect(await told('task_run')).toMatchObject([
      { actor: OWNER, run_id: times[0].run_id, detail: { task: 'week-ahead' } },
    ]);
    expect((await nextOf()).next_at).toBe(before.next_at);
    const page = (await owner.get(WEEK)).text;
    expect(page).toContain(`<a href="/runs/ada/${times[0].run_id}">done: started by hand</a>`);
    expect((await owner.get('/tasks')).text).toContain('done: started by hand');
    // Whoever looks again may run it again.
    expect(await owner.press(`${WEEK}/run`, { seen: seenIn(page) })).toMatchObject({ status: 303 });
    await atRest(office.root);
    expect(await history()).toHaveLength(2);
  });

  it('is on record as it is by the command', async () => {
    await office.cli('tasks', 'run', 'ada/week-ahead', '--wait=60');
    const [command, button] = await told('task_run');
    expect(command).toMatchObject({ actor: 'cli', detail: button?.detail, run_id: expect.any(String) });
  });
});

describe('a task that is paused by a button', () => {
  it('says who and why, and goes on as it does by the command', async () => {
    expect(await owner.press(`${WEEK}/pause`, { reason: `too much ${HOSTILE}` })).toMatchObject({ status: 303 });
    const { text } = await owner.get(WEEK);
    expect(text).toContain('Let it go on');
    expect(text).not.toMatch(/<script>|<img/);
    expect((await nextOf()).paused_reason).toBe(`too much ${HOSTILE} (${OWNER})`);
    expect(await owner.press(`${WEEK}/pause`)).toMatchObject({ status: 409 });
    expect(await owner.press(`${WEEK}/resume`)).toMatchObject({ status: 303 });
    expect(await owner.press(`${WEEK}/resume`)).toMatchObject({ status: 409 });
    expect((await nextOf()).paused_reason).toBeNull();
    expect(await owner.press(`${WEEK}/pause`)).toMatchObject({ status: 303 });
    expect((await nextOf()).paused_reason).toBe(`paused by ${OWNER}`);
    await office.cli('tasks', 'resume', 'ada/week-ahead');
    await office.cli('tasks', 'pause', 'ada/week-ahead');
    expect((await owner.get('/tasks')).text).toContain('paused by its owner');
    await office.cli('tasks', 'resume', 'ada/week-ahead');
    const of = async (event: string) => (await told(event)).map(({ actor, detail }) => ({ actor, detail }));
    const detail = { task: 'week-ahead' };
    expect(await of('task_paused')).toEqual(['cli', OWNER, OWNER].map((actor) => ({ actor, detail })));
    expect(await of('task_resumed')).toEqual(['cli', 'cli', OWNER].map((actor) => ({ actor, detail })));
  });

  it('is for its owners alone, in a session that may do it', async () => {
    const before = await Promise.all([history(), nextOf(), audited()]);
    const bob = await office.loggedIn('--as', BOB);
    expect((await bob.get(WEEK)).status).toBe(404);
    for (const act of ['run', 'pause', 'resume']) {
      expect((await bob.press(`${WEEK}/${act}`, { seen: '9999999999999' })).status).toBe(404);
      for (const role of ['viewer', 'operator']) {
        const browser = await office.loggedIn('--role', role);
        const { text } = await browser.get(WEEK);
        expect(text).toContain(`You are here as ${role}`);
        expect((await browser.press(`${WEEK}/${act}`, { seen: '9999999999999' })).status).toBe(403);
      }
      const without = { method: 'POST', form: { seen: '9999999999999' } };
      expect((await owner.send(`${WEEK}/${act}`, without)).status).toBe(403);
      expect((await owner.send(`${WEEK}/${act}?form=${owner.formToken()}`)).status).toBe(404);
      for (const path of [
        '/tasks/nobody/week-ahead',
        '/tasks/ada/none',
        '/tasks/ada/..%2F..%2Fben',
        '/tasks/__proto__/x',
      ])
        expect((await owner.press(`${path}/${act}`, { seen: '1' })).status).toBe(404);
    }
    for (const path of [
      '/tasks/ada/none',
      '/tasks/nobody/x',
      '/tasks/ada/%00',
      '/tasks?persona=ben',
      '/tasks/constructor/x',
    ])
      expect([path, (await owner.get(path)).status]).toEqual([path, 404]);
    const after = await Promise.all([history(), nextOf(), audited()]);
    expect(after).toEqual(before);
  });

  it('keeps what it did once its file is gone', async () => {
    rmSync(join(office.root, 'personas/ada/tasks/week-ahead.md'));
    await expect
      .poll(async () => (await owner.get(WEEK)).text.includes('Its file is gone'), { timeout: 60_000 })
      .toBe(true);
    const { text } = await owner.get(WEEK);
    expect(text).toContain('started by hand');
    expect(text).not.toContain('Run it now');
    expect((await owner.press(`${WEEK}/run`, { seen: '9999999999999' })).status).toBe(404);
  });
});
