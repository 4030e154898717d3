import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playAll, type Vendors } from './rig.ts';
import { STRANGER_ROWS } from './rows-strangers.ts';

let vendors: Vendors;
beforeAll(async () => {
  vendors = await playAll(STRANGER_ROWS);
});
afterAll(() => vendors?.close());

describe('what was not seen before of vendors', () => {
  it.each(STRANGER_ROWS.map((row) => [row.id, row] as const))('%s', (id, row) => {
    const played = vendors.played.get(id);
    expect(played?.how).toBe(row.ends);
    row.heard?.(played?.asked ?? []);
  });
});
