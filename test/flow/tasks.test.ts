import { afterEach, describe, expect, it, vi } from 'vitest';
import { MEMBER, OWNER } from './governance-rig.ts';
import { openTaskOffice, type TaskOffice, taskFile } from './task-rig.ts';

const open: { office?: TaskOffice } = {};
afterEach(async () => {
  await open.office?.closeAll();
});

const officeWith = async (options: Parameters<typeof openTaskOffice>[0]) => {
  open.office = await openTaskOffice(options);
  return open.office;
};

/** Waits until the due times, of one task or of the one of each of these, stand like this. */
const standing = (office: TaskOffice, expected: readonly object[] | Readonly<Record<string, object>>, task?: string) =>
  vi.waitFor(
    async () => {
      const history = await office.history(task);
      const byTask = Object.fromEntries(history.map((time) => [time.task.slice('ada/'.length), time]));
      expect(Array.isArray(expected) ? history : byTask).toMatchObject(expected);
    },
    { timeout: 90_000, interval: 300 },
  );

/** Due when the clock begins. How long the gateway takes to start is no matter: an `at` has a minute of grace. */
const AT_NINE = 'at 2026-11-23T09:00';
const NINE = '2026-11-23T09:00:00.000Z';

describe('a task that falls due', () => {
  it('runs once, by the same rules as a mail, and mails its owner', async () => {
    const office = await officeWith({
      now: NINE,
      tasks: { brief: taskFile(AT_NINE, 'What is new?', 'name: Morning brief') },
      plan: (_prompt, turn) =>
        turn === 0 ? { calls: [{ name: 'list_files', arguments: {} }] } : { text: 'Not much.' },
    });
    const { mail, envelopeTo } = await office.arrival('task');
    expect(envelopeTo).toBe(OWNER);
    expect(mail.subject).toBe('Morning brief');
    expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail.inReplyTo).toBeUndefined();
    expect(mail.text).toContain('Not much.');
    await standing(office, [{ due_at: NINE, state: 'ran', code: null, delivery: 'sent' }]);

    const [time] = await office.history();
    const { run } = (await office.cli('runs', 'show', time?.run_id ?? '')).json;
    expect(run).toMatchObject({ kind: 'task', status: 'done', outcome: 'final', tool_calls: 1 });
    expect(run.events[0].data).toMatchObject({ tier: 'owner', task: 'brief', prompt_sha256: expect.any(String) });
    expect(office.model.requests[0]?.view.lastUser).toContain('started by the schedule');
    expect((await office.cli('usage', '--from', '2026-11-01', '--to', '2027-01-01')).json.by_task).toMatchObject([
      { task: 'ada/brief', runs: 1 },
    ]);
  });

  it('is told what waits for its owner, and one that writes to somebody else is not', async () => {
    const reader = 'rita@elsewhere.example';
    const office = await officeWith({
      now: NINE,
      tasks: {
        brief: taskFile('at 2026-11-23T09:01', 'What is open?'),
        theirs: taskFile('at 2026-11-23T09:01', 'What is open for Rita?', `deliver: ${reader}`),
      },
      plan: (prompt, turn) => {
        const mail = { to: ['carl@elsewhere.example'], subject: 'Secret offer', body: 'Dear Carl' };
        return prompt.includes('Write to Carl') && turn === 0
          ? { calls: [{ name: 'send_email', arguments: mail }] }
          : { text: 'Yes.' };
      },
    });
    await office.post({ from: MEMBER, subject: 'Offer', text: 'Write to Carl, please.' });
    await office.arrival('approval', OWNER);
    await office.arrival('task', OWNER);
    await office.arrival('task', reader);
    const told = (words: string) =>
      office.model.requests.find(({ view }) => view.lastUser.includes(words))?.view.lastUser;
    expect(told('What is open?')).toMatch(
      /Waits for an answer of an owner, and belongs into an overview of what is open: send_email for mia@member\.example, asked 2026-11-23 09:0\d, dropped 2026-11-30 09:0\d\./,
    );
    expect(told('What is open?')).not.toContain('Secret offer');
    expect(told('What is open for Rita?')).not.toContain('Waits for an answer');
    const [time] = await office.history('brief');
    expect((await office.cli('runs', 'replay', time?.run_id ?? '')).json.replay).toMatchObject({ identical: true });
  });

  it('goes to the readers that its file names, whose answers are then taken in its thread', async () => {
    const reader = 'rita@elsewhere.example';
    const office = await officeWith({
      now: NINE,
      tasks: { brief: taskFile(AT_NINE, 'What is new?', `deliver: ${reader}`) },
    });
    const { mail } = await office.arrival('task', reader);
    await office.post({ from: reader, subject: `Re: ${mail.subject}`, inReplyTo: mail.messageId ?? '', text: 'More?' });
    await office.arrival('reply', reader);
    const told = office.model.requests.at(-1)?.view.lastUser;
    expect(told).toContain('About this mail');
    expect(told).toMatch(
      /^This answers a mail of your task brief \(schedule: .+\); send_email reaches your owners \(to: \["owners"\]\) alone$/m,
    );
  });

  it('mails nobody when there is nothing to say, or nobody who is to hear it', async () => {
    const office = await officeWith({
      now: NINE,
      tasks: {
        empty: taskFile(AT_NINE, 'Say nothing at all.'),
        nothing: taskFile(AT_NINE, 'Say NOTHING.'),
        marked: taskFile(AT_NINE, 'Say NOTHING, with marks.'),
        secret: taskFile(AT_NINE, 'Say a secret.', 'deliver: none'),
      },
      plan: (prompt) => {
        if (prompt.includes('at all')) return { text: '' };
        if (prompt.includes('with marks')) return { text: '**NOTHING.**' };
        return { text: prompt.includes('a secret') ? 'Psst.' : 'NOTHING' };
      },
    });
    const nothing = { due_at: NINE, state: 'ran', code: 'nothing', delivery: 'none' };
    await standing(office, { empty: nothing, nothing, marked: nothing, secret: { ...nothing, code: null } });
    expect(await office.left('task')).toEqual([]);
    expect(office.model.requests).toHaveLength(4);
  });

  it('still waits for its owner before a call that needs approval', async () => {
    const office = await officeWith({
      now: NINE,
      tasks: { offer: taskFile(AT_NINE, 'Write to Carl.') },
      plan: (_prompt, turn) =>
        turn === 0
          ? { calls: [{ name: 'send_email', arguments: { to: ['carl@x.example'], subject: 'Hi', body: 'Hello' } }] }
          : { text: 'Asked.' },
    });
    await office.answer(await office.arrival('approval'), 'approve');
    await office.arrival('reply', 'carl@x.example');
    await standing(office, [{ state: 'ran', delivery: 'sent' }]);
    expect(await office.left('wait')).toEqual([]);
  });
});

