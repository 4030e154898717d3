import { afterEach, describe, expect, it } from 'vitest';
import { type CheckedAnswer, defineHook, defineTool } from '#contract';
import { stopRuns } from '../../../engine/actions/stop.ts';
import { createRegistry } from '../../../engine/extensions/registry.ts';
import type { RegisteredHook } from '../../../engine/extensions/types.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import askOwner from '../../../extensions/tools/ask_owner/index.ts';
import { call, live, makeApprovalRig, placeToDie, toCarl } from './approvals-rig.ts';
import { replayOf } from './replaying.ts';
import type { Rig, RigOptions } from './rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

const SAID = 'I am sorry about that. I have asked when the bicycle is ready, and write as soon as I know.';
const QUESTION = call('q1', 'ask_owner', { question: 'When is it ready?' });

type Turn = Partial<{ text: string; toolCalls: readonly ReturnType<typeof call>[] }>;

/** A model that asks its owner, with words beside that, and then tells what it was told. */
async function story(options: Partial<RigOptions> & { readonly turns?: readonly Turn[] } = {}) {
  const { turns = [{ text: SAID, toolCalls: [QUESTION] }], ...more } = options;
  const made = await makeApprovalRig(
    ({ messages }) => {
      const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
      const turn = messages.filter(({ role }) => role === 'tool').length;
      return (turns[turn] as never) ?? { text: results.map(({ content }) => content).join(' ') };
    },
    {
      ...more,
      tools: { ask_owner: askOwner, ...more.tools },
      security: { approvals: { answer: 'now' }, ...more.security },
    },
  );
  rigs.push(made.rig);
  const answered = async (words = 'On Friday.') => {
    await made.decide(await made.pending(), 'approved', words);
    await made.rig.drain();
  };
  const jobsOf = (kind: string) =>
    made.rig.withStore(async (store) =>
      (await store.dueJobs(Number.MAX_SAFE_INTEGER, 100)).filter((job) => job.kind === kind),
    );
  return { ...made, answered, jobsOf };
}

const purposes = ({ outbox }: Awaited<ReturnType<Rig['ended']>>) => outbox.map(({ purpose }) => purpose).toReversed();

