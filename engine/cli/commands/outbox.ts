import { EngineError } from '#contract';
import { findAcross } from '../../queries/find-across.ts';
import { listAcross } from '../../queries/list-across.ts';
import { outboxShape } from '../../queries/shapes.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { refusal } from '../command.ts';
import { type ListOptions, listOptions, pageOf, statusOf } from '../list-options.ts';
import { table } from '../text/table.ts';

const STATES = ['queued', 'sending', 'sent', 'failed', 'unknown', 'dropped'];

export const outboxCommand: Register = (program, act) => {
  const outbox = program.command('outbox').description('Mail that leaves');
  listOptions(outbox.command('list').description('Newest first')).action(act(list));
  outbox.command('show').description('One mail with its source').argument('<id>').action(act(show));
  outbox
    .command('retry')
    .description('Send a failed, unknown or dropped mail again, to those who do not have it')
    .argument('<id>')
    .action(act((context, id: string) => change(context, id, 'retry')));
  outbox
    .command('drop')
    .description('Never send a mail that was not sent')
    .argument('<id>')
    .action(act((context, id: string) => change(context, id, 'drop')));
};

async function list(context: CommandContext, options: ListOptions): Promise<Outcome> {
  statusOf(options, STATES);
  const workspace = context.open({ tolerant: true });
  const { rows, next } = await listAcross(workspace, pageOf(options), async (store, page) => {
    const mails = await store.listOutbox(page);
    const recipients = await store.outboxRecipients(mails.map(({ id }) => id));
    return mails.map((mail) => ({ ...mail, recipients }));
  });
  const outbox = rows.map(({ persona, row }) => outboxShape(persona, row, row.recipients));
  return {
    data: { outbox, next },
    text: table(
      ['STATE', 'PERSONA', 'KIND', 'TRIES', 'TO', 'ID'],
      outbox.map((mail) => [
        mail.state,
        mail.persona,
        mail.kind,
        String(mail.attempts),
        mail.to.map(({ address }) => address).join(', '),
        mail.id,
      ]),
      'No mail has left yet.',
    ),
  };
}

async function show(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const found = await findAcross(workspace, async (store) => {
    const mail = await store.getOutbox(id);
    if (!mail) return undefined;
    return { mail, recipients: await store.outboxRecipients([id]), source: await store.outboxRaw(id) };
  });
  if (!found) throw unknown(id);
  const { mail, recipients, source } = found.row;
  const raw = Buffer.from(source?.raw ?? new Uint8Array()).toString('utf8');
  const shape = outboxShape(found.persona, mail, recipients);
  const text = [
    `${shape.kind} of ${shape.persona}: ${shape.state}${shape.last_error ? ` (${shape.last_error})` : ''}, ${shape.attempts} tries`,
    ...shape.to.map(({ address, state, smtp }) => `  ${address}: ${state}${smtp ? `, ${smtp}` : ''}`),
    ...(shape.next_attempt_at ? [`  next try ${shape.next_attempt_at}`] : []),
    '',
    raw.trimEnd().replaceAll('\r\n', '\n'),
  ].join('\n');
  return { data: { outbox: { ...shape, raw } }, text };
}

async function change(context: CommandContext, id: string, wanted: 'retry' | 'drop'): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { announce, stores, clock } = workspace;
  const before = await findAcross(workspace, (store) => store.getOutbox(id));
  if (!before) throw unknown(id);
  const { persona } = before;
  const now = clock.now();
  return stores.use(persona, async (store) => {
    const done = await announce(persona, now, () => store.changeOutbox({ id, change: wanted, now }));
    const mail = (await store.getOutbox(id)) ?? before.row;
    if (done === 'wrong_state') {
      const allowed = wanted === 'retry' ? 'failed, unknown or dropped' : 'queued, failed or unknown';
      return refusal('wrong_state', `the mail is ${mail.state}; ${wanted} takes one that is ${allowed}`);
    }
    const outbox = outboxShape(persona, mail, await store.outboxRecipients([id]));
    const text = wanted === 'drop' ? `${id} will not be sent.` : `${id} is queued; a running gateway sends it now.`;
    return { data: { outbox }, text };
  });
}

const unknown = (id: string): EngineError =>
  new EngineError('not_found', `no outgoing mail has the id ${id}; see \`epistle outbox list\``);
