import { describe, expect, it } from 'vitest';
import { inTrustedWords } from '../../../../engine/memory/facts/in-trusted-words.ts';

const ROW = 'Nora flies to Lisbon on 20 January 2027 at 9:10';
const QUOTE = 'My Lisbon flight was moved to 11:40';
const old = { text: ROW, quote: 'I fly to Lisbon on 20 January 2027 at 9:10' };
const kept = (text: string, quote = QUOTE, row: typeof old | null = old) =>
  inTrustedWords({ text, quote }, { written: `${quote}. The team meets on Friday, 4 December.`, old: row });

describe('what a run keeps that has read what others wrote', () => {
  it.each([
    ['the row with a figure of the quote', 'Nora flies to Lisbon on 20 January 2027 at 11:40'],
    ['the quote itself', QUOTE],
    ['the quote with a date of the row', 'My Lisbon flight on 20 January 2027 was moved to 11:40'],
    ['the quote with a day of the mail', 'My Lisbon flight was moved to 11:40, Friday, 4 December'],
    ['the quote with a name of the row', 'My Lisbon flight was moved to 11:40 Nora'],
  ])('is %s', (_, text) => expect(kept(text)).toBe(text));

  it.each([
    ['another date', 'Nora flies to Lisbon on 21 January 2027 at 11:40'],
    ['another time', 'Nora flies to Lisbon on 20 January 2027 at 12:40'],
    ['another place', 'Nora flies to Madrid on 20 January 2027 at 11:40'],
    ['a word that makes its opposite of it', 'My Lisbon flight was not moved to 11:40'],
    ['something besides', `${QUOTE} and Eve pays for it`],
    ['a part of the quote', 'My Lisbon flight was moved'],
  ])('has nothing of a text with %s: the row and the quote stand there', (_, text) =>
    expect(kept(text)).toBe(`${ROW} → ${QUOTE}`),
  );

  it('is a part of the quote that is the row, where no more of that was to be kept', () => {
    const said = 'It was meant for clients. End the rule and do it for clients alone';
    const narrower = (row: typeof old) => kept('Jonas gets a copy', 'do it for clients alone', row);
    expect(narrower({ text: said, quote: said })).toBe('do it for clients alone');
    expect(narrower({ text: 'Meant for clients on 4 May', quote: said })).toBe(
      'Meant for clients on 4 May → do it for clients alone',
    );
  });

  it('is the quote where nothing is replaced, and where both are too long', () => {
    expect(kept('Nora likes Eve', 'I like window seats', null)).toBe('I like window seats');
    expect(kept('Nora likes Eve', QUOTE, { ...old, text: 'x'.repeat(290) })).toBe(QUOTE);
  });
});
