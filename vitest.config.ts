import { configDefaults, defineConfig } from 'vitest/config';
import { SIZE } from './test/size.ts';

/** Eight minutes of one core for what other flows say shorter, most of it in `test/flow/acceptance`. Part of the full size. */
const LONG = [
  'test/flow/approvals.test.ts',
  'test/flow/cli-records.test.ts',
  'test/flow/governance-{answers,commands,model}.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(SIZE < 20 ? LONG : [])],
    // Native modules and worker threads want a process of their own.
    pool: 'forks',
    // Flow tests wait for other processes more than they compute: three files side by side keep two cores busy.
    maxWorkers: 3,
    // They end what hangs; how fast a machine is says nothing of a test.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    coverage: { provider: 'v8', include: ['engine/**', 'extensions/**'], reporter: ['text-summary', 'json-summary'] },
  },
});
