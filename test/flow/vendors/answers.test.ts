import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playAll, type Vendors } from './rig.ts';
import { ANSWER_ROWS } from './rows-answers.ts';

let vendors: Vendors;
beforeAll(async () => {
  vendors = await playAll(ANSWER_ROWS);
});
afterAll(() => vendors?.close());

describe('what vendors answer', () => {
  it.each(ANSWER_ROWS.map((row) => [row.id, row] as const))('%s', (id, row) => {
    const played = vendors.played.get(id);
    expect(played?.how).toBe(row.ends);
    row.heard?.(played?.asked ?? []);
  });
});
