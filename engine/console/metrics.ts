/** What is counted; none of it names a persona, a mailbox or an address. */
interface Counted {
  readonly queue: Readonly<Record<'queued' | 'running' | 'waiting_approval' | 'deferred', number>>;
  /** Parts of runs that wait for something that no owner is asked about. */
  readonly waiting_parts: Readonly<Record<'external' | 'delegation', number>>;
  readonly outbox: Readonly<Record<'queued' | 'failed' | 'unknown' | 'drafts', number>>;
  readonly dead_letters: number;
  readonly mailboxes: readonly { readonly state: string }[];
  /** By state. */
  readonly personas: Readonly<Record<string, number>>;
  readonly uptime_s: number | null;
  readonly unhandled_rejections: number;
}

interface CallsOf {
  readonly calls: number;
  readonly failures: number;
  readonly ms: number;
}

/** Calls by the names of tools and models. */
interface Called {
  tools(): ReadonlyMap<string, CallsOf>;
  models(): ReadonlyMap<string, CallsOf>;
}

/** In the text format of Prometheus. */
export function metricsText(
  counted: Counted,
  { memoryBytes, calls }: { readonly memoryBytes: number; readonly calls: Called },
): string {
  const { queue, waiting_parts, outbox, dead_letters, uptime_s, unhandled_rejections } = counted;
  const gauges = [
    gauge('epistle_runs', 'Runs that are not over', byLabel('state', queue)),
    gauge('epistle_waiting_parts', 'Parts of runs that wait for a result', byLabel('kind', waiting_parts)),
    gauge('epistle_outbox_mails', 'Mails that have not left', byLabel('state', outbox)),
    gauge('epistle_dead_letters', 'Mails that could not be understood', { '': dead_letters }),
    gauge('epistle_mailboxes', 'Mailboxes', byLabel('state', perState(counted.mailboxes))),
    gauge('epistle_personas', 'Personas', byLabel('state', counted.personas)),
    gauge('epistle_uptime_seconds', 'Since the gateway was ready', { '': uptime_s ?? 0 }),
    gauge('epistle_memory_bytes', 'Resident memory of the process', { '': memoryBytes }),
    gauge('epistle_unhandled_rejections', 'Of the gateway itself since it started', { '': unhandled_rejections }),
  ];
  const counters = (['tool', 'model'] as const).flatMap((of) => {
    const all = [...calls[`${of}s`]()];
    const sums = (value: (one: CallsOf) => number) =>
      Object.fromEntries(all.map(([name, one]) => [`{${of}="${labelled(name)}"}`, value(one)]));
    return [
      counter(
        `epistle_${of}_calls_total`,
        `Calls of runs since the gateway started, by ${of}`,
        sums((one) => one.calls),
      ),
      counter(
        `epistle_${of}_call_failures_total`,
        'Those of them that failed',
        sums((one) => one.failures),
      ),
      counter(
        `epistle_${of}_call_seconds_total`,
        'How long they took together',
        sums((one) => one.ms / 1000),
      ),
    ];
  });
  return [...gauges, ...counters].join('');
}

const byLabel = (label: string, values: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`{${label}="${name}"}`, value]));

const perState = (all: readonly { readonly state: string }[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(all, ({ state }) => state)].map(([state, some]) => [state, some.length]));

/** As the format wants the value of a label. */
const labelled = (name: string): string => name.replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`));

const gauge = (name: string, help: string, samples: Readonly<Record<string, number>>): string =>
  metric('gauge', name, help, samples);
const counter = (name: string, help: string, samples: Readonly<Record<string, number>>): string =>
  metric('counter', name, help, samples);

function metric(
  type: 'gauge' | 'counter',
  name: string,
  help: string,
  samples: Readonly<Record<string, number>>,
): string {
  const lines = Object.entries(samples).map(([labels, value]) => `${name}${labels} ${value}\n`);
  return `# HELP ${name} ${help}.\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
