import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../../engine/harness/loop/decide.ts';
import type { CallVerdict, GateVerdict, LoopEvent, Snapshot } from '../../../../engine/record/decisions.ts';

const calm: Snapshot = {
  cancelled: false,
  crashes: 0,
  activeMs: 0,
  toolTurns: 0,
  toolSteps: 0,
  toolCalls: 0,
  consecutiveFailures: 0,
  sameCallStreak: 0,
  anySucceeded: false,
  repairs: 0,
  continued: 0,
  gapsNamed: [],
  metByState: false,
  lastCall: null,
  budgetSpent: false,
  unresolved: 0,
  held: 0,
  waits: 0,
  limits: {
    maxToolTurns: 8,
    maxToolSteps: null,
    maxToolCalls: 24,
    maxConsecutiveFailures: 3,
    goesOn: true,
    byTurns: true,
    runTimeoutMs: 600_000,
  },
};

/** Of a run that began before a text that broke off was gone on with. */
const OLDER = { ...calm.limits, goesOn: false };
/** Of one that began before failures were counted by turns. */
const BY_CALLS = { ...calm.limits, byTurns: false };

const calls = (...verdicts: CallVerdict[]): LoopEvent => ({ type: 'calls', verdicts });
const final: LoopEvent = { type: 'final', text: 'Done.', whole: true, asks: false };
const question: LoopEvent = { ...final, text: 'Which one?', asks: true };
const cutOff: LoopEvent = { ...final, text: 'Half a sen', whole: false };
const openEnd: LoopEvent = { ...final, text: '```\nls', open: true };
const cutCalls: LoopEvent = { type: 'cut_calls' };
const refusal: LoopEvent = { type: 'refusal' };
const unparsable: LoopEvent = { type: 'unparsable' };
const mayRun = calls('run');
const gated = (gate: Partial<GateVerdict>): LoopEvent => ({
  ...final,
  gate: { gaps: [], isIncomplete: false, ...gate },
});
const lacking: GateVerdict = { gaps: [{ check: 'contract', text: 'what is missing' }], isIncomplete: true };
const wrong: Partial<GateVerdict> = { gaps: [{ check: 'claims', text: 'what is wrong' }] };
const begin: LoopEvent = { type: 'begin' };
const observed: LoopEvent = { type: 'observed' };
const exhausted: LoopEvent = { type: 'provider_exhausted', code: 'unavailable' };
const terminal: LoopEvent = { type: 'terminal', code: 'tool_not_found' };

