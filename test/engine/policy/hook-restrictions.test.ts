import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineHook, type RestrictedRun } from '#contract';
import { createRegistry } from '../../../engine/extensions/registry.ts';
import type { RegisteredHook } from '../../../engine/extensions/types.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { judgedByHooks, narrowingByHooks } from '../../../engine/policy/hook-restrictions.ts';
import { refusalOf, type ToolFacts } from '../../../engine/policy/surface.ts';

afterEach(() => vi.useRealTimers());

const RUN: RestrictedRun = { persona: 'ada', sender: 'mia@member.example', tier: 'member' };
const TOOL: ToolFacts = { name: 'wiki_add', risk: 'write', scope: 'web:write', foreign: 'mcp:wiki' };

const hooksOf = (definition: RegisteredHook['definition'], failure: string | null = null) =>
  createRegistry<RegisteredHook>([
    {
      name: 'quiet',
      manifest: { name: 'quiet', kind: 'hook', api: 1, summary: 'q', entry: 'index.ts', secrets: {}, config: {} },
      definition,
      config: { closed: 'wiki_add' },
      secrets: () => ({}),
      log: silentLog,
      failure: () => failure,
    },
  ]);

const judged = (hooks: ReturnType<typeof hooksOf>) =>
  judgedByHooks(
    hooks,
    { tool: TOOL, risk: 'destructive', args: { page: 1 }, tainted: true },
    { run: RUN, signal: new AbortController().signal },
  );
const narrowed = (hooks: ReturnType<typeof hooksOf>) => refusalOf(TOOL, narrowingByHooks(hooks, RUN));
const by = 'hook quiet';

describe('a hook that judges a call', () => {
  it('is told of the call what the gateway knows', async () => {
    const seen: unknown[] = [];
    const hooks = hooksOf(
      defineHook({
        judge(call, { config }) {
          seen.push(call, config);
          return { verdict: 'ask', reason: 'page 1 is the front page' };
        },
      }),
    );
    expect(await judged(hooks)).toEqual([{ by, verdict: 'ask', reason: 'page 1 is the front page' }]);
    const tool = { name: 'wiki_add', risk: 'destructive', scope: 'web:write', source: 'mcp:wiki' };
    expect(seen).toEqual([{ tool, arguments: { page: 1 }, run: RUN, tainted: true }, { closed: 'wiki_add' }]);
  });

  it('has nothing against it by saying nothing, and by only listening', async () => {
    expect(await judged(hooksOf({ judge: () => null }))).toEqual([]);
    expect(await judged(hooksOf({ on: ['run_ended'], handle() {} }))).toEqual([]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no database')), 'it failed: no database'],
    ['allows what is not its to allow', () => ({ verdict: 'allow', reason: 'why not' }) as never, 'why not'],
    ['answers with something else', () => 'yes' as never, 'undefined'],
  ])('denies the call where it %s', async (_what, judge, reason) => {
    expect(await judged(hooksOf({ judge }))).toEqual([{ by, verdict: 'deny', reason }]);
  });

  it('denies the call where it takes too long', async () => {
    vi.useFakeTimers();
    const waiting = judged(hooksOf({ judge: () => new Promise(() => {}) }));
    await vi.advanceTimersByTimeAsync(5000);
    expect(await waiting).toEqual([{ by, verdict: 'deny', reason: 'it failed: hook quiet took longer than 5000 ms' }]);
  });
});

describe('a hook that narrows the surface', () => {
  it('leaves a tool out with its reason, and lets the others through', () => {
    const hooks = hooksOf(
      defineHook({ narrow: ({ source }) => (source === 'mcp:wiki' ? 'the wiki is closed' : null) }),
    );
    expect(narrowed(hooks)).toEqual({ code: 'policy_denied', by, reason: 'the wiki is closed' });
    expect(refusalOf({ name: 'x', risk: 'read', scope: 'web:read' }, narrowingByHooks(hooks, RUN))).toBeNull();
  });

  it('leaves it out where it throws, says something else, or was switched off', () => {
    const broken = hooksOf({
      narrow() {
        throw new Error('no database');
      },
    });
    expect(narrowed(broken)).toMatchObject({ by, reason: 'it failed: no database' });
    expect(narrowed(hooksOf({ narrow: () => true as never }))).toMatchObject({ by, reason: 'true' });
    expect(narrowed(hooksOf({ narrow: () => null }, 'it threw in a timer'))).toMatchObject({
      reason: 'it threw in a timer',
    });
  });
});
