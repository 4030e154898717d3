import type { Bar } from './bars.ts';
import type { ConsoleFigure } from './measure/console.ts';
import type { CpuSpeed } from './measure/cpu-speed.ts';
import type { EndToEnd } from './measure/end-to-end.ts';
import type { Governance } from './measure/governance.ts';
import type { ListsFigure } from './measure/lists.ts';
import type { PersonasFigure } from './measure/personas.ts';
import type { RecallFigure } from './measure/recall.ts';
import type { StepFigure } from './measure/step.ts';

/** The document of `--json`. */
export interface Figures {
  readonly ok: boolean;
  readonly cpus: number;
  readonly cpu_speed: CpuSpeed;
  readonly step: StepFigure;
  readonly governance: Governance;
  readonly smtp: { readonly accepted_per_s: number; readonly floor_per_s: number };
  readonly end_to_end: readonly EndToEnd[];
  readonly thread: readonly { readonly messages: number; readonly cost_ratio: number }[];
  readonly personas: readonly PersonasFigure[];
  readonly lists: readonly ListsFigure[];
  readonly recall: RecallFigure;
  readonly console: ConsoleFigure;
  readonly idle_mb: number;
  readonly bars: readonly Bar[];
}

/** For people. */
export function describe(figures: Partial<Figures>): string {
  const { cpu_speed: speed, step, governance, smtp, end_to_end: answers = [], thread = [], personas = [] } = figures;
  const { lists = [], recall, console, idle_mb: idle } = figures;
  const lines = [
    speed &&
      `This machine: ${speed.work_ms} ms for a fixed piece of work; ${speed.stolen_percent} % of its time stolen.`,
    step &&
      `A tool step costs ${step.cpu_us} us of CPU, the floor ${step.floor_cpu_us} us: ${step.ratio} times. One of the AI SDK, which keeps nothing, costs ${step.ai_sdk_cpu_us} us: ${step.ai_sdk_ratio} of that.`,
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
    ...lists.map(
      ({ count, status_ms, runs_list_ms, approvals_list_ms, scrape_ms }) =>
        `${count} personas: \`status\` takes ${status_ms} ms of CPU, \`runs list\` ${runs_list_ms}, \`approvals list\` ${approvals_list_ms}, a scrape ${scrape_ms}.`,
    ),
    recall &&
      `With recall on, over ${recall.messages} earlier mails, a mail costs ${recall.cost_ratio} times as much (${recall.cpu_us} us of CPU instead of ${recall.without_cpu_us}); one look takes ${recall.look_ms} ms, nineteen of twenty at most ${recall.look_p95_ms}.`,
    ...(console === undefined ? [] : consoleLines(console)),
    idle !== undefined && `Idle: ${idle} MB.`,
  ];
  return `${lines.filter(Boolean).join('\n')}\n`;
}

const consoleLines = ({ pages, ...of }: ConsoleFigure): readonly string[] => [
  `The console of ${of.personas} personas with ${of.mails} mails and ${of.runs} runs: ${pages
    .map(
      ({ page, cpu_ms, p95_cpu_ms, first_visit_kb }) =>
        `${page} ${cpu_ms} ms of CPU (${p95_cpu_ms}), ${first_visit_kb} kB`,
    )
    .join('; ')}.`,
  `Beside ${of.consoles} open pages a mail costs ${of.mail_cost_ratio} times as much. ${of.streams} streams hold ${of.streams_mb} MB; afterwards memory is ${of.memory_ratio} times what it was.`,
];
