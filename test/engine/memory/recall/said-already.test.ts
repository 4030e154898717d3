import { describe, expect, it } from 'vitest';
import { SaidAlready } from '../../../../engine/memory/recall/said-already.ts';

const WALL = 'The wall behind it is not quite straight, so somebody ought to measure it again before anything is cut';

/** What is shown of a piece of a text beside a mail. */
function shown(mail: string, text: string, { from = 0, to = text.length } = {}): string | null {
  const said = new SaidAlready();
  said.add(mail);
  const extent = said.newIn(text, { from, to });
  return extent && text.slice(extent.from, extent.to);
}

describe('an excerpt beside what the mail says', () => {
  it('is left out where the mail has all of its words in a row', () => {
    expect(shown(`Hello,\n\n${WALL}.`, `${WALL}.`)).toBeNull();
    expect(shown(`Hello,\n\n${WALL}.`, WALL.toUpperCase())).toBeNull();
  });

  it('loses what the mail has at its end or its beginning, but for three words that tell what it belongs to', () => {
    expect(shown(WALL, `The frame costs 450 EUR. ${WALL}.`)).toBe('The frame costs 450 EUR. The wall behind');
    expect(shown(WALL, `${WALL}. The frame costs 450 EUR.`)).toBe('anything is cut. The frame costs 450 EUR.');
  });

  it('keeps what only it says, wherever it stands', () => {
    const between = WALL.replace('somebody', 'Olga from the workshop');
    expect(shown(WALL, between)).toBe('quite straight, so Olga from the workshop ought to measure');
    expect(shown(WALL, 'We measure it again on Tuesday')).toBe('We measure it again on Tuesday');
    expect(shown(WALL, '450 EUR')).toBe('450 EUR');
    expect(shown('', WALL)).toBe(WALL);
  });

  it('is judged by its whole words: where it was cut, half of one may stand', () => {
    const text = `Best wishes. ${WALL} tomorrow`;
    const from = text.indexOf('e wall');
    expect(shown(WALL, text, { from, to: text.indexOf('orrow') })).toBeNull();
    expect(shown(WALL, text, { from: 0, to: text.indexOf('orrow') })).toBe('Best wishes. The wall behind');
  });

  it('is not the text of nothing', () => {
    expect(shown(WALL, '…')).toBe('…');
  });
});
