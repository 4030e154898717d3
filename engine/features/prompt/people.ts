import type { GatherPart } from '../../harness/context/parts.ts';
import { openWith, whoIsWho } from '../../harness/context/people.ts';
import { hasReaders } from '../../policy/viewer.ts';

/**
 * Who is who: whose the addresses in To and Cc are, and, for an owner, whom a name in the mail means. What owners call people is
 * for owners alone; a name that somebody gives themselves names nobody.
 */
export const people: GatherPart = {
  forRun: (run) => ({ message: () => whoIsWho(run) }),
};

/** What waits for whom in other conversations with the people of this mail: whoever asks "and?" means one of them. */
export const openLoops: GatherPart = {
  forRun(run) {
    const { run: row } = run.loaded;
    if (hasReaders(row) || row.tier === 'unauthenticated') return null;
    return {
      async message() {
        const open = await openWith(run);
        return open.length === 0 ? {} : { open };
      },
    };
  },
};
