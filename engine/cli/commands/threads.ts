import { EngineError } from '#contract';
import { findAcross } from '../../queries/find-across.ts';
import { listAcross } from '../../queries/list-across.ts';
import { messageShape, threadShape } from '../../queries/shapes.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { type ListOptions, limitOf, listOptions, pageOf } from '../list-options.ts';
import { table } from '../text/table.ts';

export const threadsCommand: Register = (program, act) => {
  const threads = program.command('threads').description('Conversations');
  listOptions(threads.command('list').description('Newest first')).action(act(list));
  threads
    .command('show')
    .description('One conversation, oldest mail first')
    .argument('<id>')
    .option('--limit <n>', 'how many of its newest mails', '50')
    .action(act(show));
};

async function list(context: CommandContext, options: ListOptions): Promise<Outcome> {
  if (options.status !== undefined) throw new EngineError('usage', 'threads have no status');
  const workspace = context.open({ tolerant: true });
  const { rows, next } = await listAcross(workspace, pageOf(options), (store, page) => store.listThreads(page));
  const threads = rows.map(({ persona, row }) => threadShape(persona, row));
  return {
    data: { threads, next },
    text: table(
      ['UPDATED', 'PERSONA', 'MAILS', 'SUBJECT', 'ID'],
      threads.map((one) => [
        one.updated_at.slice(0, 19),
        one.persona,
        String(one.message_count),
        one.subject.slice(0, 60),
        one.id,
      ]),
      'No conversations yet.',
    ),
  };
}

async function show(context: CommandContext, id: string, options: { limit: string }): Promise<Outcome> {
  const limit = limitOf(options);
  const workspace = context.open({ tolerant: true });
  const found = await findAcross(workspace, async (store) => {
    const thread = await store.getThread(id);
    return thread && { thread, newestFirst: await store.threadMessages(id, limit) };
  });
  if (!found) throw new EngineError('not_found', `no thread has the id ${id}; see \`epistle threads list\``);
  const messages = found.row.newestFirst.toReversed().map(messageShape);
  const thread = { ...threadShape(found.persona, found.row.thread), messages };
  const text = [
    `${thread.subject || '(no subject)'}  (${thread.persona}, ${thread.message_count} mails)`,
    ...messages.map((mail) =>
      [
        '',
        `${mail.direction === 'in' ? 'In ' : 'Out'}  ${mail.received_at}  ${mail.from ?? '?'} to ${mail.to.join(', ')}`,
        `     ${mail.message_id}`,
        mail.text.trimEnd().replaceAll(/^/gm, '     '),
      ].join('\n'),
    ),
  ].join('\n');
  return { data: { thread }, text };
}
