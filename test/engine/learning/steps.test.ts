import { describe, expect, it } from 'vitest';
import { fill, holds, type PlaybookScope, restrictionsOf, withDefaults } from '../../../engine/learning/places.ts';
import { type MadeStep, nextStep } from '../../../engine/learning/steps.ts';
import { type PinnedPlaybook, playbook } from '../../../engine/record/codec/playbook.ts';

const SCOPE: PlaybookScope = {
  mail: {
    from: 'mia@member.example',
    domain: 'member.example',
    name: 'Mia',
    subject: 'Order 77',
    tier: 'member',
    text: 'Hello,\nOrder number: A-77 please\nThanks',
    attachments: 0,
  },
  thread: { subject: 'Order 77', mails: 1 },
  steps: {},
};
const pinned = (body: object, mode: PinnedPlaybook['mode'] = 'policy'): PinnedPlaybook => ({
  version_id: 'v',
  number: 1,
  kind: 'answer',
  mode,
  tainted: false,
  playbook: playbook.parse({ meta: { kind: 'answer', capabilities: [], version: 1 }, ...body }),
});
const STEPS = [
  {
    tool: 'find',
    arguments: { id: '{{mail.word_after Order number:}}' },
    expect: [{ of: 'result.id', is: 'present' }],
  },
  { tool: 'note', arguments: { text: 'For {{mail.name}}: {{steps.1.result.id}}' } },
];
const made = (step: number, content: object, change: Partial<MadeStep> = {}): MadeStep => ({
  step,
  ok: true,
  code: null,
  content: JSON.parse(JSON.stringify(content)),
  ...change,
});

describe('the steps of a playbook', () => {
  it('come one after the other, filled from the mail and from what was found, and then the answer', () => {
    const book = pinned({ steps: STEPS });
    expect(nextStep(book, [], SCOPE)).toEqual({
      do: 'call',
      step: 1,
      call: { id: 'playbook_1', name: 'find', arguments: { id: 'A-77' } },
    });
    const first = made(1, { ok: true, result: { id: 'A-77' } });
    const scope = { ...SCOPE, steps: { 1: first.content } };
    expect(nextStep(book, [first], scope)).toMatchObject({
      call: { name: 'note', arguments: { text: 'For Mia: A-77' } },
    });
    expect(nextStep(book, [first, made(2, { ok: true })], scope)).toEqual({ do: 'answer' });
  });

  it('take what stands behind a label, also behind capitals whose small form is longer', () => {
    const text = 'İYİ GÜNLER, İŞTE SİPARİŞ\nOrder number: A-77 please';
    const scope = { ...SCOPE, mail: { ...SCOPE.mail, text } };
    expect(fill('{{mail.word_after Order number:}}', scope)).toBe('A-77');
    expect(fill('{{mail.line_after SİPARİŞ}}', scope)).toBeNull();
  });

  it.each([
    ['was refused', { ok: false, code: 'policy_denied' }, 'denied'],
    ['failed', { ok: false, code: 'tool_failed' }, 'failed'],
    ['brought something else', {}, 'unexpected'],
  ] as const)('end where one %s: the model works on', (_, change, reason) => {
    expect(nextStep(pinned({ steps: STEPS }), [made(1, { ok: true, result: {} }, change)], SCOPE)).toEqual({
      do: 'leave',
      step: 1,
      reason,
    });
  });

  it('do not begin where the mail is not for them, or says too little', () => {
    const stop = [{ of: 'mail.subject', is: 'containing', value: 'order' }];
    expect(nextStep(pinned({ steps: STEPS, stop }), [], SCOPE)).toMatchObject({ do: 'leave', reason: 'stop' });
    const bare = { ...SCOPE, mail: { ...SCOPE.mail, text: 'Hello' } };
    expect(nextStep(pinned({ steps: STEPS }), [], bare)).toMatchObject({ do: 'leave', reason: 'unfilled' });
    expect(nextStep(pinned({}), [], SCOPE)).toMatchObject({ do: 'leave', reason: 'stop' });
  });

  it('leave one out whose condition does not hold', () => {
    const when = [{ of: 'mail.attachments', is: 'equal', value: '1' }];
    const [first, second] = STEPS;
    expect(
      nextStep(
        pinned({
          steps: [
            { ...first, when },
            { ...second, arguments: {} },
          ],
        }),
        [],
        SCOPE,
      ),
    ).toMatchObject({
      do: 'call',
      step: 2,
    });
  });
});

describe('what a playbook looks at', () => {
  it.each([
    ['mail.constructor.name', undefined],
    ['mail.__proto__.toString', undefined],
    ['mail.text.length', undefined],
    ['steps.9.result', undefined],
  ])('is what is there, and never the inside of the program: %s', (place) => {
    expect(fill(`{{${place}}}`, SCOPE)).toBeNull();
    expect(holds({ of: place, is: 'present' }, SCOPE)).toBe(false);
  });

  it('stays in bounds', () => {
    let deep: unknown = '{{mail.name}}';
    for (let i = 0; i < 100; i += 1) deep = [deep];
    expect(fill(JSON.parse(JSON.stringify(deep)), SCOPE)).toBeNull();
    expect(fill({ a: '{{mail.name', b: [1, null, '{{mail.attachments}}'] }, SCOPE)).toEqual({
      a: '{{mail.name',
      b: [1, null, 0],
    });
  });
});

describe('a playbook in filter', () => {
  const deny = [
    {
      rule: 'no-files',
      tool: 'attach',
      when: [{ of: 'mail.tier', is: 'equal', value: 'member' }],
      reason: 'not to them',
    },
  ];
  const book = (mode: PinnedPlaybook['mode']) =>
    pinned({ narrow: { deny }, defaults: { find: { limit: 3, id: 'x' } } }, mode);
  const call = { id: 'c', name: 'find', arguments: { id: 'mine' } };

  it('H-11: denies by a rule, with its id and reason, and says nothing of other calls', () => {
    const attach = { tool: 'attach', args: {} };
    expect(restrictionsOf(book('filter'), attach, SCOPE)).toEqual([
      { by: 'playbook rule no-files', verdict: 'deny', reason: 'not to them' },
    ]);
    expect(restrictionsOf(book('assisted'), attach, SCOPE)).toEqual([]);
    expect(restrictionsOf(book('filter'), { tool: 'find', args: {} }, SCOPE)).toEqual([]);
    const owner = { ...SCOPE, mail: { ...SCOPE.mail, tier: 'owner' } };
    expect(restrictionsOf(book('filter'), attach, owner)).toEqual([]);
  });

  it('puts in what the model did not say, and never changes what it did', () => {
    expect(withDefaults(book('filter'), call).arguments).toEqual({ id: 'mine', limit: 3 });
    expect(withDefaults(book('assisted'), call)).toBe(call);
    const unread = { id: 'c', name: 'find', arguments: undefined, rawArguments: '{' };
    expect(withDefaults(book('filter'), unread)).toBe(unread);
  });
});
