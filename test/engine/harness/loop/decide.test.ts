import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, type LoopEvent, type Snapshot, type Verdict } from '../../../../engine/harness/loop/decide.ts';

const calm: Snapshot = {
  cancelled: false,
  crashes: 0,
  activeMs: 0,
  toolTurns: 0,
  toolCalls: 0,
  consecutiveFailures: 0,
  sameCallStreak: 0,
  anySucceeded: false,
  repairs: 0,
  lastCall: null,
  budgetSpent: false,
  held: 0,
  limits: { maxToolTurns: 8, maxToolCalls: 24, maxConsecutiveFailures: 3, runTimeoutMs: 600_000 },
};

const calls = (...verdicts: Verdict[]): LoopEvent => ({ type: 'calls', verdicts });
const final: LoopEvent = { type: 'final', text: 'Done.', whole: true };
const cutOff: LoopEvent = { type: 'final', text: 'Half a sen', whole: false };
const begin: LoopEvent = { type: 'begin' };
const observed: LoopEvent = { type: 'observed' };
const exhausted: LoopEvent = { type: 'provider_exhausted', code: 'unavailable' };
const terminal: LoopEvent = { type: 'terminal', code: 'tool_not_found' };

/** In the order of design.md section 5; each row also trips every rule below it that it can. */
const TABLE: [string, Partial<Snapshot>, LoopEvent, string][] = [
  ['a cancelled run fails whatever happened', { cancelled: true, crashes: 3 }, final, 'FAIL cancelled'],
  ['three deaths at one step end it in part', { crashes: 3 }, terminal, 'FINAL_PARTIAL repeated_crash'],
  ['two do not', { crashes: 2 }, begin, 'CONTINUE_MODEL_LOOP begin'],
  ['a terminal tool code fails it', { anySucceeded: true, budgetSpent: true }, terminal, 'FAIL tool_not_found'],
  ['dead providers fail it when nothing was done', { budgetSpent: true }, exhausted, 'FAIL unavailable'],
  ['and end it in part when something was', { anySucceeded: true }, exhausted, 'FINAL_PARTIAL provider'],
  ['a complete final beats a spent budget', { budgetSpent: true, activeMs: 1e9 }, final, 'FINAL answered'],
  ['so does a refusal', { budgetSpent: true, activeMs: 1e9 }, { type: 'refusal' }, 'FINAL refused'],
  ['a spent budget ends all else in part', { budgetSpent: true, activeMs: 1e9 }, observed, 'FINAL_PARTIAL budget'],
  ['and runs nothing any more', { budgetSpent: true }, calls('run'), 'FINAL_PARTIAL budget'],
  ['so does the time limit', { activeMs: 600_000, consecutiveFailures: 3 }, begin, 'FINAL_PARTIAL timeout'],
  [
    'a call after the last call is not made',
    { lastCall: 'max_tool_turns' },
    calls('run'),
    'FINAL_PARTIAL max_tool_turns',
  ],
  [
    'failures in a row end it',
    { consecutiveFailures: 3, sameCallStreak: 3 },
    observed,
    'FINAL_PARTIAL consecutive_failures',
  ],
  [
    'also when they were refusals',
    { consecutiveFailures: 3 },
    calls('denied', 'invalid'),
    'FINAL_PARTIAL consecutive_failures',
  ],
  [
    'not before the rest of their turn has run',
    { consecutiveFailures: 3 },
    calls('invalid', 'run'),
    'EXECUTE_TOOL allowed',
  ],
  ['the same call a third time is not made', { sameCallStreak: 3 }, calls('run'), 'FINAL_PARTIAL duplicate_calls'],
  ['a final after it is one', { sameCallStreak: 3, consecutiveFailures: 3 }, final, 'FINAL answered'],
  ['a refusal is a final of its own', {}, { type: 'refusal' }, 'FINAL refused'],
  ['a final is one', {}, final, 'FINAL answered'],
  ['an answer that broke off is not complete', {}, cutOff, 'FINAL_PARTIAL contract'],
  ['a final without tools is what there is', { lastCall: 'max_tool_calls' }, final, 'FINAL_PARTIAL max_tool_calls'],
  ['refused calls go back to the model', {}, calls('denied'), 'CONTINUE_MODEL_LOOP calls_denied'],
  ['invented ones too', {}, calls('unknown', 'denied'), 'CONTINUE_MODEL_LOOP calls_unknown'],
  ['one that may run is run', {}, calls('denied', 'run'), 'EXECUTE_TOOL allowed'],
  ['an observation goes back to the model', {}, observed, 'CONTINUE_MODEL_LOOP observed'],
  ['after the last turn without tools', { toolTurns: 8 }, observed, 'CONTINUE_MODEL_LOOP last_call_max_tool_turns'],
  [
    'also when its calls were refused',
    { toolTurns: 8 },
    calls('denied'),
    'CONTINUE_MODEL_LOOP last_call_max_tool_turns',
  ],
  ['also after a restart', { toolTurns: 8 }, begin, 'CONTINUE_MODEL_LOOP last_call_max_tool_turns'],
  ['after the last call without tools', { toolCalls: 24 }, observed, 'CONTINUE_MODEL_LOOP last_call_max_tool_calls'],
  [
    'the last call is asked for again after a restart',
    { toolTurns: 8, lastCall: 'max_tool_turns' },
    begin,
    'CONTINUE_MODEL_LOOP begin',
  ],
  ['what cannot be read is asked for again', { repairs: 1 }, { type: 'unparsable' }, 'CONTINUE_MODEL_LOOP repair'],
  ['twice at most', { repairs: 2 }, { type: 'unparsable' }, 'FINAL_PARTIAL unparsable'],
];

