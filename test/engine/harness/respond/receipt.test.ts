import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, EngineError } from '#contract';
import { sha256 } from '../../../../engine/lib/ids.ts';
import proposePlan from '../../../../extensions/tools/propose_plan/index.ts';
import { CARL, makeApprovalRig, toCarl } from '../approvals-rig.ts';
import { replayOf } from '../replaying.ts';
import { call, type Model, type RigOptions } from '../rig.ts';

const rigs: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

const OWNER = { from: 'owner@example.com', tier: 'owner' } as const;
const base = { description: 'A tool', input: { type: 'object' } } as const;
const save = defineTool({
  ...base,
  risk: 'create',
  scope: 'files:create',
  effect: 'idempotent',
  receipt: (args) => ({ act: 'saved', targets: [String((args as { path: string }).path)] }),
  run: () => 'saved',
});
const burn = defineTool({
  ...base,
  risk: 'destructive',
  scope: 'files:delete',
  receipt: (args) => ({ act: 'deleted', targets: [String((args as { path: string }).path)] }),
  undo: () => 'back',
  run: () => 'gone',
});

/** Calls turn by turn, then says what it was given to say. */
const turns =
  (given: readonly (readonly ReturnType<typeof call>[])[], text = 'That is all.'): Model =>
  ({ messages }) => {
    const turn = messages.filter(({ role }) => role === 'tool').length;
    return given[turn] ? { toolCalls: given[turn] } : { text };
  };

async function rigWith(model: Model, options: Partial<RigOptions> = {}) {
  const made = await makeApprovalRig(model, {
    tools: { save, burn, propose_plan: proposePlan },
    ...options,
    persona: { reply: { receipt: 'effects' }, ...options.persona },
  });
  rigs.push(made.rig);
  const drainDeciding = async (state: 'approved' | 'rejected', reason?: string) => {
    await made.rig.drain();
    for (let waiting = await made.pending(); waiting.length > 0; waiting = await made.pending()) {
      await made.decide(waiting, state, reason);
      await made.rig.drain();
    }
  };
  return { ...made, drainDeciding };
}

/** What stands below the model's words, once the replay has made the same of it. */
async function receiptIn(rig: Awaited<ReturnType<typeof rigWith>>['rig'], runId: string | null | undefined) {
  const { text, events, replies } = await rig.ended(runId ?? '');
  expect(await replayOf(rig, runId ?? '')).toMatchObject({ difference: null, stale: null });
  const record = events.find(({ type }) => type === 'receipt')?.data;
  return { below: text?.split('That is all.')[1]?.trim() ?? null, text, record, rendered: replies[0]?.rendered_json };
}

