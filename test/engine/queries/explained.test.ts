import { describe, expect, it } from 'vitest';
import { explainedText } from '../../../engine/cli/commands/runs/explained.ts';
import { chainOf, notedIn } from '../../../engine/queries/explain/chain.ts';
import type { Explained } from '../../../engine/queries/explain/explain-run.ts';
import { linesOf, type RunEvent } from '../../../engine/record/events.ts';
import { logOf } from '../../../engine/record/run-log.ts';

const asked = { call: 1, provider: 'p', model: 'm', messages: 3 };
const built = {
  settings_sha256: 's',
  prefix_sha256: 'x',
  cache_miss: 'first',
  parts: [],
  limitations: [],
  history_messages: 2,
  history_omitted: 0,
  tools: ['look'],
  targets: [],
};
const receipt = {
  language: 'en',
  mode: 'effects',
  lines: [],
  for_owners: true,
  made_for_others: null,
  away: [{ tool: 'book', server: 'tables', why: 'lock', known: true }],
} as const;
const log = logOf([
  { type: 'context_built', v: 1, seq: 4, at: 1, fence: 1, data: built },
  { type: 'model_call_started', v: 1, seq: 5, at: 1, fence: 1, data: asked },
  { type: 'receipt', v: 1, seq: 6, at: 2, fence: 1, data: receipt },
] satisfies RunEvent[]);

const remembered = { memory_sources: [], memory_facts: [], standing_rules: [] };
const chain = chainOf(log, { rows: [], approvals: [], isOver: false, remembered });
/** What is shown of the run itself matters to none of these. */
const explained = (noted: ReturnType<typeof notedIn>) =>
  ({
    ...chain,
    ...(noted.length === 0 ? {} : { noted }),
    run: { id: 'r', persona: 'ada', status: 'done', outcome: null, code: null },
    question: { message_id: '<q>', from: null, tier: 'owner', subject: 'Hello', text: '' },
    final: null,
    helpers_asked: [],
  }) as unknown as Explained;

describe('what an owner is told of an event', () => {
  it('stands where the chain has a place for it, and then nowhere else', () => {
    expect(notedIn(log)).toEqual([]);
    expect(Object.keys(chain)).not.toContain('noted');
    const text = explainedText(explained([]));
    expect(text).not.toContain('ALSO');
    for (const line of [...linesOf('context_built', built), ...linesOf('receipt', receipt)])
      expect(text).toContain(line);
  });

  it('stands by itself where the chain has none: its payload for programs, its lines for people, the newest first', () => {
    const noted = notedIn(log, (type) => type !== 'receipt');
    expect(noted).toEqual([
      { seq: 4, type: 'context_built', data: built },
      { seq: 5, type: 'model_call_started', data: asked },
    ]);
    const lines = [...linesOf('model_call_started', asked), ...linesOf('context_built', built)];
    expect(lines[0]).toBe('  was asked    p/m, 3 messages');
    expect(explainedText(explained(noted))).toContain(`\nALSO\n${lines.join('\n')}\n`);
  });
});
