import type { AnswerShape } from '../../../queries/mail/answer-shape.ts';
import { messageIdNamed } from '../../../queries/mail/received.ts';
import { type Entry, entriesOf } from '../../../queries/mail/why.ts';
import type { OutboxShape } from '../../../queries/shapes.ts';
import { defineCommand } from '../../command/define.ts';
import { inOneLine } from '../../text/indented.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';
import { memorySourceLines } from '../../text/memory-sources.ts';
import { pieceLines } from '../../text/pieces.ts';
import { waitsFor } from '../../text/waits-for.ts';

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
  [...entries.map((entry) => describe(entry, hint)), zoneLine()].join('\n\n');

function describe(entry: Entry, hint: Hint): string {
  const code = entry.code === null || entry.code === entry.decision ? '' : ` (${entry.code})`;
  const { run } = entry;
  return [
    `${entry.direction === 'in' ? 'In' : 'Out'}  ${atHere(entry.received_at)}  ${inOneLine(entry.subject) || '(no subject)'}`,
    ...leadLines(entry),
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

/** The one thing to know, where there is one: an approval that nobody gave, a limit or a fault that it waits for, a refusal. */
function leadLines({ not_approved: asked, decision, code, run, answered_with: together }: Entry): readonly string[] {
  const SAYS = {
    pending: () => 'waits for an owner to agree',
    expired: () => 'was not done: nobody agreed in time',
    rejected: (by: string | null) => `was not done: ${by === null || by === 'cli' ? 'an owner' : by} said no`,
  };
  const held = asked.map(({ tool, state, arguments: args, decided_by: by }) => {
    const { to, path, subject } = args;
    const about = [to, path, subject]
      .flat()
      .flatMap((one) => (typeof one === 'string' ? [inOneLine(one).slice(0, 80)] : []));
    return `  → ${[tool, ...about].join(' ')} ${SAYS[state](by)}`;
  });
  if (held.length > 0) return held;
  if (together)
    return [
      `  → it came before an earlier mail of its sender was answered, and is answered with it: run ${together.run}`,
    ];
  if (decision === 'refused') return [`  → it was refused: ${code ?? 'no reason is on record'}`];
  if (decision === 'deferred') return [`  → it is not answered yet: ${code ?? 'it waits'}`];
  return run?.status === 'failed' ? [`  → it could not be answered: ${run.code ?? 'the work failed'}`] : [];
}

function recipientsText({ state, to }: OutboxShape): string {
  if (state === 'draft') return `${addressesOf(to)}: it lies in Drafts, nobody has got it`;
  if (state === 'deleted') return `${addressesOf(to)}: it was deleted from Drafts, nobody has got it`;
  return to.map((one) => `${one.address} ${one.state}`).join(', ');
}

const addressesOf = (to: OutboxShape['to']): string => to.map(({ address }) => address).join(', ');

const PLAIN: Readonly<Record<AnswerShape['verdict'], string>> = {
  approve: 'a yes',
  deny: 'a no',
  mixed: 'a yes to some, a no to others',
  edit: 'a change',
  words: 'the answer to a question, as it stands',
  undo: 'to take back what was done',
  again: 'to do once more what was not done',
  switch: 'what of the persona is to be switched',
  senders: 'who of those who were refused may write',
  unclear: 'unclear, so nothing was done',
  late: 'too late: all of it was decided before, or its time was over',
};

/** The same in lines of a table. */
function describeAnswer(answer: AnswerShape | null): string[] {
  if (answer === null) return [];
  const { verdict, rules, items, unclear, detail, asked_back: askedBack } = answer;
  const why = unclear === null ? '' : `: ${unclear}${detail === null ? '' : ` (${detail})`}`;
  return [
    `  answer    ${PLAIN[verdict]}${why}`,
    ...(rules.length > 0 ? [`            by rule: ${rules.join(', ')}`] : []),
    ...(items.length > 0
      ? [`            ${items.map(({ number, verdict: one }) => `${number}: ${one}`).join(', ')}`]
      : []),
    ...(unclear !== null || verdict === 'late'
      ? [
          askedBack
            ? '            its sender was answered'
            : '            its sender was not answered: too many within the hour',
        ]
      : []),
  ];
}
