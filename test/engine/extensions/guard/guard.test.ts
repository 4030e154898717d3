import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  asEngine,
  createGuards,
  type ExtensionCode,
  runningExtension,
} from '../../../../engine/extensions/guard/guard.ts';
import { loadFrom, tool, working } from '../load-from.ts';

const code = (more: Partial<ExtensionCode> = {}): ExtensionCode => ({
  kind: 'tool',
  name: 'note',
  source: 'workspace',
  folder: '/w/extensions/tools/note',
  file: 'extensions/tools/note/index.ts',
  ...more,
});
const ENTRY = '/w/extensions/tools/note/index.ts';

describe('extensions: the guard of one', () => {
  it('extensions: is the same for the same code and settings, and another for others', () => {
    const guards = createGuards();
    const guard = guards.of(code(), ENTRY, { a: 1 });
    guard.fail('uncaught exception', new Error('no'));
    expect(guards.of(code(), ENTRY, { a: 1 }).failure()).toBe('uncaught exception: no');
    expect(guards.of(code(), ENTRY, { a: 2 }).failure()).toBeNull();
  });

  it('extensions: says once that it failed, in one line without keys, whatever was thrown', () => {
    const guards = createGuards();
    const heard: unknown[] = [];
    const seen: unknown[] = [];
    guards.onFailure(({ guard }) => heard.push(guard.failure()));
    const unprintable = {
      toString() {
        seen.push(runningExtension());
        throw new Error('not even its text');
      },
    };
    const thrown = [
      new Error(`one\ntwo sk-${'a1'.repeat(20)}`),
      Object.create(null),
      Symbol('s'),
      undefined,
      unprintable,
    ];
    for (const [n, error] of thrown.entries()) {
      const guard = guards.of(code(), ENTRY, { n });
      expect([guard.fail('x', error), guard.fail('x', error)]).toEqual([true, false]);
    }
    expect(heard).toHaveLength(thrown.length);
    expect(heard[0]).toBe('x: one two [REDACTED]');
    // To print it is to run its code, which is the extension's then, too.
    expect(seen).toEqual([expect.objectContaining({ code: code() })]);
  });

  it('extensions: stays on for what is bundled', async () => {
    const guard = createGuards().of(code({ source: 'bundled' }), ENTRY, {});
    expect(guard.fail('uncaught exception', new Error('no'))).toBe(false);
    expect(await guard.call(() => 'works')).toBe('works');
  });

  it('extensions: ends calls under way, and refuses those that come after', async () => {
    const guard = createGuards().of(code(), ENTRY, {});
    const waiting = guard.call(() => new Promise<never>(() => {}));
    guard.fail('uncaught exception', new Error('no'));
    await expect(waiting).rejects.toMatchObject({ code: 'tool_failed', message: expect.stringContaining('note') });
    await expect(guard.call(() => 'works')).rejects.toMatchObject({ code: 'tool_failed' });
    const provider = createGuards().of(code({ kind: 'provider' }), ENTRY, {});
    provider.fail('uncaught exception', new Error('no'));
    await expect(provider.call(() => 'works')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('extensions: is not what its capabilities run as, but what their promises come back to', async () => {
    const guard = createGuards().of(code(), ENTRY, {});
    const inside: unknown[] = [];
    const part = asEngine({
      async read() {
        inside.push(runningExtension());
        await null;
        inside.push(runningExtension());
        return 'text';
      },
    });
    const after = await guard.call(() => part.read().then(() => runningExtension()));
    expect(inside).toEqual([null, null]);
    expect(after).toBe(guard);
    expect(runningExtension()).toBeNull();
  });

  it('extensions: is not what the engine runs as that hears of its failure', () => {
    const guards = createGuards();
    const heard: unknown[] = [];
    guards.onFailure(() => heard.push(runningExtension()));
    const guard = guards.of(code(), ENTRY, {});
    guard.within(() => guard.fail('uncaught exception', new Error('no')));
    expect(heard).toEqual([null]);
  });

  it('extensions: is found by the files of a stack where no context is left', () => {
    const guards = createGuards();
    const folder = join(import.meta.dirname, 'nowhere');
    guards.of(code({ name: 'other', folder }), ENTRY, {});
    const here = guards.of(code({ folder: import.meta.dirname }), ENTRY, {});
    const error = new Error('no');
    error.stack = `Error: no\n    at run (file://${import.meta.filename}?changed=1:2:3)\n    at node:internal:1:1`;
    expect(guards.byStack(error)).toBe(here);
    for (const nobody of [
      new Error('x', { cause: error }),
      'words',
      null,
      Object.assign(new Error('y'), { stack: 7 }),
    ]) {
      if (nobody instanceof Error && typeof nobody.stack === 'string')
        nobody.stack = 'Error: x\n    at file:///else/x.ts:1:1';
      expect(guards.byStack(nobody)).toBeNull();
    }
  });

  it('extensions: leaves a frozen definition and its own `this` as they are', async () => {
    const frozen = `Object.freeze({ ...${working('never')}, word: 'mine', run() { return this.word; } })`;
    const { loaded } = await loadFrom({ workspace: tool('note', frozen), listing: { tools: ['note'] } });
    const note = loaded.tools.get('note');
    expect(note?.definition.risk).toBe('read');
    expect(await note?.call({}, {} as never)).toBe('mine');
  });
});
