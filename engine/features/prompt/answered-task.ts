import type { GatherPart, GatherRun } from '../../harness/context/parts.ts';
import { answeredTaskOf } from '../../record/trigger.ts';

/** An owner who writes "make it 9 o'clock" below a task's mail means that task. */
export const answeredTask: GatherPart = {
  forRun: (run) => ({
    async message() {
      const answers = await answersOf(run);
      return answers === null ? {} : { answers };
    },
  }),
};

async function answersOf({ loaded, tasks, store }: GatherRun): Promise<string | null> {
  const id = answeredTaskOf(loaded);
  if (id === null) return null;
  // To whom it has not written itself, a task says no more than its mail did.
  const { tier } = loaded.run;
  if (loaded.thread.kind !== 'task' && tier !== 'owner' && tier !== 'member') return 'a mail that a task of yours sent';
  if (tier !== 'owner' && !(await store.knownParticipants(loaded.thread.id)).has(loaded.message.from_address ?? ''))
    return 'in a thread that a mail of a task of yours began, which did not go to this sender';
  const now = tasks().find((entry) => entry.id === id)?.task;
  return `a mail of your task ${id}${now ? ` (schedule: ${now.schedule}, ${now.timezone})` : ', which is gone'}`;
}
