import { afterEach, describe, expect, it } from 'vitest';
import { onceRecorded } from '../record.ts';
import { type OwnWordsOffice, openOwnWords, TIM } from './rig.ts';

// A day of an owner's orders, each in words that say all of it: none is asked about, and nothing warns. Where own words do not count,
// each of the same is asked about.

const open: { office?: OwnWordsOffice } = {};
afterEach(() => open.office?.close());

const FILES = ['old-a.md', 'old-b.md', 'plan.txt'];

interface Order {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: object }[];
}

const ORDERS: Readonly<Record<string, Order>> = {
  reminder: {
    text: 'Remind me on 5 January 2030 at nine to call the bank.',
    calls: [
      {
        name: 'schedule_task',
        arguments: {
          action: 'create',
          task: 'call-bank',
          schedule: 'at 2030-01-05T09:00',
          prompt: 'Remind the owner to call the bank.',
        },
      },
    ],
  },
  weekly: {
    text: 'Every Monday at eight, tell me what is open.',
    calls: [
      {
        name: 'schedule_task',
        arguments: {
          action: 'create',
          task: 'open-things',
          schedule: '0 8 * * 1',
          prompt: 'Tell the owner what is open.',
        },
      },
    ],
  },
  deletions: {
    text: 'Delete old-a.md and old-b.md.',
    calls: ['old-a.md', 'old-b.md'].map((path) => ({ name: 'delete_file', arguments: { path } })),
  },
  mail: {
    text: `Tell ${TIM} that we meet from 14 to 16.`,
    calls: [
      {
        name: 'send_email',
        arguments: { to: [TIM], subject: 'Our meeting', body: 'We meet from 14 to 16.' },
      },
    ],
  },
  meeting: {
    text: `Invite ${TIM} for 5 January 2030 from 14 to 16, "Harbour".`,
    calls: [
      {
        name: 'invite',
        arguments: { to: [TIM], title: 'Harbour', start: '2030-01-05T14:00', duration_min: 120 },
      },
    ],
  },
};

const day = async (ownWords: 'count' | 'ask') => {
  const office = await openOwnWords(
    { approvals: { batch_window_s: 0, own_words: ownWords } },
    Object.fromEntries(FILES.map((name) => [`data/personas/ada/files/${name}`, `The words of ${name}\n`])),
  );
  open.office = office;
  const verdicts: Record<string, readonly string[]> = {};
  for (const [name, { text, calls }] of Object.entries(ORDERS)) {
    const told = await office.told(`Order ${name}`, text, calls as never);
    verdicts[name] = told.verdicts.map(({ verdict }) => verdict);
  }
  return { office, verdicts };
};

const each = (verdict: string) =>
  Object.fromEntries(Object.entries(ORDERS).map(([name, { calls }]) => [name, calls.map(() => verdict)]));

describe('a day of orders of an owner in words that say all of it', () => {
  it('is done without a question, and says that it was asked for', async () => {
    const { office, verdicts } = await day('count');
    expect(verdicts).toEqual(each('allow'));
    expect(await office.left('approval')).toEqual([]);
    await office.arrives(TIM, 'Our meeting');
    const replies = (await office.left('reply')).map(({ mail }) => mail.text ?? '');
    expect(replies.filter((text) => text.includes('because you asked'))).toHaveLength(Object.keys(ORDERS).length);
    expect(replies.filter((text) => text.includes('Please check'))).toEqual([]);
  });

  it('control: is asked about where own words do not count, without a false alarm', async () => {
    const { office, verdicts } = await day('ask');
    expect(verdicts).toEqual(each('approve'));
    const questions = await onceRecorded(office.root, async () => {
      const found = await office.left('approval');
      expect(found).toHaveLength(Object.keys(ORDERS).length);
      return found;
    });
    for (const { mail } of questions) expect(mail.text).not.toMatch(/Please check|together myself/);
  });
});
