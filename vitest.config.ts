import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What starts processes comes first: it takes longest, and what is quick then fills the end evenly. */
class FlowsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFlow = ({ moduleId }: TestSpecification): number => Number(moduleId.includes('/test/flow/'));
    return (await super.sort(files)).sort((a, b) => isFlow(b) - isFlow(a));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Native modules and worker threads want a process of their own, and each file wants one: what a test has left
    // behind (a life that it let die) must not fail in the middle of another.
    pool: 'forks',
    // Flow tests wait for other processes more than they compute: three files side by side keep two cores busy.
    maxWorkers: Math.max(3, Math.ceil(1.5 * availableParallelism())),
    sequence: { sequencer: FlowsFirst },
    // They end what hangs; how fast a machine is says nothing of a test.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    coverage: { provider: 'v8', include: ['engine/**', 'extensions/**'], reporter: ['text-summary', 'json-summary'] },
  },
});
