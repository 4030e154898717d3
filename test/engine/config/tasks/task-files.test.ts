import { describe, expect, it } from 'vitest';
import { parseTask, readTasks } from '../../../../engine/config/tasks/task-file.ts';
import { temporaryWorkspace } from '../temporary-workspace.ts';

const FILE = 'personas/ada/tasks/brief.md';
const parse = (text: string, id = 'brief', zone = 'Europe/Berlin') => parseTask({ id, file: FILE, text, zone });
const front = (lines: string, body = 'Do it.') => `---\n${lines}\n---\n${body}\n`;
const problemsOf = (text: string, id?: string) => {
  const read = parse(text, id);
  return read.ok ? [] : read.problems;
};

describe('a task file', () => {
  it('needs a schedule and a prompt; everything else has a default', () => {
    const read = parse(front('schedule: "0 9 * * 1"', 'Tell me\n\nwhat is new.'));
    expect(read).toMatchObject({
      ok: true,
      task: {
        id: 'brief',
        name: 'brief',
        schedule: '0 9 * * 1',
        timezone: 'Europe/Berlin',
        enabled: true,
        deliver: 'owner',
        missed: 'latest',
        maxAgeMs: 12 * 3_600_000,
        overlap: 'skip',
        window: null,
        thread: 'new',
        condition: null,
        prompt: 'Tell me\n\nwhat is new.',
      },
    });
  });

  it('says all that it can say', () => {
    const lines = [
      'name: Morning brief',
      'schedule: every 30m',
      'timezone: Asia/Kathmandu',
      'enabled: false',
      'deliver: mia@member.example, zoe@member.example',
      'missed: all',
      'max_age: 2d',
      'overlap: queue',
      'window: 08:00-12:00',
      'thread: sticky',
      'condition: /list_files {"path": "inbox"}',
    ];
    expect(parse(front(lines.join('\n')))).toMatchObject({
      task: {
        name: 'Morning brief',
        timezone: 'Asia/Kathmandu',
        enabled: false,
        deliver: ['mia@member.example', 'zoe@member.example'],
        missed: 'all',
        maxAgeMs: 2 * 86_400_000,
        overlap: 'queue',
        window: '08:00-12:00',
        thread: 'sticky',
        condition: { tool: 'list_files', args: { path: 'inbox' } },
      },
    });
  });

  it('may come from Windows, with quotes, comments and a list of readers', () => {
    const text = `\u{feff}${front("# mine\nschedule: '0 9 * * 1-5'\ndeliver:\n  - mia@member.example")}`;
    expect(parse(text.replaceAll('\n', '\r\n'))).toMatchObject({
      task: { schedule: '0 9 * * 1-5', deliver: ['mia@member.example'], prompt: 'Do it.' },
    });
  });

  it('may have a star or braces without quotes, which YAML alone would take for something else', () => {
    const lines = 'schedule: */5 * * * * # often\ncondition: /search_mail {"query": "a: *b # c"}';
    expect(parse(front(lines))).toMatchObject({
      task: { schedule: '*/5 * * * *', condition: { tool: 'search_mail', args: { query: 'a: *b # c' } } },
    });
  });

  it('begins a new count when it is rescheduled or switched, and only then', () => {
    const keyOf = (lines: string, body?: string) => {
      const read = parse(front(lines, body));
      return read.ok ? read.task.scheduleKey : null;
    };
    const key = keyOf('schedule: every 1h');
    expect(keyOf('schedule: every 1h\nname: Other', 'Something else.')).toBe(key);
    expect(keyOf('schedule: every 2h')).not.toBe(key);
    expect(keyOf('schedule: every 1h\ntimezone: UTC')).not.toBe(key);
    expect(keyOf('schedule: every 1h\nenabled: false')).not.toBe(key);
  });
});

