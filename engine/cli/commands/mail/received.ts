import { EngineError } from '#contract';
import { mayBeRetried } from '../../../actions/mail/retry-mail.ts';
import { isRefusal } from '../../../actions/refusal.ts';
import { takeInAfterAll } from '../../../app/refused/take-in-after-all.ts';
import { type ListedOutbox, listOutbox } from '../../../queries/mail/outbox.ts';
import {
  keptSource,
  listReceived,
  type ReceivedShape,
  receivedNamed,
  receivedShape,
} from '../../../queries/mail/received.ts';
import { cameInWords, leavingInWords } from '../../../queries/state-words.ts';
import type { SeenDecision } from '../../../storage/types/gateway.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { limitOf, PAGE_OPTIONS, statusOf } from '../../command/page-options.ts';
import { sinceOf } from '../../command/time-option.ts';
import { inOneLine } from '../../text/indented.ts';
import { shortId } from '../../text/listed.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';
import { byCommand, takenInShape, takenInWords } from './take-in-kept.ts';

export const SINCE = {
  flags: '--since <time>',
  about: 'a span such as 1h or 7d, or a time such as 2026-11-21T09:00:00Z',
} as const;
const A_MAIL = 'its number in `mail list`, its Message-ID or an end of that, or `last`';

const DECISIONS = ['accepted', 'duplicate', 'recorded', 'refused', 'dead_letter', 'deferred'] as const;
const isDecision = (text: string): text is SeenDecision & (typeof DECISIONS)[number] =>
  DECISIONS.some((one) => one === text);

const list = defineCommand({
  name: 'mail list',
  summary: 'What came and what became of it, newest first; with --out, --failed or --waiting what leaves',
  examples: [
    ['mail list --refused', 'who was not let in, and why'],
    ['mail list --failed', 'what could not be sent, and why'],
    ['mail list --from bob --since 7d', 'what somebody wrote this week'],
  ],
  options: {
    ...PAGE_OPTIONS,
    status: { flags: '--status <decision>', about: `one of ${DECISIONS.join(', ')}` },
    refused: { flags: '--refused', about: 'the same as --status refused' },
    from: { flags: '--from <text>', about: 'whose sender’s address has this in it' },
    subject: { flags: '--subject <text>', about: 'whose subject has this in it' },
    since: SINCE,
    out: { flags: '--out', about: 'what leaves, in place of what came' },
    failed: { flags: '--failed', about: 'what could not be sent' },
    waiting: { flags: '--waiting', about: 'what waits to be sent' },
  },
  async run({ open }, { options }) {
    const { limit, after, persona, from, subject } = options;
    const left = leftOf(options);
    if (left !== null) {
      const page = { limit: limitOf(limit), after, persona, status: left.status };
      const { outbox, next } = await listOutbox(open({ tolerant: true }), page);
      return { mails: [], outbox, next };
    }
    const status = options.refused ? 'refused' : options.status;
    statusOf(status, DECISIONS);
    const workspace = open({ tolerant: true });
    const since = sinceOf('--since', options.since, workspace.clock.now());
    const decision = status !== undefined && isDecision(status) ? status : undefined;
    return listReceived(workspace, { limit: limitOf(limit), after, persona, from, subject, since, decision });
  },
  rows: (found) => ('outbox' in found ? found.outbox.map(leftRow) : found.mails.map(cameRow)),
  times: true,
  columns: {
    ID: ({ id }) => id,
    WHEN: ({ at }) => atHere(at),
    FROM: ({ from }) => short(from, 32),
    TO: ({ to }) => short(to, 32),
    SUBJECT: ({ subject }) => short(subject === '' ? '(no subject)' : subject, 40),
    STATE: ({ state }) => state,
  },
  empty: 'There is no such mail.',
});

