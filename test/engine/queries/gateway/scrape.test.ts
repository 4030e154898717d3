import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildDirectory } from '../../../../engine/config/directory.ts';
import { gatewaySchema } from '../../../../engine/config/schemas.ts';
import type { Configs, PersonaEntry } from '../../../../engine/config/types.ts';
import { countedOf } from '../../../../engine/queries/gateway/status.ts';
import { createOverviews } from '../../../../engine/queries/overviews.ts';
import type { QueryPorts } from '../../../../engine/queries/ports.ts';
import { openGatewayStore } from '../../../../engine/storage/sqlite/gateway/store.ts';
import { createStores } from '../../../../engine/storage/sqlite/stores.ts';

const PERSONAS = 2000;

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'epistle-scrape-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** A gateway with so many personas, two of which share an address; it counts how often somebody goes through them all. */
function gatewayOf(personas: number) {
  const entries = Array.from({ length: personas }, (_, n): PersonaEntry => {
    const persona = { id: `p${n}`, address: `p${n < 2 ? 0 : n}@agents.example`, aliases: [] };
    return { state: 'ready', id: persona.id, persona: persona as never };
  });
  const looked = { all: 0, at: 0 };
  const built = buildDirectory(entries);
  const directory = {
    ...built,
    all() {
      looked.all += 1;
      return built.all();
    },
    get(id: string) {
      looked.at += 1;
      return built.get(id);
    },
  };
  const gateway = openGatewayStore(join(dataDir, 'gateway.db'));
  const stores = createStores({ dataDir, maxOpen: 4 });
  const overviews = createOverviews({ gateway, stores, pass: () => {} });
  const stop = overviews.watch(() => Array.from(built.all(), ({ id }) => id));
  const configs: Pick<Configs, 'gateway'> = { gateway: gatewaySchema.parse({}) };
  const ports = {
    dataDir,
    gateway,
    overviews,
    isLocked: () => false,
    live: { personas: () => directory, current: () => configs },
  } as unknown as QueryPorts;
  return {
    gateway,
    looked,
    count: () => countedOf(ports),
    async close() {
      await stop();
      await stores.close();
      await gateway.close();
    },
  };
}

describe('a scrape of the figures of 2,000 personas', () => {
  it('goes through those that are not ready, and after the first one through no list of all', async () => {
    const { gateway, looked, count, close } = gatewayOf(PERSONAS);
    await gateway.setPaused('p7', 'paused');
    await gateway.setPaused('gone', 'stopped');
    expect((await count()).personas).toEqual({ ready: PERSONAS - 3, paused: 1, error: 2 });
    looked.all = 0;
    looked.at = 0;
    await gateway.setPaused('p8', 'stopped');
    expect((await count()).personas).toEqual({ ready: PERSONAS - 4, paused: 2, error: 2 });
    expect(looked.all).toBe(0);
    expect(looked.at).toBeLessThanOrEqual(5);
    await close();
  });
});
