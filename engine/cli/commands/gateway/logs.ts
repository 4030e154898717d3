import { EngineError } from '#contract';
import { lineInWords } from '../../../lib/log/log.ts';
import {
  followLines,
  isWanted,
  LEVELS,
  type Level,
  type LogLine,
  newestLines,
} from '../../../queries/gateway/upkeep/log-lines.ts';
import { defineCommand } from '../../command/define.ts';
import { limitOf } from '../../command/page-options.ts';
import { sinceOf } from '../../command/time-option.ts';
import { zoneLine } from '../../text/local-time.ts';

const LIMIT = 100;
const LOOK_MS = 250;

export const logs = defineCommand({
  name: 'logs',
  summary: 'What the gateway has logged: mail that came and what became of it, attempts to send, what went wrong',
  options: {
    follow: { flags: '-f, --follow', about: 'go on with what is logged from now on, until Ctrl-C' },
    since: { flags: '--since <time>', about: 'no older lines: a time, or 30m, 1h, 7d' },
    persona: { flags: '--persona <id>', about: 'only what is about this one' },
    level: { flags: '--level <level>', about: `${LEVELS.join(', ')}: this and what is worse`, fallback: 'debug' },
    limit: { flags: '--limit <n>', about: 'so many of the newest lines', fallback: String(LIMIT) },
  },
  examples: [
    ['logs -f', 'as it goes on'],
    ['logs --since 1h --level warn', 'what went wrong in the last hour'],
  ],
  async run({ open, json, print }, { options }) {
    const { dataDir, clock } = open({ tolerant: true });
    const wanted = {
      since: sinceOf('--since', options.since, clock.now()),
      persona: options.persona,
      level: levelOf(options.level),
    };
    const follower = options.follow ? followLines(dataDir) : null;
    const lines = newestLines(dataDir, wanted, limitOf(options.limit));
    if (follower === null) return { lines };
    const show = (line: LogLine) => print(json ? JSON.stringify(line) : inWords(line));
    lines.forEach(show);
    // Somebody ends it by Ctrl-C, or by closing what reads it; stdout itself never counts as closed.
    const ending = new AbortController();
    process.stdout.once('error', () => ending.abort());
    while (!ending.signal.aborted) {
      const more = follower.more().filter((line) => isWanted(line, wanted));
      more.forEach(show);
      await clock.sleep(LOOK_MS, ending.signal).catch(() => {});
    }
    follower.close();
    return undefined;
  },
  text: ({ lines }, { hint }) =>
    lines.length > 0
      ? [...lines.map(inWords), zoneLine()].join('\n')
      : hint(
          'Nothing such was logged; `log` of configs/system.json says what is, `epistle status` whether a gateway runs.',
        ),
});

const inWords = (line: LogLine): string => lineInWords(line, { day: true });

function levelOf(written: string): Level {
  const level = LEVELS.find((one) => one === written);
  if (level === undefined) throw new EngineError('usage', `--level takes one of ${LEVELS.join(', ')}`);
  return level;
}
