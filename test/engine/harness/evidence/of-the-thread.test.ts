import { describe, expect, it } from 'vitest';
import type { Json, ModelMessage } from '#contract';
import { NO_CONTRACT } from '../../../../engine/harness/evidence/contract.ts';
import { gate } from '../../../../engine/harness/evidence/gate.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import { AT, resultsOf } from './evidence-of.ts';

// Earlier mails of the thread, which the model was shown, are a source as the mail itself is.

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
const shown = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
const asks = (words: string) =>
  shown(`carol@example.com (member) 30 Nov 10:03:\n<new_text_79bd4130>\n${words}\n</new_text_79bd4130>\nNow: 10:03`);

const HISTORY: readonly ModelMessage[] = [
  asks('We come with 2 classes, 53 children, on 10 December at 10:00.'),
  { role: 'assistant', text: 'Noted. The bus has 61 seats.', toolCalls: [] },
  shown(
    '[mail from olga@example.org]\n<earlier_mail_0776db2983b81d9f>\nYes. One child, 1 of 53, comes in a wheelchair. The steps at the door are too high.\n</earlier_mail_0776db2983b81d9f>',
  ),
];
const listed = (id: string, direction: string, snippet: string) => ({
  ...{ message_id: id, direction, from: 'x@example.org', date: '2026-11-26', subject: snippet, snippet },
});
const opened = (direction: string, part: string) => ({
  ...{ message_id: '<m9@example.org>', direction, part, date: '2026-11-26', text: 'The hall has 77 seats.' },
});
const RESULTS = {
  t1: {
    tool: 'search_mail',
    result: asJson({ messages: [{ snippet: 'The squeak at the slew ring needs looking at first' }] }),
  },
  t2: {
    tool: 'search_mail',
    result: asJson({
      messages: [listed('<m1@x>', 'out', 'The hall has 88 seats.'), listed('<m2@x>', 'in', 'It has 99 doors.')],
    }),
  },
  t3: { tool: 'read_mail', result: asJson(opened('out', 'new')) },
  t4: { tool: 'read_mail', result: asJson(opened('out', 'forwarded')) },
  t5: { tool: 'read_mail', result: asJson(opened('in', 'quoted')) },
  t6: { tool: 'read_mail', result: asJson(opened('in', 'new')) },
};

function answered(statements: object, history = HISTORY, isOlder = false, mail = asks('How many are they?')) {
  const read = readAnswer({ id: 'x', name: 'answer', arguments: asJson({ text: 'So [1].', ...statements }) });
  if (!read.ok) throw new Error(read.message);
  const { text, claims } = gate({
    ...{ text: 'So [1].', declared: read.declared, wanted: [], language: 'en', evidence: resultsOf(RESULTS) },
    contract: NO_CONTRACT,
    ...{
      outcomes: [],
      scopeOf: () => null,
      history,
      mail,
      now: AT,
      ...(isOlder ? {} : { citesShown: true as const }),
    },
    ...{ mails: new Map(), drifted: new Set<string>(), hooks: null },
  });
  return { verdict: claims[0]?.verdict, why: claims[0]?.why, sources: text.split('\n').slice(3) };
}
const claimed = (text: string, ...evidence: readonly string[]) => answered({ claims: [{ text, evidence }] });

describe('what an earlier mail of the thread says', () => {
  it.each(['mail', 'thread'])('bears out a claim that names %s, and is called what it is', (name) => {
    expect(claimed('2 classes, 53 children, on 10 December', name)).toMatchObject({
      verdict: 'supported',
      sources: ['[1] an earlier mail of this conversation'],
    });
    expect(claimed('1 child comes in a wheelchair', name).verdict).toBe('supported');
    expect(answered({ figures: [{ shown: '53', from: name }] }).verdict).toBe('supported');
  });

  it('bears out nothing else, and no claim that names something else', () => {
    expect(claimed('7 classes, 53 children', 'mail').verdict).toBe('unsupported');
    expect(claimed('53 children', 't1').verdict).toBe('unsupported');
    expect(answered({ figures: [{ shown: '54', from: 'thread' }] }).verdict).toBe('unsupported');
  });

  it('is none in a thread without earlier mail, nor in runs of older versions', () => {
    const claim = { claims: [{ text: '53 children', evidence: ['mail'] }] };
    expect(answered(claim, []).verdict).toBe('unsupported');
    expect(answered(claim, HISTORY, true).verdict).toBe('unsupported');
  });

  it('is named to the model where an answer is sent back', () => {
    expect(claimed('53 children', 't1').why).toBe(
      'the value at "53" does not stand in its evidence; what there is to cite: mail, thread (its earlier mails), t1 (search_mail), t2 (search_mail), t3 (read_mail), t4 (read_mail), t5 (read_mail), t6 (read_mail)',
    );
    expect(claimed('53 children', 'm9').why).toContain('thread (its earlier mails)');
  });
});

