import { z } from 'zod';
import { short } from '../../lib/text/short.ts';
import { awayTool, list, receiptLine, replyCommitted, voice } from '../codec/fields.ts';
import { playbookRefined, remembered } from '../codec/remembered.ts';
import { event } from './define.ts';

// How a run ends or is put off, and what follows from its end.

export const endEvents = {
  receipt: event(
    {
      language: voice.shape.language,
      mode: z.enum(['effects', 'always', 'never']),
      lines: list(receiptLine),
      /** All who get the mail may see all. */
      for_owners: z.boolean(),
      /** Somebody gets it who may know only what concerns them. */
      for_outsiders: z.boolean().exactOptional(),
      /** What was decided after the answer is told to somebody who is no owner, without the owner's words. */
      decided_for_others: z.boolean().exactOptional(),
      made_for_others: z.number().nullable(),
      away: list(awayTool).exactOptional(),
      /** Files of its mail that were too large to be read. */
      too_large: list(z.object({ name: z.string(), bytes: z.number(), limit: z.number() })).exactOptional(),
      /** Something was to be changed, and nothing was. */
      in_vain: z.boolean().exactOptional(),
      /** What was asked for, or is said to be done, and is on record nowhere, by scope; null: nothing at all was changed. */
      undone: list(z.string().nullable()).exactOptional(),
      /** Of when the oldest data are that it may rest on, where they are old, and by whose clocks that is said. */
      data_until: z.object({ at: z.number(), zone: z.string() }).exactOptional(),
      /** It may rest on what others have changed since it was looked up. */
      changed: z.literal(true).exactOptional(),
      /** Who is asked about calls that the answer does not wait for. */
      asked: list(z.string()).exactOptional(),
      /** Whoever reads it is asked, too. */
      asked_you: z.literal(true).exactOptional(),
    },
    {
      /** As it is on record: an owner sees here what was cut for the reader of the mail. */
      lines: ({ lines, away = [] }) => [
        ...lines.map(actLine),
        ...away.map(({ tool, server, why }) => `  ${tool}  away: ${why} at ${server}`),
      ],
    },
  ),
  reply_committed: event(replyCommitted),
  deferred: event(
    {
      code: z.string(),
      /** Null: until somebody ends it. */
      until: z.number().nullable(),
      /** It does not count among the runs of its day until it begins anew. */
      uncounted: z.boolean().optional(),
    },
    {
      besideLoop: true,
      /** The first of its models is asked again, and in full: what it was made shorter for may have been something else. */
      fold(state, { code }) {
        if (code !== 'provider_unavailable' && code !== 'provider_setup' && code !== 'request_failed') return;
        state.compacted &&= code === 'request_failed';
        if (code !== 'request_failed') state.plain = 0;
        state.target = 0;
        state.providerFailures = 0;
        state.lastProviderCode = null;
        state.isWaiting = true;
      },
    },
  ),
  memory_written: event(remembered),
  playbook_refined: event(playbookRefined),
  hook_ended: event({ hook: z.string(), event: z.string(), ms: z.number() }),
  run_ended: event({
    status: z.enum(['done', 'failed', 'cancelled']),
    outcome: z.string(),
    code: z.string().nullable(),
    by: z.string().optional(),
  }),
};

const ACT = ['state', 'act', 'targets', 'title', 'why', 'said', 'hidden'] as const;

function actLine(line: z.infer<typeof receiptLine>): string {
  const parts = ACT.flatMap((name) => {
    const value = line[name];
    if (value === null || value === undefined || value === false) return [];
    return [name === 'hidden' ? 'cut for the reader' : Array.isArray(value) ? value.join(', ') : String(value)];
  });
  return `  ${line.call_id}  ${short(parts.join('  '))}`;
}
