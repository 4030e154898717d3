import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processSettings } from '../../../engine/config/environment.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { exportOf } from '../../../engine/queries/people/export.ts';
import { personOf } from '../../../engine/queries/people/people.ts';
import { type ConsoleViewer, portsOf } from '../../../engine/queries/viewer.ts';
import { openWorkspace, type Workspace } from '../../../engine/workspace.ts';
import {
  type BenchWorkspace,
  makeBenchWorkspace,
  personaId,
  SENDER,
} from '../../../scripts/benchmark/bench-workspace.ts';
import { seedPersonas } from '../../../scripts/benchmark/seed-personas.ts';

const PERSONAS = 14;
const all = Array.from({ length: PERSONAS }, (_, persona) => personaId(persona));

let files: BenchWorkspace;
let open: Workspace;
beforeAll(async () => {
  files = makeBenchWorkspace({ personas: PERSONAS, modelUrl: null });
  const now = Date.now() - 60_000;
  await seedPersonas({ dataDir: join(files.root, 'data'), personas: PERSONAS, every: PERSONAS + 1, now });
  open = openWorkspace({ root: files.root, settings: processSettings(), makeLog: () => silentLog });
});
afterAll(async () => {
  await open?.close();
  files?.remove();
});

const looks = (personas: readonly string[], ownsGateway: boolean): ConsoleViewer => ({
  address: 'owner@example.com',
  role: 'owner',
  personas: new Set(personas),
  ownsGateway,
});

describe('somebody whom many personas know', () => {
  it('has a page that says how many it does not tell of', async () => {
    const viewer = looks(all, true);
    const page = await personOf(portsOf(open, viewer), viewer, SENDER);
    expect(page.personas).toHaveLength(12);
    expect(page.others).toBe(2);
  });

  it('is exported with what all of them hold', async () => {
    const viewer = looks(all, true);
    const held = await exportOf(portsOf(open, viewer), viewer, SENDER);
    expect(new Set(held.runs.map(({ persona }) => persona))).toEqual(new Set(all));
    expect(held.mails).toHaveLength(PERSONAS);
    expect(held.isCut).toBe(false);
  });

  it('is exported to whoever owns some of them with what these hold alone', async () => {
    const viewer = looks(all.slice(0, 2), false);
    const held = await exportOf(portsOf(open, viewer), viewer, SENDER);
    expect(new Set(held.runs.map(({ persona }) => persona))).toEqual(new Set(all.slice(0, 2)));
    expect(held.mails).toHaveLength(2);
  });
});
