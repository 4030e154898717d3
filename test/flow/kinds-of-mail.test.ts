import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Turn } from '../fakes/model-script.ts';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { ADA, MEMBER } from './governance-rig.ts';
import { openPersonaDb, runsEnded } from './persona-db.ts';
import { onceRecorded } from './record.ts';

// What a mail is taken for may choose how it is worked: with reading alone, with an end as soon as what it asked for is there,
// or with points that its answer has to make.

const rig: { made?: Modelled; turns: readonly Turn[]; intent: object; sent: number } = {
  turns: [],
  intent: {},
  sent: 0,
};

const SAVE = { name: 'write_file', arguments: { path: 'note.md', content: 'Noted.' } };
const answer = (text: string, more: object = {}): Turn => ({
  calls: [{ name: 'answer', arguments: { text, ...more } as never }],
});

beforeAll(async () => {
  rig.made = await openModelled(
    (turn, mail) =>
      mail.startsWith('{"received"')
        ? { text: JSON.stringify({ time_range: null, people: [], wanted_effects: [], done: true, ...rig.intent }) }
        : (rig.turns[Math.min(turn, rig.turns.length - 1)] ?? { text: 'No more.' }),
    {
      'configs/security.json': {
        owners: ['owner@example.com'],
        loop_guard: { fast_reply_s: 0, max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0 },
      },
      'configs/inference.json': {
        provider: 'steady',
        model: 'm',
        stages: { frame: { provider: 'steady', model: 'm', max_iterations: 1 } },
      },
      'configs/context.json': {
        profiles: {
          by_kind: {
            question: { tools: 'read' },
            request: { answer: { claims: 'off', effects: ['files:create'] } },
            information: { answer: { points: ['cause', 'next steps'] } },
          },
        },
      },
      'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: [MEMBER] } },
      'personas/ada/files/log.txt': 'The pump failed at nine.',
    },
  );
  rig.made.put('log.txt', 'The pump failed at nine.');
}, 120_000);
afterAll(() => rig.made?.close());

async function answered(intent: object, text: string, turns: readonly Turn[]) {
  const { office, model } = rig.made as Modelled;
  Object.assign(rig, { intent, turns });
  rig.sent += 1;
  const before = model.requests.length;
  const messageId = `<kind${rig.sent}@member.example>`;
  await office.post({ from: MEMBER, subject: `Matter ${rig.sent}`, text, messageId });
  await runsEnded(office.root, 'ada', rig.sent);
  const db = openPersonaDb(office.root, 'ada');
  try {
    const run = db.runOf(messageId);
    if (!run) throw new Error('there is no run');
    const replayed = await office.cli('runs', 'replay', run.id);
    expect(replayed.json.replay).toMatchObject({ identical: true, difference: null });
    const events = db.events(run.id);
    const asked = model.requests.slice(before).filter(({ view }) => !view.lastUser.startsWith('{"received"'));
    return {
      run,
      asked,
      text: db.replyText(run) ?? '',
      frame: events.find(({ type }) => type === 'context_built')?.data.frame,
      decisions: events.filter(({ type }) => type === 'decision').map(({ data }) => data),
      permissions: events.filter(({ type }) => type === 'permission').map(({ data }) => data),
    };
  } finally {
    db.close();
  }
}
type Asked = Awaited<ReturnType<typeof answered>>['asked'];
const promptOf = (asked: Asked) => JSON.stringify(asked[0]?.body);

describe('a kind of mail that is worked with reading alone', () => {
  it('is shown no tool that changes anything, and has a call of one refused', async () => {
    const read = { name: 'read_file', arguments: { path: 'log.txt' } };
    const { asked, frame, permissions, text } = await answered({ kind: 'question' }, 'When did the pump fail?', [
      { calls: [read, SAVE] },
      { text: 'At nine.' },
    ]);
    const tools = asked[0]?.view.tools ?? [];
    expect(tools).toEqual(expect.arrayContaining(['read_file', 'search_mail', 'answer']));
    for (const name of ['write_file', 'send_email', 'delete_file', 'schedule_task', 'remember'])
      expect(tools).not.toContain(name);
    expect(frame).toMatchObject({ highest_risk: 'read', can_change: [], intent: { kind: 'question' } });
    expect(permissions).toMatchObject([
      { tool: 'read_file', verdict: 'allow' },
      { tool: 'write_file', verdict: 'deny', by: 'profile question' },
    ]);
    expect(rig.made?.read('note.md')).toBeNull();
    expect(text).toContain('At nine.');
    expect(text).toContain('Not done: save note.md');
  });

  it('has all of its tools where its sender wants something done', async () => {
    const { asked, frame } = await answered(
      { kind: 'question', wanted_effects: ['files:create'] },
      'Could you note when the pump failed?',
      [{ calls: [SAVE] }, { text: 'It is noted.' }],
    );
    expect(asked[0]?.view.tools).toContain('write_file');
    expect(frame).toMatchObject({ highest_risk: 'destructive' });
    expect(rig.made?.read('note.md')).toBe('Noted.');
  });
});

