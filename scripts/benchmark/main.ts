import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { barsOf, missedLine } from './bars.ts';
import { type Correspondent, startCorrespondent } from './correspondent.ts';
import { measureConsole } from './measure/console.ts';
import { watchCpuSpeed } from './measure/cpu-speed.ts';
import { measureEndToEnd } from './measure/end-to-end.ts';
import { measureGovernance } from './measure/governance.ts';
import { measureIdle } from './measure/idle.ts';
import { measureLists } from './measure/lists.ts';
import { measurePersonas } from './measure/personas.ts';
import { measureRecall } from './measure/recall.ts';
import { measureSmtp } from './measure/smtp.ts';
import { type ModelServer, measureStep } from './measure/step.ts';
import { measureThread } from './measure/thread.ts';
import { startPeer } from './peer.ts';
import { describe, type Figures } from './report.ts';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    /** Only these, for work on one of them: `--only step,smtp`. */
    only: { type: 'string' },
  },
});

type Sections = { [Name in keyof Omit<Figures, 'ok' | 'cpus' | 'cpu_speed' | 'bars'>]: () => Promise<Figures[Name]> };

function sections(correspondent: Correspondent, model: ModelServer, quick: boolean): Sections {
  const { url } = model.hello;
  return {
    step: () => measureStep(model, quick ? { warmUp: 20, rounds: 3, runs: 4 } : { warmUp: 30, rounds: 30, runs: 8 }),
    governance: () => measureGovernance(model, quick ? { rounds: 3, steps: 100 } : { rounds: 30, steps: 300 }),
    smtp: () =>
      measureSmtp(
        correspondent,
        quick ? { rounds: 1, mails: 600, floorMails: 2000 } : { rounds: 7, mails: 2000, floorMails: 6000 },
      ),
    end_to_end: () =>
      measureEndToEnd(correspondent, url, {
        // Until then a good part of what a mail costs is V8 compiling what the next ones run.
        warmUp: quick ? 600 : 1000,
        mails: (concurrency) => (concurrency === 1 ? 1 : 3) * (quick ? 60 : 700),
      }),
    thread: () =>
      measureThread(model, {
        ...(quick
          ? { lengths: [10, 1000, 10_000], rounds: 2, mails: 15 }
          : { lengths: [10, 1000, 10_000, 100_000], rounds: 9, mails: 40 }),
      }),
    personas: () =>
      measurePersonas(correspondent, url, {
        ...(quick
          ? { counts: [1, 100, 1000], warmUp: 80, rounds: 2, mails: 50 }
          : { counts: [1, 100, 1000, 10_000], warmUp: 1000, rounds: 5, mails: 300 }),
      }),
    lists: () => measureLists(quick ? { counts: [20, 400], rounds: 1 } : { counts: [20, 2000], rounds: 5 }),
    recall: () =>
      measureRecall(correspondent, url, {
        ...(quick
          ? { messages: 1000, warmUp: 60, rounds: 2, mails: 10 }
          : { messages: 100_000, warmUp: 600, rounds: 30, mails: 40 }),
      }),
    console: () =>
      measureConsole(correspondent, url, {
        ...(quick
          ? { personas: 50, mails: 3000, runs: 200, looks: 10, rounds: 1, mailsOfRound: 500 }
          : { personas: 2000, mails: 100_000, runs: 10_000, looks: 60, rounds: 7, mailsOfRound: 4000 }),
        consoles: 20,
        streams: 200,
        killed: 50,
      }),
    idle_mb: () => measureIdle(quick ? 5000 : 10_000),
  };
}

async function main(): Promise<number> {
  const correspondent = await startCorrespondent();
  const model: ModelServer = await startPeer('model-server');
  try {
    const figures: Partial<Figures> = { cpus: availableParallelism() };
    const cpuSpeed = await watchCpuSpeed();
    const wanted = options.only?.split(',');
    for (const [name, measure] of Object.entries(sections(correspondent, model, options.quick))) {
      if (wanted && !wanted.includes(name)) continue;
      const started = performance.now();
      Object.assign(figures, { [name]: await measure() });
      process.stderr.write(`${name}: measured in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
    }
    Object.assign(figures, { cpu_speed: await cpuSpeed() });
    const bars = barsOf(figures);
    const missed = bars.filter(({ met }) => !met);
    for (const bar of missed) process.stderr.write(`${missedLine(bar)}\n`);
    const document = { ok: missed.length === 0, ...figures, bars };
    process.stdout.write(options.json ? `${JSON.stringify(document)}\n` : describe(figures));
    // A quick run is too short to hold anything to a bar on a shared machine; it shows the figures and that they can be taken.
    return document.ok || options.quick ? 0 : 1;
  } finally {
    await Promise.all([correspondent.stop(), model.stop()]);
  }
}

process.exitCode = await main();
