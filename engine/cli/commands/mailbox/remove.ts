import { createInterface } from 'node:readline/promises';
import { changeOutbox } from '../../../actions/mail/outbox.ts';
import { type Refusal, refusal } from '../../../actions/refusal.ts';
import { removeMailbox } from '../../../actions/set-up/remove-mailbox.ts';
import { type MailboxUse, mailboxUse, type PersonaUse } from '../../../queries/gateway/mailbox-use.ts';
import type { Workspace } from '../../../workspace.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import { shortId } from '../../text/listed.ts';

interface Removal {
  readonly use: MailboxUse;
  /** Nobody was there to ask, or whoever was asked said no. */
  readonly state: 'removed' | 'not_asked' | 'declined';
  /** Mails that will not be sent. */
  readonly dropped: readonly string[];
  readonly written: readonly string[];
}

export const remove = defineCommand({
  name: 'mailbox remove',
  summary: 'Take a mailbox out of the settings; what rests on it is told first. Mail in it stays where it is',
  arguments: [['<id>', 'as `mailbox list` shows it']],
  options: {
    yes: { flags: '--yes', about: 'remove it without asking' },
    dropWaiting: {
      flags: '--drop-waiting',
      about: 'also where mail waits to leave through it: that mail is dropped, and `outbox list` still has it',
    },
  },
  examples: [
    ['mailbox remove support', 'tells what would stop, and asks'],
    ['mailbox remove support --yes --json', 'asks nothing, for scripts'],
  ],
  async run(context, { args: [id], options: { yes = false, dropWaiting = false } }): Promise<Removal | Refusal> {
    const workspace = context.open();
    const use = await mailboxUse(workspace, id);
    if (use.waiting.length > 0 && !dropWaiting) return refusal('wrong_state', stillWaiting(use));
    if (use.waiting.some(({ state }) => state === 'sending'))
      return refusal('wrong_state', `a mail leaves through ${id} at this moment; try again once it is through`);
    const answer = yes ? 'yes' : await mayRemove(context, use);
    if (answer !== 'yes') return { use, state: answer, dropped: [], written: [] };
    const dropped = await dropAll(workspace, use);
    const named = use.personas.filter(({ names }) => names).map(({ id: persona }) => persona);
    const written = removeMailbox(workspace, id, named);
    workspace.live.sweep();
    return { use, state: 'removed', dropped, written };
  },
  json: ({ use, state, dropped, written }) => ({ ...use, removed: state === 'removed', dropped, written }),
  text: ({ use, state, dropped, written }, { hint }) => {
    if (state === 'declined') return 'Nothing was removed.';
    if (state === 'not_asked')
      return [...inWords(use), 'Nothing was removed: with --yes it is, and nothing is asked.'].join('\n');
    return [
      ...written.map((one) => `  ${one}`),
      `The mailbox ${use.id} is removed. A running gateway lets go of it within two seconds.`,
      ...(dropped.length === 0
        ? []
        : [hint(`${mails(dropped.length)} will not be sent: \`epistle outbox list --status dropped\``)]),
      ...unusedNow(use),
    ].join('\n');
  },
  exitCode: ({ state }) => (state === 'removed' ? 0 : state === 'declined' ? 1 : 3),
});

/** All or none of it can be taken back: what is dropped here, `outbox retry` sends once there is such a mailbox again. */
async function dropAll(workspace: Workspace, { waiting }: MailboxUse): Promise<string[]> {
  const dropped: string[] = [];
  for (const { id, persona } of waiting) {
    const became = await changeOutbox(workspace, { personaId: persona, id, change: 'drop', by: 'cli' });
    if (became === 'changed') dropped.push(id);
  }
  return dropped;
}

const SHOWN = 10;

function stillWaiting({ id, waiting }: MailboxUse): string {
  const more = waiting.length - SHOWN;
  return [
    `${mails(waiting.length)} ${waiting.length === 1 ? 'waits' : 'wait'} to leave through ${id}:`,
    ...waiting.slice(0, SHOWN).map((one) => `  ${one.kind} of ${one.persona}: ${one.state}, ${shortId(one.id)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    'Let it leave first (`epistle outbox retry --all` tries it now), or give it up with --drop-waiting',
  ].join('\n');
}

async function mayRemove({ json, stdin, note }: CommandContext, use: MailboxUse): Promise<'yes' | Removal['state']> {
  if (json || !stdin.isTTY) return 'not_asked';
  for (const line of inWords(use)) note(line);
  const prompt = createInterface({ input: stdin, output: process.stderr });
  try {
    return /^(y|yes)$/i.test((await prompt.question('Remove it? [y/N] ')).trim()) ? 'yes' : 'declined';
  } finally {
    prompt.close();
  }
}

/** What would be another without it. */
function inWords(use: MailboxUse): readonly string[] {
  const { id, imap, smtp, personas, waiting, drafts, unsettled } = use;
  const counts = [
    ...(waiting.length === 0 ? [] : [`${mails(waiting.length)} that wait to leave through it are never sent`]),
    ...(unsettled === 0 ? [] : [`${mails(unsettled)} that were left in it for later stay there, unanswered`]),
    ...(drafts === 0 ? [] : [`${drafts} in its Drafts: whether they are sent is not looked for any more`]),
  ];
  const lines = [...personas.flatMap(personaInWords), ...counts];
  return [
    `The mailbox ${id} (${[...new Set([imap, smtp])].filter((one) => one !== null).join(', ') || 'no server'}) is to be removed.`,
    ...(lines.length === 0 ? ['Nothing rests on it.'] : lines.map((line) => `  ${line}`)),
    'Mail that lies in it stays there.',
  ];
}

const personaInWords = ({ id, address, gets, writes, drafts }: PersonaUse): readonly string[] => [
  ...(gets ? [`${id}: mail to ${address} comes by no other mailbox`] : []),
  ...(writes === null
    ? []
    : [
        `${id} writes ${writes.instead === null ? 'files into data/outgoing, which nobody sends' : `by ${writes.instead}`} then`,
      ]),
  ...(drafts ? [`${id} takes no mail then: its answers are to lie in Drafts, and no mailbox with IMAP is left`] : []),
];

const unusedNow = ({ secrets, login }: MailboxUse): readonly string[] => [
  ...secrets.map((name) => `${name} stays in .env; no mailbox uses it any more.`),
  ...(login === null ? [] : [`Its login stays in the data folder (${login}); no mailbox uses it any more.`]),
];

const mails = (count: number): string => `${count} ${count === 1 ? 'mail' : 'mails'}`;
