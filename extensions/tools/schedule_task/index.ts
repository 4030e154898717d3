import { z } from 'zod';
import { defineTool } from '#contract';

const text = (most: number) => z.string().min(1).max(most);

const scheduled = z.looseObject({ task: z.string(), state: z.string(), next: z.array(z.string()) });

const ACTS = {
  create: 'scheduled',
  change: 'changed',
  remove: 'deleted',
  pause: 'paused',
  resume: 'resumed',
} as const;

export default defineTool({
  description:
    'A task for you at its time; `prompt` is all you are told then. An unknown id gets those that exist, and what else can be set.',
  risk: 'write',
  scope: 'schedule:write',
  uses: ['schedule'],
  // The same file with the same text, or the same switch: doing it again changes nothing.
  effect: 'idempotent',
  later: true,
  input: z.strictObject({
    action: z.enum(['create', 'change', 'remove', 'pause', 'resume']),
    task: z
      .string()
      .refine((id) => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(id), 'an id of lower-case letters, digits, - and _')
      .describe('monday-report'),
    schedule: text(200).optional().describe('0 9 * * 1, every 30m, at 2026-12-01T09:00'),
    prompt: text(20_000).optional(),
    name: text(200).optional().describe('Subject of its mail'),
    timezone: text(64).optional(),
    deliver: text(2000).optional().describe('owner, none or addresses'),
    missed: z.enum(['latest', 'skip', 'all']).optional(),
    window: z.string().max(20).optional().describe('08:00-12:00'),
    overlap: z.enum(['skip', 'queue']).optional(),
    thread: z.enum(['new', 'sticky']).optional(),
    condition: text(2000).optional().describe('Only if this read call finds something: /read_file {"path": "todo.md"}'),
  }),
  output: scheduled,
  provenance: () => null,
  // Asked here, so that what cannot be done is told at once, not after an owner has thought about it.
  async effects(change, { schedule }) {
    await schedule.preview(change);
    const { action, deliver = 'owner', condition } = change;
    const stays = action === 'create' && condition === undefined;
    // As the file of the task is read.
    const hears = deliver.includes('@') ? { hears: deliver.split(',').map((address) => address.trim()) } : {};
    return { targets: [change.task], ...(stays ? { stays, ...hears } : {}) };
  },
  preview: (change, { schedule }) => schedule.preview(change),
  receipt({ action, task, name, schedule, ...more }, result) {
    // Nothing is to be other than it is: somebody looks which tasks there are, and the id is of nothing that anybody knows.
    const isLook = action === 'change' && (name ?? schedule) === undefined && Object.keys(more).length === 0;
    if (isLook && !scheduled.safeParse(result).success) return null;
    const [next] = scheduled.safeParse(result).data?.next ?? [];
    const when = [schedule, next].filter((part) => part !== undefined).join('; ');
    return { act: ACTS[action], targets: [name ?? task], ...(when === '' ? {} : { when }) };
  },
  run: (change, { schedule }) => schedule.apply(change),
});
