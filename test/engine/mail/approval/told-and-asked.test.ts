import { describe, expect, it } from 'vitest';
import { readReply } from '../../../../engine/mail/approval/approval-answer.ts';

// A yes that is a sentence of its own, then what only seems to tell something, then what is asked for.

const read = (words: string, language: string, items: readonly number[] = [1]) =>
  readReply(words, items, undefined, language).answer;

describe('a yes, and what is asked for behind other sentences', () => {
  it.each([
    ['Ja. Carol muss zustimmen. Sag Tom Bescheid.', 'de'],
    ['Ja. Die Rechtsabteilung muss draufschauen. Sag Tom Bescheid.', 'de'],
    ['Yes. Carol must be asked. Tell Tom about it.', 'en'],
    ['Yes. Legal must sign off. Tell Tom about it.', 'en'],
    ['Yes. Carol must see it. Tell Tom about it.', 'en'],
    ['Sì. Serve il benestare di Carol. Di a Tom che arrivo.', 'it'],
    ['Ja. Bob bekommt eine eigene Fassung. Sag Kolbe das.', 'de'],
    ['Yes. To Carol please. And tell Tom.', 'en'],
    ['Yes. The second one. Tell Tom that I call.', 'en'],
    ['Ja. Wenn Kolbe das so will. Sag ihm das.', 'de'],
    ['Ja. Kommt Kolbe denn jetzt schon? Sag das Frau Aydin.', 'de'],
    ['Yes. Make the letter a bit shorter. Tell Tom.', 'en'],
    ['ja klar. Kolbe ist unterwegs, gegen 11 Uhr. Sag das Frau Aydin bitte.', 'de'],
    ['Ja. Die 480 sind ok, sag Kolbe das.', 'de'],
  ])('is no yes, since nobody knows what stands between, and names the rest: %s', (words, language) => {
    const answer = read(words, language);
    expect(answer.kind).toBe('ambiguous');
    expect(answer).toHaveProperty('beside', expect.stringContaining(words.split(/[.?] /).at(-1) ?? ''));
  });

  it('is a yes to both where nothing stands between', () => {
    expect(read('Ja, beides. Und bestell bei fritz@test.example die 6 kg', 'de', [1, 2])).toEqual({
      kind: 'approve',
      items: [1, 2],
      beside: 'Und bestell bei fritz@test.example die 6 kg',
    });
  });
});
