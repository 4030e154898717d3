import { describe, expect, it } from 'vitest';
import type { Example } from '../../../../engine/learning/refine/examples.ts';
import { judge } from '../../../../engine/learning/refine/judge.ts';
import { emptyPlaybook } from '../../../../engine/learning/refine/subject.ts';
import type { Playbook } from '../../../../engine/record/codec/playbook.ts';
import { HOSTILE } from './hostile-candidates.ts';
import { BY_MODEL, EXAMPLES, example, NO_PROGRAMS, STEP, WORLD, written, wrong } from './judging-rig.ts';

const judged = (text: string, examples: readonly Example[] = EXAMPLES, parent: Playbook = emptyPlaybook('answer')) =>
  judge(text, { kind: 'answer', parent, examples, world: WORLD });

const GOOD = { steps: [STEP], narrow: { deny: [NO_PROGRAMS] } };

describe('a candidate that is right', () => {
  it('H-20: is accepted with what it and the one before it are worth by the same examples', () => {
    expect(judged(written(GOOD))).toMatchObject({ accepted: true, from: 0, to: 0.6 });
    expect(judged(`\`\`\`json\n${written(GOOD)}\n\`\`\``)).toMatchObject({ accepted: true });
  });

  it('answers by itself where its words are those of good answers', () => {
    const answer = 'Your file is kept as {{steps.1.result.path}}, as you asked.';
    expect(judged(written({ ...GOOD, answer }))).toMatchObject({ accepted: true });
  });

  it('is worth less where it lets wrong things happen, and has to be better than the one before it', () => {
    expect(judged(written({ steps: [STEP] }))).toMatchObject({ accepted: true, to: 0.2 });
    const parent = judged(written(GOOD));
    if (!parent.accepted) throw new Error(parent.reason);
    const more = written({ ...GOOD, advice: 'Say where it is kept.' });
    expect(judged(more, EXAMPLES, parent.playbook)).toMatchObject({ accepted: false, reason: 'not_better' });
    expect(judged(written(GOOD), EXAMPLES, parent.playbook)).toMatchObject({ reason: 'nothing_new' });
  });

  it('waits for three examples', () => {
    const two = EXAMPLES.slice(0, 2);
    expect(judged(written(GOOD), two)).toMatchObject({ accepted: false, reason: 'too_few_scenarios' });
  });

  it('H-19: fails an example in which it does what must not be done, and is refused where the one before did not', () => {
    const parent = { ...emptyPlaybook('answer'), narrow: { deny: [{ ...NO_PROGRAMS, when: [] }] } };
    expect(judged(written({ steps: [STEP] }), EXAMPLES, parent)).toMatchObject({
      accepted: false,
      reason: 'forbidden_effect',
      from: 0,
      to: 0.2,
    });
  });
});

