import type { GatherPart } from '../../harness/context/parts.ts';
import { viewerOf } from '../../policy/viewer.ts';
import { createMailSearch } from '../../tools/capabilities/mail.ts';

/** Earlier mail, as far as the sender may see it, for resolvers that search. */
export const mailSearch: GatherPart = {
  forRun: ({ loaded: { run }, store, persona }) => ({
    capabilities: {
      search: createMailSearch({ store, viewer: viewerOf(run), current: run.message_id, timezone: persona.timezone }),
    },
  }),
};

/** What the owner put into `knowledge/`. */
export const knowledge: GatherPart = { forRun: (run) => ({ capabilities: { knowledge: run.knowledge } }) };
