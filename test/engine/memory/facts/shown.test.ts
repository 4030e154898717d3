import { describe, expect, it } from 'vitest';
import { isOwnWord, readerOf } from '../../../../engine/memory/facts/shown.ts';
import type { Fact } from '../../../../engine/storage/types/facts.ts';

const MIA = 'mia@member.example';
const FACT: Fact = {
  ...{ id: 'f0123456789', subject: MIA, said_by: MIA, source_tier: 'member', visibility: 'subject', status: 'kept' },
  ...{ kind: 'plan', text: 'The flight is at 9', quote: 'My flight is at 9', hash: 'h', phrase: 'p' },
  ...{ source_message: 'm', source_message_id: null, thread_id: 't', valid_from: 0, valid_to: null, recorded_at: 0 },
  ...{ refreshed_at: 0, fresh_ms: null, expires_at: null, superseded_by: null, disputes: null },
};
const MAIL: Parameters<typeof readerOf>[0] = {
  ...{ kind: 'message', tier: 'member', sender: 'Mia@member.example', thread_id: 't2' },
};

describe('what is remembered', () => {
  it('is of whoever said it of themselves', () => {
    expect(isOwnWord(FACT, readerOf(MAIL))).toBe(true);
  });

  it.each([
    ['about somebody else', { subject: 'ben@member.example' }, {}],
    ['said by somebody else', { said_by: 'olga@owner.example' }, {}],
    ['said as an owner', { source_tier: 'owner' }, {}],
    ['for everybody', { subject: 'persona', visibility: 'persona' }, {}],
    ['shown to owners alone', { visibility: 'owner' }, {}],
    ['forgotten already', { status: 'forgotten' }, {}],
    ['asked for by a task', {}, { kind: 'task' }],
    ['asked for by a child run', {}, { kind: 'delegation' }],
    ['asked for by an address that nobody proved', {}, { tier: 'unauthenticated' }],
    ['asked for by nobody', { subject: '', said_by: '' }, { sender: null }],
  ] satisfies [string, Partial<Fact>, Partial<typeof MAIL>][])('is not theirs where it is %s', (_what, fact, run) => {
    expect(isOwnWord({ ...FACT, ...fact }, readerOf({ ...MAIL, ...run }))).toBe(false);
  });
});
