import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Native modules and worker threads want a process of their own.
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    coverage: { provider: 'v8', include: ['engine/**', 'extensions/**'], reporter: ['text-summary', 'json-summary'] },
  },
});
