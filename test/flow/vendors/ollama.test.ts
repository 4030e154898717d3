import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playAll, type Vendors } from './rig.ts';
import { OLLAMA_ROWS } from './rows-ollama.ts';

let vendors: Vendors;
beforeAll(async () => {
  vendors = await playAll(OLLAMA_ROWS);
});
afterAll(() => vendors?.close());

describe('Ollama by its own API', () => {
  it.each(OLLAMA_ROWS.map((row) => [row.id, row] as const))('%s', (id, row) => {
    const played = vendors.played.get(id);
    expect(played?.how).toBe(row.ends);
    row.heard?.(played?.asked ?? []);
  });
});