describe('what is written beside a question to the owner', () => {
  it('is mailed at once, and what the answer leads to follows as the one final of the thread', async () => {
    const { rig, answered, jobsOf } = await story();
    const first = await rig.answer({ id: '<bicycle@member.example>' });
    expect(first.run).toMatchObject({ status: 'waiting_approval', waiting_for: 'answer' });
    expect([purposes(first), first.text]).toEqual([['so_far'], SAID]);
    expect(first.events.filter(({ type }) => type === 'answered_so_far')).toHaveLength(1);
    // Who has been answered needs no note that something waits.
    expect(await jobsOf('wait_notice')).toEqual([]);
    await answered();
    const end = await rig.ended(first.run.id);
    expect(end.run.status).toBe('done');
    expect(purposes(end)).toEqual(['so_far', 'follow_up']);
    expect(new Set(end.outbox.map(({ in_reply_to }) => in_reply_to))).toEqual(new Set(['<bicycle@member.example>']));
    expect(end.text).toContain('On Friday.');
    expect(end.text).toContain('was mailed to the sender');
    expect(await replayOf(rig, first.run.id)).toMatchObject({ difference: null, stale: null });
  });

  it('reaches somebody outside as well, who gets no note of what waits', async () => {
    const { rig } = await story();
    const first = await rig.answer({ from: 'bernat@outside.example', tier: 'known' });
    expect([first.text, purposes(first)]).toEqual([SAID, ['so_far']]);
  });

  it('is one mail, and so is the rest, wherever the process dies', async () => {
    for (let at = 0; ; at += 1) {
      const { rig, decide, pending } = await story();
      const { runId } = await rig.deliver();
      const place = placeToDie(at);
      const ghosts: Promise<unknown>[] = [];
      for (const instance of ['first', 'second']) {
        ghosts.push((await live(rig, instance, place)).ghost);
        await rig.drain('third');
        await decide(await pending(), 'approved', 'On Friday.');
        if ((await rig.withStore((store) => store.overview(0))).runs.length === 0) break;
      }
      await rig.drain('third');
      const end = await rig.ended(runId ?? '');
      expect(purposes(end), `dies at ${at}`).toEqual(['so_far', 'follow_up']);
      const isDone = place.passed.count <= at;
      place.bury();
      await Promise.all(ghosts);
      await rig.close();
      rigs.pop();
      if (isDone) break;
    }
  });

  it('is mailed once in a run: the words beside the next question wait, which the model is told', async () => {
    const again = call('q2', 'ask_owner', { question: 'At what time?' });
    const { rig, answered } = await story({
      turns: [
        { text: SAID, toolCalls: [QUESTION] },
        { text: 'And the hour.', toolCalls: [again] },
      ],
    });
    const { run } = await rig.answer();
    await answered();
    expect(purposes(await rig.ended(run.id))).toEqual(['so_far']);
    await answered('At ten.');
    const end = await rig.ended(run.id);
    expect(purposes(end)).toEqual(['so_far', 'follow_up']);
    expect(end.text).toMatch(/On Friday\..*was mailed to the sender.*At ten\..*was not mailed/s);
    expect(await replayOf(rig, run.id)).toMatchObject({ difference: null, stale: null });
  });

  it('stands once beside two questions, and not again when one of them is answered', async () => {
    const second = call('q2', 'ask_owner', { question: 'What does it cost?' });
    const { rig, decide, pending } = await story({ turns: [{ text: SAID, toolCalls: [QUESTION, second] }] });
    const { run } = await rig.answer();
    const [one, other] = await pending();
    await decide([one as never], 'approved', 'On Friday.');
    await rig.drain();
    expect(purposes(await rig.ended(run.id))).toEqual(['so_far']);
    await decide([other as never], 'approved', '40 euros.');
    await rig.drain();
    expect(purposes(await rig.ended(run.id))).toEqual(['so_far', 'follow_up']);
  });

  it('was mailed also where nobody answers the question, and the model knows it', async () => {
    const { rig, expire } = await story();
    const { run } = await rig.answer();
    await expire();
    await rig.drain();
    const end = await rig.ended(run.id);
    expect(purposes(end)).toEqual(['so_far', 'follow_up']);
    expect(end.text).toContain(
      'nobody answered in time, so it was not done; your text beside this question was mailed',
    );
  });

  it('is the last that is mailed where the persona is stopped', async () => {
    const { rig, answered } = await story();
    const { run } = await rig.answer();
    const now = rig.clock.now();
    await rig.withStore((store) =>
      stopRuns(rig.harness, { persona: rig.persona, store, now, by: 'owner@example.com' }),
    );
    await answered();
    expect(purposes(await rig.ended(run.id))).toEqual(['so_far']);
  });

  it('is not mailed by a life of the process that a STOP has outrun', async () => {
    const { rig } = await story();
    const { runId } = await rig.deliver();
    // The commit in which it begins to wait has two sides: this is the one before it.
    const place = placeToDie(2);
    const { ghost } = await live(rig, 'first', place);
    const now = rig.clock.now();
    await rig.withStore((store) =>
      stopRuns(rig.harness, { persona: rig.persona, store, now, by: 'owner@example.com' }),
    );
    place.bury();
    await ghost;
    await rig.drain('second');
    const end = await rig.ended(runId ?? '');
    expect([end.run.status, purposes(end)]).toEqual(['cancelled', []]);
  });
});

