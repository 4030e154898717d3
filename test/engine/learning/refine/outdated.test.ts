import { describe, expect, it } from 'vitest';
import type { Example } from '../../../../engine/learning/refine/examples.ts';
import { emptyPlaybook, stillHolding } from '../../../../engine/learning/refine/subject.ts';
import type { Playbook } from '../../../../engine/record/codec/playbook.ts';
import { BY_MODEL, example, STEP, wrong } from './judging-rig.ts';

const PLAYBOOK: Playbook = { ...emptyPlaybook('answer'), steps: [STEP] };
const OTHER = 'by another way';

/** A good run in which the call of the step failed, and one with other words did not. */
function otherwise(name: string, change: Partial<Example> = {}): Example {
  const one = example(name);
  const call = { tool: 'write_file', arguments: { path: name, content: OTHER } };
  const results = one.results.map((result) => ({ ...result, ...call }));
  return { ...one, results, expected: [call], forbidden: one.expected, ...change };
}
const from = (address: string, one: Example): Example => ({ ...one, mail: { ...one.mail, from: address } });

const OLD = ['one.txt', 'two.txt', 'three.txt'].map((name) => example(name));
const NEW = ['five.txt', 'four.txt'].map((name) => otherwise(name));
const held = (examples: readonly Example[], playbook = PLAYBOOK) =>
  stillHolding(playbook, examples).examples.map(({ id }) => id.replace('example of ', ''));

describe('examples of a way of working that is over', () => {
  it('give way to two newer ones in which it failed and another way did not', () => {
    expect(held([...NEW, ...OLD])).toEqual(['five.txt', 'four.txt']);
    // The second of them makes it known.
    const third = otherwise('six.txt');
    expect(stillHolding(PLAYBOOK, [third, ...NEW, ...OLD]).knownBy).toBe(NEW[0]);
    expect(NEW[0]?.forbidden).toMatchObject([{ arguments: { content: BY_MODEL } }]);
  });

  it.each<[string, readonly Example[]]>([
    ['one newer says so', [...NEW.slice(1), ...OLD]],
    ['two say so that are one mail', [otherwise('four.txt'), otherwise('four.txt', { id: 'again' }), ...OLD]],
    ['the old way was right again since', [NEW[0] as Example, example('six.txt'), NEW[1] as Example, ...OLD]],
    ['they came before', [...OLD, ...NEW]],
    ['somebody only calls newer ones bad', [...['five.exe', 'four.exe'].map(wrong), ...OLD]],
    ['no other way was found', [...NEW.map((one) => ({ ...one, expected: [] })), ...OLD]],
    [
      'one person says so, where several write',
      [...NEW.map((one) => from('eve@member.example', one)), from('bob@member.example', example('six.txt')), ...OLD],
    ],
  ])('hold where %s', (_, examples) => {
    expect(held(examples)).toHaveLength(examples.length);
    expect(stillHolding(PLAYBOOK, examples).knownBy).toBeNull();
  });

  it('hold where the playbook in force does not work so', () => {
    expect(held([...NEW, ...OLD], emptyPlaybook('answer'))).toHaveLength(5);
  });

  it('are the runs of due times, too, which all say the same', () => {
    const due = (id: string, one: Example): Example => ({ ...one, id });
    const task: Playbook = { ...PLAYBOOK, meta: { ...PLAYBOOK.meta, kind: 'task:report' } };
    const same = [
      ...['e', 'd'].map((id) => due(id, otherwise('log.txt'))),
      ...['c', 'b', 'a'].map((id) => due(id, example('log.txt'))),
    ];
    expect(held(same, task)).toEqual(['e', 'd']);
  });
});
