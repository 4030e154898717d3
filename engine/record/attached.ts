import { z } from 'zod';
import { shownIn } from './codec/run-events.ts';
import type { LoopState } from './state.ts';

const attachedFile = z.object({
  path: z.string(),
  name: z.string(),
  type: z.string(),
  sha256: z.string(),
});

/** A file that the answer carries; its bytes are the artifact of that hash. */
export type AttachedOnRecord = z.infer<typeof attachedFile>;

/** A table that became a file for the answer comes beside what was asked of it. */
const attachedTable = z.object({ attached: attachedFile }).transform(({ attached }) => attached);

/** What calls have put aside for the answer, each path once: as it was when it was attached last. */
export function attachedIn(outcomes: LoopState['outcomes']): AttachedOnRecord[] {
  const files = new Map<string, AttachedOnRecord>();
  for (const { tool, ok, made } of outcomes) {
    const kind = tool === 'attach' ? attachedFile : tool === 'query_table' ? attachedTable : null;
    if (kind === null || !ok || !made) continue;
    const read = kind.safeParse(shownIn(made.content).result);
    if (read.success) files.set(read.data.path, read.data);
  }
  return [...files.values()];
}
