import { type Entry, entriesOf } from '../../../queries/mail/why.ts';
import { messageIdIn } from '../../../queries/message-id.ts';
import type { OutboxShape } from '../../../queries/shapes.ts';
import { defineCommand } from '../../define.ts';
import { describeAnswer } from '../../text/answer.ts';
import { memorySourceLines } from '../../text/memory-sources.ts';
import { waitsFor } from '../../text/waits-for.ts';

export const why = defineCommand({
  name: 'why',
  summary: 'What became of a mail, received or sent, and why',
  arguments: [['<message-id>', 'with or without angle brackets']],
  async run({ open }, { args: [given] }) {
    const message_id = messageIdIn(given);
    return { message_id, entries: await entriesOf(open({ tolerant: true }), message_id) };
  },
  json: (found) =>
    found.entries.length > 0
      ? found
      : { ...found, error: { code: 'not_found', message: neverSeen(found.message_id), problems: [] } },
  text: ({ message_id, entries }) => (entries.length > 0 ? entriesText(entries) : neverSeen(message_id)),
  exitCode: ({ entries }) => (entries.length > 0 ? 0 : 1),
});

const neverSeen = (messageId: string): string =>
  `${messageId} was never seen here; look for the id in the mail's own source`;

export const entriesText = (entries: readonly Entry[]): string => entries.map(describe).join('\n\n');

function describe(entry: Entry): string {
  const code = entry.code === null || entry.code === entry.decision ? '' : ` (${entry.code})`;
  const { run } = entry;
  return [
    `${entry.direction === 'in' ? 'In' : 'Out'}  ${entry.received_at}  ${entry.subject || '(no subject)'}`,
    `  decision  ${entry.decision}${code}${entry.persona ? ` by ${entry.persona}` : ''}`,
    `  from      ${entry.from ?? 'nobody that can be named'}${entry.tier ? `, ${entry.tier}` : ''}${entry.detail ? ` [${entry.detail}]` : ''}`,
    ...(run
      ? [
          `  run       ${run.id}: ${run.status}${run.outcome ? `, ${run.outcome}` : ''}${run.code ? ` (${run.code})` : ''}`,
          ...(run.status === 'deferred' ? [`            waits ${waitsFor(run.code, run.deferred_until)}`] : []),
          `            ${run.provider ?? 'no model'}/${run.model ?? ''}, ${run.model_calls} model calls, ${run.tool_calls} tool calls, ${run.cost_usd.toFixed(4)} USD`,
        ]
      : []),
    ...memorySourceLines(entry).map((line, at) => `  ${at === 0 ? 'recalled ' : '         '} ${line}`),
    ...describeAnswer(entry.answer),
    ...entry.replies.map((mail) => `  ${mail.kind.padEnd(9)} ${mail.message_id} to ${recipientsText(mail)}`),
  ].join('\n');
}

function recipientsText({ state, to }: OutboxShape): string {
  if (state === 'draft') return `${addressesOf(to)}: it lies in Drafts, nobody has got it`;
  if (state === 'deleted') return `${addressesOf(to)}: it was deleted from Drafts, nobody has got it`;
  return to.map((one) => `${one.address} ${one.state}`).join(', ');
}

const addressesOf = (to: OutboxShape['to']): string => to.map(({ address }) => address).join(', ');
