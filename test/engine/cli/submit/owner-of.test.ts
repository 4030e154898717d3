import { describe, expect, it } from 'vitest';
import { ownerOf } from '../../../../engine/cli/submit/write-mail.ts';

const OWNERS: Readonly<Record<string, readonly string[]>> = {
  'ada@x': ['boss@x', 'mia@x'],
  'ben@x': ['zoe@x', 'boss@x'],
  'cleo@x': ['carol@x'],
};

const workspace = (owners: readonly string[]) =>
  ({
    live: {
      current: () => ({ security: { owners } }),
      personas: () => ({
        byAddress: (address: string) => {
          const own = OWNERS[address];
          return own && { state: 'ready', persona: { owners: own } };
        },
      }),
    },
  }) as unknown as Parameters<typeof ownerOf>[0];

describe('whoever a command writes as', () => {
  it.each([
    [[], 'boss@x'],
    [['ada@x'], 'boss@x'],
    [['ben@x'], 'boss@x'],
    [['cleo@x'], 'carol@x'],
    [['ada@x', 'cleo@x'], 'boss@x'],
    [['elsewhere@x'], 'boss@x'],
  ])('%j is an owner of whom they write to: %s', (to, owner) => {
    expect(ownerOf(workspace(['boss@x']), to)).toBe(owner);
  });

  it('is an owner of the persona where the workspace has none, and somebody has to be', () => {
    expect(ownerOf(workspace([]), ['cleo@x'])).toBe('carol@x');
    expect(() => ownerOf(workspace([]), ['elsewhere@x'])).toThrow(/no owner is set/);
  });
});
