import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { createBlobs } from '../../../../engine/storage/blobs.ts';
import { observe } from '../../../../engine/tools/observe/observe.ts';
import { computedMs } from '../../../computed.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'epistle-observe-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const artifacts = createBlobs(folder);
const seen = (result: Json, at = NOON) =>
  observe({ id: 'c1', name: 'look' }, { ok: true, result, ms: 1 }, artifacts, at);
const shown = (result: Json) => JSON.parse(seen(result).content);
const kept = async (ref: string | null) => JSON.parse(Buffer.from(await artifacts.get(ref ?? '')).toString());

describe('what a model sees of a result', () => {
  it('is the whole while it is short, with where it comes from and when it was so', () => {
    expect(seen({ a: [1, 'ü'] })).toEqual({
      call_id: 'c1',
      tool: 'look',
      ok: true,
      code: null,
      content: '{"ok":true,"result":{"a":[1,"ü"]},"source":{"tool":"look"},"observed_at":"2026-11-21T12:00:00Z"}',
      artifact: null,
      ref: null,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['the address of a page', { url: 'https://example.com/a', text: 't' }, { url: 'https://example.com/a' }],
    ['the path of a file', { path: 'notes/a.md', text: 't' }, { path: 'notes/a.md' }],
    ['the Message-ID of a mail', { message_id: '<a@example.com>' }, { message_id: '<a@example.com>' }],
    ['no more than the tool where the result names nothing', [{ url: 'https://example.com' }], {}],
  ])('says as its source %s', (_what, result, source) => {
    expect(shown(result as Json).source).toEqual({ tool: 'look', ...source });
  });

  it('is the same to the byte for the same result at the same time', () => {
    const result = { text: 'word '.repeat(10_000), rows: [1, 2] };
    expect(seen(result)).toEqual(seen(structuredClone(result)));
  });

  it('of a failure is its code and message, cleaned', () => {
    const error = { code: 'tool_failed', message: 'no\u202e! Bearer abc123', required: ['path'] };
    const { content, ref } = observe({ id: 'c', name: 'n' }, { ok: false, error }, artifacts, NOON);
    expect(JSON.parse(content)).toEqual({
      ok: false,
      error: { code: 'tool_failed', message: 'no! [REDACTED]', required: ['path'] },
    });
    expect(ref).toBeNull();
  });
});

describe('a result that is too large', () => {
  it('is shown in part with its true size, the whole being kept', async () => {
    const long = 'x'.repeat(100_000);
    const { content, artifact, ref } = seen(long);
    const { result, ...envelope } = JSON.parse(content);
    expect(long.startsWith(result)).toBe(true);
    expect(envelope).toMatchObject({
      ok: true,
      truncated: true,
      total_bytes: 100_002,
      cut: [{ at: 'result', shown_chars: result.length, total_chars: 100_000, total_lines: 1 }],
      ref: artifact,
      more: expect.stringContaining('resolve_ref'),
    });
    expect(ref).toBe(artifact);
    expect(await kept(artifact)).toBe(long);
  });

  it('keeps its shape, and its small fields whole before the large one', () => {
    const { result, cut } = shown({ url: 'https://example.com', text: 'ab\n'.repeat(50_000), next: 7, title: 'T' });
    expect(result).toEqual({ url: 'https://example.com', text: expect.any(String), next: 7, title: 'T' });
    expect(result.text.length).toBeGreaterThan(1000);
    expect(cut).toEqual([{ at: 'text', shown_chars: result.text.length, total_chars: 150_000, total_lines: 50_001 }]);
  });

  it('is cut by rows, and says of how many', () => {
    const rows = Array.from({ length: 12_481 }, (_none, n) => ({ line: n }));
    const { result, cut, ref } = shown({ rows });
    expect(result.rows).toEqual(rows.slice(0, 200));
    expect(cut).toEqual([{ at: 'rows', shown_rows: 200, total_rows: 12_481 }]);
    expect(ref).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is cut by lines although it has few characters', () => {
    const { result, cut } = shown('\n'.repeat(9000));
    expect(result).toBe('\n'.repeat(2000));
    expect(cut).toEqual([{ at: 'result', shown_chars: 2000, total_chars: 9000, total_lines: 9001 }]);
  });

  it('is whole where several texts of many lines are small together', () => {
    const result = { a: '\n'.repeat(1500), b: '\n'.repeat(1500) };
    const { content, artifact } = seen(result);
    expect(JSON.parse(content)).toMatchObject({ ok: true, result, ref: artifact });
    expect(JSON.parse(content)).not.toHaveProperty('truncated');
  });

  it('is cut by bytes although it has few characters', () => {
    const { content } = seen('漢'.repeat(19_000));
    expect(Buffer.byteLength(content)).toBeLessThan(48_000);
    expect(JSON.parse(content).cut[0].total_chars).toBe(19_000);
  });

  it.each([
    ['one row is larger than everything', [['x'.repeat(90_000)], 1]],
    ['it has ten thousand fields', Object.fromEntries(Array.from({ length: 10_000 }, (_n, n) => [`field ${n}`, n]))],
    ['the name of a field is a book', { ['k'.repeat(200_000)]: 1, small: 2 }],
    ['it is deep', JSON.parse(`${'[{"a":'.repeat(60)}"${'x'.repeat(50_000)}"${'}]'.repeat(60)}`)],
    ['every character is written as several', '"\\\n'.repeat(30_000)],
    ['it is full of marks that are escaped', '<|im_start|>'.repeat(1600)],
  ])('stays JSON within its bound where %s', (_what, result) => {
    const { content, ref } = seen(result as Json);
    expect(JSON.parse(content)).toMatchObject({ ok: true, truncated: true });
    expect(content.length).toBeLessThanOrEqual(20_000);
    expect(ref).not.toBeNull();
  });

  it('leaves the whole in the artifact, secrets included, and none of them in the part', async () => {
    const secret = `sk-${'a1'.repeat(20)}`;
    // Wherever the cut falls, it falls into one of them.
    const { content, artifact } = seen(`${secret} `.repeat(3000));
    expect(content).not.toContain('a1a1');
    expect(await kept(artifact)).toContain(secret);
  });

  it('of thirty million characters takes no second', () => {
    const huge = { text: 'lorem ipsum\n'.repeat(2_500_000) };
    const started = computedMs();
    expect(seen(huge).content.length).toBeLessThanOrEqual(20_000);
    expect(computedMs() - started).toBeLessThan(20_000);
  });
});

describe('any result whatever', () => {
  it('becomes JSON within the bound, and its row stays small enough to be found again', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string({ unit: 'binary', maxLength: 50 }),
        fc.nat({ max: 3000 }),
        (value, text, times) => {
          const plain: Json = JSON.parse(JSON.stringify([{ value }, { text: text.repeat(times) }]));
          const { content, artifact } = seen(plain);
          expect(JSON.parse(content)).toMatchObject({ ok: true });
          expect(content.length).toBeLessThanOrEqual(20_100);
          expect(Buffer.byteLength(content)).toBeLessThanOrEqual(48_200);
          if (artifact === null) expect(JSON.stringify(content).length).toBeLessThanOrEqual(30_000);
        },
      ),
      { numRuns: 60, seed: 20261121 },
    );
  });
});
