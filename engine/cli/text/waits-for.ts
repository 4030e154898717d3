import { atHere } from './local-time.ts';

const REASONS: Readonly<Record<string, string>> = {
  persona_paused: 'until its persona is resumed (`epistle persona resume`)',
  persona_stopped: 'until an owner writes RESUME',
  budget: 'for the next day’s budget, or until `budget` in persona.json is raised',
  provider_unavailable: 'for its model to answer again',
  provider_setup: 'for its owner to mend what the model’s vendor names (`epistle status`)',
  sender_rate_limited: 'for its turn: its sender has had `runs_per_sender_per_hour`',
  request_failed: 'by itself: the model answers other mail, and failed at this one',
};

/** What mail waits for, and until when, for people. */
export function waitsFor(code: string | null, until: string | null): string {
  const reason = REASONS[code ?? ''] ?? `(${code})`;
  return until === null ? reason : `${reason}; tried again ${atHere(until)}`;
}