/** In the order of docs/decisions.md; each row also trips every rule below it that it can. */
const TABLE: [string, Partial<Snapshot>, LoopEvent, string][] = [
  ['an answer that the gate passes is final', {}, gated({}), 'FINAL answered'],
  ['also over a spent budget', { budgetSpent: true }, gated({}), 'FINAL answered'],
  ['one that lacks something goes back', {}, gated(lacking), 'CONTINUE_MODEL_LOOP gap'],
  ['so does one that is contradicted', {}, gated(wrong), 'CONTINUE_MODEL_LOOP gap'],
  ['so does one that nothing supports', { gapsNamed: ['contract'] }, gated(wrong), 'CONTINUE_MODEL_LOOP gap'],
  [
    'what is lacking still is missing from the answer',
    { gapsNamed: ['contract'] },
    gated(lacking),
    'FINAL_PARTIAL contract',
  ],
  ['a claim that is still wrong is sent with its mark', { gapsNamed: ['claims'] }, gated(wrong), 'FINAL answered'],
  ['so it is over a spent budget', { budgetSpent: true }, gated(wrong), 'FINAL answered'],
  ['and after the time is up', { activeMs: 600_000 }, gated(wrong), 'FINAL answered'],
  ['and when no call is left', { toolCalls: 24 }, gated(wrong), 'FINAL answered'],
  ['but nothing that is lacking', { toolTurns: 8 }, gated(lacking), 'FINAL_PARTIAL contract'],
  [
    'an effect that was refused is not done, and nobody is asked again',
    {},
    gated({ isIncomplete: true }),
    'FINAL_PARTIAL contract',
  ],
  ['a contract that is met by state needs no words', { metByState: true }, observed, 'FINAL contract_met'],
  [
    'but not while an owner has to be asked',
    { metByState: true, held: 1 },
    observed,
    'WAIT_FOR_APPROVAL needs_approval',
  ],
  [
    'an answer that was held back is something when providers die',
    { gapsNamed: ['claims'] },
    exhausted,
    'FINAL_PARTIAL provider',
  ],
  ['a cancelled run fails whatever happened', { cancelled: true, crashes: 3 }, final, 'FAIL cancelled'],
  ['three deaths at one step end it in part', { crashes: 3 }, terminal, 'FINAL_PARTIAL repeated_crash'],
  [
    'three deaths end also one that carries out what was decided',
    { crashes: 3, isDecided: true },
    observed,
    'FINAL_PARTIAL repeated_crash',
  ],
  ['what was decided is told, whatever came of it', { isDecided: true, budgetSpent: true }, terminal, 'FINAL decided'],
  [
    'but not while an owner has to be asked anew',
    { isDecided: true, held: 1 },
    observed,
    'WAIT_FOR_APPROVAL needs_approval',
  ],
  [
    'without a word the model waits',
    { waits: 1, repairs: 9 },
    { type: 'unparsable', why: 'blank' },
    'WAIT_FOR_APPROVAL left_waiting',
  ],
  ['with one that cannot be read it does not', { waits: 1 }, unparsable, 'CONTINUE_MODEL_LOOP repair'],
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
    { consecutiveFailures: 3, sameCallStreak: 3, limits: BY_CALLS },
    observed,
    'FINAL_PARTIAL consecutive_failures',
  ],
  [
    'or, where turns are counted, leave the model one last word',
    { consecutiveFailures: 3, sameCallStreak: 3 },
    observed,
    'CONTINUE_MODEL_LOOP last_call_consecutive_failures',
  ],
  [
    'which is an answer in part',
    { consecutiveFailures: 3, lastCall: 'consecutive_failures' },
    final,
    'FINAL_PARTIAL consecutive_failures',
  ],
  [
    'also when they were refusals',
    { consecutiveFailures: 3, limits: BY_CALLS },
    calls('denied', 'invalid'),
    'FINAL_PARTIAL consecutive_failures',
  ],
  [
    'not before the rest of their turn has run',
    { consecutiveFailures: 3 },
    calls('invalid', 'run'),
    'EXECUTE_TOOL allowed',
  ],
  [
    'the same call a third time is not made',
    { sameCallStreak: 3 },
    calls('run'),
    'CONTINUE_MODEL_LOOP last_call_duplicate_calls',
  ],
  [
    'and ended a run of before where nothing had succeeded',
    { sameCallStreak: 3, limits: BY_CALLS },
    calls('run'),
    'FINAL_PARTIAL duplicate_calls',
  ],
  [
    'nor when something succeeded: then the model says without tools what it knows',
    { sameCallStreak: 3, anySucceeded: true },
    calls('run'),
    'CONTINUE_MODEL_LOOP last_call_duplicate_calls',
  ],
  [
    'and that is an answer like any other',
    { sameCallStreak: 3, anySucceeded: true, lastCall: 'duplicate_calls' },
    final,
    'FINAL answered',
  ],
  [
    'but in part where nothing has succeeded',
    { sameCallStreak: 3, lastCall: 'duplicate_calls' },
    final,
    'FINAL_PARTIAL duplicate_calls',
  ],
  [
    'unless it calls once more',
    { sameCallStreak: 4, anySucceeded: true, lastCall: 'duplicate_calls' },
    calls('skipped'),
    'FINAL_PARTIAL duplicate_calls',
  ],
  ['an answer that broke off is none: the time limit beats it', { activeMs: 1e9 }, cutOff, 'FINAL_PARTIAL timeout'],
  ['an answer that only asks is a clarification', {}, question, 'FINAL asked'],
  ['but not when the tools were taken away', { lastCall: 'max_tool_turns' }, question, 'FINAL_PARTIAL max_tool_turns'],
  ['a final after it is one', { sameCallStreak: 3, consecutiveFailures: 3 }, final, 'FINAL answered'],
  ['a refusal is a final of its own', {}, { type: 'refusal' }, 'FINAL refused'],
  ['a final is one', {}, final, 'FINAL answered'],
  ['an answer that broke off is gone on with', {}, cutOff, 'CONTINUE_MODEL_LOOP continue'],
  ['twice', { continued: 1 }, cutOff, 'CONTINUE_MODEL_LOOP continue'],
  ['and then it is not complete', { continued: 2 }, cutOff, 'FINAL_PARTIAL cut_off'],
  ['not at all in a run of an older version', { limits: OLDER }, cutOff, 'FINAL_PARTIAL contract'],
  ['nor is it gone on with when the money is spent', { budgetSpent: true }, cutOff, 'FINAL_PARTIAL budget'],
  ['so is one that ends within code', {}, openEnd, 'CONTINUE_MODEL_LOOP open_end'],
  ['but not for ever', { continued: 2 }, openEnd, 'FINAL_PARTIAL cut_off'],
  ['nor over a spent budget', { budgetSpent: true }, openEnd, 'FINAL_PARTIAL cut_off'],
  ['calls of an answer that broke off are asked for again', {}, cutCalls, 'CONTINUE_MODEL_LOOP continue'],
  ['and at last are none', { continued: 2 }, cutCalls, 'FINAL_PARTIAL cut_off'],
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
  [
    'after the last step that the surface allows, too',
    { toolSteps: 3, toolTurns: 3, limits: { ...calm.limits, maxToolSteps: 3 } },
    observed,
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
  ['what cannot be read is asked for again', {}, { type: 'unparsable' }, 'CONTINUE_MODEL_LOOP repair'],
  ['once', { repairs: 1 }, { type: 'unparsable' }, 'FINAL_PARTIAL unparsable'],
];

