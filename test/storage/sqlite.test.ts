import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openGatewayStore } from '../../engine/storage/sqlite/gateway/store.ts';
import { openStore } from '../../engine/storage/sqlite/persona/store.ts';
import { conformance } from './conformance.ts';

const folder = mkdtempSync(join(tmpdir(), 'epistle-conformance-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (name: string | undefined): string => (name === undefined ? ':memory:' : join(folder, `${name}.db`));

conformance('SQLite', {
  openStore: async (name) => openStore(fileOf(name)),
  openGateway: async (name) => openGatewayStore(fileOf(name)),
});
