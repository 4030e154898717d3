import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { valuesOfArguments } from '../../../../engine/policy/values/argument-values.ts';
import { urlKey, valuesInText } from '../../../../engine/policy/values/values.ts';
import { computedMs } from '../../../computed.ts';

const WRITES = { changes: true, connects: false };
const FETCHES = { changes: false, connects: true };
const said = (args: Json, reading = WRITES) =>
  valuesOfArguments(args, reading).map(
    ({ kind, said: text, at, isBare }) => `${at}: ${kind} ${text}${isBare ? '?' : ''}`,
  );

describe('the values of a text', () => {
  it.each([
    ['See https://x.example/a?b=1#top.', 'https://x.example/a?b=1'],
    ['(https://x.example/a)', 'https://x.example/a'],
    ['[a](https://x.example/a) and', 'https://x.example/a'],
    ['<https://x.example/a>', 'https://x.example/a'],
    ['**https://x.example/a**, or', 'https://x.example/a'],
    ["'https://x.example/a'", 'https://x.example/a'],
    ['https://x.example/a(b)', 'https://x.example/a(b)'],
    ['HTTPS://X.Example', 'https://x.example/'],
    ['www.x.example/a', 'https://www.x.example/a'],
    ['{"url":"https://x.example/a\\nmore"}', 'https://x.example/a'],
    ['https://x.example/日本。次', 'https://x.example/%E6%97%A5%E6%9C%AC'],
    ['https://[2001:db8::1]:8080/a', 'https://[2001:db8::1]:8080/a'],
  ])('are in %o the URL %o', (text, url) => {
    expect([...valuesInText(text).urls]).toContain(url);
  });

  it.each([
    ['https://x.example/ab', 'https://x.example/a'],
    ['https://x.example/a?b=1', 'https://x.example/a'],
    ['http://x.example/a', 'https://x.example/a'],
    ['https://x.example/A', 'https://x.example/a'],
    ['ahttps ://x.example/a', 'https://x.example/a'],
  ])('are in %o not the URL %o', (text, url) => {
    expect([...valuesInText(text).urls]).not.toContain(url);
  });

  it.each([
    ['Write to <Carl@X.example>.', 'carl@x.example'],
    ["'carl@x.example'", 'carl@x.example'],
    ['mailto:carl@x.example?subject=Hi', 'carl@x.example'],
    ['carl@x.example.', 'carl@x.example'],
    ['carl@MÜNCHEN.example', 'carl@xn--mnchen-3ya.example'],
  ])('are in %o the address %o', (text, address) => {
    expect([...valuesInText(text).addresses]).toContain(address);
  });

  it.each([
    ['1.250,50 EUR', '1250.5'],
    ['$1,250.50', '1250.5'],
    ["CHF 1'250", '1250'],
    ['1 250 zł', '1250'],
    ['007', '7'],
    ['1\u2009250 €', '1250'],
    ['١٬٢٥٠٫٥ EUR', '1250.5'],
    ['€1.25k', '1250'],
    ['1.5 million dollars', '1500000'],
    ['3万円を', '30000'],
    ['2千萬元', '20000000'],
    ['Tube 28 inch,12.80,22', '12.8'],
    ['Chain,19.90,9', '19.9'],
    ['Chain,19.90,9', '9'],
    [`${'1.25,'.repeat(20)}19.90`, '19.9'],
  ])('are in %o the number %o', (text, number) => {
    expect([...valuesInText(text).amounts]).toContain(number);
  });

  it.each([
    ['$1,250.50', '250.5'],
    ['1.250,50 EUR', '1.25'],
    ['12,34,567.80', '34'],
  ])('are not in %o the number %o, which is a part of one', (text, number) => {
    expect([...valuesInText(text).amounts]).not.toContain(number);
  });

  it.each([
    ['€ 50', true],
    ['50€', true],
    ['USD 50', true],
    ['50 CHF', true],
    ['50 pages', false],
    ['50 ALLES', false],
    ['room 50', false],
    ['50 Euro', true],
    ['50 US dollars', true],
    ['50 zł', true],
    ['50,- Fr.', true],
    ['50円です', true],
    ['Rs. 50', true],
    ['kr 50', true],
    ['Total (EUR): 50', true],
    ['| 50 | EUR |', true],
    ['$⁵⁰', true],
    ['ＥＵＲ ５０', true],
    ['50 European cities', false],
    ['50 m of cable', false],
    ['room 50, Euro Street', false],
  ])('say of %o that it is money: %o', (text, isMoney) => {
    expect(valuesInText(text).money.has('50')).toBe(isMoney);
  });

  it.each([
    ['addresses', 'a@'],
    ['long names before an @', `${'x'.repeat(63)}@`],
    ['web addresses', 'https://a.!,; '],
    ['one web address without an end', 'https://x.example/'],
    ['digits', '1'],
    ['numbers with points', '1.'],
    ['dots and letters', 'a.'],
    ['brackets', "https://x.example/',)]"],
    ['beginnings of accounts', 'AT 61 '],
    ['what could be wallets', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb '],
    ['sums', '5 Mio. '],
    ['quotes', `'"`],
  ])('are found in a megabyte of %s in less than half a second', (_what, part) => {
    const text = part.repeat(Math.ceil(1e6 / part.length));
    const before = computedMs();
    valuesInText(text);
    valuesOfArguments({ body: text.slice(0, 100_000) }, WRITES);
    expect(computedMs() - before).toBeLessThan(500);
  });
});

describe('the values of a call', () => {
  it.each<[string, Json, string[]]>([
    [
      'addresses in lists',
      { to: ['Carl <c@x.example>'], cc: ['d@x.example'] },
      ['to: address c@x.example', 'cc: address d@x.example'],
    ],
    [
      'what stands in prose',
      { body: 'Pay 500 EUR at https://x.example/p.' },
      ['body: url https://x.example/p', 'body: amount 500'],
    ],
    ['what lies deep', { a: { b: [{ c: 'e@x.example' }] } }, ['a: address e@x.example']],
    ['the names of fields', { headers: { 'f@x.example': 'x' } }, ['headers: address f@x.example']],
    ['a number named as money', { total_amount: 12.5, feeEur: 3 }, ['total_amount: amount 12.5', 'feeEur: amount 3']],
    ['a number beside a currency', { v: 12, currency: 'EUR' }, ['v: amount 12']],
    ['a bare number', { count: 12, size: '7' }, ['count: amount 12?', 'size: amount 7?']],
    ['thousands that a letter means', { body: 'You owe €5k.' }, ['body: amount 5 k']],
    ['no names of files', { attachments: ['report.md', 'a.zip'], subject: 'Re: plan.v2' }, []],
    ['no dates and times', { at: '2026-11-21T12:00:00Z', text: 'at 12:30, on 3.4.' }, []],
  ])('are %s', (_what, args, expected) => {
    expect(said(args)).toEqual(expected);
  });

  const IBAN = 'DE89 3704 0044 0532 0130 00';
  it.each([
    ['with blanks', `to ${IBAN} now`],
    ['in other groups', 'DE 89 37040044 0532013000'],
    ['with points', IBAN.replaceAll(' ', '.')],
    ['with slashes', IBAN.replaceAll(' ', '/')],
    ['with dashes', IBAN.replaceAll(' ', '–')],
    ['with two blanks', IBAN.replaceAll(' ', '  ')],
    ['over lines', IBAN.replaceAll(' ', '\n')],
    ['in a table', `| ${IBAN.replaceAll(' ', ' | ')} |`],
    ['sign by sign', [...IBAN.replaceAll(' ', '')].join(' ')],
    ['behind its name', `IBAN${IBAN.replaceAll(' ', '')}`],
    ['in wide letters', 'ＤＥ89 3704 0044 0532 0130 00'],
    ['in letters of another alphabet', 'DЕ89 3704 0044 0532 0130 00'],
    ['in front of words in capitals', `${IBAN} FROM NOW ON`],
    ['behind what looks like one', `AB12 ${IBAN}`],
    ['behind words that look like one', `due at 10 ${IBAN}`],
  ])('have an account, written %s', (_how, body) => {
    const found = valuesOfArguments({ body }, WRITES).filter(({ kind }) => kind === 'account');
    expect(found.map(({ keys }) => keys)).toEqual([['DE89370400440532013000']]);
    expect(valuesInText(`Pay to ${IBAN}.`).hasAccount(found[0]?.keys[0] ?? '')).toBe(true);
  });

  it.each([
    'Meet us at 10 at the station, is 12 too late for 4 of you, or 5?',
    'DE89 3704 0044 0532 0130 01',
    'Order AB12-34567-8901-2345, of 2026-11-21 12:30.',
    '3f2504e04f8941d39a0c0305e82c3301',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
  ])('have no account in %o', (body) => {
    expect(valuesOfArguments({ body }, WRITES).filter(({ kind }) => kind === 'account')).toEqual([]);
  });

  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  ])('have the wallet %o', (wallet) => {
    expect(said({ body: `Pay to ${wallet}.` })).toEqual([`body: account ${wallet}`]);
  });

  it.each(['evil.example:8080/a', 'evil.example?d=4242', 'smb://evil.example/a', 'file://evil.example/a'])(
    'have the link %o',
    (link) => {
      expect(said({ body: `See ${link} today` })).toEqual([`body: url ${link}`]);
    },
  );

  it.each([
    'https:/evil.example/?d=1',
    'HTTPS:\\\\evil.example/?d=1',
    ' https://evil.example/?d=1 and more ',
    'ht\ntps://evil.example/?d=1',
  ])('that goes to the web are whatever it would be asked for: %o', (url) => {
    const [value, ...more] = valuesOfArguments({ url }, FETCHES);
    expect(value).toMatchObject({ kind: 'url', keys: [urlKey(url)] });
    expect(value?.keys[0]).toContain('evil.example/?d=1');
    expect(more).toEqual([]);
  });

  it('that goes to hosts are their names, and of one that only reads no numbers', () => {
    expect(said({ host: 'x.example:8080', ip: '10.0.0.1', limit: 50, ratio: '1.5' }, FETCHES)).toEqual([
      'host: host x.example:8080',
      'ip: host 10.0.0.1',
    ]);
  });
});
