import type { FactSource, Proposal } from '../../../../engine/memory/facts/decide.ts';
import type { Fact } from '../../../../engine/storage/types/facts.ts';

export const NOON = Date.parse('2026-11-21T12:00:00Z');
export const DAY_MS = 86_400_000;
export const MIA = 'mia@member.example';
export const OWNER = 'you@example.com';

export const source = (newText: string, change: Partial<FactSource> = {}): FactSource => ({
  message: 'm2',
  messageId: '<m2@x.example>',
  threadId: 't',
  sentBy: MIA,
  tier: 'member',
  newText,
  at: NOON,
  ownWords: [],
  othersWords: [],
  people: new Set<string>(),
  ...change,
});

export const proposal = (text: string, change: Partial<Proposal> = {}): Proposal => ({
  text,
  quote: text,
  kind: 'plan',
  subject: 'author',
  everyone: false,
  asked: true,
  ...change,
});

export const fact = (change: Partial<Fact> = {}): Fact => ({
  id: 'f1',
  subject: MIA,
  kind: 'plan',
  text: 'The flight is at 9',
  quote: 'at 9',
  source_message: 'm1',
  source_message_id: '<m1@x.example>',
  source_tier: 'member',
  thread_id: 't',
  said_by: MIA,
  valid_from: NOON - DAY_MS,
  valid_to: null,
  recorded_at: NOON - DAY_MS,
  refreshed_at: NOON - DAY_MS,
  fresh_ms: 90 * DAY_MS,
  expires_at: NOON + 89 * DAY_MS,
  superseded_by: null,
  disputes: null,
  visibility: 'subject',
  status: 'kept',
  hash: 'h1',
  phrase: 'p1',
  ...change,
});
