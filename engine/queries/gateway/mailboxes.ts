import { EngineError } from '#contract';
import { mailboxesOfDrafts } from '../../config/mailboxes/drafts-mailbox.ts';
import { noMailbox } from '../../config/mailboxes/no-mailbox.ts';
import type { QueryPorts } from '../ports.ts';
import { type MailboxStateShape, mailboxStates } from './mailbox-states.ts';
import { type ProbedMailbox, probe } from './probe.ts';
import { runningGateway } from './running.ts';
import { readState } from './state.ts';

interface MailboxShape extends MailboxStateShape {
  readonly imap: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly folder: string;
  } | null;
  readonly smtp: { readonly host: string; readonly port: number; readonly user: string } | null;
  readonly save_sent: boolean;
}

/** The mailboxes of gateway.json, as a running gateway finds them. */
export function listMailboxes(ports: QueryPorts): { mailboxes: readonly MailboxShape[]; isRunning: boolean } {
  const running = runningGateway(ports);
  const { gateway } = ports.live.current();
  const states = mailboxStates(gateway, (running && readState(ports.dataDir, running.pid)?.mailboxes) ?? []);
  const mailboxes = gateway.mailboxes.map(({ id, imap, smtp, save_sent }) => {
    const { state = 'disabled', error = null } = states.find((one) => one.id === id) ?? {};
    return {
      id,
      state,
      error,
      imap: imap ? { host: imap.host, port: imap.port, user: imap.user, folder: imap.folder } : null,
      smtp: smtp ? { host: smtp.host, port: smtp.port, user: smtp.user } : null,
      save_sent,
    };
  });
  return { mailboxes, isRunning: running !== null };
}

const PROBE_MS = 15_000;

/** Logs in to one mailbox, or to all of them, and leaves again. Throws `not_found` with the nearest id. */
export async function probeMailboxes(
  { live, logins }: QueryPorts,
  id: string | undefined,
): Promise<readonly ProbedMailbox[]> {
  const { gateway } = live.current();
  const ready = [...live.personas().all()].flatMap((one) => (one.state === 'ready' ? [one.persona] : []));
  const ofDrafts = mailboxesOfDrafts(gateway.mailboxes, ready);
  const ids = gateway.mailboxes.map((one) => one.id);
  if (id !== undefined && !ids.includes(id)) {
    throw new EngineError('not_found', noMailbox(id, ids));
  }
  const chosen = gateway.mailboxes.filter((one) => id === undefined || one.id === id);
  const options = { helo: gateway.domain, ms: PROBE_MS };
  return Promise.all(
    chosen.map((one) =>
      probe(one, { ...options, loginOf: (side) => logins.of(one, side), keepsDrafts: ofDrafts.has(one.id) }),
    ),
  );
}
