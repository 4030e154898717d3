import type { MailboxConfig } from '../../config/types.ts';
import { createSmtpTransport } from '../../delivery/smtp-transport.ts';
import { probeMailbox } from '../../gateway/imap/client/probe.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { silentLog } from '../../lib/log/log.ts';

export interface Probed {
  readonly ok: boolean;
  /**
   * `auth`: somebody has to change something; `folder`: somebody has to make one; `network`: it may pass by itself. Null
   * when it worked.
   */
  readonly kind: 'network' | 'auth' | 'folder' | null;
  readonly message: string;
}

export interface ProbedMailbox {
  readonly id: string;
  readonly imap: Probed | null;
  readonly smtp: Probed | null;
}

/** Logs in to both sides of a mailbox and leaves again, each within `ms`. Never throws. */
export async function probe(
  mailbox: MailboxConfig,
  options: {
    secretOf(name: string): string | undefined;
    readonly helo: string;
    readonly ms: number;
    /** Answers are put into its Drafts. */
    readonly keepsDrafts: boolean;
  },
): Promise<ProbedMailbox> {
  const [imap, smtp] = await Promise.all([probeImap(mailbox, options), probeSmtp(mailbox, options)]);
  return { id: mailbox.id, imap, smtp };
}

const NO_DRAFTS = 'there is no folder for drafts, and answers are to be put there';

type Options = Parameters<typeof probe>[1];

async function probeImap({ imap }: MailboxConfig, { secretOf, ms, keepsDrafts }: Options): Promise<Probed | null> {
  if (!imap) return null;
  return within(ms, async () => {
    const result = await probeMailbox(imap, { secret: secretOf(imap.secret_env), keepsDrafts });
    if (!result.ok) return result;
    const idle = result.idle ? 'IDLE' : 'no IDLE, so it is polled';
    if (keepsDrafts && result.drafts === null) return { ok: false, kind: 'folder', message: NO_DRAFTS };
    const drafts = keepsDrafts ? `, drafts in ${result.drafts}` : '';
    return { ok: true, kind: null, message: `${result.messages} messages in ${imap.folder}, ${idle}${drafts}` };
  });
}

async function probeSmtp({ smtp }: MailboxConfig, { secretOf, helo, ms }: Options): Promise<Probed | null> {
  if (!smtp) return null;
  const timeouts = { connectMs: ms, greetingMs: ms, silenceMs: ms, deadlineMs: ms };
  const transport = createSmtpTransport({
    smtp,
    password: () => secretOf(smtp.secret_env),
    helo,
    log: silentLog,
    timeouts,
  });
  try {
    return await within(ms, async () => {
      const result = await transport.verify();
      if (result.ok) return { ok: true, kind: null, message: 'logged in' };
      return { ok: false, kind: result.kind === 'auth' ? 'auth' : 'network', message: result.smtp };
    });
  } finally {
    await transport.close();
  }
}

async function within(ms: number, look: () => Promise<Probed>): Promise<Probed> {
  try {
    return await withDeadline(look, { ms, code: 'timeout', what: 'connecting and logging in' });
  } catch (error) {
    return { ok: false, kind: 'network', message: error instanceof Error ? error.message : String(error) };
  }
}
