import { z } from 'zod';
import { decidedQuestion } from '../../storage/types/runs.ts';
import { packet } from '../../storage/types/suspensions.ts';
import { awayTool, frame, list, target, tier } from '../codec/fields.ts';
import { framed } from '../codec/intent.ts';
import { event } from './define.ts';

/** A piece of earlier mail that stood in a prompt. */
const recalledSource = z.object({
  /** The event to read it from again, and which piece of it; older runs kept its words. */
  seq: z.number().optional(),
  extent: z.object({ from: z.number(), to: z.number() }).optional(),
  message_id: z.string(),
  thread_id: z.string(),
  from: z.string().nullable(),
  direction: z.enum(['in', 'out']),
  tier: z.string().nullable(),
  written_at: z.number(),
  beside: z.boolean(),
  foreign: z.boolean(),
  at: z.number(),
  chars: z.number(),
});

/** What a resolver gave to the prompt. */
const resolvedPart = z.object({
  resolver: z.string(),
  slot: z.string(),
  chars: z.number(),
  error: z.string().exactOptional(),
});

/** What stood beside the mail in that run alone: its text is kept apart, since it can be forgotten. */
const shownOnce = z.object({
  resolver: z.string(),
  sha256: z.string(),
  foreign: z.boolean(),
  /** Of a thread that is over; without it, of the run's own or of none. */
  thread_id: z.string().exactOptional(),
});

/** Start and length of one part of the gathering. */
const span = z.object({
  part: z.string(),
  from_ms: z.number(),
  ms: z.number(),
  chars: z.number(),
  error: z.string().nullable(),
});

// How a run begins, and what its prompt was made of.

export const beginningEvents = {
  run_queued: event({
    /** What a child run was handed, and by which run. */
    packet: packet.optional(),
    parent_run_id: z.string().optional(),
    tier: tier.optional(),
    /** The task of the run, and the files that it was read from. */
    task: z.string().optional(),
    due_at: z.number().optional(),
    file_sha256: z.string().nullish(),
    prompt_sha256: z.string().nullish(),
    /** The run that this one repeats, and who asked for that. */
    retry_of: z.string().optional(),
    /** The question whose decision it carries out, and the run that had answered before it was decided. */
    decided: decidedQuestion.optional(),
    by: z.string().optional(),
  }),
  run_started: event({
    instance: z.string().optional(),
    /** Its number among the runs of its day. */
    run_of_day: z.number().optional(),
    day: z.string().optional(),
    /** It was under way, and the process that worked it ended. */
    taken_over: z.boolean().optional(),
  }),
  context_built: event(
    {
      frame: frame.optional(),
      settings_sha256: z.string(),
      prefix_sha256: z.string(),
      cache_miss: z.string(),
      parts: list(resolvedPart),
      /** What ran side by side: when it began, from the beginning of the gathering, and how long it took. */
      spans: list(span).optional(),
      limitations: list(z.string()),
      history_messages: z.number(),
      history_omitted: z.number(),
      history_from: z.number().optional(),
      history_until: z.number().optional(),
      pictures: z.number().optional(),
      picture_ids: list(z.string()).optional(),
      fact_ids: list(z.string()).optional(),
      rule_ids: list(z.string()).optional(),
      also_read: list(z.string()).optional(),
      once: list(shownOnce).exactOptional(),
      /** What this run was shown of a mail that an earlier one had rendered otherwise. */
      rendered: z.string().optional(),
      /** What it was told behind the mail; absent in runs of before, in which all that stood beside a mail stood before it. */
      brief: z.string().optional(),
      tools: list(z.string()),
      /** Tools that hooks have left out. */
      narrowed: list(z.object({ tool: z.string(), by: z.string(), reason: z.string() })).optional(),
      /** Tools of MCP servers that no owner has seen as they are, or that are gone. */
      away: list(awayTool).optional(),
      targets: list(target),
      tier: tier.optional(),
    },
    {
      besideLoop: true,
      lines: ({ settings_sha256, prefix_sha256, cache_miss, tools, history_messages, history_omitted, parts }) => [
        `  settings     ${settings_sha256}`,
        `  prefix       ${prefix_sha256}, cache miss: ${cache_miss}`,
        `  tools        ${tools.join(', ') || 'none'}`,
        `  history      ${history_messages} messages, ${history_omitted} older ones left out`,
        ...parts.map(
          ({ resolver, slot, chars }) => `  ${slot.padEnd(12)} ${resolver}${chars > 0 ? `, ${chars} characters` : ''}`,
        ),
      ],
    },
  ),
  /** What a part of the gathering brought from elsewhere, piece by piece, with where it came from. */
  gather_part: event(
    {
      part: z.string(),
      chars: z.number(),
      timezone: z.string().optional(),
      sources: list(recalledSource),
    },
    { besideLoop: true },
  ),
  framed: event(framed.shape, { besideLoop: true }),
};
