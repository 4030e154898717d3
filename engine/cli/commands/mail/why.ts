import { messageIdNamed } from '../../../queries/mail/received.ts';
import { type Entry, entriesOf } from '../../../queries/mail/why.ts';
import type { OutboxShape } from '../../../queries/shapes.ts';
import { defineCommand } from '../../command/define.ts';
import { inOneLine } from '../../text/indented.ts';
import { memorySourceLines } from '../../text/memory-sources.ts';
import { pieceLines } from '../../text/pieces.ts';
import { waitsFor } from '../../text/waits-for.ts';
import { describeAnswer } from './answer.ts';

export const why = defineCommand({
  name: 'why',
  summary: 'What became of a mail, received or sent, and why',
  examples: [
    ['why last', 'of the newest mail'],
    ['why --from bob', 'of the newest of somebody'],
    ['why --subject offer', 'of the newest about something'],
  ],
  arguments: [
    ['[message-id]', 'with or without angle brackets, or its beginning or end; a number of `mail list`; `last`'],
  ],
  options: {
    from: { flags: '--from <text>', about: 'the newest whose sender’s address has this in it' },
    subject: { flags: '--subject <text>', about: 'the newest whose subject has this in it' },
  },
  async run({ open }, { args: [given], options: { from, subject } }) {
    const workspace = open({ tolerant: true });
    const message_id = await messageIdNamed(workspace, { given, from, subject });
    return { message_id, entries: await entriesOf(workspace, message_id) };
  },
  json: (found) =>
    found.entries.length > 0
      ? found
      : { ...found, error: { code: 'not_found', message: neverSeen(found.message_id), problems: [] } },
  text: ({ message_id, entries }, { hint }) =>
    entries.length > 0 ? entriesText(entries, hint) : neverSeen(message_id),
  exitCode: ({ entries }) => (entries.length > 0 ? 0 : 1),
});

const neverSeen = (messageId: string): string =>
  `${messageId} was never seen here; look for the id in the mail's own source`;

/** Why the run had not a tool that it was to have. */
const AWAY: Readonly<Record<string, (server: string) => string>> = {
  new: (server) => `no owner has allowed it yet; \`epistle extensions allow ${server}\``,
  changed: (server) => `${server} has changed it since an owner allowed it; \`epistle extensions check ${server}\``,
  removed: (server) => `${server} does not offer it any more`,
  lock: () => 'what owners have allowed could not be read; `epistle doctor`',
};

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

type Hint = (text: string) => string;

export const entriesText = (entries: readonly Entry[], hint: Hint): string =>
  entries.map((entry) => describe(entry, hint)).join('\n\n');

function describe(entry: Entry, hint: Hint): string {
  const code = entry.code === null || entry.code === entry.decision ? '' : ` (${entry.code})`;
  const { run } = entry;
  return [
    `${entry.direction === 'in' ? 'In' : 'Out'}  ${entry.received_at}  ${inOneLine(entry.subject) || '(no subject)'}`,
    `  decision  ${entry.decision}${code}${entry.persona ? ` by ${entry.persona}` : ''}`,
    `  from      ${entry.from ?? 'nobody that can be named'}${entry.tier ? `, ${entry.tier}` : ''}${entry.detail ? ` [${inOneLine(entry.detail)}]` : ''}`,
    ...(entry.cure === null ? [] : [`  cure      ${hint(entry.cure)}`]),
    ...pieceLines(entry.pieces).map((line, at) => `  ${at === 0 ? 'read as' : '       '}   ${line}`),
    ...(run
      ? [
          `  run       ${run.id}: ${run.status}${run.outcome ? `, ${run.outcome}` : ''}${run.code ? ` (${run.code})` : ''}`,
          ...(run.status === 'deferred' ? [`            waits ${hint(waitsFor(run.code, run.deferred_until))}`] : []),
          `            ${run.provider === null ? 'no model' : `${run.provider}/${run.model}`}, ${counted(run.model_calls, 'model call')}, ${counted(run.tool_calls, 'tool call')}, ${run.cost_usd.toFixed(4)} USD`,
        ]
      : []),
    ...entry.tools_away.map(
      ({ tool, server, why: reason }) => `  away      ${tool}: ${hint(AWAY[reason]?.(server) ?? reason)}`,
    ),
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
