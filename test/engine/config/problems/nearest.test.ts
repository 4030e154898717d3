import { describe, expect, it } from 'vitest';
import { editDistance, nearestOf } from '../../../../engine/lib/text/nearest.ts';

describe('a misspelt name', () => {
  it.each([
    ['adress', 'address'],
    ['ownres', 'owners'],
    ['Timezone', 'timezone'],
    ['mail_box', 'mailbox'],
  ])('%s is taken for %s', (written, meant) => {
    expect(nearestOf(written, ['name', 'address', 'owners', 'timezone', 'mailbox'])).toBe(meant);
  });

  it('is taken for nothing when nothing is near', () => {
    expect(nearestOf('colour', ['name', 'address', 'owners'])).toBeNull();
    expect(nearestOf('x', ['id', 'to'])).toBeNull();
  });

  it('costs nothing when it is absurdly long', () => {
    expect(nearestOf('address'.repeat(100_000), ['address'])).toBeNull();
  });
});

describe('the distance of two names', () => {
  it('counts a swap of neighbours as one', () => {
    expect(editDistance('prot', 'port')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('same', 'same')).toBe(0);
  });
});
