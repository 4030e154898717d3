import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Turn } from '../../fakes/model-script.ts';
import { CARL, MEMBER, OWNER } from '../governance-rig.ts';
import { type Modelled, openModelled } from './office-with-model.ts';

// Each is a story of several processes: a gateway, and a command line call for every look.
const step = (path: string, tool = 'delete_file') => ({ tool, arguments: { path } });
const plan = (...steps: ReturnType<typeof step>[]) => [{ name: 'propose_plan', arguments: { steps } }];
/** What the model calls first, by a word of the mail. */
const CALLS: Readonly<Record<string, NonNullable<Turn['calls']>>> = {
  first: plan(step('a.txt'), step('b.txt'), step('c.txt')),
  second: plan(step('d.txt'), step('stuck', 'shred'), step('e.txt')),
  third: plan(step('e.txt'), step('f.txt')),
  fourth: plan(step('e.txt')),
  fifth: [{ name: 'edit_file', arguments: { path: 'e.txt', old_text: 'no such words', new_text: '' } }],
  sixth: [{ name: 'delete_file', arguments: { path: 'g.txt' } }],
  seventh: [
    { name: 'ask_owner', arguments: { question: 'Which colour?' } },
    { name: 'write_file', arguments: { path: 'colour.txt', content: 'blue' } },
  ],
  ninth: plan(step('h.txt'), step('i.txt')),
  tenth: [{ name: 'write_file', arguments: { path: 'h.txt', content: 'new' } }],
  eighth: [{ name: 'send_email', arguments: { to: [CARL], subject: 'Offer', body: 'Dear Carl' } }],
};
const SHRED = {
  'extensions/tools/shred/manifest.json': { name: 'shred', kind: 'tool', api: 1, summary: 'Shreds', entry: 'index.js' },
  'extensions/tools/shred/index.js': `export default {
    description: 'Shreds a thing that is named by a path.', risk: 'destructive', scope: 'files:delete',
    input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false },
    effects: async ({ path }) => ({ targets: [path] }),
    run() { throw new Error('the shredder is stuck'); },
  };`,
};

const rig: { made?: Modelled } = {};
const made = () => rig.made as Modelled;
beforeAll(async () => {
  rig.made = await openModelled((turn, mail) => {
    const [, calls] = Object.entries(CALLS).find(([word]) => mail.includes(word)) ?? [];
    return turn === 0 && calls ? { calls } : { text: 'Thank you for your mail.' };
  }, SHRED);
  for (const name of 'abcdefg') made().put(`${name}.txt`, `This is ${name}.`);
});
afterAll(() => rig.made?.close());

/** The member asks, the owner answers each question; the id of the run, once it has ended. */
async function decided(text: string, answers: readonly string[]): Promise<string> {
  const { office } = made();
  const kind = text.includes('question') ? 'clarify' : 'approval';
  const [asked, replies] = [await office.left(kind, OWNER), await office.left('reply', MEMBER)];
  const { json } = await office.ask(text);
  for (const [index, answer] of answers.entries()) {
    await office.answer(await office.arrival(kind, OWNER, asked.length + index + 1), answer);
  }
  await office.arrival('reply', MEMBER, replies.length + 1);
  return json.results[0].run_id;
}

const replayed = async (run: string) => (await made().office.cli('runs', 'replay', run)).json.replay;

/** Another program changes what a tool returned, as nobody should. */
function alterResult(run: string, tool: string): void {
  const database = new SQLite(join(made().office.root, 'data/personas/ada/persona.db'));
  const where = "run_id = ? and tool_name = ? and event_type = 'tool_result'";
  const { changes } = database
    .prepare(`update thread_tool_events set payload_json = replace(payload_json, '":"', '":"un') where ${where}`)
    .run(run, tool);
  database.close();
  expect(changes).toBeGreaterThan(0);
}

describe('epistle runs replay of a run that owners had a say in, or could have had', () => {
  it.each([
    ['a plan', 'Please delete the files by the first plan.', ['approve'], 'delete_file'],
    ['a plan that stops at a step', 'Please delete the files by the second plan.', ['approve'], 'shred'],
    [
      'a plan that is denied',
      'Please delete the files by the third plan.',
      ['deny because I need e.txt'],
      'propose_plan',
    ],
    ['a plan that nobody needs', 'Please delete the file by the fourth plan.', [], 'propose_plan'],
    ['a change that cannot be made', 'Please do the fifth thing.', [], 'edit_file'],
    ['a deletion', 'Please delete the sixth file.', ['approve'], 'delete_file'],
    ['a question', 'Please ask the seventh question.', ['Blue, like last year.'], 'ask_owner'],
    ['a mail', 'Please write the eighth offer.', ['approve'], 'send_email'],
    [
      'a mail that was edited',
      'Please write the eighth offer again.',
      ['edit 1\nsubject: Better', 'approve'],
      'send_email',
    ],
  ])('%s: is the same to the byte, and is not once a result on record is another', async (...row) => {
    const [, text, answers, tool] = row;
    const run = await decided(text, answers);
    const same = await replayed(run);
    expect(same, JSON.stringify(same, null, 1)).toMatchObject({ identical: true, difference: null, stale: null });
    const { explained } = (await made().office.cli('runs', 'explain', run)).json;
    expect(explained.missing).toEqual([]);
    alterResult(run, tool);
    const { identical, difference, stale } = await replayed(run);
    expect(identical).toBe(false);
    expect((difference ?? stale).what).toMatch(/^(tool_call_ended|observation)$|^thread_tool_events \d+$/);
  });

  it('is the same when an owner has taken the deletion back since', async () => {
    const { office } = made();
    made().put('g.txt', 'This is g, once more.');
    const notices = (await office.left('notice', OWNER)).length;
    const run = await decided('Please delete the sixth file again.', ['approve']);
    const told = await office.arrival('notice', OWNER, notices + 1);
    expect(made().read('g.txt')).toBeNull();
    await office.answer(told, 'undo');
    await office.arrival('notice', OWNER, notices + 2);
    expect(made().read('g.txt')).toBe('This is g, once more.');
    expect(await replayed(run)).toMatchObject({ identical: true, difference: null, stale: null });
  });

  it.each([
    ['a plan', 'ninth'],
    ['a change', 'tenth'],
  ])('is the same when %s was asked about anew, because its file had changed since the yes', async (_what, word) => {
    const { office } = made();
    made().put('h.txt', 'This is h.');
    made().put('i.txt', 'This is i.');
    const asked = (await office.left('approval', OWNER)).length;
    const replies = (await office.left('reply', MEMBER)).length;
    const { json } = await office.ask(`Please delete the files of the ${word} request.`);
    const notice = await office.arrival('approval', OWNER, asked + 1);
    made().put('h.txt', 'This is h, changed.');
    await office.answer(notice, 'approve');
    await office.answer(await office.arrival('approval', OWNER, asked + 2), 'approve');
    await office.arrival('reply', MEMBER, replies + 1);
    expect(made().read('h.txt')).not.toBe('This is h, changed.');
    const again = await replayed(json.results[0].run_id);
    expect(again, JSON.stringify(again, null, 1)).toMatchObject({ identical: true, difference: null, stale: null });
  });
});
