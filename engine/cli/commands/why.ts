import { iso } from '../../lib/clock.ts';
import type { Store } from '../../storage/store.ts';
import type { SeenRow } from '../../storage/tables.ts';
import type { Workspace } from '../../workspace.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { outboxShape, runShape } from '../shapes.ts';

export const whyCommand: Register = (program, act) => {
  program.command('why').description('What became of a mail, and why').argument('<message-id>').action(act(why));
};

async function why(context: CommandContext, given: string): Promise<Outcome> {
  const messageId = given.trim().replace(/^<?(.*?)>?$/, '<$1>');
  const workspace = context.open();
  const seen = await workspace.gateway.seenByMessageId(messageId);
  const entries = [
    ...(await Promise.all(seen.map((row) => entryOf(workspace, row)))),
    // Not yet handed over, so only its persona's outbox knows it.
    ...(seen.length === 0 ? await outgoingEntries(workspace, messageId) : []),
  ];
  return {
    data: { message_id: messageId, entries },
    text: entries.length === 0 ? `${messageId} was never seen here.` : entries.map(describe).join('\n\n'),
    exitCode: entries.length === 0 ? 1 : 0,
  };
}

type Entry = Awaited<ReturnType<typeof entryOf>>;

async function entryOf(workspace: Workspace, row: SeenRow) {
  const { persona_id: persona } = row;
  const base = {
    persona,
    direction: row.direction,
    decision: row.decision,
    code: row.code,
    from: row.from_address,
    tier: row.tier,
    detail: row.detail,
    subject: row.subject,
    received_at: iso(row.received_at),
    thread_id: row.thread_id,
  };
  if (persona === null || !workspace.stores.exists(persona)) return { ...base, run: null, replies: [] };
  return workspace.stores.use(persona, async (store) => {
    const run = row.run_id === null ? undefined : await store.getRun(row.run_id);
    const mails = await mailsOf(store, row);
    const recipients = await store.outboxRecipients(mails.map(({ id }) => id));
    return {
      ...base,
      run: run ? runShape(persona, run) : null,
      replies: mails.map((mail) => outboxShape(persona, mail, recipients)),
    };
  });
}

/** Of a mail that came in: what its run wrote; of one that left: itself. */
async function mailsOf(store: Store, row: SeenRow) {
  if (row.direction === 'in') return row.run_id === null ? [] : store.outboxOfMail(row.message_id);
  const mail = await store.outboxByMessageId(row.message_id);
  return mail ? [mail] : [];
}

/** Our own mail is found by the persona in whose outbox its Message-ID stands. */
async function outgoingEntries({ live, stores }: Workspace, messageId: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const { id: persona } of live.personas().all()) {
    if (!stores.exists(persona)) continue;
    const found = await stores.use(persona, async (store) => {
      const mail = await store.outboxByMessageId(messageId);
      if (!mail) return undefined;
      const [message] = await store.messagesByMessageId(messageId);
      const run = mail.run_id === '' ? undefined : await store.getRun(mail.run_id);
      const shape = outboxShape(persona, mail, await store.outboxRecipients([mail.id]));
      return {
        persona,
        direction: 'out' as const,
        decision: 'sent' as const,
        code: mail.state,
        from: message?.from_address ?? null,
        tier: null,
        detail: null,
        subject: message?.subject ?? '',
        received_at: iso(mail.created_at),
        thread_id: mail.thread_id,
        run: run ? runShape(persona, run) : null,
        replies: [shape],
      };
    });
    if (found) entries.push(found);
  }
  return entries;
}

function describe(entry: Entry): string {
  const code = entry.code === null ? '' : ` (${entry.code})`;
  const { run } = entry;
  return [
    `${entry.direction === 'in' ? 'In' : 'Out'}  ${entry.received_at}  ${entry.subject || '(no subject)'}`,
    `  decision  ${entry.decision}${code}${entry.persona ? ` by ${entry.persona}` : ''}`,
    `  from      ${entry.from ?? 'nobody that can be named'}${entry.tier ? `, ${entry.tier}` : ''}${entry.detail ? ` [${entry.detail}]` : ''}`,
    ...(run
      ? [
          `  run       ${run.id}: ${run.status}${run.outcome ? `, ${run.outcome}` : ''}${run.code ? ` (${run.code})` : ''}`,
          `            ${run.provider ?? 'no model'}/${run.model ?? ''}, ${run.model_calls} model calls, ${run.tool_calls} tool calls, ${run.cost_usd.toFixed(4)} USD`,
        ]
      : []),
    ...entry.replies.map(
      (mail) =>
        `  ${mail.kind.padEnd(9)} ${mail.message_id} to ${mail.to.map(({ address, state }) => `${address} ${state}`).join(', ')}`,
    ),
  ].join('\n');
}
