import { createInterface } from 'node:readline/promises';
import { EngineError } from '#contract';
import { decideSender } from '../../../actions/mail/decide-sender.ts';
import { refusal } from '../../../actions/refusal.ts';
import { listsWith } from '../../../actions/set-up/edit-persona.ts';
import { letIn } from '../../../app/refused/let-in.ts';
import { matchesPattern } from '../../../mail/mime/address.ts';
import { byDomain } from '../../../mailbox/finding/known.ts';
import { onlyPersona, personaNamed } from '../../../queries/find-across.ts';
import { refusedSenders } from '../../../queries/mail/senders.ts';
import type { Workspace } from '../../../workspace.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { sinceOf } from '../../command/time-option.ts';
import { atHere } from '../../text/local-time.ts';
import { SINCE } from './received.ts';
import { byCommand } from './take-in-kept.ts';

const A_SENDER = 'an address, or a pattern such as *@example.com';
const OF_PERSONA = {
  flags: '--persona <id>',
  about: 'of this persona alone (default: those that refused them, or the only one)',
} as const;

const list = defineCommand({
  name: 'senders list',
  summary: 'Whose mail was refused, and why',
  options: {
    persona: { flags: '--persona <id>', about: 'by one persona' },
    since: SINCE,
  },
  async run({ open }, { options: { persona, since } }) {
    const workspace = open({ tolerant: true });
    const wanted = { persona, since: sinceOf('--since', since, workspace.clock.now()) };
    return { senders: await refusedSenders(workspace, wanted) };
  },
  rows: ({ senders }) => senders,
  times: true,
  columns: {
    LAST: ({ last_at: at }) => atHere(at),
    FROM: ({ from }) => from ?? '-',
    PERSONA: ({ persona }) => persona ?? '-',
    MAILS: ({ mails }) => String(mails),
    PROVEN: ({ proven }) => proven ?? '-',
    WHY: ({ codes }) => codes.join(', '),
    SUBJECT: ({ subject }) => subject.slice(0, 40),
  },
  empty: 'No mail was refused.',
});

/** Whose rules are meant: those named, else of the personas that refused this sender, else of the only one. */
async function meant(workspace: Workspace, sender: string, persona: string | undefined): Promise<readonly string[]> {
  if (persona !== undefined) return [personaNamed(workspace, persona).id];
  const all = workspace.live.personas();
  const refused = (await refusedSenders(workspace, { persona: undefined, since: undefined }))
    .filter(({ from }) => from?.toLowerCase() === sender.toLowerCase())
    .flatMap(({ persona: id }) => (id !== null && all.get(id) ? [id] : []));
  if (refused.length > 0) return [...new Set(refused)];
  return [
    onlyPersona(
      [...all.all()].map(({ id }) => id),
      'say of whom: --persona',
    ),
  ];
}

/**
 * Whom a pattern lets in whom nobody knows: everybody, or everybody who has an address of a mail service that is open to all.
 * Null: people of one house, or one person.
 */
function openedBy(pattern: string): string | null {
  const [local = '', domain = ''] = pattern.toLowerCase().split('@');
  if (!local.includes('*')) return null;
  if (/^[*.]*$/.test(domain)) return 'everybody in the world who can prove an address';
  const service = byDomain(domain);
  return service === null ? null : `everybody with an address at ${domain}, which anybody can have`;
}

const warning = (opened: string, personas: readonly string[]): string =>
  `This lets in ${opened}: each of their mails is read by the model of ${personas.join(', ')}, and paid for by you. ` +
  'What they may not do without you stays so, and `budget` in persona.json bounds what it can cost.';

async function mayOpen(
  { json, stdin, note, hint }: CommandContext,
  said: string,
): Promise<'yes' | 'not_asked' | 'declined'> {
  if (json || !stdin.isTTY) return 'not_asked';
  note(hint(said));
  const prompt = createInterface({ input: stdin, output: process.stderr });
  try {
    return /^(y|yes)$/i.test((await prompt.question('Let them in? [y/N] ')).trim()) ? 'yes' : 'declined';
  } finally {
    prompt.close();
  }
}

