import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { someOf } from '../../size.ts';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { recordOf } from './explain-rig.ts';
import { doing, type Modelled, openModelled } from './office-with-model.ts';

// Each is a story of three processes, and a command line call for every look.
const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

/** Its effect cannot be taken back or looked for; it kills its own process after it where a file says so. */
const SHRED = {
  'extensions/tools/shred/manifest.json': { name: 'shred', kind: 'tool', api: 1, summary: 'Shreds', entry: 'index.js' },
  'extensions/tools/shred/index.js': `import { appendFileSync, existsSync } from 'node:fs';
  const at = (name) => new URL('../../../' + name, import.meta.url);
  export default {
    description: 'Shreds a thing that is named by a path.', risk: 'destructive', scope: 'files:delete',
    input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false },
    effects: async ({ path }) => ({ targets: [path] }),
    async run({ path }) {
      appendFileSync(at('shredded.log'), path + '\\n');
      if (existsSync(at('deadly'))) { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); }
      return { path };
    },
  };`,
};

const steps = [
  { tool: 'delete_file', arguments: { path: 'a.txt' } },
  { tool: 'shred', arguments: { path: 'the minutes' } },
  { tool: 'delete_file', arguments: { path: 'c.txt' } },
];

/** A plan of three steps, in a process that dies at `label` once the owner has said yes, and in one that goes on. */
async function told(label: string) {
  const made = await openModelled(doing({ name: 'propose_plan', arguments: { steps } }), SHRED);
  open.made = made;
  const { office } = made;
  for (const name of ['a.txt', 'c.txt']) made.put(name, `This is ${name}.`);
  const asked = await office.ask('Please delete a.txt and c.txt and shred the minutes.');
  const notice = await office.arrival('approval', OWNER);
  const inTool = label === 'in the tool';
  if (inTool) writeFileSync(join(office.root, 'deadly'), '');
  const dying = await office.launch(inTool ? {} : { NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
  // The line may break with the process.
  await office.answer(notice, 'approve').catch(() => {});
  await dying.death();
  await office.restart();
  const reply = await office.arrival('reply', MEMBER);
  const run = { id: asked.json.results[0].run_id as string };
  const [approval] = (await office.cli('approvals', 'list')).json.approvals;
  const { rows, events } = recordOf({ office }, run);
  const resultsOf = (id: string) => rows.filter((row) => row.tool_call_id === id).map(({ event_type }) => event_type);
  return {
    approval,
    reply: reply.mail.text ?? '',
    left: ['a.txt', 'c.txt'].filter((name) => made.read(name) !== null),
    shredded: readShredded(office.root),
    pairs: [...new Set(rows.map(({ tool_call_id }) => tool_call_id))].map((id) => resultsOf(id).join()),
    begun: events.filter(({ type, data }) => type === 'tool_call_intended' && 'step_of' in data).length,
    notices: async () => (await office.left('notice', OWNER)).map(({ mail }) => mail.text ?? ''),
    explained: (await office.cli('runs', 'explain', run.id)).json.explained,
    replay: (await office.cli('runs', 'replay', run.id)).json.replay,
  };
}

function readShredded(root: string): readonly string[] {
  try {
    return readFileSync(join(root, 'shredded.log'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

describe('an approved plan whose process is killed', () => {
  it.each(
    someOf(
      [
        ['before its first step', 'run.step_intended:1'],
        ['within a step that can be made again', 'run.step_intended:2'],
        ['between its first and its second step', 'run.tool_executed:1'],
        ['between its second and its third step', 'run.tool_executed:2'],
        ['after its last step', 'run.tool_executed:3'],
      ] as const,
      3,
    ),
  )('%s is done to its end, and no step twice', async (_when, label) => {
    const { approval, left, shredded, pairs, begun, notices, explained, replay } = await told(label);
    expect(approval).toMatchObject({
      state: 'executed',
      reason: 'step 1 (delete_file): done; step 2 (shred): done; step 3 (delete_file): done',
    });
    expect({ left, shredded, begun }).toEqual({ left: [], shredded: ['the minutes'], begun: 3 });
    expect(pairs).toEqual(pairs.map(() => 'tool_call,tool_result'));
    expect((await notices()).filter((text) => text.includes('broke off'))).toEqual([]);
    expect(explained.missing).toEqual([]);
    expect(replay, JSON.stringify(replay.difference)).toMatchObject({ identical: true });
  });

  it.each([
    ['before the effect', 'run.step_intended:3', []],
    ['after the effect', 'in the tool', ['the minutes']],
  ] as const)('within a step that cannot be made again, %s: goes no further, and the owner is told', async (...row) => {
    const [, label, done] = row;
    const { approval, left, shredded, pairs, reply, notices, explained, replay } = await told(label);
    const reason = expect.stringMatching(
      /^step 1 \(delete_file\): done; step 2 \(shred\): nobody knows whether it was done; step 3 \(delete_file\): not done/,
    );
    expect(approval).toMatchObject({ state: 'side_effect_unknown', reason });
    expect({ left, shredded }).toEqual({ left: ['c.txt'], shredded: done });
    expect(pairs).toEqual(pairs.map(() => 'tool_call,tool_result'));
    expect(reply).toContain('Not certain: shred: the minutes');
    const said = async () => (await notices()).filter((text) => text.includes('in the middle of this: shred'));
    // A job writes it once the answer is on record.
    await vi.waitFor(async () => expect(await said()).toHaveLength(1), 90_000);
    expect(explained.missing).toEqual([]);
    expect(replay, JSON.stringify(replay.difference)).toMatchObject({ identical: true });
  });
});