it('takes no later mail into a run with reading alone: that one may want something done', async () => {
  const { office, model } = rig.made as Modelled;
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(rig, { intent: { kind: 'question' }, turns: [{ text: 'At nine.', until: promise }] });
  const before = model.requests.length;
  const mail = { from: MEMBER, subject: 'Pump' };
  const first = await office.post({ ...mail, text: 'When did the pump fail?', messageId: '<pump1@member.example>' });
  await onceRecorded(office.root, () => expect(model.requests).toHaveLength(before + 2));
  // Its model has answered once in this thread by then.
  const save = { calls: [{ ...SAVE, arguments: { path: 'pump.md', content: 'Nine.' } }] };
  Object.assign(rig, {
    intent: { kind: 'question', wanted_effects: ['files:create'] },
    turns: [{ text: 'At nine.' }, save, { text: 'Noted.' }],
  });
  await office.post({
    ...mail,
    text: 'And please note it.',
    messageId: '<pump2@member.example>',
    inReplyTo: first,
    references: [first],
  });
  resolve();
  rig.sent += 2;
  const runs = await runsEnded(office.root, 'ada', rig.sent);
  expect(runs.slice(-2).map(({ outcome }) => outcome)).toEqual(['final', 'final']);
  expect(rig.made?.read('pump.md')).toBe('Nine.');
});

describe('a kind of mail that asks for an effect and no words', () => {
  it('is over when the effect is there, without another model call', async () => {
    const { run, asked, decisions, text } = await answered({ kind: 'request' }, 'Please note that.', [
      { calls: [{ ...SAVE, arguments: { path: 'second.md', content: 'Noted.' } }] },
      { text: 'These words were not needed.' },
    ]);
    expect(run.outcome).toBe('final');
    expect(asked).toHaveLength(1);
    expect(decisions.at(-1)).toMatchObject({ decision: 'FINAL', reason: 'contract_met' });
    expect(text).toBe('This is done.\n\nDone: saved second.md');
  });

  it('goes on where its sender wants more than that', async () => {
    const { asked, decisions } = await answered(
      { kind: 'request', wanted_effects: ['files:create', 'memory:create'] },
      'Please save that, and keep it in mind.',
      [{ calls: [{ ...SAVE, arguments: { path: 'third.md', content: 'Noted.' } }] }, { text: 'It is saved.' }],
    );
    expect(asked.length).toBeGreaterThan(1);
    expect(decisions.map(({ reason }) => reason)).not.toContain('contract_met');
  });
});

describe('a kind of mail whose answer has points to make', () => {
  const cause = { text: 'The pump failed at nine.', evidence: ['mail'], point: 'cause' };
  const next = { text: 'Call the plumber.', limitations: ['nobody was asked'], point: 'next steps' };
  const MAIL = 'The pump failed at nine.';

  it('tells its model of them before it answers, and takes an answer that makes them', async () => {
    const { run, asked, frame, text } = await answered({ kind: 'information' }, MAIL, [
      answer('It failed at nine; call the plumber.', { claims: [cause, next] }),
    ]);
    expect(asked).toHaveLength(1);
    expect(promptOf(asked)).toMatch(/Expected here: an answer that says .*cause.*next steps/);
    expect(frame).toMatchObject({ contract: { contract: ['point:cause', 'point:next steps'] } });
    expect(run.outcome).toBe('final');
    expect(text).toMatch(/^It failed at nine; call the plumber\./);
  });

  it('has one that lacks a point sent back once, and takes it where it owns up to that', async () => {
    const { run, asked, decisions } = await answered({ kind: 'information' }, MAIL, [
      answer('It failed at nine.', { claims: [cause] }),
      answer('It failed at nine. What is next I do not know.', { claims: [cause], not_done: 'next steps' }),
    ]);
    expect(asked).toHaveLength(2);
    expect(decisions.find(({ reason }) => reason === 'gap')?.gap).toContain('"next steps"');
    expect(run.outcome).toBe('final');
  });

  it('names the point that is still missing, and is partial', async () => {
    const { run, text } = await answered({ kind: 'information' }, MAIL, [
      answer('It failed at nine.', { claims: [cause] }),
    ]);
    expect(run.outcome).toBe('partial');
    expect(text).toMatch(
      /^This answer is not complete: something that was asked for is still missing \(next steps\)\./,
    );
  });
});
