import { describe, expect, it } from 'vitest';
import { messageIds, ownMessageId } from '../../../../engine/mail/mime/message-ids.ts';
import { computedMs } from '../../../computed.ts';

const ID = '<01a22100-df31@agents.test>';

describe('the ids that a mail refers to', () => {
  it.each([
    [ID],
    ['01a22100-df31@agents.test'],
    ['"01a22100-df31@agents.test"'],
    ['<01a22100-\r\n df31@agents.test>'],
    ['<01a22100-df31@agents.test >'],
    ['< 01a22100-df31@ agents.test>'],
    ['=?utf-8?Q?=3C01a22100-df31=40agents.test=3E?='],
    ['=?us-ascii?B?PDAxYTIyMTAwLWRmMzFAYWdlbnRzLnRlc3Q+?='],
    ['=?utf-8?Q?=3C01a22100-?= =?utf-8?Q?df31=40agents.test=3E?='],
    ['&lt;01a22100-df31@agents.test&gt;'],
    ['%3C01a22100-df31%40agents.test%3E'],
    ['<<01a22100-df31@agents.test>>'],
    ['Your mail of Monday, <01a22100-df31@agents.test>'],
    ['"Mia" <01a22100-df31@agents.test> (Mia of Monday)'],
  ])('are read however a program spells them: %j', (value) => {
    expect(messageIds([value])).toEqual([ID]);
  });

  it.each([
    ['<a@x.test>,<b@x.test>', ['<a@x.test>', '<b@x.test>']],
    ['<a@x.test><b@x.test> <a@x.test>', ['<a@x.test>', '<b@x.test>']],
    ['a@x.test b@x.test', ['<a@x.test>', '<b@x.test>']],
    ['=?utf-8?Q?=3Ca=40x.test=3E?= <b@x.test>', ['<a@x.test>', '<b@x.test>']],
    ['<A@X.test>', ['<A@X.test>']],
    ['<garbage>', ['<garbage>']],
  ])('are in order, each once: %s', (value, ids) => {
    expect(messageIds([value])).toEqual(ids);
  });

  it.each([
    'Message of mia@shop.test on Monday',
    'mia@shop.test wrote',
    '<a@x.test b@y.test>',
    '<>',
    '< >',
    'Monday',
    '@',
    'a@b@c',
    '',
  ])('are none where nobody can tell an id from words: %s', (value) => {
    expect(messageIds([value])).toEqual([]);
  });

  it('are a hundred at most, and found in time', () => {
    const before = computedMs();
    expect(messageIds([Array.from({ length: 300 }, (_, n) => `<${n}@x.test>`).join(' ')])).toHaveLength(100);
    for (const sign of ['<', '>', '< ', '@', 'a@', '&lt;', '%3c', '=?utf-8?q?', ' ', '<a@b '])
      messageIds([sign.repeat(130_000 / sign.length)]);
    expect(computedMs() - before).toBeLessThan(2000);
  });
});

describe('a mail’s own id', () => {
  it.each([
    ['<a@x.test>', '<a@x.test>'],
    ['a@x.test', '<a@x.test>'],
    ['<a@x.test >', '<a@x.test>'],
    ['nothing', null],
    [null, null],
  ])('%s is %s', (value, id) => {
    expect(ownMessageId(value)).toBe(id);
  });
});
