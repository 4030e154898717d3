import { EngineError } from '#contract';
import { setPrivateBy } from '../../../actions/mail/private-thread.ts';
import { takeThread } from '../../../actions/mail/take-thread.ts';
import { listThreads, threadOf } from '../../../queries/mail/threads.ts';
import type { CommandContext } from '../../command/context.ts';
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
      `${inOneLine(thread.subject) || '(no subject)'}  (${thread.persona}, ${thread.message_count} mails${thread.private ? ', private' : ''}${thread.closed ? ', closed' : ''}${thread.taken_by === null ? '' : `, answered by ${thread.taken_by === 'cli' ? 'a person' : inOneLine(thread.taken_by)}`})`,
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
    const { clock, ids, stores } = workspace;
    await stores.use(persona, (store) => setPrivateBy({ store, clock, ids, closeAfterDays }, change, 'cli'));
    const { messages: _, ...thread } = await threadOf(workspace, id, 1);
    return { thread };
  },
  text: ({ thread }) =>
    thread.private
      ? `${thread.subject || '(no subject)'} is private: nothing of it is found in other conversations or remembered.`
      : `${thread.subject || '(no subject)'} is as any other conversation again.`,
});

const BY = { by: { flags: '--by <address>', about: 'the person who does it (default: whoever types it)' } } as const;

async function setTaken(
  { open }: CommandContext,
  given: string,
  { by = 'cli', give }: { readonly by: string | undefined; readonly give: boolean },
) {
  const workspace = open();
  const { persona, id } = await threadOf(workspace, given, 1);
  const act = { id: workspace.ids.next(), by, at: workspace.clock.now(), give };
  await workspace.stores.use(persona, (store) => takeThread(store, id, act));
  const { messages: _, ...thread } = await threadOf(workspace, id, 1);
  return { thread };
}

const take = defineCommand({
  name: 'threads take',
  summary: 'Answer in it yourself: the persona is silent in it until it is given back',
  arguments: ['<id>'],
  options: BY,
  examples: [['threads take last --by olga@example.com', 'Olga answers there from now on']],
  run: (context, { args: [id], options: { by } }) => setTaken(context, id, { by, give: false }),
  text: ({ thread }, { command }) =>
    `${inOneLine(thread.subject) || '(no subject)'} is answered by a person from now on; ${thread.persona} is silent in it until \`${command(`threads give ${shortId(thread.id)}`)}\`.`,
});

const give = defineCommand({
  name: 'threads give',
  summary: 'Have the persona answer in it again, from the next mail on',
  arguments: ['<id>'],
  options: BY,
  run: (context, { args: [id], options: { by } }) => setTaken(context, id, { by, give: true }),
  text: ({ thread }) =>
    `${thread.persona} answers in ${inOneLine(thread.subject) || '(no subject)'} again, from the next mail on.`,
});

export const threads: Group = {
  name: 'threads',
  summary: 'Conversations',
  commands: [list, show, makePrivate, take, give],
};
