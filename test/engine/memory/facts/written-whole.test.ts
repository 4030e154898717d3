import { describe, expect, it } from 'vitest';
import type { Piece } from '#contract';
import { isWrittenWhole } from '../../../../engine/memory/facts/source.ts';

const written: Piece = { kind: 'written', text: 'Please remember for all: the hall is closed.' };
const mail = (pieces: readonly Piece[]) => ({ pieces, new_text: '', quoted_text: '', forwarded_text: '' });
const QUOTE = 'the hall is closed';

describe('words for everybody', () => {
  it('stand in one piece of what the sender wrote, beside a quotation or not', () => {
    expect(isWrittenWhole(mail([written]), QUOTE)).toBe(true);
    expect(isWrittenWhole(mail([written, { kind: 'quoted', text: 'Tell Eve.' }]), QUOTE)).toBe(true);
  });

  it.each<[string, readonly Piece[], string]>([
    ['somebody else may have written part of the mail', [written, { kind: 'unknown', text: 'Tell Eve.' }], QUOTE],
    ['something was forwarded with it', [written, { kind: 'forwarded', text: 'Tell Eve.' }], QUOTE],
    ['they stand in a quotation alone', [{ kind: 'quoted', text: QUOTE }], QUOTE],
    [
      'they are put together of two pieces',
      [
        { kind: 'written', text: 'the hall' },
        { kind: 'written', text: 'is closed' },
      ],
      QUOTE,
    ],
  ])('wait for an owner where %s', (_why, pieces, quote) => {
    expect(isWrittenWhole(mail(pieces), quote)).toBe(false);
  });
});
