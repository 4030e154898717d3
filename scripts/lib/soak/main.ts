import { parseArgs } from 'node:util';
import { CRASH_POINTS } from '../../../engine/lib/crash-points.ts';
import { crashAtEach } from './crash-run.ts';
import { type KillReport, killRun } from './kill-run.ts';

const SIZES = {
  ci: { folder: { mails: 50, kills: 10 }, smtp: { mails: 20, kills: 5 } },
  full: { folder: { mails: 1000, kills: 60 }, smtp: { mails: 300, kills: 50 } },
} as const;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Kills, then crash points. Prints the figures; the exit code is 1 when a promise is broken. */
async function soak(seed: number, size: keyof typeof SIZES) {
  const began = performance.now();
  say(`killing it while mail comes in, answers go to a folder (seed ${seed})`);
  const folder = await killRun({ seed, ...SIZES[size].folder, way: 'folder', say });
  say('killing it while mail comes in, answers go to an unreliable SMTP server');
  const smtp = await killRun({ seed, ...SIZES[size].smtp, way: 'smtp', say });
  say('killing it at every labelled point');
  const crashes = await crashAtEach(CRASH_POINTS);
  const sum = (key: 'accepted' | 'answered' | 'lost' | 'doubled' | 'kills' | 'resent' | 'duplicates') =>
    folder[key] + smtp[key];
  const problems = [...folder.problems, ...smtp.problems, ...crashes.problems];
  return {
    ok: folder.ok && smtp.ok && crashes.problems.length === 0 && Object.values(crashes.points).every(Boolean),
    ...{ seed, size },
    accepted: sum('accepted'),
    answered: sum('answered'),
    lost: sum('lost'),
    doubled: sum('doubled'),
    kills: sum('kills') + Object.keys(crashes.points).length,
    resent: sum('resent'),
    duplicates: sum('duplicates'),
    crash_points: crashes.points,
    ...{ folder: withoutProblems(folder), smtp: withoutProblems(smtp), problems },
    seconds: Math.round((performance.now() - began) / 100) / 10,
  };
}

const withoutProblems = ({ problems: _, ...figures }: KillReport) => figures;

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: '1' },
      size: { type: 'string', default: 'ci' },
      json: { type: 'boolean' },
    },
  });
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed) || (values.size !== 'ci' && values.size !== 'full')) {
    say('usage: ./scripts/soak [--seed N] [--size ci|full] [--json]');
    return 2;
  }
  const report = await soak(seed, values.size);
  process.stdout.write(`${JSON.stringify(report, null, values.json ? undefined : 2)}\n`);
  return report.ok ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
