import { EngineError } from '#contract';
import { setPrivate } from '../../../actions/mail/private-thread.ts';
import { listThreads, threadOf } from '../../../queries/mail/threads.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { limitOf, PAGE_OPTIONS, pageOf } from '../../command/page-options.ts';
import { indented, inOneLine } from '../../text/indented.ts';
import { shortId } from '../../text/listed.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';

const list = defineCommand({
  name: 'threads list',
  summary: 'Newest first',
  options: PAGE_OPTIONS,
  async run({ open }, { options }) {
    if (options.status !== undefined) throw new EngineError('usage', 'threads have no status');
    return listThreads(open({ tolerant: true }), pageOf(options));
  },
  rows: ({ threads }) => threads,
  times: true,
  columns: {
    UPDATED: (one) => atHere(one.updated_at),
    PERSONA: (one) => one.persona,
    MAILS: (one) => String(one.message_count),
    SUBJECT: (one) => one.subject.slice(0, 60),
    ID: (one) => shortId(one.id),
  },
  empty: 'No conversations yet.',
});

const show = defineCommand({
  name: 'threads show',
  summary: 'One conversation, oldest mail first',
  arguments: ['<id>'],
  options: { limit: { flags: '--limit <n>', about: 'how many of its newest mails', fallback: '50' } },
  async run({ open }, { args: [id], options }) {
    const limit = limitOf(options.limit);
    return { thread: await threadOf(open({ tolerant: true }), id, limit) };
  },
  text: ({ thread }) =>
    [
      `${inOneLine(thread.subject) || '(no subject)'}  (${thread.persona}, ${thread.message_count} mails${thread.private ? ', private' : ''}${thread.closed ? ', closed' : ''})`,
      ...thread.messages.map((mail) =>
        [
          '',
          `${mail.direction === 'in' ? 'In ' : 'Out'}  ${atHere(mail.received_at)}  ${mail.from ?? '?'} to ${mail.to.join(', ')}`,
          `     ${mail.message_id}`,
          indented(`     ${mail.text.trimEnd()}`, '     '),
        ].join('\n'),
      ),
      '',
      zoneLine(),
    ].join('\n'),
});

const makePrivate = defineCommand({
  name: 'threads private',
  summary: 'Find and remember nothing of it elsewhere',
  arguments: ['<id>'],
  options: { off: { flags: '--off', about: 'take it back, while the conversation goes on' } },
  async run({ open }, { args: [given], options }) {
    const workspace = open();
    const { persona, id } = await threadOf(workspace, given, 1);
    const change = { id, off: options.off === true };
    const { close_after_days: closeAfterDays } = workspace.live.current().system.memory;
    const { clock, stores } = workspace;
    await stores.use(persona, (store) => setPrivate({ store, clock, closeAfterDays }, change));
    const { messages: _, ...thread } = await threadOf(workspace, id, 1);
    return { thread };
  },
  text: ({ thread }) =>
    thread.private
      ? `${thread.subject || '(no subject)'} is private: nothing of it is found in other conversations or remembered.`
      : `${thread.subject || '(no subject)'} is as any other conversation again.`,
});

export const threads: Group = { name: 'threads', summary: 'Conversations', commands: [list, show, makePrivate] };
