import { describe, expect, it } from 'vitest';
import { addressWord, folded, indexed } from '../../../../engine/storage/search/fold.ts';
import { snippetOf } from '../../../../engine/storage/search/snippet.ts';
import { termsOf } from '../../../../engine/storage/search/terms.ts';
import { writtenAt } from '../../../../engine/storage/search/written-at.ts';
import { computedMs } from '../../../computed.ts';

describe('a text as it is compared', () => {
  it.each([
    ['Überweisung Straße', 'uberweisung strasse'],
    ['Décembre naïve', 'decembre naive'],
    ['Łódź Øre', 'lodz ore'],
    ['счёт Й', 'счет и'],
    ['الفاتورة والعقد', 'فاتوره عقد'],
    ['مُحَمَّد', 'محمد'],
    ['ガス', 'ガス'],
    ['ＡＢＣ１２', 'abc12'],
  ])('%s becomes %s', (text, expected) => expect(folded(text)).toBe(expected));

  it('has pairs of letters where there are no spaces', () => {
    expect(indexed('RS36型の注文書 ok').split(/\s+/)).toEqual(['rs36', '型の', 'の注', '注文', '文書', '書', 'ok']);
  });

  it('makes one word of an address that is in no other', () => {
    expect(addressWord('mary-ann@x.example')).not.toContain(` ${addressWord('ann@x.example')}`);
    expect(addressWord('Ann@X.example')).toBe(addressWord('ann@x.example'));
    expect(addressWord('a@b.example')).not.toBe(addressWord('a@b.examples'));
  });
});

const isFound = (query: string, word: string) => termsOf(query).some((term) => term.matches(folded(word)));

describe('the words of a question', () => {
  it.each([
    ['Rechnungen', 'Rechnung'],
    ['Rechnung', 'Rechnungen'],
    ['bestellten', 'Bestellung'],
    ['geliefert', 'Lieferung'],
    ['Vertrag', 'Verträge'],
    ['facturas', 'factura'],
    ['livraisons', 'livraison'],
    ['договору', 'договор'],
    ['deliveries', 'delivered'],
    ['Mueller', 'Müller'],
    ['注文書', '注文書です'],
    ['納期', '納期'],
  ])('%s are found as %s', (query, word) => expect(isFound(query, word)).toBe(true));

  it.each([
    ['Ana', 'Anton'],
    ['4711', '47112'],
    ['rate', 'Rabatt'],
  ])('%s is not %s', (query, word) => expect(isFound(query, word)).toBe(false));

  it('are never read as a query language', () => {
    for (const query of ['"a" OR b', 'NEAR(a b)', 'subject:x', '*', '^a', 'a"b', "a'b", '(a', '{own}: a', '-x']) {
      for (const { expression } of termsOf(query)) expect(expression).toMatch(/^\(?"[^"]*"\*?(?: OR "[^"]*"\*?)*\)?$/);
    }
    expect(termsOf('?! "" \' -')).toEqual([]);
  });

  it('are few, however much is asked', () => {
    const many = Array.from({ length: 5000 }, (_, n) => `word${n}`).join(' ');
    expect(termsOf(many).length).toBeLessThanOrEqual(24);
    expect(termsOf('注'.repeat(5000)).length).toBeLessThanOrEqual(24);
  });

  it('say nothing in the syllables of grammar alone', () => {
    expect(termsOf('先月の注文は').map(({ expression }) => expression)).toEqual(['"先月"', '"注文"']);
  });
});

describe('a snippet', () => {
  const words = Array.from({ length: 400 }, (_, n) => `w${n}`).join(' ');

  it('is about 300 characters around where most of the words stand together', () => {
    const text = `order ${words} the order of batteries for Kiel ${words}`;
    const snippet = snippetOf([text], termsOf('battery order Kiel'));
    expect(snippet).toContain('the order of batteries for Kiel');
    expect(snippet.length).toBeLessThanOrEqual(302);
    expect(snippet.length).toBeGreaterThan(250);
    expect(snippet).toMatch(/^…w\d+ .* w?\d*…$/);
  });

  it('is of the first text that has a word, else the beginning of the first one', () => {
    expect(snippetOf(['one', 'two'], termsOf('two'))).toBe('two');
    expect(snippetOf([' ', 'two'], termsOf('three'))).toBe('two');
    expect(snippetOf(['納期は五月です'], termsOf('納期'))).toBe('納期は五月です');
  });

  it('takes no long time for a long text', () => {
    const started = computedMs();
    snippetOf(['order '.repeat(100_000)], termsOf('order batteries '.repeat(12)));
    expect(computedMs() - started).toBeLessThan(500);
  });
});

it('dates a mail as its sender did, unless that cannot be', () => {
  const noon = Date.parse('2026-11-21T12:00:00Z');
  const at = (text: string) => writtenAt({ date: Date.parse(text), received_at: noon });
  expect(at('2026-10-14T09:00:00Z')).toBe(Date.parse('2026-10-14T09:00:00Z'));
  expect(at('2026-11-30T09:00:00Z')).toBe(noon);
  expect(at('1970-01-01T00:00:00Z')).toBe(noon);
  expect(writtenAt({ date: null, received_at: noon })).toBe(noon);
});