describe('a receipt', () => {
  it('tells what was done, and nothing of what was only looked at', async () => {
    const { rig } = await rigWith(turns([[call('l1', 'look'), call('s1', 'save', { path: 'a.md' })]]));
    const { runId } = await rig.deliver(OWNER);
    await rig.drain();
    expect((await receiptIn(rig, runId)).below).toBe('Done: saved a.md');
  });

  it('is not there where nothing was to be changed, unless it always is, and never where it never is', async () => {
    for (const [receipt, below] of [
      ['effects', ''],
      ['always', 'Nothing was changed.'],
      ['never', ''],
    ]) {
      const { rig } = await rigWith(turns([]), { persona: { reply: { receipt } } });
      const { runId } = await rig.deliver(OWNER);
      await rig.drain();
      expect((await receiptIn(rig, runId)).below, receipt).toBe(below);
    }
    const { rig } = await rigWith(turns([[call('s1', 'save', { path: 'a.md' })]]), {
      persona: { reply: { receipt: 'never' } },
    });
    const { runId } = await rig.deliver(OWNER);
    await rig.drain();
    const { below, record } = await receiptIn(rig, runId);
    expect(below).toBe('');
    expect(record?.lines).toHaveLength(1);
  });

  it('tells an extension’s own tool by its name and what it touches', async () => {
    const ring = defineTool({
      ...base,
      risk: 'create',
      scope: 'web:create',
      effects: async () => ({ targets: ['door bell'] }),
      run: () => 'rang',
    });
    const { rig } = await rigWith(turns([[call('r1', 'ring', {})]]), { tools: { ring } });
    const { runId } = await rig.deliver(OWNER);
    await rig.drain();
    expect((await receiptIn(rig, runId)).below).toBe('Done: ring: door bell');
  });

  it('tells nobody what a schema or a tool says to the model that has written arguments, and says its reason in the language of the reader', async () => {
    const ring = defineTool({
      ...base,
      input: z.strictObject({ door: z.string() }),
      risk: 'create',
      scope: 'web:create',
      effects: async ({ door }) => {
        if (door === 'blue') throw new EngineError('invalid_arguments', 'there is no blue door');
        if (door === 'green')
          throw new EngineError('invalid_arguments', 'the mail has no green door', { reason: 'not_named' });
        return { targets: [door] };
      },
      run: () => 'rang',
    });
    const calls = [
      call('r1', 'ring', { bell: 'red' }),
      call('r2', 'ring', { door: 'blue' }),
      call('r3', 'ring', { door: 'green' }),
    ];
    const { rig } = await rigWith(turns([calls]), { tools: { ring } });
    const { runId } = await rig.deliver(OWNER);
    await rig.drain();
    const vague = 'ring (not possible in this form)';
    const named = 'ring (the mail does not name the address or figure; please write it out)';
    expect((await receiptIn(rig, runId)).below).toBe(`Not done: ${vague} · ${vague} · ${named}`);
  });

  it('says nothing of a call in a wrong form that was made again in a right one, and of each that was not', async () => {
    const ring = defineTool({
      ...base,
      input: z.strictObject({ door: z.string(), words: z.string() }),
      risk: 'create',
      scope: 'web:create',
      receipt: ({ door, words }) => ({ act: 'mail', targets: [door], title: words }),
      run: () => 'rang',
    });
    const wrong = (id: string, door: string) => call(id, 'ring', { bell: door, words: `for the ${door} one` });
    const right = (id: string, door: string) => call(id, 'ring', { door, words: `for the ${door} one` });
    const receiptOf = async (...given: (readonly ReturnType<typeof call>[])[]) => {
      const { rig } = await rigWith(turns(given), { tools: { ring } });
      const { runId } = await rig.deliver(OWNER);
      await rig.drain();
      return (await receiptIn(rig, runId)).below;
    };
    expect(await receiptOf([wrong('r1', 'red')], [wrong('r2', 'red')], [right('r3', 'red')])).toBe(
      'Done: mail to red "for the red one"',
    );
    expect(await receiptOf([wrong('r1', 'red')], [wrong('r2', 'red')])).toBe(
      'Not done: ring (not possible in this form)',
    );
    // That somebody else was written to tells nothing of this one, and one that was made is made for one that was not.
    const both = 'Done: mail to blue "for the blue one"\nNot done: ring (not possible in this form)';
    expect(await receiptOf([wrong('r1', 'red')], [right('r2', 'blue')])).toBe(both);
    expect(await receiptOf([right('r1', 'blue')], [wrong('r2', 'blue')])).toBe(both);
  });

  it('says nothing of a call about something that is not there, which was made again about what is', async () => {
    const move = defineTool({
      ...base,
      input: z.strictObject({ task: z.string(), day: z.string() }),
      risk: 'create',
      scope: 'web:create',
      receipt: ({ task }) => ({ act: 'changed', targets: [task] }),
      effects: async ({ task }) => {
        if (task === 'guess')
          throw new EngineError('invalid_arguments', 'there is no task guess', { reason: 'not_found' });
        return {};
      },
      run: () => 'moved',
    });
    const to = (id: string, task: string, day: string) => call(id, 'move', { task, day });
    const receiptOf = async (...given: (readonly ReturnType<typeof call>[])[]) => {
      const { rig } = await rigWith(turns(given), { tools: { move } });
      const { runId } = await rig.deliver(OWNER);
      await rig.drain();
      return (await receiptIn(rig, runId)).below;
    };
    expect(await receiptOf([to('m1', 'guess', 'monday')], [to('m2', 'list', 'monday')])).toBe('Done: changed list');
    // Another wish, or the same once more, says nothing of it.
    const undone = 'Not done: change guess (there is no such thing)';
    expect(await receiptOf([to('m1', 'guess', 'monday')], [to('m2', 'list', 'friday')])).toBe(
      `Done: changed list\n${undone}`,
    );
    expect(await receiptOf([to('m1', 'guess', 'monday'), to('m2', 'list', 'monday')])).toBe(
      `${undone} · change list (it did not come to that)`,
    );
  });

  it('has the words of an owner’s no, and says so where nobody answered', async () => {
    const { rig, drainDeciding } = await rigWith(turns([[call('b1', 'burn', { path: 'old.md' })]]));
    const { runId } = await rig.deliver(OWNER);
    await drainDeciding('rejected', 'keep it');
    expect((await receiptIn(rig, runId)).below).toBe('Not done: delete old.md (the owner said no: "keep it")');
    const late = await rigWith(turns([[call('b1', 'burn', { path: 'old.md' })]]));
    const mail = await late.rig.deliver(OWNER);
    await late.rig.drain();
    await late.expire();
    await late.rig.drain();
    expect((await receiptIn(late.rig, mail.runId)).below).toBe(
      'Not done: delete old.md (the owner did not answer in time)',
    );
  });

  it('is certain of nothing that nobody can be certain of', async () => {
    const odd = defineTool({
      ...base,
      risk: 'create',
      scope: 'web:create',
      output: { type: 'number' },
      run: () => 'x',
    });
    const { rig } = await rigWith(turns([[call('o1', 'odd', {})]]), { tools: { odd } });
    const { runId } = await rig.deliver(OWNER);
    await rig.drain();
    expect((await receiptIn(rig, runId)).below).toBe(
      'Not certain: odd (may or may not have been done; it was not repeated)',
    );
  });

  it('forgets a failure once the same was done after all, and a repeat that was not needed', async () => {
    let failed = false;
    const flaky = defineTool({
      ...base,
      risk: 'create',
      scope: 'files:create',
      effect: 'idempotent',
      receipt: () => ({ act: 'saved', targets: ['b.md'] }),
      run() {
        if (failed) return 'saved';
        failed = true;
        throw new Error('disk is busy');
      },
    });
    const { rig } = await rigWith(
      turns([[call('f1', 'flaky', {})], [call('f2', 'flaky', { again: 1 })], [call('f3', 'flaky', { again: 2 })]]),
      { tools: { flaky } },
    );
    const { runId } = await rig.deliver(OWNER);
    await rig.drain();
    expect((await receiptIn(rig, runId)).below).toBe('Done: saved b.md');
  });

  it('shows nobody what a tool failed with: its words are for the model, and may quote what readers may not know', async () => {
    const fails = defineTool({
      ...base,
      risk: 'create',
      scope: 'web:create',
      run() {
        throw new Error('key 17 of carl is stale');
      },
    });
    const { rig } = await rigWith(turns([[call('f1', 'fails', {})]]), { tools: { fails } });
    const [own, other] = [await rig.deliver(OWNER), await rig.deliver({})];
    await rig.drain();
    expect((await receiptIn(rig, own.runId)).below).toBe('Not done: fails (it failed)');
    expect((await receiptIn(rig, other.runId)).below).toBe('Not done: fails (it failed)');
  });

  it('has a line for each step of a plan, done or not', async () => {
    const steps = [1, 2].map((n) => ({ tool: 'burn', arguments: { path: `${n}.md` } }));
    const shred = { ...burn, effects: async () => ({ targets: ['x', 'y'] }) };
    const { rig, drainDeciding } = await rigWith(turns([[call('p1', 'propose_plan', { steps })]]), {
      tools: { burn: shred, shred, propose_plan: proposePlan },
    });
    const { runId } = await rig.deliver({ ...OWNER, text: 'Please delete both.' });
    await drainDeciding('rejected', 'not yet');
    expect((await receiptIn(rig, runId)).below).toBe(
      'Not done: delete 1.md (the owner said no: "not yet") · ' + 'delete 2.md (the owner said no: "not yet")',
    );
  });

  it('says what was taken back while the run waited', async () => {
    const { rig, drainDeciding } = await rigWith(
      turns([[call('b1', 'burn', { path: 'old.md' })], [call('m1', 'send_email', toCarl(1))]]),
    );
    const { runId } = await rig.deliver({ ...OWNER, text: `Write to ${CARL}.` });
    await drainDeciding('approved');
    const undone = await rigWith(
      turns([[call('b1', 'burn', { path: 'old.md' })], [call('m1', 'send_email', toCarl(1))]]),
    );
    const mail = await undone.rig.deliver({ ...OWNER, text: `Write to ${CARL}.` });
    await undone.rig.drain();
    await undone.decide(await undone.pending(), 'approved');
    await undone.rig.drain();
    await undone.rig.withStore(async (store) => {
      const item = await store.undoOfCall({ runId: mail.runId ?? '', callId: 'b1' });
      const settled = { id: item?.id ?? '', state: 'undone', by: OWNER.from, now: undone.rig.clock.now() } as const;
      await store.settleUndo({ ...settled, pin: null }, [], 'no job', []);
    });
    await undone.decide(await undone.pending(), 'approved');
    await undone.rig.drain();
    const sent = `mail to ${CARL} "Offer 1"`;
    expect((await receiptIn(rig, runId)).below).toBe(`Done: deleted old.md · ${sent}`);
    expect((await receiptIn(undone.rig, mail.runId)).below).toBe(`Done: deleted old.md (taken back since) · ${sent}`);
  });

  it('leads an answer that is not whole', async () => {
    const { rig } = await rigWith(
      ({ messages }) =>
        messages.some(({ role }) => role === 'tool')
          ? { text: 'Half a sen', finish: 'length' }
          : { toolCalls: [call('s1', 'save', { path: 'a.md' })] },
      {},
    );
    const { runId } = await rig.deliver(OWNER);
    await rig.drain();
    expect((await receiptIn(rig, runId)).text).toBe(
      'This answer is not complete: it broke off while it was written.\n\nDone: saved a.md\n\nHalf a sen',
    );
  });
});

