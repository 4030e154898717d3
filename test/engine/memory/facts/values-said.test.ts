import { describe, expect, it } from 'vitest';
import { numbersAreSaid } from '../../../../engine/memory/facts/decide.ts';

const AT = Date.parse('2026-11-21T12:00:00Z');

// [what is remembered, what the mail says]
describe('the numbers of a fact', () => {
  it.each([
    ['no number at all', 'whatever it says'],
    ['The budget is 1250 euros', 'Our budget is 1.250,00 €.'],
    ['The budget is 1,250.00 euros', 'Our budget is 1250 €.'],
    ['The budget is 1 250 euros', 'Our budget is 1250 €.'],
    ['The code is 0042', 'It is 0042, please.'],
    ['Call +49 171 2345678', 'Tel. +49 (171) 23-45-678'],
    ['Account DE89370400440532013000', 'DE89 3704 0044 0532 0130 00'],
    ['The flight is on 2026-11-22 at 9:30', 'My flight is tomorrow at half past nine.'],
    ['The flight is on 22.11.2026', 'My flight is tomorrow.'],
    ['Der Flug geht am 3. 5. 2027', 'Mein Flug geht am dritten Mai.'],
    ['The trade fair is in May 2027', 'The trade fair is in May.'],
    ['2027年5月3日に引っ越す', '来年の五月三日に引っ越します'],
    ['Has 2 children, 11 and 14', 'My two children are eleven and fourteen.'],
    ['Room 2 300 euros', 'Room 2: it is 300 euros.'],
    ['The order is 4711', 'الطلب ٤٧١١'],
    ['Born in 1987', 'I was born in 1987.'],
    ['The offers are 450 and 900', 'Offers: 450, 900'],
  ])('%s, where the mail says %s, are said', (text, mail) => {
    expect(numbersAreSaid(text, mail, AT)).toBe(true);
  });

  it.each([
    ['The budget is 1350 euros', 'Our budget is 1.250,00 €.'],
    ['The budget is 12500 euros', 'Our budget is 1.250 €.'],
    ['Call +49 171 2345679', 'Tel. +49 (171) 23-45-678'],
    ['Account DE89370400440532013001', 'DE89 3704 0044 0532 0130 00'],
    ['The order is 471', 'The order is 4711.'],
    ['Born in 1987', 'I am as old as the bridge.'],
    ['The contract ends on 2035-01-01', 'It ends in some years.'],
    ['The offers are 450 and 901', 'Offers: 450, 900'],
  ])('%s, where the mail says %s, are not', (text, mail) => {
    expect(numbersAreSaid(text, mail, AT)).toBe(false);
  });

  it('of a mail of a hundred thousand numbers take no time to look up', () => {
    const mail = Array.from({ length: 100_000 }, (_, n) => String(1000 + n)).join(' ');
    expect(numbersAreSaid('It is 77777', mail, AT)).toBe(true);
    expect(numbersAreSaid('It is 777770', mail, AT)).toBe(false);
  });
});
