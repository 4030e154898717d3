import { defineConfig } from 'vitest/config';
import { longestFirst } from './test/longest-first.ts';

/**
 * Tests against real mail servers (Debian, root): run `test/lab/install` first. EPISTLE_REAL_SIZE multiplies how much
 * mail is measured and how often the gateway is killed.
 */
// biome-ignore lint/style/noProcessEnv: the size of a test run is no setting of the product
const size = Number(process.env.EPISTLE_REAL_SIZE ?? 1);
// biome-ignore lint/style/noProcessEnv: nor is where a story is written down
const weekTranscript = process.env.EPISTLE_WEEK_TRANSCRIPT ?? '';
// biome-ignore lint/style/noProcessEnv: nor is where pictures of the console are kept
const consolePictures = process.env.EPISTLE_CONSOLE_PICTURES ?? '';

// biome-ignore lint/style/noProcessEnv: nor is where pictures of mails are kept
const mailPictures = process.env.EPISTLE_MAIL_PICTURES ?? '';

export default defineConfig({
  test: {
    include: ['test/real/**/*.real.ts'],
    pool: 'forks',
    globalSetup: ['test/own-run/global-setup.ts'],
    setupFiles: ['test/own-run/ends-with-file.ts', 'test/flow/ends-with-file.ts'],
    // Each file starts its own servers and mostly waits for them.
    maxWorkers: 3,
    sequence: {
      sequencer: longestFirst([
        'real/walks.real',
        'real/gateway-kills.real',
        'real/tasks.real',
        'real/gateway-answers.real',
        'real/imap.real',
      ]),
    },
    // Gateways of one file at a time, on two processors.
    maxConcurrency: 3,
    // It ends what hangs; restarted servers and their retries take their time on a busy machine.
    testTimeout: 120_000 * size,
    hookTimeout: 60_000,
    provide: { measuredMails: 100 * size, kills: 5 * size, weekTranscript, consolePictures, mailPictures },
  },
});