describe('a reader who may not know a detail', () => {
  const mailing = turns([[call('m1', 'send_email', toCarl(1))]]);

  it('is told of a mail by the name that they wrote, and by its address where they wrote that', async () => {
    const { rig, drainDeciding } = await rigWith(mailing);
    const [blind, named] = [
      await rig.deliver({ text: 'Please write to Carl.' }),
      await rig.deliver({ text: `Please write to ${CARL}.` }),
    ];
    await drainDeciding('approved');
    expect((await receiptIn(rig, blind.runId)).below).toBe('Done: mail to Carl');
    expect((await receiptIn(rig, named.runId)).below).toBe(`Done: mail to ${CARL} "Offer 1"`);
    expect((await receiptIn(rig, blind.runId)).record?.lines).toMatchObject([
      { targets: [CARL], hidden: false, shown_as: ['Carl'] },
    ]);
  });

  it('outside is told nothing of what concerns others', async () => {
    const { rig, drainDeciding } = await rigWith(mailing, { persona: { access: { known: { tools: ['*'] } } } });
    const { runId } = await rig.deliver({ tier: 'known', text: 'Our bank details are new.' });
    await drainDeciding('approved');
    const { below, record } = await receiptIn(rig, runId);
    expect(record?.lines).toMatchObject([{ targets: [CARL], hidden: true }]);
    expect(below).toBe('');
  });

  it('is not told what a persona wrote down for itself', async () => {
    const { rig } = await rigWith(turns([[call('s1', 'save', { path: 'a.md' })]]), {
      persona: { access: { known: { tools: ['*'] } } },
    });
    const { runId } = await rig.deliver({ tier: 'known' });
    await rig.drain();
    expect((await receiptIn(rig, runId)).below).toBe('');
  });
});

