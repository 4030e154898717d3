import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Native modules and worker threads want a process of their own.
    pool: 'forks',
    // Flow tests wait for other processes more than they compute: three files side by side keep two cores busy.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    coverage: { provider: 'v8', include: ['engine/**', 'extensions/**'], reporter: ['text-summary', 'json-summary'] },
  },
});
