import { describe, expect, it } from 'vitest';
import { explainedText } from '../../../engine/cli/commands/runs/explained.ts';
import { chainOf } from '../../../engine/queries/explain/chain.ts';
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
const further = { mails: [{ run_id: 'r2', message_id: '<two>' }], text: 'Words of two.', words: 'Words of two.' };
const rows = [
  { type: 'context_built', v: 1, seq: 4, at: 1, fence: 1, data: built },
  { type: 'model_call_started', v: 1, seq: 5, at: 1, fence: 1, data: asked },
  { type: 'receipt', v: 1, seq: 6, at: 2, fence: 1, data: receipt },
] satisfies RunEvent[];

const remembered = { memory_sources: [], memory_facts: [], standing_rules: [] };
const chainOfEvents = (events: readonly RunEvent[]) =>
  chainOf(logOf(events), { rows: [], approvals: [], isOver: false, remembered });
/** What is shown of the run itself matters to none of these. */
const explained = (chain: ReturnType<typeof chainOf>) =>
  ({
    ...chain,
    run: { id: 'r', persona: 'ada', status: 'done', outcome: null, code: null },
    question: { message_id: '<q>', from: null, tier: 'owner', subject: 'Hello', text: '' },
    final: null,
    helpers_asked: [],
  }) as unknown as Explained;

describe('what an owner is told of an event', () => {
  it('stands where the chain has a place for it, and then nowhere else', () => {
    const chain = chainOfEvents(rows);
    expect(Object.keys(chain)).not.toContain('noted');
    const text = explainedText(explained(chain));
    expect(text).not.toContain('ALSO');
    for (const line of [...linesOf('context_built', built), ...linesOf('receipt', receipt)])
      expect(text).toContain(line);
  });

  it('stands by itself where the chain has none: its payload for programs, its lines for people, the newest first', () => {
    const two = { ...further, mails: [...further.mails, ...further.mails] };
    const chain = chainOfEvents([
      ...rows,
      { type: 'mail_taken_in', v: 1, seq: 7, at: 3, fence: 1, data: further },
      { type: 'mail_taken_in', v: 1, seq: 8, at: 4, fence: 1, data: two },
    ]);
    expect(chain.noted).toEqual([
      { seq: 7, type: 'mail_taken_in', data: further },
      { seq: 8, type: 'mail_taken_in', data: two },
    ]);
    const lines = ['  2 later mails are answered with it', '  1 later mail is answered with it'];
    expect(explainedText(explained(chain))).toContain(`\nALSO\n${lines.join('\n')}\n`);
  });
});
