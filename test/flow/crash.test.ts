import { describe, expect, it } from 'vitest';
import { CRASH_POINTS } from '../../engine/lib/crash-points.ts';
import { surviveCrashes } from '../../scripts/lib/soak/crash-run.ts';
import { someOf } from '../size.ts';

const READ = 'What is there?\r\n/list_files {}';
const WRITE = 'Please note this.\r\n/write_file {"path": "note.txt", "content": "hello"}';
const EDIT = '/edit_file {"path": "note.txt", "old_text": "hello", "new_text": "bye"}';

const textOf = (bytes = '') => bytes.slice(bytes.indexOf('\r\n\r\n')).replaceAll('=\r\n', '');

describe('a process that is killed at a labelled point while a mail with one read call is on its way', () => {
  // Each of them is passed once in every `./scripts/soak`.
  it.each(someOf(CRASH_POINTS, 3))('%s: is restarted and the mail gets its one answer', async (label) => {
    const survived = await surviveCrashes({ crashes: [label], bodies: [READ] });
    expect(survived.problems).toEqual([]);
    expect(survived).toMatchObject({ crashed: [true], accepted: 1, answered: 1, lost: 0, doubled: 0 });
    expect(textOf(survived.left[0]?.bytes)).toContain('list_files: ok');
  });
});

describe('a process that is killed after a tool has changed something', () => {
  it('makes the call again where a repeat does no harm', async () => {
    const survived = await surviveCrashes({ crashes: ['run.tool_executed'], bodies: [WRITE] });
    expect(survived).toMatchObject({ problems: [], crashed: [true], answered: 1 });
    expect(textOf(survived.left[0]?.bytes)).toContain('write_file: ok');
  });

  it('does not repeat any other call and says that its effect is unknown', async () => {
    const survived = await surviveCrashes({ crashes: ['run.tool_executed'], bodies: [`${WRITE}\r\n${EDIT}`] });
    expect(survived).toMatchObject({ problems: [], crashed: [true], answered: 1 });
    expect(textOf(survived.left[0]?.bytes)).toContain('edit_file: error side_effect_unknown');
  });
});

describe('a process that is killed three times at the same step', () => {
  it('ends the run as a stated partial instead of dying of it for ever', async () => {
    const label = 'run.model_replied';
    const survived = await surviveCrashes({ crashes: [label, label, label], bodies: [READ] });
    expect(survived).toMatchObject({ problems: [], crashed: [true, true, true], answered: 1, doubled: 0 });
    expect(survived.partial).toEqual({ repeated_crash: 1 });
  });
});

describe('a mail that kills the process each time it is worked on', () => {
  const tool = (name: string, run: string) => ({
    [`extensions/tools/${name}/manifest.json`]: {
      name,
      kind: 'tool',
      api: 1,
      summary: `Does ${name}`,
      entry: 'index.js',
    },
    [`extensions/tools/${name}/index.js`]: `export default {
      description: 'For a test.', risk: 'read', scope: 'web:read', input: { type: 'object' }, ${run}
    };`,
  });
  const files = {
    'extensions/extensions.json': { tools: ['die', 'wait'] },
    ...tool(
      'die',
      `async run() { setTimeout(() => process.kill(process.pid, 'SIGKILL'), 100); return new Promise(() => {}); }`,
    ),
    ...tool('wait', `run: () => new Promise((resolve) => setTimeout(() => resolve('waited'), 300))`),
  };

  it('is given up with a stated partial, and mail beside it gets its whole answer', async () => {
    const waiting = Array.from({ length: 5 }, () => 'Wait, please.\r\n/wait {}');
    const survived = await surviveCrashes({ crashes: ['', '', ''], bodies: ['/die {}', ...waiting], files });
    expect(survived).toMatchObject({ problems: [], crashed: [true, true, true], answered: 6, doubled: 0 });
    expect(survived.partial).toEqual({ repeated_crash: 1 });
  });
});

describe('a process that is killed after the final dot and before its row', () => {
  const smtp = { bodies: [READ], way: 'smtp', apart: 16 } as const;

  it('sends the same bytes once more after ten minutes, and records that', async () => {
    // The life after the crash finds the row; the one after that begins when ten minutes have passed.
    const survived = await surviveCrashes({ ...smtp, crashes: ['outbox.handed_over', 'outbox.recorded'] });
    expect(survived).toMatchObject({ problems: [], crashed: [true, true], answered: 1, doubled: 0, copies: 1 });
  });

  it('sends it as soon even if it dies while it looks after it', async () => {
    // The third life dies with the row in hand; the fourth begins before that lease would have ended.
    const crashes = ['outbox.handed_over', 'outbox.recorded', 'outbox.claimed'];
    const survived = await surviveCrashes({ ...smtp, crashes, apart: 11 });
    expect(survived).toMatchObject({ problems: [], crashed: [true, true, true], answered: 1, copies: 1 });
  });

  it('never sends a third copy, even when it dies in the same way again', async () => {
    const crashes = ['outbox.handed_over', 'outbox.recorded', 'outbox.handed_over'];
    const survived = await surviveCrashes({ ...smtp, crashes });
    expect(survived).toMatchObject({ crashed: [true, true, true], answered: 1, doubled: 0, copies: 1 });
    const notices = survived.left.filter(({ inReplyTo }) => inReplyTo === null);
    expect(notices.map(({ bytes }) => textOf(bytes))).toEqual([
      expect.stringContaining('Nobody can say whether my mail'),
    ]);
  });
});
