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
    'Make, change, remove, pause or resume a task that runs by itself, for an owner who asks for something to be done ' +
    'at some time or again and again. `prompt` is what you will be told then, complete in itself: nothing else of this ' +
    'conversation will be known. Owners see the next runs before they approve. With an id that does not exist the ' +
    'error names those that do.',
  risk: 'write',
  scope: 'schedule:write',
  // The same file with the same text, or the same switch: doing it again changes nothing.
  effect: 'idempotent',
  input: z.strictObject({
    action: z.enum(['create', 'change', 'remove', 'pause', 'resume']),
    task: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
      .describe('A short id such as monday-report'),
    schedule: text(200)
      .optional()
      .describe('`0 9 * * 1` (five cron fields), `every 30m`, or `at 2026-12-01T09:00`; needed to create'),
    prompt: text(20_000).optional().describe('Needed to create'),
    name: text(200).optional().describe('The subject of its mail'),
    timezone: text(64).optional().describe('IANA zone; default: yours'),
    deliver: text(2000).optional().describe('`owner` (default), `none`, or addresses with commas'),
    missed: z.enum(['latest', 'skip', 'all']).optional(),
    window: z.string().max(20).optional().describe('Only between these hours, such as 08:00-12:00'),
    overlap: z.enum(['skip', 'queue']).optional(),
    thread: z.enum(['new', 'sticky']).optional().describe('`sticky`: one conversation that goes on'),
    condition: text(2000)
      .optional()
      .describe('One read call that has to find something, such as /read_file {"path": "todo.md"}'),
  }),
  output: scheduled,
  // Asked here, so that what cannot be done is told at once, not after an owner has thought about it.
  async effects(change, { schedule }) {
    await schedule.preview(change);
    return { targets: [change.task] };
  },
  preview: (change, { schedule }) => schedule.preview(change),
  receipt({ action, task, name, schedule }, result) {
    const [next] = scheduled.safeParse(result).data?.next ?? [];
    const when = [schedule, next].filter((part) => part !== undefined).join('; ');
    return { act: ACTS[action], targets: [name ?? task], ...(when === '' ? {} : { when }) };
  },
  run: (change, { schedule }) => schedule.apply(change),
});
