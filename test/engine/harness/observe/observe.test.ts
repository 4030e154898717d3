import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { observe } from '../../../../engine/harness/observe/observe.ts';
import { createBlobs } from '../../../../engine/storage/blobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'epistle-observe-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const artifacts = createBlobs(folder);
const seen = (result: Json) => observe({ id: 'c1', name: 'look' }, { ok: true, result, ms: 1 }, artifacts);

describe('what a model sees of a result', () => {
  it('is the whole while it is short', () => {
    expect(seen({ a: [1, 'ü'] })).toEqual({
      call_id: 'c1',
      tool: 'look',
      ok: true,
      code: null,
      content: '{"ok":true,"result":{"a":[1,"ü"]}}',
      artifact: null,
    });
  });

  it('is a part that says how much is missing, the whole being kept', async () => {
    const long = 'x'.repeat(100_000);
    const { content, artifact } = seen(long);
    const shown = JSON.parse(content);
    expect(shown).toMatchObject({ ok: true, truncated: true, shown_chars: 20_000 });
    expect(shown.total_chars).toBeGreaterThan(100_000);
    expect(Buffer.from(await artifacts.get(artifact ?? '')).toString()).toBe(JSON.stringify(long));
  });

  it.each([
    ['escapes of a terminal', 'a\u001b[31mb', 'a[31mb'],
    ['marks that turn text round', 'a\u202eb\u2066c', 'abc'],
    ['a byte order mark and NUL', '\ufeffa\u0000b', 'ab'],
    ['invisible tag characters', 'a\u{e0041}b', 'ab'],
  ])('has no %s', (_what, dirty, clean) => {
    expect(JSON.parse(seen([dirty]).content).result).toEqual([clean]);
  });

  it('keeps line breaks, emoji and the joiners that some scripts are spelt with', () => {
    const text = 'a\r\n\tb 👩‍💻 می‌خواهم';
    expect(JSON.parse(seen(text).content).result).toBe(text);
  });

  it('is always JSON and never longer than its bound', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string({ unit: 'binary', maxLength: 50 }),
        fc.nat({ max: 3000 }),
        (value, text, times) => {
          const plain: Json = JSON.parse(JSON.stringify([value, text.repeat(times)]));
          const { content } = seen(plain);
          expect(JSON.parse(content)).toMatchObject({ ok: true });
          // Escapes may double what was cut; there is a bound all the same.
          expect(content.length).toBeLessThan(130_000);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('of a failure is its code and message, cleaned', () => {
    const error = { code: 'tool_failed', message: 'no\u202e!', required: ['path'] };
    expect(JSON.parse(observe({ id: 'c', name: 'n' }, { ok: false, error }, artifacts).content)).toEqual({
      ok: false,
      error: { code: 'tool_failed', message: 'no!', required: ['path'] },
    });
  });
});