const allow = defineCommand({
  name: 'senders allow',
  summary: 'Let somebody write to a persona; what was refused of them and is kept is answered now',
  arguments: [['<sender>', A_SENDER]],
  options: {
    persona: OF_PERSONA,
    yes: { flags: '--yes', about: 'also where that lets in everybody, or a whole mail service' },
  },
  examples: [
    ['senders allow bob@example.com', 'one person'],
    ['senders allow "*@example.com"', 'everybody of one company'],
    ['senders allow "*" --yes', 'everybody; what that opens is said first'],
  ],
  async run(context, { args: [sender], options: { persona, yes = false } }) {
    const workspace = context.open();
    const personas = await meant(workspace, sender, persona);
    const opened = openedBy(sender);
    if (opened !== null && !yes) {
      const said = warning(opened, personas);
      const answer = await mayOpen(context, said);
      if (answer === 'not_asked')
        throw new EngineError('usage', `${said} Nothing was changed; add --yes if you want that`);
      if (answer === 'declined') return refusal('declined', 'Nothing was changed.');
    }
    const { taken, unproven, denied } = await letIn(byCommand(workspace), { sender, personas });
    const taken_in = taken.map(({ message_id, subject }) => ({ message_id, subject }));
    return { sender, personas, taken_in, not_proven: unproven, still_denied_by: denied, opened };
  },
  json: ({ opened: _opened, ...shape }) => shape,
  text: ({ sender, personas, taken_in: taken, not_proven: unproven, still_denied_by: denied, opened }, { hint }) =>
    [
      ...(opened === null ? [] : [hint(warning(opened, personas))]),
      ...(denied.length < personas.length
        ? [`${sender} may write to ${personas.filter((id) => !denied.includes(id)).join(', ')}.`]
        : []),
      ...denied.map(
        (id) => `${id} still refuses ${sender}: a deny rule there or in configs/security.json counts before.`,
      ),
      ...taken.map(({ subject }) => `  taken in: ${subject || '(no subject)'}`),
      // Leave to write proves nobody: whoever hopes for an answer to these would wait for nothing.
      ...(unproven === 0
        ? []
        : [
            `  ${unproven} of theirs ${unproven === 1 ? 'stays' : 'stay'} refused: nothing proves who wrote it (auth_failed).`,
            hint('  What to do about that: `epistle mail show last`, or its number in `epistle mail list --refused`'),
          ]),
    ].join('\n'),
});

/** Owners whom the pattern fits, too. */
function ownersAmong({ live }: Workspace, pattern: string, personas: readonly string[]): readonly string[] {
  const all = personas.flatMap((id) => {
    const entry = live.personas().get(id);
    return entry?.state === 'ready' ? entry.persona.owners : [];
  });
  return [...new Set(all)].filter((owner) => matchesPattern(owner, pattern));
}

const block = defineCommand({
  name: 'senders block',
  summary: 'Refuse the mail of somebody from now on, whatever other rules say',
  arguments: [['<sender>', A_SENDER]],
  options: { persona: OF_PERSONA },
  async run({ open }, { args: [sender], options: { persona } }) {
    const workspace = open();
    const personas = await meant(workspace, sender, persona);
    for (const persona of personas) await decideSender(workspace, { persona, sender, verdict: 'block', by: 'cli' });
    return { sender, personas, owners: ownersAmong(workspace, sender, personas) };
  },
  text: ({ sender, personas, owners }) =>
    [
      `${sender} can no longer write to ${personas.join(', ')}.`,
      ...owners.map(
        (one) =>
          `  ${one} is an owner: what they approve or stop by mail is refused, too, while access.deny names them.`,
      ),
    ].join('\n'),
});

const remove = defineCommand({
  name: 'senders remove',
  summary:
    'Take back what `senders allow` or `senders block` has written: the sender is then treated as one without a rule',
  arguments: [['<sender>', 'the address or the pattern, as it stands in the rule']],
  options: {
    persona: { flags: '--persona <id>', about: 'of this persona alone (default: of all that have such a rule)' },
  },
  examples: [['senders remove "*"', 'nobody is let in any more who is not named']],
  async run({ open }, { args: [sender], options: { persona } }) {
    const workspace = open();
    const { root, live } = workspace;
    const wanted =
      persona === undefined ? [...live.personas().all()].map(({ id }) => id) : [personaNamed(workspace, persona).id];
    const removed = wanted.flatMap((id) => {
      if (persona === undefined && live.personas().get(id)?.state !== 'ready') return [];
      const lists = listsWith(root, id, sender);
      return lists.length === 0 ? [] : [{ persona: id, lists }];
    });
    if (removed.length === 0) return refusal('not_found', `no rule of a persona is ${sender}, letter for letter`);
    for (const { persona: id } of removed)
      await decideSender(workspace, { persona: id, sender, verdict: 'remove', by: 'cli' });
    live.sweep();
    return { sender, removed };
  },
  text: ({ sender, removed }) =>
    removed
      .map(({ persona, lists }) =>
        lists.includes('allow')
          ? `${sender} is no longer let in by ${persona}, unless another rule fits.`
          : `${sender} is no longer blocked by ${persona}; without a rule that lets them in they stay refused.`,
      )
      .join('\n'),
});

export const senders: Group = {
  name: 'senders',
  summary: 'Who may write, by whose mail was refused',
  commands: [list, allow, block, remove],
};
