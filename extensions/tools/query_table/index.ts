import { z } from 'zod';
import { DATE_STYLES, defineTool, NUMBER_STYLES, TABLE_OPERATORS } from '#contract';

const MAX_ITEMS = 30;
const DEFAULT_LIMIT = 50;
/** Of a look at what is there, before anything is asked of it. */
const FIRST_ROWS = 10;
const text = z.string().trim().min(1).max(300);
const items = z.array(text).max(MAX_ITEMS).default([]);
const scalar = z.union([z.string().max(500), z.number(), z.boolean()]);

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const names = z.record(z.string(), z.string());

export default defineTool({
  description:
    'Count, add up, filter, group, sort rows of a table exactly (CSV, XLSX, Markdown, HTML). No select: columns, first ' +
    'rows.',
  risk: 'read',
  // What comes back is mostly what somebody sent: it has to count as read mail. Files are looked at by their own grant.
  scope: 'mail:read',
  uses: ['tables'],
  input: z.object({
    source: text.describe('attachment id, id/file in it, path, or mail: this mail'),
    select: items.describe('Region, sum(Amount), Price * Quantity as Total; count min max avg count_distinct share'),
    where: z
      .array(
        z.object({
          column: text,
          op: z.enum(TABLE_OPERATORS),
          value: z.union([scalar, z.array(scalar).max(500)]).optional(),
        }),
      )
      .max(MAX_ITEMS)
      .default([]),
    match: z.enum(['all', 'any']).default('all'),
    group_by: items.describe('Region, month(Date); year quarter week weekday'),
    order_by: items.describe('sum(Amount) desc'),
    limit: z.int().min(1).max(500).optional(),
    attach_as: z
      .string()
      .regex(/^[^/\\\p{Cc}]{1,100}\.(?:csv|xlsx)$/iu)
      .optional()
      .describe('orders.xlsx or .csv: all rows go along as this file'),
    offset: z.int().min(0).default(0),
    table: z.union([text, z.int()]).nullish(),
    header: z.int().min(0).nullish(),
    numbers: z.enum(NUMBER_STYLES).nullish(),
    dates: z.enum(DATE_STYLES).nullish(),
  }),
  output: z.object({
    source: z.string(),
    table: z.string(),
    columns: names,
    units: names.optional(),
    total_rows: z.number(),
    matched_rows: z.number(),
    answer_rows: z.number(),
    offset: z.number(),
    rows: z.array(z.record(z.string(), z.union([cell, names]))),
    next_offset: z.number().nullable(),
    notes: z.array(z.string()),
    part: z.boolean().optional(),
    source_sha256: z.string().optional(),
    attached: z
      .object({
        path: z.string(),
        name: z.string(),
        type: z.string(),
        bytes: z.number(),
        sha256: z.string(),
        rows: z.number(),
      })
      .optional(),
  }),
  // A second time the same rows are attached, and once.
  effect: 'idempotent',
  effects: async ({ attach_as }) => (attach_as === undefined ? {} : { risk: 'create', targets: [attach_as] }),
  receipt: ({ attach_as = '' }) => ({ act: 'attached', targets: [attach_as] }),
  provenance: ({ source, source_sha256 }) =>
    source_sha256 === undefined ? { id: source } : { path: source, sha256: source_sha256 },
  // A limit that was asked for is an answer of its own: the largest three are all of the largest three.
  next: ({ offset, rows, answer_rows, part }) => ({
    more: part === true,
    at: offset,
    share: { shown: rows.length, total: answer_rows, unit: 'rows' },
  }),
  async run({ source, limit, table, header, numbers, dates, attach_as, ...asked }, { tables }) {
    const isLook = [asked.select, asked.where, asked.group_by, asked.order_by].every((some) => some.length === 0);
    const query = {
      ...asked,
      limit: limit ?? (isLook && asked.offset === 0 ? FIRST_ROWS : DEFAULT_LIMIT),
      table: table === undefined || table === null ? null : String(table),
      header: header ?? null,
      numbers: numbers ?? null,
      dates: dates ?? null,
    };
    if (attach_as !== undefined) {
      const whole = { ...query, limit: limit ?? Number.MAX_SAFE_INTEGER };
      return { source, ...(await tables.attach(source, whole, attach_as)) };
    }
    const answer = await tables.query(source, query);
    const isPart = answer.next_offset !== null && answer.rows.length !== limit;
    return { source, ...answer, ...(isPart ? { part: true } : {}) };
  },
});
