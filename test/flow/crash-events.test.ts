import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_CRASH_POINTS } from '../../engine/lib/crash-points.ts';
import { someOf } from '../size.ts';
import { openStories } from './crash-story.ts';
import { differences, type Told } from './crash-told.ts';

/** One commit for each kind, chosen so that together they are spread over the run; `./scripts/soak --size full` takes all. */
const PASSINGS: Readonly<Record<string, number>> = {
  'run.event.model_call_started': 2,
  'run.event.model_call_ended': 3,
  'run.event.decision': 4,
  'run.event.permission': 3,
  'run.event.tool_call_intended': 1,
  'run.event.tool_call_ended': 3,
  'run.event.observation': 1,
};

const open: { stories?: Awaited<ReturnType<typeof openStories>>; n: number } = { n: 0 };
beforeAll(async () => {
  open.stories = await openStories();
});
afterAll(async () => open.stories?.close());

async function tell(label: string | null): Promise<Told> {
  if (!open.stories) throw new Error('not open');
  open.n += 1;
  return open.stories.tell(open.n, label);
}

describe('A-18: a process that is killed after an event of a run, of every kind in turn', () => {
  it('passes all kinds of events in a run with a fallback, a read, a change, a denial and an approval', async () => {
    const told = await tell(null);
    expect(differences(told, open.n)).toEqual([]);
    expect(new Set(told.events.map((type) => `run.event.${type}`))).toEqual(new Set(EVENT_CRASH_POINTS));
  });

  it.each(someOf(EVENT_CRASH_POINTS, 4))(
    '%s: the next has the same effect, one reply, nothing done twice',
    async (label) => {
      const told = await tell(`${label}:${PASSINGS[label] ?? 1}`);
      expect(differences(told, open.n)).toEqual([]);
      expect(told.crashed, label).toBe(true);
      // Committed as intended and not as ended: the state in which nobody can know.
      const isInFlight = label === 'run.event.tool_call_intended';
      expect(told.calls).toContain(isInFlight ? 'push side_effect_unknown' : 'push ok');
    },
  );
});