describe('the next move', () => {
  it.each(TABLE)('%s', (_rule, change, event, expected) => {
    const { decision, reason } = decide({ ...calm, ...change }, event);
    expect(`${decision} ${reason}`).toBe(expected);
  });

  it('takes the tools away with the last call, and says for what reason', () => {
    expect(decide({ ...calm, toolTurns: 8 }, observed)).toMatchObject({ lastCall: 'max_tool_turns' });
    expect(decide(calm, observed)).not.toHaveProperty('lastCall');
  });
});

describe('a call that needs an owner', () => {
  it('waits once what may run has run', () => {
    expect(decide({ ...calm, held: 1 }, calls('run', 'needs_approval'))).toMatchObject({ decision: 'EXECUTE_TOOL' });
    expect(decide({ ...calm, held: 1 }, observed)).toMatchObject({ decision: 'WAIT_FOR_APPROVAL' });
    expect(decide({ ...calm, held: 1 }, calls('needs_approval'))).toMatchObject({ decision: 'WAIT_FOR_APPROVAL' });
  });

  it('keeps even a spent budget waiting: the owner is asked all the same', () => {
    expect(decide({ ...calm, held: 1, budgetSpent: true }, observed)).toMatchObject({ decision: 'WAIT_FOR_APPROVAL' });
  });
});

const verdict = fc.constantFrom<Verdict>('run', 'invalid', 'unknown', 'denied', 'skipped');
const anyEvent: fc.Arbitrary<LoopEvent> = fc.oneof(
  fc.constantFrom<LoopEvent>(
    begin,
    observed,
    final,
    cutOff,
    exhausted,
    terminal,
    { type: 'refusal' },
    { type: 'unparsable' },
  ),
  fc.array(verdict, { minLength: 1, maxLength: 6 }).map((verdicts) => calls(...verdicts)),
);
const few = fc.nat({ max: 30 });
const anyRun: fc.Arbitrary<Snapshot> = fc.record({
  cancelled: fc.boolean(),
  crashes: fc.nat({ max: 4 }),
  activeMs: fc.nat({ max: 700_000 }),
  toolTurns: few,
  toolCalls: few,
  consecutiveFailures: fc.nat({ max: 4 }),
  sameCallStreak: fc.nat({ max: 4 }),
  anySucceeded: fc.boolean(),
  repairs: fc.nat({ max: 3 }),
  lastCall: fc.constantFrom(null, 'max_tool_turns' as const, 'max_tool_calls' as const),
  budgetSpent: fc.boolean(),
  held: fc.nat({ max: 2 }),
  limits: fc.constant(calm.limits),
});

describe('whatever the state of a run', () => {
  it('a tool runs only for a call that may, within every limit', () => {
    fc.assert(
      fc.property(anyRun, anyEvent, (run, event) => {
        if (decide(run, event).decision !== 'EXECUTE_TOOL') return;
        expect(event.type === 'calls' && event.verdicts.includes('run')).toBe(true);
        expect(run).toMatchObject({ cancelled: false, budgetSpent: false, lastCall: null });
        expect(run.crashes).toBeLessThan(3);
        expect(run.activeMs).toBeLessThan(run.limits.runTimeoutMs);
        expect(run.sameCallStreak).toBeLessThan(3);
      }),
    );
  });

  it('a model that has used up its turns is asked with tools no more', () => {
    fc.assert(
      fc.property(anyRun, anyEvent, (run, event) => {
        const decision = decide(run, event);
        if (decision.decision !== 'CONTINUE_MODEL_LOOP' || event.type === 'unparsable') return;
        const usedUp = run.toolTurns >= run.limits.maxToolTurns || run.toolCalls >= run.limits.maxToolCalls;
        expect(usedUp && run.lastCall === null && decision.lastCall === undefined).toBe(false);
      }),
    );
  });

  it('a run that is not cancelled fails only where nothing can be said about its work', () => {
    fc.assert(
      fc.property(anyRun, anyEvent, (run, event) => {
        if (decide(run, event).decision !== 'FAIL' || run.cancelled) return;
        expect(['terminal', 'provider_exhausted']).toContain(event.type);
      }),
    );
  });

  it('only a whole answer with all tools at hand is final', () => {
    fc.assert(
      fc.property(anyRun, anyEvent, (run, event) => {
        const decision = decide(run, event);
        if (decision.decision !== 'FINAL') return;
        expect(event.type === 'refusal' || (event.type === 'final' && event.whole && run.lastCall === null)).toBe(true);
      }),
    );
  });
});
