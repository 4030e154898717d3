import type { ConsoleFigure } from './measure/console.ts';
import type { ListsFigure } from './measure/lists.ts';
import type { Figures } from './report.ts';

/** What a figure may be at most, or has to be at least. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly at_most?: number;
  readonly at_least?: number;
  readonly met: boolean;
}

/** So many mails come at once where the gateway is to be at its fastest. */
const BUSY = 32;

/**
 * What is promised of each figure that was taken. Held by the full run alone: a short one on a shared machine shows
 * figures that scatter by a quarter, and that they can be taken.
 */
export function barsOf(figures: Partial<Figures>): readonly Bar[] {
  const { step, governance, smtp, end_to_end = [], thread = [], personas = [], lists = [], recall, idle_mb } = figures;
  const busy = end_to_end.find(({ concurrency }) => concurrency === BUSY);
  const most = personas.at(-1);
  return [
    atMost('step.ratio', step?.ratio, 1.4),
    atMost('governance.cpu_us_per_step', governance?.cpu_us_per_step, 500),
    atMost('governance.extra_rows_per_step', governance?.extra_rows_per_step, 2),
    atMost('governance.transactions_per_step', governance?.transactions_per_step, 2),
    atLeast('smtp.share_of_floor', smtp && share(smtp.accepted_per_s, smtp.floor_per_s), 0.4),
    atLeast(`answers_per_s at ${BUSY}`, busy?.answers_per_s, 250),
    atMost(`cpu_ms_per_mail at ${BUSY}`, busy?.cpu_ms_per_mail, 4.5),
    ...thread.map(({ messages, cost_ratio }) => atMost(`cost_ratio after ${messages} mails`, cost_ratio, 1.25)),
    ...personas.map(({ count, cost_ratio }) => atMost(`cost_ratio among ${count} personas`, cost_ratio, 1.25)),
    atMost(`start_ms of ${most?.count} personas`, most?.start_ms, 3000),
    atMost(`rss_mb of ${most?.count} personas`, most?.rss_mb, 300),
    ...listBars(lists),
    atMost(`cost_ratio with recall over ${recall?.messages} mails`, recall?.cost_ratio, 1.15),
    atMost(`look_p95_ms over ${recall?.messages} mails`, recall?.look_p95_ms, 5),
    ...consoleBars(figures.console),
    atMost('idle_mb', idle_mb, 120),
  ].flatMap((bar) => bar ?? []);
}

/** Whoever has a hundred times as many personas waits twice as long for a list, at most. */
function listBars(lists: readonly ListsFigure[]): readonly (Bar | null)[] {
  const [few] = lists;
  const many = lists.at(-1);
  if (few === undefined || many === undefined || few === many) return [];
  return (['status_ms', 'runs_list_ms', 'approvals_list_ms', 'scrape_ms'] as const).map((what) =>
    atMost(`${what} of ${many.count} personas by that of ${few.count}`, share(many[what], few[what]), 2),
  );
}

function consoleBars(console: ConsoleFigure | undefined): readonly (Bar | null)[] {
  if (console === undefined) return [];
  return [
    ...console.pages.flatMap(({ page, p95_cpu_ms, first_visit_kb }) => [
      atMost(`p95_cpu_ms of ${page}`, p95_cpu_ms, 60),
      atMost(`first_visit_kb of ${page}`, first_visit_kb, page === '/costs' ? 115 : 60),
    ]),
    atMost(`mail_cost_ratio beside ${console.consoles} consoles`, console.mail_cost_ratio, 1.05),
    atMost(`mb of ${console.streams} streams`, console.streams_mb, 20),
    atMost('memory_ratio after the streams', console.memory_ratio, 1.05),
  ];
}

/** For people: `missed: step.ratio is 1.5, 1.4 at most`. */
export const missedLine = ({ name, value, at_most, at_least }: Bar): string =>
  `missed: ${name} is ${value}, ${at_most === undefined ? `${at_least} at least` : `${at_most} at most`}`;

const share = (part: number, whole: number): number => Number((part / whole).toFixed(2));

const atMost = (name: string, value: number | undefined, limit: number): Bar | null =>
  value === undefined ? null : { name, value, at_most: limit, met: value <= limit };

const atLeast = (name: string, value: number | undefined, limit: number): Bar | null =>
  value === undefined ? null : { name, value, at_least: limit, met: value >= limit };
