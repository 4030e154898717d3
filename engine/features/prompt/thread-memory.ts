import type { GatherPart } from '../../harness/context/parts.ts';
import { threadMemoryOf } from '../../memory/threads/summary-shown.ts';
import { viewerOf } from '../../policy/viewer.ts';

/** The resolver that puts it into the prompt. */
const SHOWN_BY = 'thread-memory-state';

/** What is summarised of the thread's mails that are not shown. */
export const threadMemory: GatherPart = {
  forRun({ loaded: { thread, run }, store }) {
    const memory = threadMemoryOf(store, { threadId: thread.id, viewer: viewerOf(run) });
    return {
      capabilities: { threadMemory: memory.text },
      sourceOf: async (resolver, asker) =>
        resolver === SHOWN_BY ? { foreign: await memory.saysOthers(asker), isOfThread: true } : undefined,
    };
  },
  origins: { [SHOWN_BY]: 'the summary of this thread' },
};
