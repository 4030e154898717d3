import { join } from 'node:path';
import type { Persona } from '../config/types.ts';
import { waitingForOwner } from '../dispatch/waiting.ts';
import { giveUpMsOf, retryOf } from '../harness/respond/park.ts';
import type { IntakeDeps } from '../intake/deps.ts';
import type { IncomingMail, Received } from '../intake/incoming.ts';
import { createIntake } from '../intake/intake.ts';
import { createCircuit } from '../intake/rules/circuit.ts';
import { rebuiltOnChange } from '../lib/rebuilt-on-change.ts';
import { createAuthenticator } from '../mail/identity/authenticate.ts';
import { createMailThreads } from '../mail/threads.ts';
import { createBatchedFsync } from '../storage/batched-fsync.ts';
import { type PersonaFiles, personaFiles } from '../storage/persona-files.ts';
import type { Waiting } from '../storage/ports/waiting.ts';
import { createRawMover } from '../storage/raw-mail.ts';
import { createEditJudge } from '../tools/judge-edit.ts';
import { toolDepsOf, type Workspace } from '../workspace.ts';

/** What intake works with, and the end of what works beside it. */
export type TakingIn = IntakeDeps & { close(): Promise<void> };

/** Files of personas; mails that are written at the same time share one flush. One for the whole process. */
export function filesFor({ dataDir }: Workspace): (personaId: string) => PersonaFiles {
  const writeMail = createBatchedFsync();
  return (personaId) => personaFiles(dataDir, personaId, writeMail);
}

export const isOwnAddressIn =
  ({ live }: Workspace) =>
  (address: string): boolean =>
    live.personas().byAddress(address) !== undefined;

/** The secret by which the gateway knows its own marks in mail; made at the first use. */
export const recursionSecretOf = ({ gateway, ids }: Workspace): Promise<string> =>
  gateway.setting('recursion_secret', () => ids.random(32));

export function createTakingIn(
  workspace: Workspace,
  {
    announce,
    recursionSecret,
    filesOf,
  }: Pick<IntakeDeps, 'announce' | 'recursionSecret'> & { filesOf(personaId: string): PersonaFiles },
): TakingIn {
  const { gateway, live, stores, clock, ids, pass, dataDir } = workspace;
  const configs = live.current;
  const threads = createMailThreads(() => configs().gateway.limits);
  const rawMail = createRawMover({ stores, filesOf, clock });
  const authenticator = rebuiltOnChange(
    () => {
      const { gateway_auth: auth, signature_max_age_days: signatureMaxAgeDays } = configs().security;
      return { auth, signatureMaxAgeDays, hostname: configs().gateway.domain };
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
    stores,
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
    waitingFor: (persona) => waitingFor(workspace, persona),
    recursionSecret,
    quarantineFolder: join(dataDir, 'quarantine'),
  };
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
  const takingIn = createTakingIn(workspace, {
    announce: workspace.announce,
    recursionSecret: await recursionSecretOf(workspace),
    filesOf: filesFor(workspace),
  });
  try {
    return await createIntake(takingIn).receive(incoming);
  } finally {
    await takingIn.close();
  }
}
