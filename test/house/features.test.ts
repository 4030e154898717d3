import { describe, expect, it } from 'vitest';
import { importsOf, sourcesIn } from './sources.ts';

/**
 * A feature is what a mail can be answered without: a setting, or a tool that is not granted, switches it off. These folders
 * hold nothing else. What every answered mail goes through is none: policy, record, storage, models, the loop.
 */
const FEATURES = [
  'engine/features/',
  'engine/memory/',
  'engine/learning/',
  'engine/calendar/',
  'engine/documents/',
  'engine/tables/',
  'engine/tasks/',
  'engine/tools/calendar/',
  'engine/tools/capabilities/',
  'engine/tools/documents/',
  'engine/tools/files/',
  'engine/tools/knowledge/',
  'engine/tools/outside/',
  'engine/tools/shell/',
  'engine/tools/web/',
];

/** What goes through lists of features; types count, for a type is a name as well. */
const KNOWS_NONE = [
  'engine/harness/runtime.ts',
  'engine/harness/context/gather.ts',
  'engine/tools/for-run.ts',
  'engine/tools/run-surface.ts',
];

const sources = sourcesIn(['engine'], /\.ts$/);

describe('what works a run', () => {
  it.each(KNOWS_NONE)('%s knows no feature by name', (path) => {
    const source = sources.find((each) => each.path === path);
    const imported = importsOf(source ?? { path, text: '' }).flatMap(({ to }) => to ?? []);
    expect(imported.length).toBeGreaterThan(3);
    expect(imported.filter((to) => FEATURES.some((folder) => to.startsWith(folder)))).toEqual([]);
  });

  it('is told apart from features that there are', () => {
    expect(FEATURES.filter((folder) => !sources.some(({ path }) => path.startsWith(folder)))).toEqual([]);
  });

  it('is handed them where a gateway is put together, and a replay where it is asked for', () => {
    const inside = 'engine/features/';
    const knowing = sources
      .flatMap(importsOf)
      .filter(({ from, to }) => to?.startsWith(inside) && !from.startsWith(inside));
    expect([...new Set(knowing.map(({ from, to }) => `${from} knows ${to?.slice(inside.length)}`))].sort()).toEqual([
      'engine/app/job-handlers.ts knows scenario-job.ts',
      'engine/app/worker.ts knows features.ts',
      'engine/queries/runs/prompt.ts knows features.ts',
      'engine/queries/runs/replay.ts knows features.ts',
      'engine/workspace.ts knows capabilities.ts',
    ]);
  });
});
