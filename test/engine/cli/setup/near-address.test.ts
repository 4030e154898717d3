import { describe, expect, it } from 'vitest';
import { nearAddress } from '../../../../engine/cli/commands/setup/steps.ts';

describe('an address whose domain is nearly that of a provider', () => {
  it.each([
    ['a@gmial.com', 'a@gmail.com'],
    ['a@gmail.con', 'a@gmail.com'],
    ['a@hotmial.con', 'a@hotmail.com'],
    ['a@outlok.com', 'a@outlook.com'],
    ['a@fastmial.com', 'a@fastmail.com'],
    ['a@gmx.dee', 'a@gmx.de'],
  ])('%s is asked about', (typed, meant) => {
    expect(nearAddress(typed)).toBe(meant);
  });

  it.each(['a@gmail.com', 'a@yahoo.co.uk', 'a@example.com', 'a@firma.de', 'agents@nas.lan'])('%s is not', (typed) => {
    expect(nearAddress(typed)).toBeNull();
  });
});
