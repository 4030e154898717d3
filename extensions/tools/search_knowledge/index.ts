import { z } from 'zod';
import { defineTool } from '#contract';

export default defineTool({
  description: 'Search the knowledge given by the owner; read_knowledge opens what is found.',
  risk: 'read',
  scope: 'memory:read',
  uses: ['knowledge'],
  onlyWith: 'knowledge',
  input: z.object({
    query: z.string().trim().min(1).max(500).describe('Key words; one of them is enough'),
    limit: z.int().min(1).max(20).default(8),
  }),
  output: z.object({
    count: z.int(),
    sections: z.array(
      z.object({
        id: z.string(),
        path: z.string(),
        title: z.string(),
        date: z.string(),
        rewritten: z.string().optional(),
        snippet: z.string(),
      }),
    ),
  }),
  // Each section has a source of its own.
  provenance: () => null,
  async run(wanted, { knowledge }) {
    const found = await knowledge.find(wanted);
    return { count: found.length, sections: found.map((section) => ({ ...section })) };
  },
});