describe('a condition', () => {
  it('decides without a model, by one read call, whether a run goes on', async () => {
    const watch = (condition: string) => taskFile(AT_NINE, 'Sum it up.', `condition: ${condition}`);
    const office = await officeWith({
      now: NINE,
      tasks: {
        idle: watch('/search_mail {"query": "invoice"}'),
        absent: watch('/read_file {"path": "absent.md"}'),
        busy: watch('/read_file {"path": "todo.md"}'),
        wrong: watch('/send_email {"to": ["x@y.example"], "subject": "s", "body": "b"}'),
      },
      files: { 'data/personas/ada/files/todo.md': 'Buy milk.' },
    });
    const unmet = { state: 'skipped', code: 'condition', delivery: 'none' };
    await standing(office, {
      idle: unmet,
      absent: unmet,
      busy: { state: 'ran', delivery: 'sent' },
      wrong: { state: 'failed', code: 'policy_denied' },
    });
    expect(office.model.requests).toHaveLength(1);
    expect((await office.arrival('notice')).mail.text).toContain('it could not be finished (policy_denied)');
  });
});

describe('a sticky task', () => {
  it('continues one conversation and knows how the run before ended', async () => {
    const office = await officeWith({
      now: NINE,
      tasks: { diary: taskFile('every 5s', 'What next?', 'thread: sticky') },
      plan: (_prompt, _turn, count) => ({ text: `Answer ${count}.` }),
    });
    const second = await office.arrival('task', OWNER, 2);
    const [first] = await office.left('task');
    expect(second.mail.inReplyTo).toBe(first?.mail.messageId);
    const asked = office.model.requests[1];
    expect(JSON.stringify(asked?.body)).toContain('Answer 1.');
    expect(asked?.view.lastUser).toContain('The run before: ');
    expect(asked?.view.lastUser).toContain('its result was delivered');
  });
});

describe('a task that fails', () => {
  it('tells its owner once, and once when it is well again', async () => {
    const office = await officeWith({
      now: NINE,
      tasks: { brief: taskFile('every 5s', 'What is new?') },
      plan: (_prompt, _turn, count) => (count === 1 ? { status: 400, message: 'no' } : { text: 'Well.' }),
    });
    await office.arrival('notice', OWNER, 2);
    const notices = (await office.left('notice')).map(({ mail }) => mail.subject);
    expect(notices).toEqual(['[Ada] Task failed: brief', '[Ada] Task works again: brief']);
  });
});

