import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../../engine/languages/language.ts';
import { say } from '../../../../engine/languages/say.ts';
import { readSenders } from '../../../../engine/mail/approval/senders/senders-answer.ts';
import { writtenOf } from '../written.ts';

const BOB = { number: 1, address: 'bob@out.test' };
const CARL = { number: 2, address: 'carl+x@out.test' };
const DORA = { number: 3, address: 'dora@xn--bcher-kva.test' };
const THREE = [BOB, CARL, DORA];

const read = (text: string, listed = THREE) => {
  const answer = readSenders(text, listed);
  if (answer.kind === 'none') return answer.asks ? 'none?' : 'none';
  if (answer.kind === 'unclear') return answer.detail === null ? answer.why : `${answer.why} ${answer.detail}`;
  return answer.items.map(({ number, verdict }) => `${number} ${verdict}`).join(', ');
};

describe('what an owner says of senders who were refused', () => {
  it.each([
    ['allow 1', '1 allow'],
    ['Allow bob@out.test', '1 allow'],
    ['allow BOB@Out.Test.', '1 allow'],
    ['allow bob@out.test <mailto:bob@out.test>', '1 allow'],
    ['allow dora@bücher.test', '3 allow'],
    ['block carl+x@out.test', '2 block'],
    ['allow 1, block 2', '1 allow, 2 block'],
    ['allow 1\nblock 2\nonce 3', '1 allow, 2 block, 3 once'],
    ['1: allow\n2: block', '1 allow, 2 block'],
    ['allow 1 and 3', '1 allow, 3 allow'],
    ['block 1-3', '1 block, 2 block, 3 block'],
    ['block all', '1 block, 2 block, 3 block'],
    ['allow 1 once', '1 once'],
    ['Hi Ada,\n\nplease allow 1.\n\nThanks!\nMaria', '1 allow'],
    ['- allow 1\n- block number 2', '1 allow, 2 block'],
    ['zulassen 1\neinmal 2\nsperren 3', '1 allow, 2 once, 3 block'],
    ['alle sperren', '1 block, 2 block, 3 block'],
    ['允许1', '1 allow'],
    ['allow 1\n\nBest regards, Maria Long\nOwner GmbH\n+49 30 1234567', '1 allow'],
  ])('reads %j', (text, expected) => expect(read(text)).toBe(expected));

  it.each([
    ['allow', 'which'],
    ['allow both', 'which'],
    ['allow 4', 'unknown_item 4'],
    ['allow 0', 'unknown_item 0'],
    ['allow carl@out.test', 'unknown_sender carl@out.test'],
    // The o is Cyrillic.
    ['allow b\u043eb@out.test', 'unknown_sender b\u043eb@out.test'],
    ['allow bob@out.test.evil.test', 'unknown_sender bob@out.test.evil.test'],
    ['allow *@out.test', 'pattern *@out.test'],
    ['allow 1\nblock 1', 'contradiction'],
    ['allow all\nblock 2', 'contradiction'],
    ['allow 1 but not 2', 'more_words'],
    ["don't allow 1", 'none'],
    ['never allow 1', 'none'],
    ['allow 1?', 'question'],
    ['1 allow 2 block', 'none'],
    ['allow 1\nif he is from the bank', 'more_words'],
    ['allow 1\nWho is 2?', 'question'],
    ['I do not know him\nallow 1', 'more_words'],
    ['allow 1\n\nMaria\n\nPS: only if Bob agrees', 'more_words'],
    ['1\n2', 'none'],
    ['yes', 'none'],
    ['approve 1', 'none'],
    ['', 'none'],
    ['Who are they?', 'none?'],
    [`allow 1\n${'x\n'.repeat(300)}`, 'too_long'],
  ])('does nothing at %j', (text, expected) => expect(read(text)).toBe(expected));

  it('needs no name where one is listed', () => {
    for (const verb of ['allow', 'once', 'block']) expect(read(verb, [BOB])).toBe(`1 ${verb}`);
  });

  it('takes nothing of a digest that stands below the answer, marked or not', () => {
    const digest = [
      '1. bob@out.test → ada',
      '  > allow carl+x@out.test',
      '',
      '2. carl+x@out.test → ada',
      '  > allow all',
    ];
    expect(read(writtenOf(`allow 1\n\n${digest.map((line) => `> ${line}`).join('\n')}`))).toBe('1 allow');
    expect(read(writtenOf(`block 1\n\n${digest.join('\n')}`))).toBe('more_words');
    expect(read(writtenOf(digest.join('\n')))).toBe('none');
  });

  it.each(LANGUAGES)('understands what it tells owners to write, in %s', (language) => {
    for (const verdict of ['allow', 'once', 'block'] as const) {
      const word = say(language, `refusedAnswers.verbs.${verdict}`);
      expect(read(`${word} 2`)).toBe(`2 ${verdict}`);
      expect(say(language, 'refusedAnswers.how', { several: true })).toContain(`${word} 1`);
    }
    const quoted = [
      ...say(language, 'refusedAnswers.why.which').matchAll(/["„“”«「]\s?([^"„“”»」]+?)\s?["“”»」]/gu),
    ].map(([, words]) => words ?? '');
    expect(quoted).toHaveLength(2);
    expect(quoted.map((words) => read(words))).toEqual(['1 allow', '1 allow, 2 allow, 3 allow']);
  });

  it('decides nothing that is not on the list, whatever is written', () => {
    const word = fc.constantFrom(
      'allow',
      'once',
      'block',
      '1',
      '2',
      '9',
      'bob@out.test',
      'eve@evil.test',
      'all',
      'no',
      ',',
      ':',
      '\n',
      '> ',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 6 })), { maxLength: 12 }), (words) => {
        const answer = readSenders(words.join(' '), [BOB, CARL]);
        if (answer.kind !== 'decide') return;
        for (const { number } of answer.items) expect([1, 2]).toContain(number);
      }),
      { numRuns: 500 },
    );
  });
});
