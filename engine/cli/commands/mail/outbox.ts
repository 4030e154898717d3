import { EngineError } from '#contract';
import { changeFailed, changeOutbox, hurryOutbox, type OutboxChange } from '../../../actions/mail/outbox.ts';
import { refusal } from '../../../actions/refusal.ts';
import { listOutbox, outboxMail } from '../../../queries/mail/outbox.ts';
import type { DraftShape } from '../../../queries/shapes.ts';
import { leavingInWords } from '../../../queries/state-words.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { PAGE_OPTIONS, pageOf, statusOf } from '../../command/page-options.ts';
import { indented, inOneLine } from '../../text/indented.ts';
import { ABOUT_COLUMNS, shortId } from '../../text/listed.ts';
import { atHere } from '../../text/local-time.ts';

const STATES = ['queued', 'sending', 'sent', 'failed', 'unknown', 'dropped', 'draft', 'deleted'];

const list = defineCommand({
  name: 'outbox list',
  summary: 'Newest first',
  options: PAGE_OPTIONS,
  async run({ open }, { options }) {
    statusOf(options.status, STATES);
    return listOutbox(open({ tolerant: true }), pageOf(options));
  },
  rows: ({ outbox }) => outbox,
  times: true,
  columns: {
    CREATED: ({ created_at: at }) => atHere(at),
    STATE: ({ state }) => leavingInWords(state),
    PERSONA: ({ persona }) => persona,
    KIND: ({ kind }) => kind,
    TRIES: ({ attempts }) => String(attempts),
    TO: ({ to }) => to.map(({ address }) => address).join(', '),
    SUBJECT: ABOUT_COLUMNS.SUBJECT,
    ID: ({ id }) => shortId(id),
  },
  empty: 'No mail has left yet.',
});

const show = defineCommand({
  name: 'outbox show',
  summary: 'One mail with its source',
  arguments: ['<id>'],
  run: async ({ open }, { args: [id] }) => ({ outbox: await outboxMail(open({ tolerant: true }), id) }),
  text: ({ outbox: { raw, draft, ...mail } }) =>
    [
      `${mail.kind} of ${mail.persona}: ${mail.state}${mail.last_error ? ` (${inOneLine(mail.last_error)})` : ''}, ${mail.attempts} tries`,
      ...mail.to.map(({ address, state, smtp }) => `  ${address}: ${state}${smtp ? `, ${inOneLine(smtp)}` : ''}`),
      ...(draft ? draftLines(draft) : []),
      ...(mail.next_attempt_at ? [`  next try ${atHere(mail.next_attempt_at)}`] : []),
      '',
      indented(`  ${raw.trimEnd().replaceAll('\r\n', '\n')}`, '  '),
    ].join('\n'),
});

const draftLines = (draft: DraftShape): readonly string[] => [
  ...(draft.folder === null
    ? []
    : [
        `  in ${draft.folder} of ${draft.mailbox ?? 'its mailbox'} since ${draft.since === null ? '?' : atHere(draft.since)}`,
      ]),
  ...(draft.missed_since ? [`  missed there since ${atHere(draft.missed_since)}`] : []),
  ...(draft.sent_message_id ? [`  sent as ${draft.sent_message_id}${draft.edited ? ', changed' : ', unchanged'}`] : []),
  ...(draft.next_look_at ? [`  looked for again ${atHere(draft.next_look_at)}`] : []),
];

/** Throws `usage` for an id that several have, `not_found` for one that none has. */
async function changed(workspace: Workspace, given: string, change: OutboxChange, allowed: string) {
  const { persona: personaId, id } = await outboxMail(workspace, given);
  const done = await changeOutbox(workspace, { personaId, id, change, by: 'cli' });
  const { raw: _source, ...outbox } = await outboxMail(workspace, id);
  if (done === 'changed') return { outbox };
  return refusal('wrong_state', `the mail is ${outbox.state}; ${change} takes one that is ${allowed}`);
}

/** Does it for every persona that has a database; the sum. */
async function summed(workspace: Workspace, count: (personaId: string) => Promise<number>): Promise<number> {
  let sum = 0;
  for (const { id } of workspace.live.personas().all()) {
    if (workspace.stores.exists(id)) sum += await count(id);
  }
  return sum;
}

const mailsAre = (count: number): string => `${count} ${count === 1 ? 'mail is' : 'mails are'}`;

const retry = defineCommand({
  name: 'outbox retry',
  summary:
    'Try a queued mail now, or send a failed, unknown or dropped one again, to those who do not have it; a deleted draft goes back to Drafts',
  examples: [
    ['outbox retry --all', 'the mail server works again: do not wait for the next try'],
    ['outbox retry --failed', 'what kept mail from leaving is mended: send all that has failed'],
    ['outbox retry last', 'the newest mail'],
  ],
  arguments: ['[id]'],
  options: {
    all: { flags: '--all', about: 'every queued mail, such as after the server was mended' },
    failed: { flags: '--failed', about: 'every mail that has failed, to those who do not have it' },
  },
  async run({ open }, { args: [given], options: { all, failed } }) {
    if ([given, all, failed].filter((one) => one !== undefined).length !== 1)
      throw new EngineError('usage', 'give the id of a mail, --all or --failed');
    const workspace = open({ tolerant: true });
    if (given !== undefined) {
      return changed(workspace, given, 'retry', 'queued, failed, unknown, dropped or deleted');
    }
    return {
      queued: await summed(workspace, (personaId) =>
        failed ? changeFailed(workspace, { personaId, change: 'retry', by: 'cli' }) : hurryOutbox(workspace, personaId),
      ),
    };
  },
  text: (result) =>
    'outbox' in result
      ? `${result.outbox.id} is queued; a running gateway takes it up now.`
      : `${mailsAre(result.queued)} queued; a running gateway takes ${result.queued === 1 ? 'it' : 'them'} up now.`,
});

const drop = defineCommand({
  name: 'outbox drop',
  summary: 'Never send a mail that was not sent',
  arguments: ['[id]'],
  options: { failed: { flags: '--failed', about: 'every mail that has failed' } },
  async run({ open }, { args: [given], options: { failed } }) {
    if ((given === undefined) === (failed === undefined))
      throw new EngineError('usage', 'give the id of a mail, or --failed');
    const workspace = open({ tolerant: true });
    if (given !== undefined) return changed(workspace, given, 'drop', 'queued, failed or unknown');
    return {
      dropped: await summed(workspace, (personaId) =>
        changeFailed(workspace, { personaId, change: 'drop', by: 'cli' }),
      ),
    };
  },
  text: (result) =>
    'outbox' in result
      ? `${result.outbox.id} will not be sent.`
      : `${mailsAre(result.dropped)} given up and will not be sent.`,
});

export const outbox: Group = {
  name: 'outbox',
  summary: 'Mail that leaves',
  commands: [list, show, retry, drop],
};
