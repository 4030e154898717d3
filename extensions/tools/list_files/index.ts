import { z } from 'zod';
import { defineTool } from '#contract';

/** More would be cut by the engine in the middle of a name. */
const MAX_ENTRIES = 200;
/** Each costs a look at the disk. */
const MAX_FOLDERS = 100;

export default defineTool({
  description: 'List your files with sizes: one level, or all below.',
  risk: 'read',
  scope: 'files:read',
  uses: ['files'],
  input: z.object({
    path: z.string().default(''),
    recursive: z.boolean().default(false),
  }),
  output: z.object({
    path: z.string(),
    entries: z.array(z.object({ path: z.string(), type: z.enum(['file', 'folder']), bytes: z.number() })),
    total: z.number(),
    truncated: z.boolean(),
  }),
  provenance: ({ path }) => ({ path }),
  next: ({ entries, total, truncated }) => ({
    more: truncated,
    share: { shown: entries.length, total, unit: 'entries' },
  }),
  async run({ path, recursive }, { files }) {
    const { all, whole } = recursive
      ? await everythingBelow(path, (folder) => files.list(folder))
      : { all: await files.list(path), whole: true };
    const entries = all.slice(0, MAX_ENTRIES).map((entry) => ({ ...entry }));
    return { path, entries, total: all.length, truncated: !whole || all.length > entries.length };
  },
});

/** Folder by folder, the nearest first; `whole` is false where some were not looked into. */
async function everythingBelow<Entry extends { readonly path: string; readonly type: 'file' | 'folder' }>(
  top: string,
  list: (folder: string) => Promise<readonly Entry[]>,
): Promise<{ all: readonly Entry[]; whole: boolean }> {
  const folders = [top];
  const all: Entry[] = [];
  let looked = 0;
  for (const folder of folders) {
    if (looked === MAX_FOLDERS || all.length > MAX_ENTRIES) return { all, whole: false };
    looked += 1;
    const entries = await list(folder);
    all.push(...entries);
    folders.push(...entries.filter(({ type }) => type === 'folder').map((entry) => entry.path));
  }
  return { all, whole: true };
}