describe('a task that fails again and again', () => {
  it('is paused, which its owner hears once, until it is resumed', async () => {
    // A refusal without a reason is asked about more than once, so no number of calls says how many runs failed.
    const model = { isWell: false };
    const office = await officeWith({
      now: NINE,
      tasks: { brief: taskFile('0 3 * * *', 'What is new?') },
      plan: () => (model.isWell ? { text: 'Well.' } : { status: 400, message: 'no' }),
    });
    // One after the other: two of one millisecond are one.
    for (let time = 0; time < 5; time += 1) await office.cli('tasks', 'run', 'ada/brief');
    await office.arrival('notice', OWNER, 2);
    const paused = (await office.cli('tasks', 'show', 'brief')).json.task;
    expect(paused).toMatchObject({ paused_reason: 'failed 5 times in a row (bad_request)', next_at: null });
    model.isWell = true;
    const { task } = (await office.cli('tasks', 'resume', 'brief')).json;
    expect(task).toMatchObject({ paused_reason: null, next_at: '2026-11-24T03:00:00.000Z' });
    await office.cli('tasks', 'run', 'ada/brief', '--wait=30');
    await office.arrival('task');
    const notices = (await office.left('notice')).map(({ mail }) => mail.subject);
    expect(notices).toEqual(['[Ada] Task failed: brief', '[Ada] Task paused: brief']);
  });
});

describe('a task whose model is not there any more', () => {
  it('is written by the fallback, says so, and does not take the model of changed settings', async () => {
    const steady = { provider: 'steady', fallback: ['steady/spare'] };
    const office = await officeWith({
      now: NINE,
      tasks: { brief: taskFile('0 3 * * *', 'What is new?') },
      files: { 'configs/inference.json': { ...steady, model: 'm' } },
      plan: (_prompt, _turn, count, model) =>
        model === 'm' && count > 1 ? { status: 404, message: 'no such model' } : { text: `By ${model}.` },
    });
    const run = () => office.cli('tasks', 'run', 'ada/brief', '--wait=30');
    await run();
    const first = await office.arrival('task');
    expect(first.mail.text).toContain('By m.');
    expect(first.mail.text).not.toContain('meant for');
    await vi.waitFor(
      async () => {
        expect((await office.cli('tasks', 'show', 'brief')).json.task.model).toBe('steady/m');
      },
      { timeout: 90_000, interval: 250 },
    );

    office.workspace.write('configs/inference.json', { ...steady, model: 'newer' });
    // A mail of its owner says when the change has been taken up.
    await vi.waitFor(async () => {
      await office.ask('Hello?', OWNER);
      expect(office.model.requests.at(-1)?.view.model).toBe('newer');
    }, 90_000);
    const before = office.model.requests.length;
    await run();
    const second = await office.arrival('task', OWNER, 2);
    expect(office.model.requests.slice(before).map(({ view }) => view.model)).toEqual(['m', 'spare']);
    expect(second.mail.text).toContain('By spare.');
    expect(second.mail.text).toContain(
      '(steady/spare wrote this; steady/m, which this task is meant for, did not answer.)',
    );
  });
});

describe('task files', () => {
  it('are taken up within two seconds, and one that is wrong stops no other', async () => {
    const office = await officeWith({ now: NINE, tasks: { broken: 'no front matter' } });
    office.workspace.write('personas/ada/tasks/brief.md', taskFile('every 5s', 'What is new?'));
    await vi.waitFor(
      async () => {
        expect((await office.cli('tasks', 'show', 'brief')).json.task.model).toBeNull();
        await office.arrival('task');
      },
      { timeout: 90_000, interval: 250 },
    );
    const { tasks } = (await office.cli('tasks', 'list')).json;
    expect(tasks).toMatchObject([
      { id: 'ada/brief', error: null },
      { id: 'ada/broken', error: expect.stringContaining('no front matter'), next_at: null },
    ]);
    expect((await office.cli('status')).json.config_errors).toMatchObject([{ file: 'personas/ada/tasks/broken.md' }]);
  });
});

describe('a persona that is paused', () => {
  it.each([
    [
      'by command',
      (office: TaskOffice) => office.cli('persona', 'pause', 'ada'),
      (office: TaskOffice) => office.cli('persona', 'resume', 'ada'),
    ],
    [
      'by STOP',
      (office: TaskOffice) => office.post({ subject: 'STOP' }),
      (office: TaskOffice) => office.post({ subject: 'RESUME' }),
    ],
  ])('%s holds its tasks, and makes up for the latest due time when it goes on', async (_how, stop, goOn) => {
    const office = await officeWith({ now: NINE, tasks: {} });
    await stop(office);
    for (const id of ['ada', 'ben']) {
      office.workspace.write(`personas/${id}/tasks/brief.md`, taskFile(AT_NINE, 'What is new?'));
    }
    // The other one's mail says that nine o'clock is over.
    expect((await office.arrival('task')).envelopeFrom).toBe('ben@agents.localhost');
    expect(await office.history('brief')).toEqual([]);
    await goOn(office);
    await office.arrival('task', OWNER, 2);
    await standing(office, [{ due_at: NINE, state: 'ran', delivery: 'sent' }], 'brief');
  });
});

describe('somebody who is no owner', () => {
  it('cannot make a task run by writing about it', async () => {
    const office = await officeWith({ now: NINE, tasks: { brief: taskFile('0 3 * * *', 'What is new?') } });
    await office.ask('/tasks run ada/brief', MEMBER);
    expect(await office.history()).toEqual([]);
  });
});
