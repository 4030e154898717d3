import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CheckedAnswer, defineHook } from '#contract';
import { createRegistry } from '../../../../engine/extensions/registry.ts';
import type { RegisteredHook } from '../../../../engine/extensions/types.ts';
import { checkedByHooks } from '../../../../engine/harness/evidence/checks.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';

afterEach(() => vi.useRealTimers());

const ANSWER: CheckedAnswer = {
  text: 'You get a discount.',
  mail: 'What does it cost?',
  calls: [{ tool: 'price_list', ok: false }],
  run: { persona: 'ada', sender: 'mia@member.example', tier: 'member' },
};

const hookOf = (name: string, definition: RegisteredHook['definition'], failure: string | null = null) => ({
  name,
  definition,
  config: { word: 'discount' },
  secrets: () => ({}),
  log: silentLog,
  failure: () => failure,
  manifest: { name, kind: 'hook' as const, api: 1 as const, summary: 'q', entry: 'index.ts', secrets: {}, config: {} },
});
const checked = (...hooks: readonly RegisteredHook[]) =>
  checkedByHooks(createRegistry<RegisteredHook>(hooks), ANSWER, new AbortController().signal);

describe('a hook that checks answers', () => {
  it('is told of the answer what the gateway knows, and adds what it finds', async () => {
    const seen: unknown[] = [];
    const prices = defineHook({
      check(answer, { config }) {
        seen.push(answer, config);
        return [{ code: 'no_price_list', message: 'It offers a discount that it has not looked up.' }];
      },
    });
    const also = defineHook({ check: async () => [{ code: 'too_short', message: 'It is short.' }] });
    expect(await checked(hookOf('a_prices', prices), hookOf('b_length', also))).toEqual({
      found: [
        { by: 'hook a_prices', code: 'no_price_list', text: 'It offers a discount that it has not looked up.' },
        { by: 'hook b_length', code: 'too_short', text: 'It is short.' },
      ],
      unchecked: [],
    });
    expect(seen).toEqual([ANSWER, { word: 'discount' }]);
  });

  it('is not asked where none checks, so that the record says nothing of it', async () => {
    expect(await checked(hookOf('quiet', { on: ['run_ended'], handle() {} }))).toBeNull();
  });

  it('is held to five findings of one sentence, whatever it gives back', async () => {
    const many = Array.from({ length: 9 }, () => ({ code: 'NOT A CODE', message: 'x'.repeat(2000) }));
    const found = (await checked(hookOf('many', { check: () => many })))?.found ?? [];
    expect(found).toHaveLength(5);
    expect(found[0]).toEqual({ by: 'hook many', code: 'finding', text: 'x'.repeat(500) });
    const nothing = [null, 7, { code: 'a' }, { code: 'b', message: ' ' }] as never;
    expect(await checked(hookOf('odd', { check: () => nothing }))).toEqual({ found: [], unchecked: [] });
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no database')), 'it failed: no database'],
    ['answers something else', () => 'yes' as never, 'it answered something else than a list'],
  ])('costs a limitation alone where it %s', async (_what, check, reason) => {
    const good = hookOf('good', { check: () => [{ code: 'a', message: 'It is wrong.' }] });
    expect(await checked(hookOf('bad', { check }), good)).toEqual({
      found: [{ by: 'hook good', code: 'a', text: 'It is wrong.' }],
      unchecked: [{ by: 'hook bad', reason }],
    });
  });

  it('costs a limitation alone where it is switched off, and is not asked then', async () => {
    const check = vi.fn(() => []);
    const off = await checked(hookOf('off', { check }, 'it failed before'));
    expect(off?.unchecked).toEqual([{ by: 'hook off', reason: 'it failed before' }]);
    expect(check).not.toHaveBeenCalled();
  });

  it('costs a limitation alone where it takes too long', async () => {
    vi.useFakeTimers();
    const waiting = checked(hookOf('slow', { check: () => new Promise<never>(() => {}) }));
    await vi.advanceTimersByTimeAsync(5000);
    expect((await waiting)?.unchecked).toEqual([
      { by: 'hook slow', reason: 'it failed: hook slow took longer than 5000 ms' },
    ]);
  });
});
