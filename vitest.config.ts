import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/longest-first.ts';
import { SIZE } from './test/size.ts';

const processors = availableParallelism();
// Programs and threads that tests start load much of the engine anew each time: they take it as it was compiled before.
// biome-ignore lint/style/noProcessEnv: Node hears of it in no other way
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.runtime/cache', import.meta.url));

const LIMIT_MS = SIZE < 20 ? 300_000 : 3_600_000;

/** Of the whole suite, about as long as they take. */
const LONGEST = [
  'flow/waiting/outage.test',
  'flow/tasks.test',
  'flow/acceptance/surface.test',
  'flow/waiting/crash.test',
  'flow/acceptance/quotas.test',
  'flow/failing-extensions.test',
  'flow/acceptance/approvals.test',
  'flow/admission-storage.test',
  'flow/strangers-leave-nothing.test',
  'flow/answers-told.test',
  'flow/acceptance/plan-crash.test',
  'flow/acceptance/plans.test',
  'flow/waiting/stop-and-budget.test',
  'flow/crash.test',
  'flow/approved-is-sent.test',
  'flow/acceptance/proofs.test',
  'flow/acceptance/loop.test',
  'flow/sight.test',
  'flow/corpus.test',
  'flow/cli-mail.test',
  'flow/crash-events.test',
  'flow/acceptance/replay.test',
  'flow/loops.test',
  'flow/standstill.test',
  'house/expressions.test',
  'engine/mail/reading/parse.test',
  'scripts/runtime.test',
  'packaging.test',
  'docs/follow-pages.test',
  'engine/harness/context/sight.test',
  'engine/mails/mails.test',
  'engine/harness/resume.test',
  'engine/harness/approvals.test',
];

/**
 * Of the folders below `test`: their tests leave nothing behind in their process, so that one process does file after file.
 * Loading the engine anew for each costs more than most of these files.
 */
const ROOMS = [
  ...['actions', 'calendar', 'cli', 'config', 'console', 'contract', 'delivery', 'dispatch', 'documents', 'intake'],
  ...['languages', 'learning', 'lib', 'mail', 'mailbox', 'mails', 'memory', 'models', 'policy', 'queries', 'record'],
  ...['service', 'storage', 'suspensions', 'tables', 'tasks', 'tools', 'wording'],
];
const SHARED = ['test/extensions/**/*.test.ts', ...ROOMS.map((room) => `test/engine/${room}/**/*.test.ts`)];
/** Some wait for threads or for their own servers. */
const UNIT = { maxWorkers: Math.max(3, Math.ceil(1.5 * processors)), sequence: { groupOrder: 2 } };
const ONE_PROCESS = { isolate: false, setupFiles: ['test/shared-process.ts'] };

export default defineConfig({
  test: {
    // Native modules and worker threads want a process of their own. So does each file in which something dies that would
    // go on by itself (a life of the gateway): that must not fail in the middle of another.
    pool: 'forks',
    sequence: { sequencer: longestFirst(LONGEST), setupFiles: 'list' },
    globalSetup: ['test/own-run/global-setup.ts'],
    setupFiles: ['test/own-run/ends-with-file.ts'],
    // They end what hangs; how fast a machine is says nothing of a test, so that no test has a limit of its own.
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: 90_000 } },
    coverage: { provider: 'v8', include: ['engine/**', 'extensions/**'], reporter: ['text-summary', 'json-summary'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'flow',
          include: ['test/flow/**/*.test.ts'],
          // What lives and dies in them has processes beside them.
          ...ONE_PROCESS,
          setupFiles: [...ONE_PROCESS.setupFiles, 'test/flow/ends-with-file.ts'],
          // They start processes and wait four fifths of their time for what these do.
          maxWorkers: Math.max(6, 3 * processors),
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/flow/**', ...SHARED],
          // It imports JSON in a way that Node refuses.
          server: { deps: { inline: ['@actions/workflow-parser', '@actions/expressions'] } },
          ...UNIT,
        },
      },
      {
        extends: true,
        test: { name: 'shared', include: SHARED, ...ONE_PROCESS, ...UNIT },
      },
    ],
  },
});
