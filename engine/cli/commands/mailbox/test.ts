import { createInterface } from 'node:readline/promises';
import { planChange } from '../../../config/writing/change.ts';
import { keyOf, type SettingChange } from '../../../config/writing/settings.ts';
import { trustedServers } from '../../../mail/identity/login-line.ts';
import { exchangesOf, systemLookups } from '../../../mailbox/finding/lookups.ts';
import { probeMailboxes } from '../../../queries/gateway/mailboxes.ts';
import type { ProbedMailbox } from '../../../queries/gateway/probe.ts';
import type { Workspace } from '../../../workspace.ts';
import { addressIn } from '../../command/addresses.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import { findingsOf, isDeceived } from '../../trial/in-words.ts';
import { learnedSettings } from '../../trial/settings.ts';
import { isSafe, type Travelled, type Trial, tryMailbox } from '../../trial/trial.ts';
import { probedInWords } from './probed-in-words.ts';

const TRIAL_MS = 90_000;

interface Tried {
  readonly id: string;
  readonly trial: Trial;
  readonly changes: readonly SettingChange[];
}

export const test = defineCommand({
  name: 'mailbox test',
  summary: 'Log in to a mailbox, or to all of them, and leave again; with --send also mail it a letter to itself',
  arguments: ['[id]'],
  options: {
    send: { flags: '--send', about: 'send a mail to itself, and learn from it what the server writes into mail' },
    address: { flags: '--address <address>', about: 'an address of the mailbox, where its user is none' },
    yes: { flags: '--yes', about: 'write what was learned without asking' },
  },
  async run(context, { args: [id], options: { send = false, address, yes = false } }) {
    const workspace = context.open();
    const mailboxes = await probeMailboxes(workspace, id);
    if (!send) return { mailboxes, tried: null, written: false };
    const tried = await tryAll(workspace, mailboxes, address === undefined ? null : addressIn(address));
    const changes = tried.flatMap((one) => one.changes);
    const written = changes.length > 0 && (yes || (await mayWrite(context, changes)));
    if (written) planChange(workspace.root, { settings: changes }, workspace.pass).write();
    return { mailboxes, tried, written };
  },
  json: ({ mailboxes, tried, written }) =>
    tried === null
      ? { mailboxes }
      : {
          mailboxes,
          trials: tried.map(({ id, trial, changes }) => ({
            id,
            ...(trial.ok
              ? trialShape(trial)
              : { ok: false, code: trial.fault.code, message: trial.fault.cause, cure: trial.fault.cure }),
            changes: changes.map((one) => ({
              file: one.file,
              key: keyOf(one),
              from: one.from ?? null,
              to: one.to ?? null,
            })),
          })),
          written,
        },
  text: ({ mailboxes, tried, written }) =>
    mailboxes.length === 0
      ? 'No mailboxes are configured.'
      : [
          ...mailboxes.flatMap((one) => [one.id, ...probedInWords(one), ...trialLines(tried, one.id)]),
          ...(written ? ['Written. A running gateway takes it up within two seconds.'] : []),
        ].join('\n'),
  exitCode: ({ mailboxes, tried }) =>
    mailboxes.every(({ imap, smtp }) => imap?.ok !== false && smtp?.ok !== false) &&
    (tried ?? []).every(({ trial }) => trial.ok && !isDeceived(trial))
      ? 0
      : 1,
});

const trialShape = ({ tookMs, border, tested, open, senderIsProven, unproving, present }: Travelled) => ({
  ok: true,
  took_ms: tookMs,
  authserv_id: border.authservId,
  trusted_received: border.trustedReceived,
  forged: tested?.forged ?? null,
  hostile_sender: tested?.hostile ?? null,
  open_servers: open,
  sender_is_proven: senderIsProven,
  unproving,
  present: present && {
    authserv_id: present.authservId,
    is_no_name: present.isNoName,
    sender_is_proven: present.isProving,
    forged: present.tested?.forged ?? null,
    hostile_sender: present.tested?.hostile ?? null,
  },
});

