import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playAll, type Vendors } from './rig.ts';
import { PICTURE_ROWS } from './rows-pictures.ts';

let vendors: Vendors;
beforeAll(async () => {
  vendors = await playAll(PICTURE_ROWS);
});
afterAll(() => vendors?.close());

describe('pictures of a mail', () => {
  it.each(PICTURE_ROWS.map((row) => [row.id, row] as const))('%s', (id, row) => {
    const played = vendors.played.get(id);
    expect(played?.how).toBe(row.ends);
    row.heard?.(played?.asked ?? []);
  });
});
