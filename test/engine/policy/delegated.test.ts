import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { narrowingOfChild } from '../../../engine/policy/delegated.ts';
import type { ToolFacts } from '../../../engine/policy/surface.ts';

const tools: readonly ToolFacts[] = await Promise.all(
  readdirSync('extensions/tools', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(async ({ name }) => {
      const { default: definition } = await import(`../../../extensions/tools/${name}/index.ts`);
      return { name, risk: definition.risk, scope: definition.scope, asks: definition.asks !== undefined };
    }),
);
const REFUSED = { code: 'policy_denied', by: 'delegation' };
const of = (scope: ToolFacts['scope'], more: Partial<ToolFacts> = {}): ToolFacts => ({
  name: 'own_tool',
  risk: 'read',
  scope,
  ...more,
});

/** Of the tools that come with the gateway, those that a parent can hand on. */
const HANDED_ON = [
  'calculate',
  'delegate',
  'find_time',
  'list_files',
  'query_table',
  'read_attachment',
  'read_file',
  'read_knowledge',
  'resolve_ref',
  'search_knowledge',
  'web_fetch',
  'web_search',
];

describe('what a child run may use', () => {
  it('is of the bundled tools a few that read, also where its parent names all of them', () => {
    const narrow = narrowingOfChild({ tools: tools.map(({ name }) => name) });
    expect(tools.length).toBeGreaterThan(28);
    const open = tools.filter((tool) => narrow(tool) === null).map(({ name }) => name);
    expect(open.toSorted()).toEqual(HANDED_ON);
  });

  it.each(tools.filter(({ name }) => !HANDED_ON.includes(name)))(
    'is not $name ($scope), though it is named',
    (tool) => {
      expect(narrowingOfChild({ tools: [tool.name] })(tool)).toEqual(REFUSED);
    },
  );

  it.each([
    'mail:read',
    'mail:create',
    'mail:write',
    'mail:delete',
    'memory:read',
    'memory:create',
    'memory:write',
    'memory:delete',
    'shell:read',
    'shell:write',
    'files:create',
    'files:write',
    'files:delete',
    'schedule:create',
    'schedule:write',
    'schedule:delete',
  ] as const)('is no tool of somebody else with the scope %s, though it is named', (scope) => {
    expect(narrowingOfChild({ tools: ['own_tool'] })(of(scope))).toEqual(REFUSED);
  });

  it.each(['files:read', 'schedule:read', 'web:read', 'web:create', 'web:write', 'web:delete'] as const)(
    'is one with the scope %s where it is named, and it asks no owner',
    (scope) => {
      expect(narrowingOfChild({ tools: ['own_tool'] })(of(scope))).toBeNull();
      expect(narrowingOfChild({ tools: ['another'] })(of(scope))).toEqual(REFUSED);
      expect(narrowingOfChild({ tools: [] })(of(scope))).toEqual(REFUSED);
      expect(narrowingOfChild({ tools: ['own_tool'] })(of(scope, { asks: true }))).toEqual(REFUSED);
    },
  );

  it('is a look at its own results whatever it is handed', () => {
    expect(narrowingOfChild({ tools: [] })(of('mail:read', { name: 'resolve_ref' }))).toBeNull();
  });
});
