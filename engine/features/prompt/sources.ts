import type { GatherPart } from '../../harness/context/parts.ts';
import { atFirstUse } from '../../lib/kept-value.ts';
import { isActive } from '../../memory/active/compose.ts';
import { threadMemoryOf } from '../../memory/threads/summary-shown.ts';
import { viewerOf } from '../../policy/viewer.ts';
import { createMailSearch } from '../../tools/capabilities/mail.ts';

// What resolvers of a profile show, and whose words it has.

/** Earlier mail, as far as the sender may see it, for resolvers that search. */
export const mailSearch: GatherPart = {
  forRun: ({ loaded: { run }, store, persona: { timezone } }) => {
    const search = atFirstUse(() =>
      createMailSearch({ store, viewer: viewerOf(run), current: run.message_id, timezone }),
    );
    return { capabilities: { search: (wanted) => search()(wanted) } };
  },
};

/** What the owner put into `knowledge/`. */
export const knowledge: GatherPart = { forRun: (run) => ({ capabilities: { knowledge: run.knowledge } }) };

/** The resolver that puts it into the prompt. */
const SHOWN_BY = 'thread-memory-state';

/** What is summarised of the thread's mails that are not shown. */
export const threadMemory: GatherPart = {
  forRun({ loaded: { thread, run }, store }) {
    const memory = atFirstUse(() => threadMemoryOf(store, { threadId: thread.id, viewer: viewerOf(run) }));
    return {
      capabilities: { threadMemory: () => memory().text() },
      sourceOf: async (resolver, asker) =>
        resolver === SHOWN_BY ? { foreign: await memory().saysOthers(asker), isOfThread: true } : undefined,
    };
  },
  origins: { [SHOWN_BY]: 'the summary of this thread' },
};

/** What everybody is told. Its words are owners'. */
export const active: GatherPart = {
  forRun: () => ({ sourceOf: async (resolver) => (isActive(resolver) ? { foreign: false } : undefined) }),
};
