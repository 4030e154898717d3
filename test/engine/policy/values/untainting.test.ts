import { describe, expect, it } from 'vitest';
import type { ToolFacts } from '../../../../engine/policy/surface.ts';
import { taints } from '../../../../engine/policy/values/provenance.ts';
import type { CallOutcome } from '../../../../engine/record/state.ts';

const tool = (name: string, more: Partial<ToolFacts> = {}): ToolFacts => ({
  name,
  risk: 'create',
  scope: 'files:create',
  bundled: true,
  ...more,
});
const came = (name: string, more: Partial<CallOutcome> = {}, content = '{"ok":true}'): CallOutcome => ({
  tool: name,
  ok: true,
  code: null,
  made: {
    call: { id: 'c', name, arguments: {} },
    risk: 'create',
    targets: [],
    content,
    approval: null,
    deniedBy: null,
    waited: false,
    turn: 0,
  },
  ...more,
});
const failed = (name: string, code: string, begun: boolean): CallOutcome => {
  const { made } = came(name);
  return { tool: name, ok: false, code, ...(made ? { made: { ...made, risk: begun ? 'create' : null } } : {}) };
};

describe('what a call comes to', () => {
  it.each(['send_email', 'write_file', 'edit_file', 'delete_file', 'schedule_task', 'ask_owner', 'remember', 'attach'])(
    'taints nothing where %s of the gateway confirms it',
    (name) => expect(taints(came(name), tool(name))).toBe(false),
  );

  const { bundled: _, ...ofOthers } = tool('write_file');

  it.each([
    ['a tool of the gateway that nobody has put on the list', tool('import_mail')],
    ['a tool of the workspace, also under a name of the list', ofOthers],
    ['a tool of a server, whatever it says of itself', { ...ofOthers, foreign: 'mcp:wiki' }],
    ['a tool that is gone', null],
  ])('taints where it is of %s', (_what, facts) => expect(taints(came(facts?.name ?? 'gone'), facts)).toBe(true));

  it.each(['read_file', 'list_files', 'query_table', 'search_knowledge', 'web_fetch', 'resolve_ref', 'search_mail'])(
    'taints where %s has read something',
    (name) => expect(taints(came(name), tool(name, { risk: 'read', scope: 'files:read' }))).toBe(true),
  );

  it('is as clean as the child run was that answered it', () => {
    const answered = (tainted: unknown) =>
      came('delegate', {}, JSON.stringify({ ok: true, result: { answer: 'x', tainted } }));
    expect(taints(answered(false), tool('delegate'))).toBe(false);
    expect(taints(answered(true), tool('delegate'))).toBe(true);
    expect(taints(answered(undefined), tool('delegate'))).toBe(true);
    expect(taints(came('delegate', {}, 'cut'), tool('delegate'))).toBe(true);
  });

  it('taints with an error, unless its words are of a fixed list or the call never began', () => {
    expect(taints(failed('edit_file', 'invalid_arguments', true), tool('edit_file'))).toBe(true);
    expect(taints(failed('query_table', 'invalid_arguments', true), tool('query_table'))).toBe(true);
    expect(taints(failed('edit_file', 'invalid_arguments', false), tool('edit_file'))).toBe(false);
    expect(taints(failed('edit_file', 'tool_failed', false), tool('edit_file'))).toBe(true);
    expect(taints(failed('query_table', 'policy_denied', true), tool('query_table'))).toBe(false);
    expect(taints(failed('query_table', 'tool_timeout', true), null)).toBe(false);
  });
});
