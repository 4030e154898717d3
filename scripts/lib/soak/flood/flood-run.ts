import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { keptIn } from '../attacks/kept.ts';
import { MEMBER, OWNER, openRig, type Rig } from '../attacks/rig.ts';

export interface FloodOptions {
  readonly seed: number;
  readonly size: 'small' | 'full';
  say(line: string): void;
}

const HOUR_MS = 3_600_000;
const SIZES = {
  // What is bounded by a number fills up first: less than a minute is worth more than a hundredth of an hour.
  small: { quietMs: 12_000, floodMs: 40_000, growthMb: 10 },
  full: { quietMs: 120_000, floodMs: HOUR_MS, growthMb: 50 },
} as const;
const BARS = { notices: 3 } as const;
/** In the small size who floods may take half of the machine, and a minute has few answers to count. */
const SLOWER = { small: 4, full: 2 } as const;
/** So long nobody minds, in the small size: where an answer takes a moment, four of them are one, too. */
const UNNOTICED_MS = { small: 1500, full: 0 } as const;
/** Between one mail of somebody and the next. */
const PACE_MS = 500;
const PATIENCE_MS = 30_000;
const WRITERS = [
  [MEMBER, 'submission'],
  [MEMBER, 'signed'],
  [OWNER, 'submission'],
  [OWNER, 'signed'],
] as const;

/** Strangers send whatever they can, as fast as they can, and people write at their pace as they did before. */
export async function floodRun({ seed, size, say }: FloodOptions) {
  const { quietMs, floodMs, growthMb } = SIZES[size];
  const rig = await openRig();
  const data = join(rig.root, 'data');
  try {
    await Promise.all(WRITERS.map(([who, way]) => rig.askAs(who, way, PATIENCE_MS)));
    const empty = keptIn(data).bytes;
    const quiet = await writeSteadily(rig, quietMs);
    const before = keptIn(data).bytes;
    const perMail = (before - empty) / Math.max(1, quiet.waits.length);
    say(`quiet: p95 ${p95(quiet.waits)} ms of ${quiet.waits.length}, ${Math.round(perMail)} bytes each`);
    const since = Date.now();
    const flood = startFlood(rig, seed, since + floodMs);
    // Whoever asks for it later hears of its failure then.
    flood.catch(() => {});
    const steady = await writeSteadily(rig, floodMs, (waits) =>
      say(
        `${Math.round((Date.now() - since) / 1000)} s: p95 ${p95(waits)} ms, ${mb(keptIn(data).bytes - before)} MB, ${rig.answers.notices().length} notices`,
      ),
    );
    const replies = await flood;
    const standstill = await rig.standstill(since);
    // What the people's own mail leaves behind is theirs.
    const grown = mb(keptIn(data).bytes - before - perMail * steady.waits.length);
    const notices = rig.answers.notices();
    const figures = {
      seed,
      size,
      seconds: Math.round((Date.now() - since) / 1000),
      mails: Object.values(replies).reduce((sum, one) => sum + Object.values(one).reduce((all, n) => all + n, 0), 0),
      quiet_p95_ms: p95(quiet.waits),
      flood_p95_ms: p95(steady.waits),
      unanswered: steady.waits.filter((ms) => ms >= PATIENCE_MS).length,
      written: steady.waits.length,
      grown_mb: grown,
      notices: notices.length,
      notice_subjects: [...new Set(notices)].slice(0, 10),
      ...standstill,
      noise_ms: Math.round(rig.noiseMs(since)),
      rss_mb: Math.round(rig.rssMb()),
      replies,
    };
    const problems = [
      ...(rig.isGone() ? ['the gateway died'] : []),
      ...(figures.flood_p95_ms > Math.max(SLOWER[size] * figures.quiet_p95_ms, UNNOTICED_MS[size])
        ? [`answers took ${figures.flood_p95_ms} ms (p95), ${figures.quiet_p95_ms} when it was quiet`]
        : []),
      ...(figures.unanswered > 0 ? [`${figures.unanswered} mails of people were not answered`] : []),
      ...(grown > growthMb ? [`strangers left ${grown} MB behind, ${growthMb} are allowed`] : []),
      ...(notices.length > BARS.notices ? [`the owner got ${notices.length} notices`] : []),
    ];
    return { ok: problems.length === 0, problems, ...figures };
  } finally {
    await rig.close();
  }
}

/** One mail after the other whoever is still waiting, each at its time; how long everybody waited. */
async function writeSteadily(rig: Rig, forMs: number, say: (waits: readonly number[]) => void = () => {}) {
  const waits: number[] = [];
  const open = new Set<Promise<void>>();
  const began = performance.now();
  const told = { at: began };
  for (let n = 0; performance.now() - began < forMs; n += 1) {
    const [who, way] = WRITERS[n % WRITERS.length] ?? WRITERS[0];
    const asked = rig.askAs(who, way, PATIENCE_MS).then((ms) => void waits.push(Math.round(ms)));
    open.add(asked);
    void asked.finally(() => open.delete(asked));
    if (performance.now() - told.at > 15_000) {
      told.at = performance.now();
      say(waits);
    }
    await sleep(Math.max(0, began + (n + 1) * PACE_MS - performance.now()));
  }
  await Promise.all(open);
  return { waits };
}

async function startFlood(rig: Rig, seed: number, untilMs: number): Promise<Record<string, Record<string, number>>> {
  const worker = new Worker(new URL('./crew.ts', import.meta.url), { workerData: { port: rig.port(), seed, untilMs } });
  const late = new AbortController();
  // Whoever waits for a name server that says nothing comes to an end some time later.
  const end = sleep(untilMs - Date.now() + 45_000, [{}], { signal: late.signal }).catch(() => [{}]);
  const [replies] = await Promise.race([once(worker, 'message'), end]);
  late.abort();
  await worker.terminate();
  return replies as Record<string, Record<string, number>>;
}

const mb = (bytes: number): number => Math.round(bytes / 1e5) / 10;

export function p95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? 0;
}
