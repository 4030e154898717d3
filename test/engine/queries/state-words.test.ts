import { describe, expect, it } from 'vitest';
import {
  actorInWords,
  approvalInWords,
  cameInWords,
  eventInWords,
  leavingInWords,
  outcomeInWords,
  runInWords,
  verdictInWords,
} from '../../../engine/queries/state-words.ts';

describe('a state in a table', () => {
  it.each([
    [approvalInWords('executed', false), 'approved, done'],
    [approvalInWords('stale', false), 'not asked any more'],
    [approvalInWords('executed', true), 'answered'],
    [runInWords('waiting_approval'), 'waits for you'],
    [outcomeInWords('final'), 'answered'],
    [outcomeInWords('silent:condition'), 'silent:condition'],
    [leavingInWords('unknown'), 'not known whether it was sent'],
    [cameInWords('recorded', 'stop_command'), 'not answered: an owner stopped or resumed the work'],
    [cameInWords('duplicate', 'duplicate'), 'came again'],
    [cameInWords('refused', 'auth_failed'), 'refused: nothing proves who wrote it'],
  ])('is said in words: %s', (said, words) => {
    expect(said).toBe(words);
  });

  it('without words has no underscores', () => {
    expect(cameInWords('recorded', 'sent_by_pigeon')).toBe('not answered: sent by pigeon');
  });
});

describe('a row of the audit log', () => {
  it('says who decided what about a sender', () => {
    expect([eventInWords('sender_decided'), actorInWords('timer')]).toEqual(['who may write', 'time ran out']);
    expect(verdictInWords('sender_decided', 'block', false)).toBe('kept out');
  });

  it('says who came into the console', () => {
    expect([eventInWords('console_log_in'), verdictInWords('console_log_in', 'viewer', false)]).toEqual([
      'came into the console',
      'viewer',
    ]);
    expect(verdictInWords('console_log_in_refused', 'too_many', false)).toBe('too many tries');
  });

  it('calls a question answered that an owner answered with no', () => {
    expect(verdictInWords('approval_decided', 'approved', true)).toBe('answered');
    expect(verdictInWords('approval_decided', 'rejected', false)).toBe('denied');
  });
});
