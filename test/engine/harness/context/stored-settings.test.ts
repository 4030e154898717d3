import { describe, expect, it } from 'vitest';
import type { ToolSpec } from '#contract';
import { settingsBytes, sortedTools } from '../../../../engine/harness/context/as-built.ts';
import { sha256 } from '../../../../engine/lib/ids.ts';
import { readSettings, type StoredSettings } from '../../../../engine/record/settings.ts';

const tool = (name: string): ToolSpec => ({ name, description: name, inputSchema: { type: 'object' } });
const [READ, WRITE] = [tool('read'), tool('write')];

const settingsOf = (tools: readonly ToolSpec[], system = 'You answer mail.'): StoredSettings => ({
  system: [system],
  tools,
  targets: [{ provider: 'offline', model: 'default' }],
  temperature: null,
  maxOutputTokens: null,
  limits: {
    max_tool_turns: 8,
    max_tool_calls: 8,
    max_calls_per_turn: 4,
    max_consecutive_failures: 3,
    run_timeout_s: 600,
    model_timeout_s: 60,
    tool_timeout_s: 60,
  },
});

describe('the settings that a run is pinned to', () => {
  it('are the same bytes for the same settings, and read back as they were', () => {
    const first = settingsBytes('ada', settingsOf([READ, WRITE]));
    expect(settingsBytes('ada', settingsOf([READ, WRITE]))).toBe(first);
    expect(first.sha256).toBe(sha256(first.bytes));
    expect(readSettings(first.bytes)).toEqual(settingsOf([READ, WRITE]));
  });

  it('are other bytes as soon as anything of them is another', () => {
    const first = settingsBytes('ada', settingsOf([READ, WRITE]));
    const words = settingsBytes('ada', settingsOf([READ, WRITE], 'You never answer.'));
    const tools = settingsBytes('ada', settingsOf([READ, tool('write')].slice(0, 1)));
    expect(new Set([first.sha256, words.sha256, tools.sha256]).size).toBe(3);
    expect(new Set([first.prefixSha256, words.prefixSha256, tools.prefixSha256]).size).toBe(3);
    expect(readSettings(words.bytes).system).toEqual(['You never answer.']);
    // And the first again, which is not the newest any more.
    expect(settingsBytes('ada', settingsOf([READ, WRITE])).sha256).toBe(first.sha256);
  });

  it('are told by what they hold, not by whose they are', () => {
    expect(settingsBytes('ada', settingsOf([READ])).sha256).toBe(settingsBytes('ben', settingsOf([READ])).sha256);
  });

  it('list the same tools in one list, in the order of their names', () => {
    const list = sortedTools([WRITE, READ]);
    expect(list).toEqual([READ, WRITE]);
    expect(sortedTools([READ, WRITE])).toBe(list);
    // Of the same name, and loaded anew.
    expect(sortedTools([READ, tool('write')])).not.toBe(list);
  });
});