/** Those that can send and receive; the others have said why they cannot. */
async function tryAll(
  workspace: Workspace,
  probed: readonly ProbedMailbox[],
  address: string | null,
): Promise<readonly Tried[]> {
  const { live, logins, ids } = workspace;
  const { gateway, security } = live.current();
  const tried: Tried[] = [];
  for (const { id, imap, smtp } of probed) {
    const mailbox = gateway.mailboxes.find((one) => one.id === id);
    if (!mailbox?.imap || !mailbox.smtp || !imap?.ok || !smtp?.ok) continue;
    const traveller = {
      mailbox: { ...mailbox, imap: mailbox.imap, smtp: mailbox.smtp },
      address: address ?? addressIn(mailbox.smtp.user),
      loginOf: (side: 'imap' | 'smtp') => logins.of(mailbox, side),
      exchangesOf: (domain: string) => exchangesOf(systemLookups(), domain),
      trusted: trustedServers(security.gateway_auth.trusted_received).hops,
      helo: gateway.domain,
      ms: TRIAL_MS,
    };
    const trial = await tryMailbox(traveller, () => ids.next());
    const changes =
      trial.ok && isSafe(trial) ? learnedSettings(trial.border, { mailboxes: gateway.mailboxes, security, id }) : [];
    tried.push({ id, trial, changes });
  }
  return tried;
}

async function mayWrite({ json, stdin, note }: CommandContext, changes: readonly SettingChange[]): Promise<boolean> {
  if (json || !stdin.isTTY) return false;
  note('This is to be written:');
  for (const one of changes) note(`  ${changeInWords(one)}`);
  const prompt = createInterface({ input: stdin, output: process.stderr });
  try {
    const answer = await prompt.question('Write it? [Y/n] ');
    return /^(y|yes|)$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}

const changeInWords = (change: SettingChange): string =>
  `${change.file} ${keyOf(change)}: ${JSON.stringify(change.to)} (is ${JSON.stringify(change.from ?? null)})`;

function trialLines(tried: readonly Tried[] | null, id: string): string[] {
  const found = tried?.find((one) => one.id === id);
  if (!found) return [];
  const { trial, changes } = found;
  if (!trial.ok) return [`  mail to itself: FAILED, ${trial.fault.cause}`, `    ${trial.fault.cure}`];
  const { border, tested, unproving, tookMs } = trial;
  const arrived = `  mail to itself: ok, arrived after ${(tookMs / 1000).toFixed(1)} s`;
  const findings = findingsOf(trial).flatMap(({ cause, cure, isFailure }) => [
    `    ${isFailure ? 'FAILED, ' : ''}${cause}`,
    `    ${cure}`,
  ]);
  const told = [...findings, ...changes.map((one) => `    ${changeInWords(one)}`)];
  if (border.authservId !== null) {
    const behind = border.trustedReceived.join(', ') || 'none needed';
    const taken = tested?.hostile === 'refused' ? 'was not taken' : 'proved nothing';
    const passed = `    mail of its own domain is proven; a forged header was ignored, a hostile envelope sender ${taken}`;
    return [
      ...[arrived, `    authserv_id ${border.authservId}, trusted_received ${behind}`],
      ...(isSafe(trial) ? [passed] : []),
      ...told,
    ];
  }
  if (border.trustedReceived.length > 0) {
    return [
      arrived,
      `    trusted_received ${border.trustedReceived.join(', ')}: its server names who logged in`,
      '    a mail under another name was not believed; mail of its own users is proven',
      ...told,
    ];
  }
  if (unproving.length > 0) return [arrived, ...told];
  return [
    ...[arrived, '    Its server writes no Authentication-Results into mail of its own users, so nothing was learned.'],
    '    Send it a mail from outside, and take the first word of the Authentication-Results in its source.',
    ...told,
  ];
}
