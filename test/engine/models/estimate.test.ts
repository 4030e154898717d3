import { describe, expect, it } from 'vitest';
import { estimateRunCost } from '../../../engine/models/estimate.ts';

const price = { input: 2, output: 10 };

describe('what one more run will cost', () => {
  it('is what the runs before it cost', () => {
    expect(estimateRunCost({ past: [0.01, 0.03], texts: ['long '.repeat(1000)], price })).toBeCloseTo(0.02);
  });

  it('before the first one is what reading the prompt and writing a page cost', () => {
    // 3500 characters are about 1000 tokens; the answer has 500.
    expect(estimateRunCost({ past: [], texts: ['x'.repeat(3000), 'y'.repeat(500)], price })).toBeCloseTo(0.007, 4);
  });

  it('is unknown without a price, and nothing where nothing is charged', () => {
    expect(estimateRunCost({ past: [0.01], texts: [], price: null })).toBeNull();
    expect(estimateRunCost({ past: [], texts: ['x'], price: { input: 0, output: 0 } })).toBe(0);
  });
});
