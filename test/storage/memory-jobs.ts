import type { JobStore } from '../../engine/storage/ports/jobs.ts';
import type { GatheredKind, GatheredNotices, NewJob, StoredJob } from '../../engine/storage/types/jobs.ts';

const HOUR_MS = 3_600_000;

type Jobs = Pick<
  JobStore,
  'addJobs' | 'dueJobs' | 'endJob' | 'jobsNamed' | 'withdrawJob' | 'postponeJob' | 'delayJob' | 'gathered'
>;

/** A store of jobs without a database: whether the port says enough to be fulfilled twice. */
export function memoryJobs(): Jobs & { close(): Promise<void> } {
  const jobs = new Map<string, StoredJob>();
  const notices = new Map<GatheredKind, GatheredNotices>();

  const gatherOne = ({ gather, ...job }: NewJob): NewJob => {
    if (!gather) return job;
    const { kind, later } = gather;
    const row = notices.get(kind);
    const isOver = !row || job.due_at - row.since >= HOUR_MS || job.due_at < row.since;
    if (isOver && (row?.count ?? 0) === 0) {
      notices.set(kind, { kind, since: job.due_at, count: 0, first_at: null, newest_json: null });
      return job;
    }
    const { since, count, first_at } = row ?? { since: job.due_at, count: 0, first_at: null };
    notices.set(kind, { kind, since, count: count + 1, first_at: first_at ?? job.due_at, newest_json: job.payload });
    return later({ kind, since, dueAt: since + HOUR_MS });
  };
  const change = (id: string, patch: (job: StoredJob) => Partial<StoredJob>) => {
    const job = jobs.get(id);
    if (job) jobs.set(id, { ...job, ...patch(job) });
  };

  return {
    async addJobs(wanted) {
      for (const { id, kind, payload, due_at } of wanted.map(gatherOne)) {
        if (!jobs.has(id)) jobs.set(id, { id, kind, payload, due_at, attempts: 0 });
      }
    },
    dueJobs: async (now, limit) =>
      [...jobs.values()]
        .filter(({ due_at }) => due_at <= now)
        .toSorted((a, b) => a.due_at - b.due_at)
        .slice(0, limit),
    endJob: async (id) => void jobs.delete(id),
    jobsNamed: async (ids) =>
      [...jobs.values()].filter(({ id }) => ids.includes(id)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    withdrawJob: async (id, now) => (jobs.get(id)?.due_at ?? 0) > now && jobs.delete(id),
    postponeJob: async (id, dueAt) => change(id, ({ attempts }) => ({ due_at: dueAt, attempts: attempts + 1 })),
    delayJob: async (id, dueAt) => change(id, () => ({ due_at: dueAt })),
    gathered: async (kind) => notices.get(kind),
    close: async () => {},
  };
}