describe('whom a candidate is for', () => {
  const bob = (name: string): Example => {
    const one = example(name);
    return { ...one, id: `bob ${name}`, mail: { ...one.mail, from: 'bob@member.example', name: 'Bob' } };
  };
  const TOLD = { steps: [STEP], advice: 'Say where it is kept, as for the merger.' };

  it('is the one person from whose mails it was learned, and says so by itself', () => {
    const found = judged(written(TOLD), EXAMPLES.slice(0, 3));
    if (!found.accepted) throw new Error(found.reason);
    const { meta, advice, stop } = found.playbook;
    expect(advice).toBe(TOLD.advice);
    expect(stop).toEqual([
      { of: 'mail.from', is: 'not_equal', value: 'mia@member.example' },
      { of: 'mail.tier', is: 'not_equal', value: 'member' },
    ]);
    expect(meta.capabilities).toEqual(['advice', 'steps', 'stop']);
  });

  it('is everybody where two of them bear it out, and then no words of a model are in it', () => {
    const both = [example('one.txt'), example('two.txt'), bob('three.txt'), wrong('evil.exe')];
    const found = judged(written({ ...TOLD, narrow: { deny: [NO_PROGRAMS] } }), both);
    if (!found.accepted) throw new Error(found.reason);
    expect(found.playbook).toMatchObject({ advice: '', stop: [{ of: 'mail.tier', is: 'not_equal', value: 'member' }] });
    expect(found.playbook.narrow.deny.map(({ reason }) => reason)).toEqual(['a call like this went wrong before']);
    // What one of them alone bears out is nobody else's.
    const ofMia = { ...STEP, when: [{ of: 'mail.from', is: 'equal', value: 'mia@member.example' }] };
    expect(judged(written({ steps: [ofMia] }), both)).toMatchObject({ reason: 'unproven_step' });
  });

  it('is none with more rights than those by whose mails it was right: what members teach is not done for an owner', () => {
    const by = (one: Example, from: string, tier: Example['mail']['tier']): Example => ({
      ...one,
      id: `${from} ${one.id}`,
      mail: { ...one.mail, from, tier },
    });
    const ofMembers = [example('one.txt'), bob('two.txt'), wrong('evil.exe')];
    const asked = { ...example('list'), expected: [{ tool: 'list_files', arguments: {} }] };
    const list = { ...asked, mail: { ...asked.mail, text: 'List all.' }, results: [] };
    const ofOwner = by(list, 'owner@example.com', 'owner');
    const stopsOf = (examples: readonly Example[]) => {
      const found = judged(written({ steps: [STEP] }), examples);
      return found.accepted ? found.playbook.stop : found.reason;
    };
    const member = { of: 'mail.tier', is: 'not_equal', value: 'member' };
    expect(stopsOf([...ofMembers, bob('three.txt'), ofOwner])).toEqual([member]);
    // Where it was right for an owner, too, it is for both, and for nobody else.
    const own = by(example('own.txt'), 'owner@example.com', 'owner');
    const others = ['known', 'stranger', 'unauthenticated'].map((value) => ({ of: 'mail.tier', is: 'equal', value }));
    expect(stopsOf([...ofMembers, own])).toEqual(others);
    // No mail of one tier bears out both steps.
    const when = (value: string) => [{ of: 'mail.text', is: 'containing', value }];
    const two = [
      { ...STEP, when: when('one.txt') },
      { ...STEP, when: when('own.txt') },
    ];
    const twice = [by(example('own.txt'), 'boss@example.com', 'owner'), own, example('one.txt'), bob('one.txt')];
    expect(judged(written({ steps: two }), twice)).toMatchObject({
      reason: 'unproven_step',
      detail: expect.stringContaining('under no tier'),
    });
  });

  it('fills nothing in for an owner that members alone have given', () => {
    const listing = (
      id: string,
      from: string,
      tier: Example['mail']['tier'],
      more: readonly Example[] = [],
    ): Example => {
      const one = example('log.txt');
      const [result] = one.results;
      if (!result) throw new Error('it has a result');
      const call = { tool: 'list_files', arguments: {} };
      const results = [{ ...result, ...call, risk: 'read' as const }, ...more.flatMap(({ results: own }) => own)];
      return { ...one, id, mail: { ...one.mail, from, tier, text: id }, results, expected: [call] };
    };
    const examples = [
      ...['owner a', 'owner b'].map((id) => listing(id, 'owner@example.com', 'owner')),
      listing('mia', 'mia@member.example', 'member', [example('a.txt')]),
      listing('bob', 'bob@member.example', 'member', [example('b.txt')]),
    ];
    const steps = [{ tool: 'list_files', arguments: {} }];
    const stopsOf = (more: object) => {
      const found = judged(written({ steps, ...more }), examples);
      return found.accepted ? found.playbook.stop.map(({ is, value }) => `${is} ${value}`) : found.reason;
    };
    expect(stopsOf({})).toEqual(['equal known', 'equal stranger', 'equal unauthenticated']);
    expect(stopsOf({ defaults: { write_file: { content: BY_MODEL } } })).toEqual(['not_equal member']);
  });

  it('is not any mail: one that is changed for has to say so, but for a task', () => {
    const logged = ['a', 'b', 'c'].map((letter) => {
      const one = example('log.txt');
      return { ...one, id: letter, mail: { ...one.mail, text: `Log in, please. Number ${letter}` } };
    });
    const write = { tool: 'write_file', arguments: { path: 'log.txt', content: BY_MODEL } };
    const when = [{ of: 'mail.text', is: 'containing', value: 'log in' }];
    expect(judged(written({ steps: [write] }), logged)).toMatchObject({ accepted: false, reason: 'unguarded_step' });
    expect(judged(written({ steps: [{ ...write, when }] }), logged)).toMatchObject({ accepted: true });
    const kind = 'task:log';
    const asTask = { kind, parent: emptyPlaybook(kind), examples: logged, world: WORLD };
    expect(judge(written({ steps: [write] }, { kind }), asTask)).toMatchObject({ accepted: true });
  });
});

describe('a candidate that is hostile', () => {
  it.each(HOSTILE)('%s: is refused', (_, text, reason) => {
    expect(judged(text)).toMatchObject({ accepted: false, reason });
  });

  it('H-18: is worth nothing where it does nothing', () => {
    expect(judged(written({ advice: 'Work well.' }))).toMatchObject({ from: 0, to: 0 });
  });

  it('is not proved by the same mail twice', () => {
    const same = [example('one.txt'), example('one.txt', { id: 'again' }), wrong('evil.exe')];
    expect(judged(written({ steps: [STEP] }), same)).toMatchObject({ accepted: false, reason: 'unproven_step' });
    // A task says the same at each due time, and its words are its owner's.
    const [kind, text] = ['task:report', written({ steps: [STEP] }, { kind: 'task:report' })];
    const parent = emptyPlaybook(kind);
    expect(judge(text, { kind, parent, examples: same, world: WORLD })).toMatchObject({ accepted: true });
  });
});
