import { describe, expect, it } from 'vitest';
import { exitCodeOf, resultsOf } from '../../../../engine/cli/submit/results.ts';
import type { SubmitResult } from '../../../../engine/cli/submit/types.ts';
import type { SeenMail } from '../../../../engine/storage/types/gateway.ts';

const ADA = 'ada@agents.localhost';
const letter = { raw: new Uint8Array(), messageId: '<m@x>', from: 'mia@x.example', to: [ADA], asSubmission: true };
const row = (fields: Partial<SeenMail>): SeenMail => ({
  id: 1,
  message_id: '<m@x>',
  persona_id: 'ada',
  recipient: ADA,
  direction: 'in',
  decision: 'accepted',
  code: null,
  from_address: 'mia@x.example',
  tier: 'member',
  detail: null,
  subject: '',
  received_at: 0,
  thread_id: 't1',
  run_id: 'r1',
  kept_sha256: null,
  mailbox: null,
  uidvalidity: null,
  uid: null,
  ...fields,
});
const settle = (options: Partial<Parameters<typeof resultsOf>[0]>) =>
  resultsOf({
    letter,
    rows: [],
    smtp: new Map(),
    error: null,
    findPersona: (address) => (address === ADA ? 'ada' : null),
    ...options,
  });

describe('what became of a letter', () => {
  it('is what its row says, however the address was written', () => {
    const to = ['ADA@agents.localhost'];
    expect(settle({ letter: { ...letter, to }, rows: [row({})] })).toMatchObject([
      { recipient: 'ADA@agents.localhost', persona: 'ada', decision: 'accepted', run_id: 'r1', thread_id: 't1' },
    ]);
  });

  it('is a refusal with the listener’s words when nobody wrote a row', () => {
    const smtp = (text: string) => settle({ smtp: new Map([[ADA, text]]), findPersona: () => null });
    expect(smtp('550 5.1.1 No such mailbox here')).toMatchObject([{ decision: 'refused', code: 'unknown_recipient' }]);
    expect(smtp('552 5.3.4 Message too big')).toMatchObject([{ decision: 'refused', code: 'message_too_large' }]);
    expect(smtp('451 4.3.0 Try again later')).toMatchObject(
      [{ decision: 'refused', code: null, smtp: /^451/ }].map((one) => ({
        ...one,
        smtp: expect.stringMatching(one.smtp),
      })),
    );
  });

  it('is a refusal when a real sender would be told to come back', () => {
    expect(settle({ rows: [row({ decision: 'deferred', code: 'auth_failed', run_id: null })] })).toMatchObject([
      { decision: 'refused', code: 'auth_failed', run_id: null },
    ]);
  });
});

describe('the exit code', () => {
  const base: SubmitResult = {
    recipient: ADA,
    persona: 'ada',
    decision: 'accepted',
    code: null,
    smtp: null,
    run_id: 'r1',
    thread_id: 't1',
  };
  it.each<[string, Partial<SubmitResult>[], number]>([
    ['accepted without waiting', [{}], 0],
    ['answered', [{ status: 'done' }], 0],
    ['recorded, which has no run to wait for', [{ decision: 'recorded', status: null }], 0],
    ['refused', [{ decision: 'refused', status: null }], 1],
    ['a dead letter', [{ decision: 'dead_letter' }], 1],
    ['waiting for an approval', [{ status: 'waiting_approval' }], 3],
    ['not done when the waiting ended', [{ status: 'running' }], 3],
    ['failed', [{ status: 'failed' }], 5],
    ['answered for one and refused by another', [{ status: 'done' }, { decision: 'refused' }], 1],
    ['failed for one and refused by another', [{ decision: 'refused' }, { status: 'failed' }], 5],
    ['waiting for one and refused by another', [{ status: 'waiting_approval' }, { decision: 'refused' }], 1],
  ])('of a mail that is %s', (_what, results, code) => {
    expect(exitCodeOf(results.map((one) => ({ ...base, ...one })))).toBe(code);
  });
});
