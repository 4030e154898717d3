import { describe, expect, it } from 'vitest';
import { type DispatcherPhase, nextPhase } from '../../../engine/dispatch/dispatcher.ts';

const phaseAfter = (events: string): DispatcherPhase => {
  let phase: DispatcherPhase = 'idle';
  for (const event of events.split(' ')) phase = nextPhase(phase, event as Parameters<typeof nextPhase>[1]);
  return phase;
};

describe('the phase of a persona', () => {
  it('comes back to idle after a check', () => {
    expect(phaseAfter('woken begun ended')).toBe('idle');
    expect(phaseAfter('woken woken begun ended')).toBe('idle');
  });

  it('is woken again after a check in which it was woken', () => {
    expect(phaseAfter('woken begun woken ended')).toBe('woken');
    expect(phaseAfter('woken begun woken woken ended begun ended')).toBe('idle');
  });

  it('never holds two checks at once', () => {
    expect(() => phaseAfter('woken begun begun')).toThrow();
    expect(() => phaseAfter('begun')).toThrow();
    expect(() => phaseAfter('ended')).toThrow();
  });
});
