import type { CpuSpeed } from './measure/cpu-speed.ts';
import type { EndToEnd } from './measure/end-to-end.ts';
import type { Governance } from './measure/governance.ts';
import type { PersonasFigure } from './measure/personas.ts';

/** The document of `--json` (interfaces.md section 4). */
export interface Figures {
  readonly ok: boolean;
  readonly cpus: number;
  readonly cpu_speed: CpuSpeed;
  readonly step: { readonly cpu_us: number; readonly floor_cpu_us: number; readonly ratio: number };
  readonly governance: Governance;
  readonly smtp: { readonly accepted_per_s: number; readonly floor_per_s: number };
  readonly end_to_end: readonly EndToEnd[];
  readonly thread: readonly { readonly messages: number; readonly cost_ratio: number }[];
  readonly personas: readonly PersonasFigure[];
  readonly idle_mb: number;
}

/**
 * What is slower or larger than promised, in words. Each bar that can be is a ratio to a floor of the same run. A quick run
 * has no others, and wider ones: it is made wherever somebody tries a change, on machines whose speed changes within
 * minutes, and finds what broke. The promises are held by the full run.
 */
export function missedBars(figures: Partial<Figures>, { quick }: { quick: boolean }): string[] {
  const { step, governance, smtp, end_to_end: answers, thread = [], personas = [], idle_mb: idle } = figures;
  const best = Math.max(...(answers ?? []).map(({ answers_per_s }) => answers_per_s));
  const cheapest = Math.min(...(answers ?? []).map(({ cpu_ms_per_mail }) => cpu_ms_per_mail));
  const most = personas.at(-1);
  // A few rounds of a cold process scatter by a quarter.
  const mostFloors = quick ? 2.5 : 2;
  return [
    bar(
      step !== undefined && step.ratio > mostFloors,
      `a tool step costs ${step?.ratio} floors, ${mostFloors} at most`,
    ),
    bar(
      governance !== undefined && governance.cpu_us_per_step > 500,
      `governance adds ${governance?.cpu_us_per_step} us to a tool step, 500 at most`,
    ),
    bar(
      governance !== undefined && governance.extra_rows_per_step > 2,
      `governance adds ${governance?.extra_rows_per_step} rows to a tool step, 2 at most`,
    ),
    bar(
      governance !== undefined && governance.transactions_per_step > 2,
      `a tool step takes ${governance?.transactions_per_step} transactions, 2 at most`,
    ),
    bar(
      smtp !== undefined && smtp.accepted_per_s < 0.2 * smtp.floor_per_s,
      'mail is accepted at under 0.2 of the floor',
    ),
    ...(quick
      ? [
          bar(
            answers !== undefined && smtp !== undefined && best < 0.02 * smtp.floor_per_s,
            `${best} answers a second, 0.02 of the ${smtp?.floor_per_s} mails of the floor at least`,
          ),
          bar(
            answers !== undefined && step !== undefined && cheapest > (8 * step.floor_cpu_us) / 1000,
            `${cheapest} ms of CPU for a mail, 8 floors of ${step?.floor_cpu_us} us at most`,
          ),
        ]
      : [
          bar(answers !== undefined && best < 150, `${best} answers a second, 150 at least`),
          bar(answers !== undefined && cheapest > 8, `${cheapest} ms of CPU for a mail, 8 at most`),
        ]),
    ...thread.map(({ messages, cost_ratio }) =>
      bar(cost_ratio > 1.25, `a mail after ${messages} others costs ${cost_ratio} times as much, 1.25 at most`),
    ),
    ...personas.map(({ count, cost_ratio }) =>
      bar(cost_ratio > 1.25, `a mail among ${count} personas costs ${cost_ratio} times as much, 1.25 at most`),
    ),
    bar(most !== undefined && most.start_ms > 5000, `the start takes ${most?.start_ms} ms, 5000 at most`),
    bar(most !== undefined && most.rss_mb > 400, `${most?.count} personas take ${most?.rss_mb} MB, 400 at most`),
    bar(idle !== undefined && idle > 180, `an idle gateway takes ${idle} MB, 180 at most`),
  ].flatMap((line) => line ?? []);
}

const bar = (missed: boolean, line: string): string | null => (missed ? line : null);

/** For people. */
export function describe(figures: Partial<Figures>): string {
  const { cpu_speed: speed, step, governance, smtp, end_to_end: answers = [], thread = [], personas = [] } = figures;
  const { idle_mb: idle } = figures;
  const lines = [
    speed &&
      `This machine: ${speed.work_ms} ms for a fixed piece of work; ${speed.stolen_percent} % of its time stolen.`,
    step && `A tool step costs ${step.cpu_us} us of CPU, the floor ${step.floor_cpu_us} us: ${step.ratio} times.`,
    governance &&
      `Governance adds ${governance.cpu_us_per_step} us of CPU (${governance.share_of_floor} floors) and ${governance.extra_rows_per_step} rows to it, in its ${governance.transactions_per_step} transactions.`,
    smtp && `${smtp.accepted_per_s} mails are accepted a second; the floor takes ${smtp.floor_per_s}.`,
    ...answers.map(
      ({ concurrency, answers_per_s, cpu_ms_per_mail }) =>
        `${concurrency} at a time: ${answers_per_s} answers a second, ${cpu_ms_per_mail} ms of CPU each.`,
    ),
    ...thread.map(
      ({ messages, cost_ratio }) =>
        `After ${messages} messages in the thread a mail costs ${cost_ratio} times as much.`,
    ),
    ...personas.map(
      ({ count, start_ms, rss_mb, cost_ratio }) =>
        `${count} personas: started in ${start_ms} ms, ${rss_mb} MB, a mail costs ${cost_ratio} times as much.`,
    ),
    idle !== undefined && `Idle: ${idle} MB.`,
  ];
  return `${lines.filter(Boolean).join('\n')}\n`;
}
