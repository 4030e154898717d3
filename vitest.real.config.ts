import { defineConfig } from 'vitest/config';

/** Tests against real mail servers (Debian, root): run `test/lab/install` first. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.real.ts'],
    pool: 'forks',
    // Each file starts its own servers; two at a time would measure each other.
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
