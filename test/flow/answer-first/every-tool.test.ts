import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { type AnswerFirst, BOB, openAnswerFirst } from './rig.ts';

// Tools whose results tell an answer nothing but that it was done: an owner who has not decided yet holds none of them up.

const NEVER = 'From now on never write to Bob.';
const ALWAYS = 'From now on always put bob@elsewhere.example in Cc.';
const INVOICES = 'When an invoice comes, put it into invoices/ without being asked.';
const FLIGHT = 'The flight of Mia is at nine';

const FILES = 'data/personas/ada/files';

let office: AnswerFirst;
beforeAll(async () => {
  office = await openAnswerFirst({
    [`${FILES}/cases.md`]: 'Monday: nothing\n',
    [`${FILES}/plan.txt`]: 'A plan of somebody else\n',
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
      memory: { facts: true },
      learning: { enabled: true },
    },
  });
});
afterAll(() => office.close());

const fileOf = (path: string): string => readFileSync(join(office.root, FILES, path), 'utf8');
const tasks = (): readonly string[] => {
  const folder = join(office.root, 'personas/ada/tasks');
  return existsSync(folder) ? readdirSync(folder) : [];
};
const cli = async (...args: string[]): Promise<string> => JSON.stringify((await office.cli(...args)).json);

interface Case {
  readonly tool: string;
  readonly mail: { readonly text: string; readonly from?: string };
  /** What has to be there first: a mail of the owner, and the call that it leads to. */
  readonly before?: { readonly text: string; readonly call: { readonly name: string; readonly arguments: Json } };
  readonly arguments: () => Promise<Json>;
  /** A word of the question. */
  readonly asked: string;
  readonly isDone: () => Promise<boolean>;
}

const CASES: readonly Case[] = [
  {
    tool: 'edit_file',
    mail: { text: 'The heating is out since Monday.' },
    arguments: async () => ({ path: 'cases.md', old_text: 'nothing', new_text: 'heating out' }),
    asked: 'cases.md',
    isDone: async () => fileOf('cases.md').includes('heating out'),
  },
  {
    tool: 'write_file',
    mail: { text: 'Please put my plan in place of yours.' },
    arguments: async () => ({ path: 'plan.txt', content: 'The plan of Mia\n' }),
    asked: 'plan.txt',
    isDone: async () => fileOf('plan.txt') === 'The plan of Mia\n',
  },
  {
    tool: 'schedule_task',
    mail: { text: 'Please remind me every Monday at nine to count the till.', from: OWNER },
    arguments: async () => ({
      action: 'create',
      task: 'count-till',
      schedule: '0 9 * * 1',
      prompt: 'Remind the owner to count the till.',
    }),
    asked: 'count the till',
    isDone: async () => tasks().includes('count-till.md'),
  },
  {
    tool: 'remember_rule',
    mail: { text: ALWAYS, from: OWNER },
    before: {
      text: NEVER.replace('Bob', BOB),
      call: {
        name: 'remember_rule',
        arguments: { quote: NEVER.replace('Bob', BOB), effect: 'deny', whom: [BOB] },
      },
    },
    arguments: async () => ({ quote: ALWAYS, effect: 'cc', whom: [BOB] }),
    asked: 'Both cannot hold',
    isDone: async () => (await cli('rules', 'list')).includes('in Cc'),
  },
  {
    tool: 'propose_playbook',
    mail: { text: INVOICES, from: OWNER },
    arguments: async () => ({
      kind: 'answer',
      words: INVOICES,
      steps: [
        {
          tool: 'write_file',
          arguments: { path: 'invoices/{{mail.subject}}.md', content: '{{mail.text}}' },
          when: [{ of: 'mail.subject', is: 'containing', value: 'invoice' }],
        },
      ],
    }),
    asked: 'In your words',
    isDone: async () => (await cli('learn', 'inspect', 'ada', 'answer', 'latest')).includes('invoices/'),
  },
  {
    tool: 'forget',
    mail: { text: 'Please forget when the flight of Mia is.', from: OWNER },
    before: {
      text: `${FLIGHT}, remember that.`,
      call: { name: 'remember', arguments: { text: FLIGHT, quote: FLIGHT, kind: 'plan', everyone: true } },
    },
    arguments: async () => ({ id: JSON.parse(await cli('memory', 'list')).facts[0].id }),
    asked: 'forget',
    isDone: async () => !(await cli('memory', 'list')).includes('flight'),
  },
];

describe('an answer', () => {
  it.each(CASES.map((one) => [one.tool, one] as const))(
    'does not wait for %s, which is done after the yes',
    async (tool, one) => {
      if (one.before) {
        const { run } = await office.asks(`Before ${tool}`, [[one.before.call], 'Noted.'], {
          from: OWNER,
          text: one.before.text,
        });
        expect(run.status).toBe('done');
      }
      const args = await one.arguments();
      const subject = `Tool ${tool}.`;
      const { messageId, run } = await office.asks(
        subject,
        [[{ name: tool, arguments: args as never }], 'It waits.'],
        one.mail,
      );
      expect(run).toMatchObject({ status: 'done', outcome: 'final' });
      const asker = one.mail.from ?? MEMBER;
      const purposes = () => office.answersTo(messageId).map(({ purpose }) => purpose);
      expect(purposes()).toEqual(['final']);
      expect(await one.isDone()).toBe(false);
      await office.answer(await office.questionAbout(one.asked), 'yes');
      await onceRecorded(office.root, () => expect(purposes()).toEqual(['final', 'follow_up']));
      expect(await one.isDone()).toBe(true);
      const became =
        asker === OWNER ? 'The answer was yes, and it is done.' : 'What was still open about your mail is done now.';
      // It has left a moment after its row is there.
      await onceRecorded(office.root, async () => {
        const told = (await office.left('reply', asker)).filter(({ mail }) => mail.inReplyTo === messageId);
        expect(told.map(({ mail }) => mail.text?.includes(became))).toEqual([false, true]);
      });
      // Of what is forgotten the record has nothing left, and its prompt cannot be put together again.
      if (tool !== 'forget') expect(await office.replays(messageId)).toEqual([]);
    },
  );
});