describe('what an owner changed before saying yes', () => {
  it('is told to the model, stands in the receipt, and is what later mails of the thread are shown', async () => {
    const { rig, pending, decide } = await rigWith(turns([[call('m1', 'send_email', toCarl(1))]]));
    const first = await rig.deliver({ ...OWNER, text: `Write to ${CARL}.`, id: '<first@member.example>' });
    await rig.drain();
    const [asked] = await pending();
    if (!asked) throw new Error('nobody was asked');
    const args = JSON.stringify({ ...JSON.parse(asked.arguments_json), subject: 'Another offer' });
    const instead = { ...asked, id: `${asked.id}x`, arguments_json: args, arguments_hash: sha256(args) };
    await rig.withStore((store) =>
      store.replaceApproval({ id: asked.id, by: OWNER.from }, instead, [], [], rig.clock.now()),
    );
    await decide(await pending(), 'approved');
    await rig.drain();
    const told = rig.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool');
    expect(JSON.stringify(told)).toContain('\\"approved_with_changes\\":{\\"subject\\":\\"Another offer\\"}');
    expect((await receiptIn(rig, first.runId)).below).toBe(`Done: mail to ${CARL} "Another offer"`);
    await rig.deliver({ ...OWNER, inReplyTo: '<first@member.example>', text: 'What exactly did you write?' });
    await rig.drain();
    const shown = JSON.stringify(rig.requests.at(-1)?.messages);
    expect(shown).toContain('send_email was called with');
    expect(shown).toContain('Dear *Carl*');
    expect(shown).toContain('Another offer');
    expect(shown).toContain("the gateway's own line with the answer:");
    expect(shown).not.toContain('Offer 1');
  });
});

describe('what a persona makes in answers to others', () => {
  const saving = turns([[call('s1', 'save', { path: 'a.md' })]]);

  it('is counted in the receipt of an owner’s next mail that has one, and told once', async () => {
    const { rig } = await rigWith(saving);
    await rig.deliver({});
    await rig.deliver({ tier: 'known', from: 'kim@elsewhere.example' });
    await rig.drain();
    const first = await rig.deliver(OWNER);
    await rig.drain();
    expect((await receiptIn(rig, first.runId)).below).toBe(
      'Done: saved a.md\nSaved or noted down for mail of others since I last told you: 1',
    );
    const second = await rig.deliver(OWNER);
    await rig.drain();
    expect((await receiptIn(rig, second.runId)).below).toBe('Done: saved a.md');
  });

  it('is told by a notice of its own after a day where no owner writes', async () => {
    const { rig } = await rigWith(saving);
    const { runId } = await rig.deliver({});
    await rig.drain();
    const { jobs } = await rig.ended(runId ?? '');
    expect(jobs).toEqual([`notice:made_for_others:since:${rig.clock.now()}`]);
    const due = await rig.withStore((store) => store.dueJobs(Number.MAX_SAFE_INTEGER, 10));
    expect(due.map(({ due_at }) => due_at - rig.clock.now())).toEqual([24 * 3_600_000]);
  });
});
