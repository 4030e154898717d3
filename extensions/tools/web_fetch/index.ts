import { z } from 'zod';
import { defineTool } from '#contract';
import { readPage } from './page.ts';

const config = z.strictObject({
  /** Hosts or host:port inside the own network that may be fetched all the same. */
  allow_hosts: z.array(z.string().min(1)).default([]),
  max_bytes: z.int().positive().max(16_777_216).default(2_097_152),
});

export default defineTool({
  description: 'Read a public web page as text, by its whole URL.',
  risk: 'read',
  scope: 'web:read',
  uses: ['web'],
  config,
  input: z.object({ url: z.string().trim().min(1).max(4096), offset: z.int().min(0).optional() }),
  output: z.object({
    url: z.string(),
    status: z.number(),
    content_type: z.string(),
    title: z.string().nullable(),
    text: z.string(),
    total_chars: z.number(),
    truncated: z.boolean(),
    pages: z.string().optional(),
    next_offset: z.number().optional(),
  }),
  provenance: ({ url }) => ({ url }),
  next: ({ text, total_chars, truncated, next_offset }) => ({
    more: truncated,
    // Where it ends tells a stretch from the others.
    ...(next_offset === undefined ? {} : { at: next_offset }),
    share: { shown: text.length, total: total_chars, unit: 'characters' },
  }),
  async effects({ url }) {
    return { targets: [URL.parse(url)?.host ?? url] };
  },
  async run({ url, offset = 0 }, { config: { allow_hosts, max_bytes }, web, signal }) {
    const page = await web.fetch({ url, allowHosts: allow_hosts, maxBytes: max_bytes, signal });
    return { ...(await readPage(page, web, { offset, signal })) };
  },
});
