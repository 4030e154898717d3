import { EngineError } from '#contract';
import { changeOutbox, hurryOutbox, type OutboxChange } from '../../../actions/mail/outbox.ts';
import { refusal } from '../../../actions/refusal.ts';
import { listOutbox, outboxMail } from '../../../queries/mail/outbox.ts';
import type { DraftShape } from '../../../queries/shapes.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { PAGE_OPTIONS, pageOf, statusOf } from '../../command/page-options.ts';
import { indented, inOneLine } from '../../text/indented.ts';
import { ABOUT_COLUMNS, shortId } from '../../text/listed.ts';

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
  columns: {
    CREATED: ({ created_at: at }) => at.slice(0, 19),
    STATE: ({ state }) => state,
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
      ...(mail.next_attempt_at ? [`  next try ${mail.next_attempt_at}`] : []),
      '',
      indented(`  ${raw.trimEnd().replaceAll('\r\n', '\n')}`, '  '),
    ].join('\n'),
});

const draftLines = (draft: DraftShape): readonly string[] => [
  ...(draft.folder === null ? [] : [`  in ${draft.folder} of ${draft.mailbox ?? 'its mailbox'} since ${draft.since}`]),
  ...(draft.missed_since ? [`  missed there since ${draft.missed_since}`] : []),
  ...(draft.sent_message_id ? [`  sent as ${draft.sent_message_id}${draft.edited ? ', changed' : ', unchanged'}`] : []),
  ...(draft.next_look_at ? [`  looked for again ${draft.next_look_at}`] : []),
];

/** Throws `usage` for an id that several have, `not_found` for one that none has. */
async function changed(workspace: Workspace, given: string, change: OutboxChange, allowed: string) {
  const { persona: personaId, id } = await outboxMail(workspace, given);
  const done = await changeOutbox(workspace, { personaId, id, change });
  const { raw: _source, ...outbox } = await outboxMail(workspace, id);
  if (done === 'changed') return { outbox };
  return refusal('wrong_state', `the mail is ${outbox.state}; ${change} takes one that is ${allowed}`);
}

const retry = defineCommand({
  name: 'outbox retry',
  summary:
    'Try a queued mail now, or send a failed, unknown or dropped one again, to those who do not have it; a deleted draft goes back to Drafts',
  examples: [
    ['outbox retry --all', 'the mail server works again: do not wait for the next try'],
    ['outbox retry last', 'the newest mail'],
  ],
  arguments: ['[id]'],
  options: { all: { flags: '--all', about: 'every queued mail, such as after the server was mended' } },
  async run({ open }, { args: [given], options: { all } }) {
    if ((given === undefined) === (all === undefined))
      throw new EngineError('usage', 'give the id of a mail, or --all');
    const workspace = open({ tolerant: true });
    if (given !== undefined) {
      return changed(workspace, given, 'retry', 'queued, failed, unknown, dropped or deleted');
    }
    const counts = { queued: 0 };
    for (const { id } of workspace.live.personas().all()) {
      if (workspace.stores.exists(id)) counts.queued += await hurryOutbox(workspace, id);
    }
    return counts;
  },
  text: (result) =>
    'outbox' in result
      ? `${result.outbox.id} is queued; a running gateway takes it up now.`
      : `${result.queued} ${result.queued === 1 ? 'mail is' : 'mails are'} queued; a running gateway takes them up now.`,
});

const drop = defineCommand({
  name: 'outbox drop',
  summary: 'Never send a mail that was not sent',
  arguments: ['<id>'],
  run: ({ open }, { args: [given] }) => changed(open({ tolerant: true }), given, 'drop', 'queued, failed or unknown'),
  text: ({ outbox }) => `${outbox.id} will not be sent.`,
});

export const outbox: Group = {
  name: 'outbox',
  summary: 'Mail that leaves',
  commands: [list, show, retry, drop],
};
