import { z } from 'zod';
import { defineTool } from '#contract';

const section = z.object({
  id: z.string(),
  path: z.string(),
  title: z.string(),
  date: z.string(),
  rewritten: z.string().optional(),
  text: z.string(),
  sha256: z.string(),
});

export default defineTool({
  description: 'Open sections of the knowledge by id, such as k12; three calls for each mail.',
  risk: 'read',
  scope: 'memory:read',
  uses: ['knowledge'],
  onlyWith: 'knowledge',
  input: z.object({ ids: z.array(z.string().trim().min(1).max(20)).min(1).max(10) }),
  output: z.object({
    sections: z.array(section),
    gone: z.array(z.string()).optional().describe('Ids of sections that have changed since they were found'),
  }),
  // Of several files at once it cannot be said by one hash whether they have changed.
  provenance({ sections }) {
    const [first, ...others] = sections;
    if (first === undefined || others.some(({ path }) => path !== first.path)) return null;
    return { path: first.path, sha256: first.sha256 };
  },
  async run({ ids }, { knowledge }) {
    const { sections, gone } = await knowledge.read(ids);
    return { sections: sections.map((one) => ({ ...one })), ...(gone.length === 0 ? {} : { gone: [...gone] }) };
  },
});