/** Which mail that leaves is asked for; null: what came is. Throws `usage` for a question that has no answer there. */
function leftOf(
  options: {
    readonly [Name in 'out' | 'failed' | 'waiting' | 'refused']?: boolean | undefined;
  } & { readonly [Name in 'from' | 'subject' | 'since' | 'status']?: string | undefined },
): {
  readonly status: string | undefined;
} | null {
  const { out, failed, waiting } = options;
  if (!out && !failed && !waiting) return null;
  const { from, subject, since, status, refused } = options;
  if ((failed && waiting) || [from, subject, since, status, refused].some((one) => one !== undefined)) {
    throw new EngineError('usage', '--out, --failed and --waiting take --persona, --limit and --after');
  }
  return { status: failed ? 'failed' : waiting ? 'queued' : undefined };
}

/** One mail of the list, whichever way it goes. */
interface Row {
  readonly id: string;
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly state: string;
}

const cameRow = ({ id, received_at: at, from, persona, recipient, subject, decision, code }: ReceivedShape): Row => ({
  id,
  at,
  from: from ?? '-',
  to: persona ?? recipient ?? '-',
  subject,
  state: cameInWords(decision, code),
});

const leftRow = ({ id, created_at: at, persona, to, subject, state, last_error: error }: ListedOutbox): Row => ({
  id: shortId(id),
  at,
  from: persona,
  to: to.map(({ address }) => address).join(', '),
  subject: subject ?? '',
  state:
    error === null || state === 'sent'
      ? leavingInWords(state)
      : `${leavingInWords(state)} (${short(inOneLine(error), 60)})`,
});

const short = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const show = defineCommand({
  name: 'mail show',
  summary: 'One mail that came: its fate, what to do about that, and its source where it is kept',
  arguments: [['<id>', A_MAIL]],
  async run({ open }, { args: [id] }) {
    const workspace = open({ tolerant: true });
    const row = await receivedNamed(workspace, id);
    const kept = mayBeRetried(row) ? await keptSource(workspace, row) : null;
    const source = kept === null ? null : Buffer.from(kept.raw).toString('utf8');
    return { mail: { ...receivedShape(row), kept: kept !== null, source } };
  },
  text: ({ mail }, { hint }) =>
    [
      ...received(mail, hint),
      ...(mayBeRetried(mail)
        ? [
            mail.kept
              ? hint(
                  `  kept      yes; \`epistle mail retry ${mail.id}\` takes it in${mail.decision === 'refused' ? ' once that is mended' : ''}`,
                )
              : '  kept      no; it has to be sent again',
          ]
        : []),
      ...(mail.source === null ? [] : ['', mail.source.slice(0, SHOWN).replaceAll('\r\n', '\n').trimEnd()]),
    ].join('\n'),
});

const SHOWN = 4000;

const received = (mail: ReceivedShape, hint: (text: string) => string): string[] => [
  `${atHere(mail.received_at)}  ${mail.subject || '(no subject)'}`,
  `  from      ${mail.from ?? 'nobody that can be named'}${mail.tier ? `, ${mail.tier}` : ''}${mail.detail ? ` [${mail.detail}]` : ''}`,
  `  to        ${mail.recipient ?? 'nobody'}${mail.persona ? `, which is ${mail.persona}` : ''}`,
  `  decision  ${mail.decision}${mail.code && mail.code !== mail.decision ? ` (${mail.code})` : ''}`,
  ...(mail.cure === null ? [] : [`  cure      ${hint(mail.cure)}`]),
  ...(mail.run_id === null ? [] : [`  run       ${mail.run_id}`]),
  `  mail      ${mail.message_id}`,
  zoneLine(),
];

const retry = defineCommand({
  name: 'mail retry',
  summary:
    'Take a mail in after all that was refused, stopped by a limit or not read, by the rules as they are now, or answer one anew that waited in vain',
  arguments: [['<id>', A_MAIL]],
  async run({ open }, { args: [id] }) {
    const workspace = open();
    const row = await receivedNamed(workspace, id);
    const retried = await takeInAfterAll(byCommand(workspace), row);
    return isRefusal(retried) ? retried : { mail: receivedShape(row), retried };
  },
  json: ({ mail, retried }) => ({
    mail,
    ...takenInShape(retried),
  }),
  text: ({ retried }) => takenInWords(retried),
  exitCode: ({ retried }) => (retried.isDone ? 0 : 1),
});

export const mail: Group = {
  name: 'mail',
  summary: 'Mail that came and mail that leaves, and what became of it',
  commands: [list, show, retry],
};