describe('a task file that is wrong', () => {
  it.each([
    ['a misspelt key', 'schedul: every 1h', { key: 'schedul', code: 'unknown_key', nearest: 'schedule' }],
    ['no schedule', 'name: x', { key: 'schedule', code: 'missing_key' }],
    ['a schedule of six fields', 'schedule: "0 0 9 * * 1"', { key: 'schedule', code: 'invalid_value' }],
    ['a schedule too fast', 'schedule: every 1s', { key: 'schedule', code: 'invalid_value' }],
    ['no zone of this world', 'schedule: every 1h\ntimezone: Europe/Berln', { key: 'timezone', code: 'invalid_value' }],
    ['an unknown word', 'schedule: every 1h\nmissed: lates', { key: 'missed', nearest: 'latest' }],
    ['no reader', 'schedule: every 1h\ndeliver: mia', { key: 'deliver', code: 'invalid_value' }],
    ['no hours', 'schedule: every 1h\nwindow: 8-12', { key: 'window', code: 'invalid_value' }],
    ['no duration', 'schedule: every 1h\nmax_age: soon', { key: 'max_age', code: 'invalid_value' }],
    ['a condition that is no call', 'schedule: every 1h\ncondition: if it rains', { key: 'condition' }],
    ['a quote that never ends', 'schedule: "every 1h', { code: 'invalid_yaml' }],
    ['the same key twice', 'schedule: every 1h\nschedule: every 2h', { code: 'invalid_yaml' }],
    ['a list in place of keys', '- schedule', { code: 'invalid_value' }],
  ])('is told of %s by place', (_what, lines, expected) => {
    const problems = problemsOf(front(lines));
    expect(problems).toContainEqual(expect.objectContaining({ file: FILE, ...expected }));
  });

  it.each([
    ['no front matter', 'Just do it.'],
    ['front matter without an end', '---\nschedule: every 1h\nDo it.'],
    ['no prompt', front('schedule: every 1h', '  ')],
    ['nothing', ''],
    ['aliases that stand for gigabytes', front(`a: &a [x]\nb: [${'*a,'.repeat(50)}]`)],
    ['nested flow that never ends', front(`schedule: ${'['.repeat(20_000)}`)],
    ['only dashes', '---\n---'],
  ])('with %s has a problem and throws nothing', (_what, text) => {
    expect(problemsOf(text)).not.toEqual([]);
  });

  it('is told of a file name that is no id', () => {
    expect(problemsOf(front('schedule: every 1h'), 'My Task')[0]?.message).toContain('file name');
  });
});

describe('the tasks of a persona', () => {
  it('are its Markdown files by name; one that is wrong stands beside the others with its problem', () => {
    const { path } = temporaryWorkspace({
      'personas/ada/tasks/b.md': front('schedule: every 1h'),
      'personas/ada/tasks/a.md': 'one',
      'personas/ada/tasks/notes.txt': '',
      'personas/ada/tasks/README.md': 'about these',
      'personas/ada/tasks/.draft.md': '',
      'personas/ada/tasks/folder.md/x': '',
    });
    const entries = readTasks(path, 'ada', 'UTC');
    expect(entries.map(({ id, task, problems }) => [id, task?.schedule ?? null, problems[0]?.code ?? null])).toEqual([
      ['a', null, 'invalid_value'],
      ['b', 'every 1h', null],
      ['folder', null, 'unreadable'],
    ]);
    expect(readTasks(path, 'nobody', 'UTC')).toEqual([]);
  });

  it('keep their last good definition while an edit is wrong', () => {
    const workspace = temporaryWorkspace({ 'personas/ada/tasks/a.md': front('schedule: every 1h') });
    const before = readTasks(workspace.path, 'ada', 'UTC');
    workspace.write({ 'personas/ada/tasks/a.md': front('schedule: nonsense') });
    const [entry] = readTasks(workspace.path, 'ada', 'UTC', before);
    expect(entry).toMatchObject({ task: { schedule: 'every 1h' }, problems: [{ key: 'schedule' }] });
  });
});
