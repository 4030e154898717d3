import { describe, expect, it } from 'vitest';
import { sourcesIn } from './sources.ts';

const engine = sourcesIn(['engine'], /\.ts$/);
const where = (pattern: RegExp, allowed: RegExp): string[] =>
  engine.filter(({ path }) => !allowed.test(path)).flatMap(({ path, text }) => found(path, text, pattern));

const found = (path: string, text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([match]) => `${path}: ${match.trim()}`);

/** Fields of a run's state, by whatever name somebody holds it. */
const WRITES = /\b(?:state|pending)\??\.[\w.?]+\s*(?:[-+*|&?]{0,2}=)(?![=>])/g;
const GROWS =
  /\b(?:state|pending)\??\.(?:\w+\??\.)?\w+\.(?:set|add|delete|clear|push|pop|splice|shift|unshift|sort|reverse|fill)\(/g;

/** What features add to a prompt: they are stages of a gathering, wherever they stand. */
const parts = engine.filter(({ path, text }) => path.startsWith('engine/features/') && /\bGatherPart\b/.test(text));
/** The rows of a part, taken from the run that it is handed. */
const OWN = /(?:\brun\.|[{,]\s*)own(?:: (?!true\b|false\b)\w+)?\s*[,}]/;

describe('what is on record of a run', () => {
  it('is read and written by its codecs alone', () => {
    expect(where(/\bpayload_json\b/g, /^engine\/(record\/codec|storage)\//)).toEqual([
      // Rows of the trace are put together there; the codec makes the text.
      'engine/record/recorder.ts: payload_json',
    ]);
  });

  it('changes the state of the run by its fold alone', () => {
    const knowsState = /\b(?:LoopState|PendingTurn|LoopRun|Recorder)\b/;
    const others = engine.filter(({ path, text }) => !path.startsWith('engine/record/') && knowsState.test(text));
    expect(others.length).toBeGreaterThan(20);
    expect(
      others.flatMap(({ path, text }) => [WRITES, GROWS].flatMap((pattern) => found(path, text, pattern))),
    ).toEqual([]);
  });

  it('B-3: is read by the stages of a gathering, which name nothing of the store but what reads', () => {
    expect(parts.length).toBeGreaterThan(10);
    const stages = [
      ...engine.filter(({ path }) => /^engine\/(?:harness\/context|memory\/recall)\//.test(path)),
      ...parts,
    ];
    const reads =
      /^(?:countSeen|threadPage|openApprovalsOfThread|openApprovalsOfAll|search|likelyEpisodes|episodesAt|factsByIds|rulesFor|rulesByIds|draftsOfThread|knownParticipants|threadMemory|shownTexts|findClosings|seenThreads|namesOfPeople|getRun|findNotice|pendingApprovals)$/;
    const named = stages.flatMap(({ path, text }) => [
      ...[...text.matchAll(/\bstore\.(?!ts\b)(\w+)/g)].map(([, name = '']) => ({ path, name })),
      ...[...text.matchAll(/Pick<(?:Mail)?Store, ([^>]+)>/g)].flatMap(([, names = '']) =>
        [...names.matchAll(/'(\w+)'/g)].map(([, name = '']) => ({ path, name })),
      ),
    ]);
    expect(named.length).toBeGreaterThan(24);
    expect(named.filter(({ name }) => !reads.test(name))).toEqual([]);
    // Whoever has the whole store has what writes as well.
    expect(stages.filter(({ text }) => /\bstore: (?:Mail)?Store\b/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('B-3: is beside the rows that parts keep for themselves, of which one part alone writes any', () => {
    const used = parts.filter(({ text }) => OWN.test(text)).map(({ path }) => path);
    expect(used.toSorted()).toEqual([
      'engine/features/answer-first.ts',
      'engine/features/playbook.ts',
      'engine/features/prompt/meetings.ts',
    ]);
    // Whoever is handed them may read; what writes them is handed to the invitations of a mail, and called there.
    expect(where(/\bkeepInvitations\(/g, /^engine\/storage\//)).toEqual([
      'engine/tools/calendar/meetings.ts: keepInvitations(',
    ]);
    expect(where(/\bmeetingsOf\((?=loaded\b)/g, /^engine\/tools\/calendar\/meetings\.ts$/)).toEqual([
      'engine/features/prompt/meetings.ts: meetingsOf(',
    ]);
  });

  it('is written by the recorder alone while the run is under way', () => {
    const calls = /\.(?:commitStep|holdRun|finishRun|parkRun|bookLate)\(/g;
    // The store that tells hooks stands between the two, and hands on what the recorder wrote.
    expect(where(calls, /^engine\/(record\/|storage\/|harness\/hooks\/telling-store\.ts$)/)).toEqual([]);
  });
});

describe('the patterns by which a change of state is found', () => {
  it.each([
    ['state.targets = x', 1],
    ['run.state.budgetSpent ??= x', 1],
    ['run.state.approvedFailed ||= x', 1],
    ['state.repairs += 1', 1],
    ['state.pending?.denied.set(a, b)', 1],
    ['pending.results.delete(a)', 1],
    ['state.messages.push(a)', 1],
    ['state.targets === null', 0],
    ['state.lastCall !== null', 0],
    ['state.repairs <= 1', 0],
    ['({ state }) => state.outcomes.map(a)', 0],
    ['pending?.results.has(a)', 0],
  ])('%s: %i', (text, count) => {
    expect([...text.matchAll(WRITES), ...text.matchAll(GROWS)]).toHaveLength(count);
  });
});
