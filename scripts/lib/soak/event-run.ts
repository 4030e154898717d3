import { EVENT_CRASH_POINTS } from '../../../engine/lib/crash-points.ts';
import { openStories } from '../../../test/flow/crash-story.ts';
import { differences } from '../../../test/flow/crash-told.ts';

/** No event of a story is committed more often than this. */
const AT_MOST = 20;

/**
 * One mail for each commit of a run that holds an event of each kind, and a process that is killed right after it.
 * The run has a fallback, a read, a change, an effect that nobody can look for, a denial and an approval by mail.
 */
export async function crashAtEvents(
  say: (line: string) => void,
): Promise<{ points: Readonly<Record<string, number>>; unknown: number; problems: readonly string[] }> {
  const stories = await openStories();
  const points: Record<string, number> = {};
  const problems: string[] = [];
  let n = 0;
  let unknown = 0;
  try {
    for (const label of EVENT_CRASH_POINTS) {
      for (let passing = 1; passing <= AT_MOST; passing += 1) {
        n += 1;
        const told = await stories.tell(n, `${label}:${passing}`);
        problems.push(...differences(told, n).map((problem) => `${label}:${passing}: ${problem}`));
        if (told.calls.includes('push side_effect_unknown')) unknown += 1;
        if (!told.crashed) break;
        points[label] = passing;
      }
      say(`${label}: ${points[label] ?? 0} commits`);
      if (points[label] === undefined) problems.push(`${label} was never passed`);
    }
  } finally {
    await stories.close();
  }
  return { points, unknown, problems };
}
