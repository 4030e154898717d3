import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playAll, type Vendors } from './rig.ts';
import { TURN_ROWS } from './rows-turns.ts';

let vendors: Vendors;
beforeAll(async () => {
  vendors = await playAll(TURN_ROWS);
});
afterAll(() => vendors?.close());

describe('what goes back to a vendor', () => {
  it.each(TURN_ROWS.map((row) => [row.id, row] as const))('%s', (id, row) => {
    const played = vendors.played.get(id);
    expect(played?.how).toBe(row.ends);
    row.heard?.(played?.asked ?? []);
  });
});
