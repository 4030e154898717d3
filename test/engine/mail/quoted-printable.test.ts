import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createQuotedPrintable } from '../../../engine/mail/mime/transfer.ts';
import { computedMs } from '../../computed.ts';

const decoded = (...pieces: readonly string[]) => {
  const decoding = createQuotedPrintable();
  const read = pieces.map((piece) => decoding.write(Buffer.from(piece, 'latin1')));
  return Buffer.concat([...read, decoding.end()]).toString('latin1');
};

describe('quoted-printable', () => {
  it.each([
    ['caf=E9=20=\r\nau lait  \r\nand  more', 'caf\u00e9 au lait\r\nand  more'],
    ['a=3d=3D=\nb', 'a==b'],
    ['soft = \t\r\nbreak', 'soft break'],
    ['split =4=\r\n1', 'split A'],
    ['not =G1 = and =4', 'not =G1 = and =4'],
    ['the end=', 'the end'],
    ['the end  ', 'the end'],
    ['8 bit \u00e9\u00ff', '8 bit \u00e9\u00ff'],
  ])('reads %j', (encoded, text) => {
    expect(decoded(encoded)).toBe(text);
  });

  it('reads the same wherever its pieces end', () => {
    const bits = fc.constantFrom('=', '=4', '=41', '=e9', '=\r\n', '= \n', ' ', '\t', '\n', '\r\n', '\r', 'a', '=G1');
    const piece = fc.array(bits, { maxLength: 8 }).map((list) => list.join(''));
    const property = fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const whole = pieces.join('');
      expect(decoded(...pieces)).toBe(decoded(whole));
      expect(decoded(...whole)).toBe(decoded(whole));
    });
    fc.assert(property, { numRuns: 3000 });
  });

  it('passes on a line without an end, and takes little time for blanks and signs', () => {
    const started = computedMs();
    for (const unit of [' ', '=', '=4', '=41', '\t=']) {
      const decoding = createQuotedPrintable();
      const piece = Buffer.from(unit.repeat(Math.floor(65_536 / unit.length)));
      let bytes = 0;
      for (let n = 0; n < 40; n += 1) bytes += decoding.write(piece).length;
      expect(bytes).toBeGreaterThan(400_000);
    }
    expect(computedMs() - started).toBeLessThan(5000);
  });
});
