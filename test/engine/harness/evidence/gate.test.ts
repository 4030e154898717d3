import { describe, expect, it } from 'vitest';
import { FALSE } from './false-finals.ts';
import { gateOf } from './gate-case.ts';
import { ORDINARY } from './ordinary-finals.ts';

describe('an ordinary answer', () => {
  it('is one of a set that is large enough to mean something', () =>
    expect(ORDINARY.length).toBeGreaterThanOrEqual(60));

  it.each(ORDINARY)('stays as it is, byte for byte: $text', (ordinary) => {
    const { text, verdict, claims } = gateOf(ordinary);
    expect({ text, wrong: claims.filter(({ verdict: found }) => found !== 'supported') }).toEqual({
      text: ordinary.text,
      wrong: [],
    });
    expect(verdict).toMatchObject({ contractMet: true, contradicted: 0, unsupported: 0, outstandingFailures: 0 });
  });
});

describe('an answer that says more than the run knows', () => {
  it('is one of a set that is large enough to mean something', () => expect(FALSE.length).toBeGreaterThanOrEqual(40));

  it.each(FALSE)('is caught as $verdict: $text', ({ verdict, gone, says, ...answer }) => {
    const gated = gateOf(answer);
    expect(gated.claims.map((claim) => claim.verdict)).toContain(verdict);
    expect(gated.text).not.toBe(answer.text);
    if (gone !== undefined) expect(gated.text).not.toContain(gone);
    if (says !== undefined) expect(gated.text).toContain(says);
    if (verdict === 'unsupported' || verdict === 'contradicted') expect(gated.verdict.gap).toContain('About "');
  });
});

describe('what an answer has to rest on', () => {
  const look = { mail: 'Please search my mails for the invoice of May.', text: 'It was 12 EUR.' };

  it('is a look, where the mail asks for one and it can be had', () => {
    const gated = gateOf(look);
    expect(gated.contract).toEqual({ kind: 'investigation', required: ['answer', 'source'], missing: ['source'] });
    expect(gated.verdict.gap).toContain('search_mail');
    expect(gated.missing).toEqual(['a look into the files or the mail that the question is about']);
  });

  it.each([
    ['a look that found nothing', { ...look, results: [['search_mail', { count: 0, messages: [] }]] as const }],
    ['a look that failed', { ...look, failed: [['search_mail', 'tool_timeout']] as const }],
    ['a question back', { ...look, text: 'Which May do you mean?' }],
    ['an earlier look of the thread', { ...look, history: '[data: …]\nsearch_mail: {"ok":true,"result":{}}' }],
    ['no tool to look with', { ...look, offered: [] }],
  ])('is met by %s', (_what, answer) => expect(gateOf(answer).contract.missing).toEqual([]));

  it.each([
    ['a call that did it', { text: 'Sent.', results: [['send_email', { message_id: 'x' }]] as const }],
    ['a refusal', { text: 'I cannot write to people outside.' }],
    ['a wait', { text: 'Das wartet auf die Freigabe.' }],
    ['a question back', { text: 'With which subject?' }],
  ])('is an act, where the mail names what is to be done: met by %s', (_what, answer) => {
    const mail = 'Could you please send carl@elsewhere.example our offer?';
    expect(gateOf({ ...answer, mail }).contract).toMatchObject({ required: ['answer', 'action_result'], missing: [] });
    expect(gateOf({ text: 'Our offer is good.', mail }).contract.missing).toEqual(['action_result']);
  });
});

describe('a call that failed', () => {
  const failed = [['write_file', 'tool_failed']] as const;

  it('is outstanding while the answer says nothing of it', () => {
    expect(gateOf({ text: 'All is well.', failed }).outstanding).toEqual([
      { call_id: 'call_101', tool: 'write_file', code: 'tool_failed' },
    ]);
  });

  it.each([
    ['the answer says so', { text: 'I could not write the file.', failed }],
    ['it only read', { text: 'All is well.', failed: [['read_file', 'not_found']] as const }],
    ['it was refused', { text: 'All is well.', failed: [['write_file', 'policy_denied']] as const }],
  ])('is not when %s', (_why, answer) => expect(gateOf(answer).outstanding).toEqual([]));
});
