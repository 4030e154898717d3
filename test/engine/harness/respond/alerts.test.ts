import { describe, expect, it } from 'vitest';
import { ownerAlerts } from '../../../../engine/harness/respond/respond.ts';
import type { LoopState } from '../../../../engine/record/state.ts';

const NOON = Date.parse('2026-11-23T12:00:00Z');

/** What owners are told of a run for Bob that ended in part. */
function told(reason: string, budgetSpent: LoopState['budgetSpent'] = null, task: object | null = null) {
  const end = {
    loaded: {
      run: { id: 'r1', kind: 'mail', tier: 'member', sender: 'bob@member.test' },
      trigger: task ? { kind: 'task', task } : { kind: 'mail' },
      message: { from_address: 'bob@member.test', subject: 'Offer', new_text: 'Please make an offer for them.' },
    },
    persona: { owners: ['boss@owner.test'], language: 'en' },
    decision: { decision: 'FINAL_PARTIAL', reason },
    state: { outcomes: [], budgetSpent },
    day: '2026-11-23',
    now: NOON,
  } as unknown as Parameters<typeof ownerAlerts>[0];
  return ownerAlerts(end).map(({ id, payload }) => {
    // In the persona's language; beside it the same for owners who read others.
    const { in: _, ...words } = JSON.parse(payload);
    return { id, ...words };
  });
}

describe('owners of a persona that answered in part', () => {
  it('hear which limit of one mail was met, of whose mail, and what they can do', () => {
    const [notice, ...more] = told('budget', 'usd_per_run');
    expect(more).toEqual([]);
    expect(notice).toEqual({
      id: 'notice:budget:2026-11-23',
      subject: 'Only part of an answer to "Offer"',
      text: 'I could answer the mail "Offer" of bob@member.test only in part: the budget for this work is used up.',
      again: { run: 'r1' },
    });
  });

  it('hear of a task that met its own limit from the schedule alone, and of a spent day at once', () => {
    expect(told('budget', 'usd_per_run', { name: 'Brief' })).toEqual([]);
    expect(told('budget', 'usd_per_day', { name: 'Brief' })).toMatchObject([
      { id: 'waiting_notice:budget:2026-11-23' },
    ]);
  });

  it('hear of a model service that stopped answering in words', () => {
    expect(told('provider')[0].text).toContain('only in part: the model service stopped answering.');
    expect(told('unparsable')[0].text).toContain('sent answers that could not be read');
    expect(told('max_tool_turns')).toEqual([]);
  });
});

describe('owners of a persona whose model service counts far otherwise', () => {
  it('hear of it once for each model, in their language', () => {
    const state = {
      outcomes: [],
      budgetSpent: null,
      usageDiffers: { provider: 'main', model: 'm1', said: 12, own: 5200 },
    };
    const end = { state, decision: null, persona: { owners: [], language: 'de' }, now: NOON, day: '', loaded: {} };
    const [job, ...more] = ownerAlerts(end as unknown as Parameters<typeof ownerAlerts>[0]);
    expect([job?.id, more]).toEqual(['notice:usage_differs:main/m1', []]);
    expect(job?.payload).toContain('meldet der Dienst 12 Token; nach meiner Zählung waren es etwa 5.200');
  });
});