describe('a mail that is named beside another source and has nothing of the claim', () => {
  it('is printed as the source of nothing, and the earlier mail that has it in its place', () => {
    const printed = (text: string, ...evidence: readonly string[]) =>
      answered({ claims: [{ text, evidence }] }).sources;
    expect(printed('53 children and 99 doors', 't2', 'mail')).toEqual([
      expect.stringMatching(/^\[1\] .*, an earlier mail of this conversation$/),
    ]);
    const [alone = ''] = printed('It has 99 doors', 't2', 'mail');
    expect(alone).toMatch(/^\[1\] /);
    expect(alone).not.toMatch(/mail that this answers|earlier mail/);
  });
});

describe('what the persona said itself before', () => {
  const beside = (...lines: readonly string[]): ModelMessage =>
    shown(
      [
        'carol@example.com (member) 30 Nov 10:03:',
        '<new_text_79bd4130>\nIs it 44?\n</new_text_79bd4130>',
        ...lines,
      ].join('\n'),
    );
  const by = (text: string, name: string, mail: ModelMessage) =>
    answered({ claims: [{ text, evidence: [name] }] }, HISTORY, false, mail).verdict;

  it.each([
    ['The bus has 61 seats.', 'mail'],
    ['The bus has 61 seats.', 'thread'],
    ['The hall has 88 seats.', 't2'],
    ['The hall has 77 seats.', 't3'],
    ['The hall has 77 seats.', 't5'],
  ])('bears out nothing, and is not called wrong: %s by %s', (text, name) => {
    expect(claimed(text, name).verdict).toBe('unchecked');
    expect(answered({ figures: [{ shown: /\d+/.exec(text)?.[0], from: name }] }).verdict).toBe('unchecked');
  });

  it.each([
    ['It has 99 doors.', 't2'],
    ['The hall has 77 seats.', 't4'],
    ['The hall has 77 seats.', 't6'],
  ])('is none of what others wrote, nor of what came back: %s by %s', (text, name) =>
    expect(claimed(text, name).verdict).toBe('supported'),
  );

  it('is on record by when it was written', () => {
    expect(claimed('The answer left on 26 November 2026.', 't3').verdict).toBe('supported');
    expect(claimed('The answer left on 27 November 2026.', 't3').verdict).toBe('unsupported');
  });

  it('bears out nothing where it stands beside the mail: quoted, recalled or summed up', () => {
    const asOf = (name: string, digits = '79bd4130') => `<${name}_${digits}>\nIt is 57 EUR.\n</${name}_${digits}>`;
    const recalled = (who: string) => beside(`2026-11-26 from ${who}:`, asOf('recalled', '0badcafe'));
    for (const mail of [
      beside('What is quoted:', asOf('quoted_text')),
      beside('What is quoted:', asOf('asked_text')),
      beside(asOf('thread_summary', '0776db2983b81d9f')),
      beside(asOf('closed_thread', '0776db2983b81d9f')),
      recalled('you, beside it'),
      recalled('you'),
    ])
      expect(by('It is 57 EUR.', 'mail', mail)).toBe('unchecked');
    expect(by('It is 57 EUR.', 'mail', recalled('"Olga" <olga@example.org>, message_id <1@x>'))).toBe('supported');
    expect(by('It is 57 EUR.', 'mail', beside('What was sent on:', asOf('forwarded_text')))).toBe('supported');
    expect(by('It is 58 EUR.', 'mail', recalled('you'))).toBe('unsupported');
  });
});

describe('a claim without a number', () => {
  it('is compared where its words stand in the source as they are', () => {
    expect(claimed('Squeak at the slew ring needs looking at first', 't1').verdict).toBe('supported');
    expect(claimed('The steps at the door are too high', 'thread').verdict).toBe('supported');
  });

  it('is told as not compared in other words', () => {
    expect(claimed('The slew ring squeaks and has to be looked at', 't1').verdict).toBe('unchecked');
    expect(claimed('slew ring', 't1').verdict).toBe('unchecked');
  });
});
