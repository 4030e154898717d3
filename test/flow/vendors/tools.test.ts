import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playAll, type Vendors } from './rig.ts';
import { ODD_TOOLS, TOOL_ROWS } from './rows-tools.ts';

let vendors: Vendors;
beforeAll(async () => {
  vendors = await playAll(TOOL_ROWS, ODD_TOOLS);
});
afterAll(() => vendors?.close());

describe('tools that extensions declare', () => {
  it.each(TOOL_ROWS.map((row) => [row.id, row] as const))('%s', (id, row) => {
    const played = vendors.played.get(id);
    expect(played?.how).toBe(row.ends);
    row.heard?.(played?.asked ?? []);
  });
});