describe('the next move', () => {
  it.each(TABLE)('%s', (_rule, change, event, expected) => {
    const { decision, reason } = decide({ ...calm, ...change }, event);
    expect(`${decision} ${reason}`).toBe(expected);
  });

  it('tells the model of all that the checks found, and names the checks that it had not heard of', () => {
    const both = gated({ ...lacking, gaps: [...lacking.gaps, ...(wrong.gaps ?? [])] });
    const { gap, about } = { gap: '', about: [], ...decide({ ...calm, gapsNamed: ['contract'] }, both) };
    expect(about).toEqual(['claims']);
    expect(gap.split('\n').slice(1)).toEqual(['what is missing', 'what is wrong']);
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

  it('is put before nobody when the run has used up its time, or the tools were taken away', () => {
    expect(decide({ ...calm, held: 1, activeMs: 1e9 }, observed)).toMatchObject({ reason: 'timeout' });
    expect(decide({ ...calm, held: 1, lastCall: 'max_tool_turns' }, calls('needs_approval'))).toMatchObject({
      decision: 'FINAL_PARTIAL',
    });
  });

  it('keeps the run waiting once an owner was asked, whatever is used up', () => {
    expect(decide({ ...calm, unresolved: 1, budgetSpent: true, crashes: 3 }, observed)).toMatchObject({
      decision: 'WAIT_FOR_APPROVAL',
      reason: 'unresolved',
    });
  });
});

/** The table of ARCHITECTURE.md, row by row: the state that sets a row up, or the event, and what follows. */
const ROWS: { run: Partial<Snapshot>; event?: LoopEvent; follows: string; notWith?: LoopEvent[] }[] = [
  { run: { cancelled: true }, follows: 'FAIL cancelled' },
  { run: { unresolved: 1 }, follows: 'WAIT_FOR_APPROVAL unresolved' },
  { run: { crashes: 3 }, follows: 'FINAL_PARTIAL repeated_crash' },
  { run: {}, event: terminal, follows: 'FAIL tool_not_found' },
  { run: { anySucceeded: true }, event: exhausted, follows: 'FINAL_PARTIAL provider' },
  { run: {}, event: exhausted, follows: 'FAIL unavailable' },
  { run: { budgetSpent: true }, follows: 'FINAL_PARTIAL budget', notWith: [final, question, refusal] },
  { run: { activeMs: 600_000 }, follows: 'FINAL_PARTIAL timeout', notWith: [final, question, refusal] },
  { run: { lastCall: 'max_tool_calls' }, event: calls('skipped'), follows: 'FINAL_PARTIAL max_tool_calls' },
  {
    run: { consecutiveFailures: 3 },
    follows: 'CONTINUE_MODEL_LOOP last_call_consecutive_failures',
    // The last word is had once.
    notWith: [final, question, refusal, mayRun, cutOff],
  },
  { run: { sameCallStreak: 3 }, event: mayRun, follows: 'CONTINUE_MODEL_LOOP last_call_duplicate_calls' },
  { run: {}, event: refusal, follows: 'FINAL refused' },
  { run: { lastCall: 'max_tool_calls' }, event: cutOff, follows: 'FINAL_PARTIAL max_tool_calls' },
  { run: { continued: 2 }, event: cutOff, follows: 'FINAL_PARTIAL cut_off' },
  { run: {}, event: cutOff, follows: 'CONTINUE_MODEL_LOOP continue' },
  { run: { continued: 2 }, event: cutCalls, follows: 'FINAL_PARTIAL cut_off' },
  { run: {}, event: cutCalls, follows: 'CONTINUE_MODEL_LOOP continue' },
  { run: {}, event: question, follows: 'FINAL asked' },
  { run: {}, event: final, follows: 'FINAL answered' },
  { run: {}, event: mayRun, follows: 'EXECUTE_TOOL allowed' },
  { run: {}, event: calls('needs_approval'), follows: 'WAIT_FOR_APPROVAL needs_approval' },
  { run: { held: 1 }, event: observed, follows: 'WAIT_FOR_APPROVAL needs_approval' },
  { run: { toolCalls: 24 }, event: observed, follows: 'CONTINUE_MODEL_LOOP last_call_max_tool_calls' },
  { run: { toolTurns: 8 }, event: observed, follows: 'CONTINUE_MODEL_LOOP last_call_max_tool_turns' },
  { run: {}, event: calls('denied'), follows: 'CONTINUE_MODEL_LOOP calls_denied' },
  { run: {}, event: observed, follows: 'CONTINUE_MODEL_LOOP observed' },
  { run: { repairs: 1 }, event: unparsable, follows: 'FINAL_PARTIAL unparsable' },
  { run: {}, event: unparsable, follows: 'CONTINUE_MODEL_LOOP repair' },
];

describe('the rows of the table', () => {
  const decided = (run: Partial<Snapshot>, event: LoopEvent) => {
    const { decision, reason } = decide({ ...calm, ...run }, event);
    return `${decision} ${reason}`;
  };
  it.each(ROWS)('alone: $follows', ({ run, event = begin, follows }) => {
    expect(decided(run, event)).toBe(follows);
  });

  const pairs = ROWS.flatMap((upper, at) =>
    ROWS.slice(at + 1).flatMap((lower) => {
      const events = new Set([upper.event, lower.event].filter((event) => event !== undefined));
      // Two rows that go by what happened cannot both match: one thing happens at a time.
      if (events.size > 1) return [];
      const [event = begin] = events;
      return upper.notWith?.includes(event) ? [] : [{ upper, run: { ...lower.run, ...upper.run }, event }];
    }),
  );
  it(`in pairs, ${pairs.length} of them: the upper one wins`, () => {
    const wrong = pairs.flatMap(({ upper, run, event }) => {
      const found = decided(run, event);
      return found === upper.follows ? [] : [`${JSON.stringify(run)} ${event.type}: ${found}, not ${upper.follows}`];
    });
    expect(wrong).toEqual([]);
    expect(pairs.length).toBeGreaterThan(100);
  });
});

const verdict = fc.constantFrom<CallVerdict>('run', 'invalid', 'unknown', 'denied', 'skipped');
const anyEvent: fc.Arbitrary<LoopEvent> = fc.oneof(
  fc.constantFrom<LoopEvent>(
    begin,
    observed,
    final,
    cutOff,
    cutCalls,
    exhausted,
    terminal,
    question,
    refusal,
    unparsable,
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
  continued: fc.nat({ max: 3 }),
  gapsNamed: fc.subarray(['contract' as const, 'claims' as const]),
  metByState: fc.boolean(),
  lastCall: fc.constantFrom(null, 'max_tool_turns' as const, 'max_tool_calls' as const),
  budgetSpent: fc.boolean(),
  toolSteps: few,
  unresolved: fc.nat({ max: 1 }),
  held: fc.nat({ max: 2 }),
  waits: fc.nat({ max: 2 }),
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
        expect(run.unresolved).toBe(0);
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

  it('only a whole answer with all tools at hand is final, a refusal, or what is done where no words are wanted', () => {
    fc.assert(
      fc.property(anyRun, anyEvent, (run, event) => {
        const decision = decide(run, event);
        if (decision.decision !== 'FINAL') return;
        if (decision.reason === 'contract_met') {
          expect(run).toMatchObject({ metByState: true, held: 0 });
          expect(['begin', 'observed']).toContain(event.type);
          return;
        }
        const allTools = run.lastCall === null;
        expect(event.type === 'refusal' || (event.type === 'final' && event.whole && allTools)).toBe(true);
      }),
      // Few of them end at all.
      { numRuns: 3000 },
    );
  });
});
