import { z } from 'zod';
import { shownIn } from './codec/observation.ts';
import type { LoopState } from './state.ts';

const attachedFile = z.object({
  path: z.string(),
  name: z.string(),
  type: z.string(),
  sha256: z.string(),
});

/** A file that the answer carries; its bytes are the artifact of that hash. */
export type AttachedFile = z.infer<typeof attachedFile>;

/** What calls of `attach` have put aside for the answer, each path once: as it was when it was attached last. */
export function attachedIn(outcomes: LoopState['outcomes']): AttachedFile[] {
  const files = new Map<string, AttachedFile>();
  for (const { tool, ok, made } of outcomes) {
    if (tool !== 'attach' || !ok || !made) continue;
    const read = attachedFile.safeParse(shownIn(made.content).result);
    if (read.success) files.set(read.data.path, read.data);
  }
  return [...files.values()];
}
