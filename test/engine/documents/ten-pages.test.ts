import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../engine/documents/read.ts';
import { computedMs } from '../../computed.ts';
import { SIZE } from '../../size.ts';

const READINGS = 10 * SIZE;

describe('a PDF of ten pages', () => {
  it.each(['ten-pages.pdf', 'groff-paper.pdf'])('takes a fraction of a second: %s', async (name) => {
    const bytes = new Uint8Array(readFileSync(new URL(`files/made/${name}`, import.meta.url)));
    const figures: number[] = [];
    for (let n = 0; n <= READINGS; n += 1) {
      const began = computedMs();
      const read = await readDocument({ bytes, name, type: '' });
      figures.push(computedMs() - began);
      expect(read).toMatchObject({ ok: true, document: { totals: { pages: 10 } } });
    }
    const [first = 0, ...others] = figures;
    const p95 = others.toSorted((a, b) => a - b)[Math.floor(0.95 * others.length)] ?? Number.POSITIVE_INFINITY;
    process.stdout.write(`${JSON.stringify({ name, readings: READINGS, first_ms: first, p95_ms: p95 })}\n`);
    expect(p95).toBeLessThan(300);
  });
});