describe('words beside a question that are not mailed', () => {
  it.each([
    ['none', { turns: [{ text: ' \n', toolCalls: [QUESTION] }] }],
    ['the word for nothing', { turns: [{ text: '**NOTHING**', toolCalls: [QUESTION] }] }],
    ['the same words again and again', { turns: [{ text: 'as soon as I know '.repeat(40), toolCalls: [QUESTION] }] }],
    [
      'before a call that is not made',
      { turns: [{ text: SAID, toolCalls: [QUESTION, call('s1', 'push', { n: 1 })] }] },
    ],
    ['beside one that has failed', { turns: [{ text: SAID, toolCalls: [call('x1', 'nobody', {}), QUESTION] }] }],
    [
      'behind one that has to be agreed to',
      { turns: [{ text: SAID, toolCalls: [call('s1', 'push', { n: 1 }), QUESTION] }] },
    ],
    [
      'beside a mail to somebody',
      { turns: [{ text: SAID, toolCalls: [call('m1', 'send_email', toCarl(1)), QUESTION] }] },
    ],
    ['answers wait for owners', { security: { approvals: { answer: 'after' } } }],
    ['answers lie in Drafts', { persona: { reply: { mode: 'draft', receipt: 'never' } } }],
  ] as const)('%s', async (_, options) => {
    const { rig } = await story(options as never);
    const first = await rig.answer();
    expect([first.run.status, purposes(first)]).toEqual(['waiting_approval', []]);
  });

  it('were said by a run of the build before, whose model was not told that they are mailed', async () => {
    const { rig, answered } = await story({ security: { approvals: { answer: 'after' } } });
    const { runId } = await rig.deliver();
    const place = placeToDie(1);
    const { ghost } = await live(rig, 'first', place);
    // Its settings are pinned by now.
    rig.configs.security.approvals.answer = 'now' as never;
    await rig.drain('second');
    expect(purposes(await rig.ended(runId ?? ''))).toEqual([]);
    place.bury();
    await ghost;
    await answered();
    const end = await rig.ended(runId ?? '');
    expect(purposes(end)).toEqual(['final']);
    expect(end.text).not.toContain('beside');
  });

  it('are held back by a hook that finds something in them, also where blanks stand around them', async () => {
    const { rig, answered } = await story({ turns: [{ text: `${SAID}\n\n`, toolCalls: [QUESTION] }] });
    const seen: string[] = [];
    const definition = defineHook({
      check({ text }: CheckedAnswer) {
        seen.push(text);
        return text.includes('sorry') ? [{ code: 'too_sorry', message: 'The answer says sorry.' }] : [];
      },
    });
    const hook = { name: 'tone', definition, config: {}, log: silentLog } as unknown as RegisteredHook;
    rig.registry.hooks = createRegistry([hook]);
    const { run, outbox } = await rig.answer();
    expect([seen.length, outbox]).toEqual([1, []]);
    await answered();
    expect((await rig.ended(run.id)).text).toContain('was not mailed: say in your answer');
  });

  it('are nobody’s where a person has taken the thread', async () => {
    const look = call('l1', 'look', { n: 1 });
    const made = await story({ turns: [{ toolCalls: [look] }, { text: SAID, toolCalls: [QUESTION] }] });
    const { rig } = made;
    const tool = rig.registry.tools.get('look');
    if (!tool) throw new Error('no look');
    const taking = async () => {
      await rig.withStore(async (store) => {
        const [run] = await store.listRuns({ limit: 1 });
        const [by, at] = ['olga@example.com', rig.clock.now()];
        const none = { run_id: null, approval_id: null, tool: null, decision: null, detail: {} };
        const audit = { id: 'taken', at, actor: by, event: 'thread_taken', ...none };
        await store.setThreadTaken(run?.thread_id ?? '', { by, at }, audit);
      });
      return 'seen';
    };
    const others = rig.registry.tools.all().filter(({ name }) => name !== 'look');
    rig.registry.tools = createRegistry([...others, { ...tool, call: taking }]);
    expect(purposes(await rig.answer())).toEqual([]);
  });
});

it('a tool of somebody else that asks owners says of itself that words beside it are mailed; ours has it in its own words', async () => {
  const { rig } = await story({ tools: { consult: defineTool({ ...askOwner, description: 'Ask the desk.' }) } });
  const elsewhere = { id: 'folders', isForeign: false };
  rig.registry.tools = createRegistry(
    rig.registry.tools.all().map((tool) => (tool.name === 'consult' ? { ...tool, source: elsewhere } : tool)),
  );
  await rig.answer();
  const told = Object.fromEntries((rig.requests[0]?.tools ?? []).map(({ name, description }) => [name, description]));
  expect(told.consult).toBe('Ask the desk. What you write beside this call is mailed to the sender at once.');
  expect(told.ask_owner).toBe('Ask owners what only people know; sender gets text beside now.');
});
