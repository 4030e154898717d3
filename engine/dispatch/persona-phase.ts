/**
 * Where a persona stands with the dispatcher:
 *
 *   idle ──woken──► woken ──begun──► checking ──ended──► idle
 *                     ▲                 │ woken
 *                     └────ended──── checking_again
 *
 * What was woken in the middle of a check is checked again: the check may have read its rows before they were written.
 */
export type Phase = 'idle' | 'woken' | 'checking' | 'checking_again';

export type PhaseEvent = 'woken' | 'begun' | 'ended';

/** The only way from one phase to another. Throws where there is none. */
export function nextPhase(phase: Phase, event: PhaseEvent): Phase {
  const next = NEXT[phase][event];
  if (next === undefined) throw new Error(`a persona that is ${phase} cannot be ${event}`);
  return next;
}

const NEXT: Readonly<Record<Phase, Partial<Record<PhaseEvent, Phase>>>> = {
  idle: { woken: 'woken' },
  woken: { woken: 'woken', begun: 'checking' },
  checking: { woken: 'checking_again', ended: 'idle' },
  checking_again: { woken: 'checking_again', ended: 'woken' },
};
