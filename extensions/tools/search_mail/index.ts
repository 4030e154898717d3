import { z } from 'zod';
import { defineTool } from '#contract';

const found = z.object({
  message_id: z.string(),
  thread_id: z.string(),
  direction: z.enum(['in', 'out']),
  from: z.string(),
  to: z.array(z.string()),
  subject: z.string(),
  date: z.string(),
  snippet: z.string(),
  attachments: z.array(z.string()).optional(),
  unproven: z.literal(true).optional(),
});

const MAX_READERS = 5;

const said = (text: string | undefined): string | undefined => text?.trim() || undefined;

export default defineTool({
  description: 'Search mail, sent and received, by words (of attachments, too), people, date; or newest first.',
  risk: 'read',
  scope: 'mail:read',
  uses: ['mail'],
  input: z
    .object({
      query: z.string().max(500).optional().describe('Key words'),
      from: z.string().optional().describe('Name or address'),
      to: z.string().optional(),
      since: z.string().optional(),
      before: z.string().optional(),
      direction: z.enum(['in', 'out']).optional(),
      has_attachment: z.boolean().optional(),
      thread: z.string().optional(),
      limit: z.int().min(1).max(20).default(5),
    })
    // Models fill in what they leave open with nothing.
    .transform((given) => ({
      ...given,
      query: said(given.query),
      from: said(given.from),
      to: said(given.to),
      since: said(given.since),
      before: said(given.before),
      thread: said(given.thread),
    })),
  output: z.object({
    count: z.int(),
    total: z.int(),
    messages: z.array(found),
    next: z.string().nullable(),
    note: z.string().optional(),
  }),
  // Each mail has a source of its own.
  provenance: () => null,
  async run(wanted, { mail }) {
    const { total, messages, next, note } = await mail.find(wanted);
    const shown = messages.map(({ from_name: name, proven, attachments: _, files, to, ...one }) => ({
      ...one,
      from: name === '' ? one.from : `${name} <${one.from}>`,
      to: to.length > MAX_READERS ? [...to.slice(0, MAX_READERS), `and ${to.length - MAX_READERS} more`] : [...to],
      ...(files.length === 0 ? {} : { attachments: files.map(({ id, name: file }) => `[attachment ${id}] ${file}`) }),
      ...(proven ? {} : { unproven: true as const }),
    }));
    return { count: shown.length, total, messages: shown, next, ...(note === undefined ? {} : { note }) };
  },
});
