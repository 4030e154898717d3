import { join } from 'node:path';
import { mailboxToSendBy } from '../config/mailboxes/sending-mailbox.ts';
import type { GatewayConfig, Persona } from '../config/types.ts';
import { waitingForOwner } from '../dispatch/waiting.ts';
import { giveUpMsOf, retryOf } from '../harness/respond/park.ts';
import { type AnsweredInWords, beginFromAnswer } from '../intake/begin-from-answer.ts';
import type { IntakeDeps } from '../intake/deps.ts';
import type { IncomingMail, Intake, Received } from '../intake/incoming.ts';
import { createIntake } from '../intake/intake.ts';
import { createCircuit } from '../intake/rules/loops.ts';
import { type Tried, type TriedMail, tryMail } from '../intake/try-mail.ts';
import { rebuiltOnChange } from '../lib/kept-value.ts';
import { createAuthenticator } from '../mail/identity/authenticate.ts';
import type { ParseOutcome } from '../mail/mime/types.ts';
import { createMailThreads } from '../mail/threads.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { Waiting } from '../storage/ports/waiting.ts';
import { createRawMover } from '../storage/raw-mail.ts';
import { createEditJudge } from '../tools/judge-edit.ts';
import { toolDepsOf, type Workspace } from '../workspace.ts';
import { filesFor, isOwnAddressIn, recursionSecretOf } from './worker-parts.ts';

/** Intake as the doors know it, and the end of what works beside it. */
export type ClosableIntake = Intake & {
  /** Reads a mail that is nobody's to take in. */
  read(raw: Uint8Array): Promise<ParseOutcome>;
  /** Begins a run with an owner's answer to a question in words. */
  begin(answered: AnsweredInWords): Promise<boolean>;
  close(): Promise<void>;
};

/** What intake works with, and the end of what works beside it. */
type TakingIn = IntakeDeps & { close(): Promise<void> };

export type TakingInParts = Pick<IntakeDeps, 'announce' | 'recursionSecret'> & {
  filesOf(personaId: string): PersonaFiles;
};

const bordersOf = ({ mailboxes, smtp_listener }: GatewayConfig): readonly string[] => [
  ...mailboxes.flatMap(({ imap }) => imap?.authserv_id ?? []),
  ...smtp_listener.trusted_relays.map(({ authserv_id: border }) => border),
];

function createTakingIn(workspace: Workspace, { announce, recursionSecret, filesOf }: TakingInParts): TakingIn {
  const { gateway, live, stores, clock, ids, pass, dataDir } = workspace;
  const configs = live.current;
  const threads = createMailThreads(() => configs().gateway.limits);
  const rawMail = createRawMover({ stores, filesOf, clock });
  const authenticator = rebuiltOnChange(
    configs,
    ({ security: { gateway_auth: auth, signature_max_age_days: signatureMaxAgeDays }, gateway }) => {
      return { auth, signatureMaxAgeDays, hostname: gateway.domain, borders: bordersOf(gateway) };
    },
    ({ auth, ...settings }) =>
      createAuthenticator({
        ...settings,
        dnsServers: auth.dns_servers,
        trustedReceived: auth.trusted_received,
        checks: threads.checks,
      }),
  );
  return {
    filesOf,
    isOwnAddress: isOwnAddressIn(workspace),
    log: workspace.log,
    stores,
    documents: workspace.documents,
    gateway,
    clock,
    ids,
    pass,
    circuit: createCircuit(),
    announce,
    judgeEdit: createEditJudge(toolDepsOf(workspace, filesOf, recursionSecret)),
    parser: threads.parser,
    authenticator,
    rawMail,
    async close() {
      await threads.close();
      await rawMail.close();
    },
    configs,
    findByAddress: (address) => live.personas().byAddress(address),
    writingFrom: (mailbox) => writingFrom(workspace, mailbox),
    waitingFor: (persona) => waitingFor(workspace, persona),
    recursionSecret,
    quarantineFolder: join(dataDir, 'quarantine'),
  };
}

export function createClosableIntake(workspace: Workspace, parts: TakingInParts): ClosableIntake {
  const takingIn = createTakingIn(workspace, parts);
  return {
    ...createIntake(takingIn),
    read: (raw) => takingIn.parser.parse(raw),
    begin: (answered) => beginFromAnswer(takingIn, answered),
    close: takingIn.close,
  };
}

function writingFrom({ live }: Workspace, id: string): readonly Persona[] {
  const { mailboxes } = live.current().gateway;
  const all = [...live.personas().all()].flatMap((entry) => (entry.state === 'ready' ? [entry.persona] : []));
  const ours = all.filter((persona) => mailboxToSendBy(mailboxes, persona) === id);
  return ours.length > 0 ? ours : all;
}

/** Mail of a persona that is paused or stopped is taken in, and waits. */
async function waitingFor({ gateway, live, clock }: Workspace, persona: Persona): Promise<Waiting | null> {
  const pause = await gateway.pauseOf(persona.id);
  return pause && waitingForOwner(pause, giveUpMsOf(retryOf(persona, live.current().inference)), clock.now());
}

/**
 * Takes in one mail without the workspace lock, beside a gateway that works: rows are committed as its own would be,
 * and it notices them by the wakeup.
 */
export async function receiveBeside(workspace: Workspace, incoming: IncomingMail): Promise<Received> {
  await workspace.extensions();
  const intake = createClosableIntake(workspace, {
    announce: workspace.announce,
    recursionSecret: await recursionSecretOf(workspace),
    filesOf: filesFor(workspace),
  });
  try {
    return await intake.receive(incoming);
  } finally {
    await intake.close();
  }
}

/** What would become of a mail that nobody has sent; nothing of it is kept. */
export async function tryBeside(
  workspace: Workspace,
  entry: Parameters<typeof tryMail>[1],
  mail: TriedMail,
): Promise<Tried> {
  await workspace.extensions();
  const takingIn = createTakingIn(workspace, {
    announce: workspace.announce,
    recursionSecret: await recursionSecretOf(workspace),
    filesOf: filesFor(workspace),
  });
  try {
    return await tryMail(takingIn, entry, mail);
  } finally {
    await takingIn.close();
  }
}
