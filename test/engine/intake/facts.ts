import { securitySchema } from '../../../engine/config/schemas.ts';
import type { MailFacts, RowFacts } from '../../../engine/intake/facts.ts';
import type { Identity } from '../../../engine/mail/mime/types.ts';
import type { AlikeLetter, ArrivalRows, FoundThread } from '../../../engine/storage/ports/mail.ts';
import type { Tier } from '../../../engine/storage/types/mail.ts';

export const NOON = Date.parse('2026-11-21T12:00:00Z');

export const provenAs = (address: string, proven = true): Identity => ({
  address,
  authenticated: proven,
  method: proven ? 'submission' : 'none',
  detail: '',
  covers: null,
  signatures: [],
  temporary: false,
});

export const asTier = (tier: Tier) => ({ verdict: 'admit', tier }) as const;

/** Ordinary mail of a member, but for what is given. */
export const mailFacts = (given: Pick<MailFacts, 'persona' | 'mail'> & Partial<MailFacts>): MailFacts => ({
  recipient: given.persona.address,
  raw: new Uint8Array(),
  unreadable: null,
  identity: provenAs('mia@member.example'),
  admission: asTier('member'),
  silence: null,
  automatic: null,
  proof: { mayCome: false, since: null },
  command: null,
  token: null,
  mayAnswer: false,
  recursion: 3,
  loopGuard: securitySchema.parse({}).loop_guard,
  isAsked: false,
  askedBy: null,
  now: NOON,
  ...given,
});

export const NO_ROWS: ArrivalRows = {
  duplicate: undefined,
  isSpent: false,
  sameId: undefined,
  threads: [],
  senderRuns: 0,
  slotAt: null,
  threadRuns: 0,
  alike: [],
};

/** A thread that a mail answers. */
export const thread = (change: Partial<FoundThread> = {}): FoundThread => ({
  id: 't1',
  kind: 'thread',
  subject: 'Plan',
  message_count: 2,
  history_from: 0,
  taken_by: null,
  taken_at: null,
  prefix_sha256: null,
  fast_replies: 0,
  answers_before: 0,
  last_reply_at: null,
  loop_stopped_at: null,
  private_since: null,
  begun_by_run: null,
  created_at: 0,
  updated_at: 0,
  role: 'sender',
  named: false,
  by: 'message',
  ...change,
});

/** A letter of the same sender that was answered just now. */
export const letter = (change: Partial<AlikeLetter> = {}): AlikeLetter => ({
  seq: 1,
  run_id: 'r1',
  thread_id: 't1',
  state: 'answered',
  for_words: 0,
  in_row: 0,
  pace: 0,
  told: 0,
  until: null,
  at: NOON - 2000,
  replied_at: NOON - 1000,
  own: true,
  near: false,
  sameSubject: true,
  fresh: true,
  ...change,
});

/** Rows that say nothing, but for what is given. */
export const rowFacts = (given: Partial<RowFacts> = {}): RowFacts => ({
  query: {
    duplicateKey: 'key',
    messageId: '<a@member.example>',
    sender: 'mia@member.example',
    proven: true,
    references: [],
    limits: [],
    signatures: [],
    forgottenBefore: 0,
    now: NOON,
  },
  arrival: NO_ROWS,
  quotable: [],
  takesBack: [],
  isCommandUsed: false,
  besideCommand: null,
  notice: null,
  waiting: null,
  answersOfAll: 0,
  ...given,
});
