import { readFile } from 'node:fs/promises';
import type { ImapConfig, MailboxConfig, SmtpConfig } from '../../config/types.ts';
import { createSmtpTransport } from '../../delivery/smtp-transport.ts';
import { probeMailbox } from '../../gateway/imap/client/probe.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { silentLog } from '../../lib/log/log.ts';
import type { Fault, ServerAnswer } from '../../mailbox/faults/fault.ts';
import { faultBeforeLogin, faultOf, secretFault } from '../../mailbox/faults/fault-of.ts';
import {
  draftsFault,
  idleFault,
  moveTargetFault,
  quotaFault,
  quotaNearFault,
  sentFault,
} from '../../mailbox/faults/mail-faults.ts';
import { sideOf } from '../../mailbox/faults/side.ts';
import { caFileFault } from '../../mailbox/faults/tls-faults.ts';
import { byServer } from '../../mailbox/finding/known.ts';
import type { Login } from '../../mailbox/login/login.ts';
import { look, type Seen } from '../../mailbox/peer/look.ts';
import { type Net, type Protocol, systemNet } from '../../mailbox/peer/net.ts';

export interface Probed {
  readonly ok: boolean;
  /**
   * `auth`: somebody has to change something; `folder`: somebody has to make one; `network`: it may pass by itself. Null
   * when it worked.
   */
  readonly kind: 'network' | 'auth' | 'folder' | null;
  /** What was found, or the cause of the failure. */
  readonly message: string;
  /** What kind of failure it is, and what to do about it; null when it worked. */
  readonly code: Fault['code'] | null;
  readonly cure: string | null;
  /** What works all the same and could be better. */
  readonly warnings: readonly Fault[];
}

export interface ProbedMailbox {
  readonly id: string;
  readonly imap: Probed | null;
  readonly smtp: Probed | null;
}

interface Options {
  loginOf(side: Protocol): Login;
  readonly helo: string;
  /** For the login of each side; the look at the server before it takes at most as long again. */
  readonly ms: number;
  /** Answers are put into its Drafts. */
  readonly keepsDrafts: boolean;
  readonly net?: Net;
}

/**
 * Looks at both servers of a mailbox, logs in to them, and leaves again. Where the look tells that something is wrong,
 * nothing secret is sent. Never throws.
 */
export async function probe(mailbox: MailboxConfig, options: Options): Promise<ProbedMailbox> {
  const { id, imap, smtp, save_sent } = mailbox;
  const filesSent = save_sent && byServer((smtp ?? imap)?.host ?? '')?.filesSent !== true;
  const [ofImap, ofSmtp] = await Promise.all([
    imap ? probeSide('imap', imap, options, () => loginImap(imap, { ...options, filesSent })) : null,
    smtp ? probeSide('smtp', smtp, options, () => loginSmtp(smtp, options)) : null,
  ]);
  return { id, imap: ofImap, smtp: ofSmtp };
}

/** How a login went. */
type Tried =
  | { readonly ok: true; readonly message: string; readonly fault: Fault | null; readonly warnings: readonly Fault[] }
  | { readonly ok: false; readonly said: ServerAnswer };

const LOOK_MS = 2500;

async function probeSide(
  protocol: Protocol,
  config: ImapConfig | SmtpConfig,
  { loginOf, ms, net = systemNet }: Options,
  tryIt: () => Promise<Tried>,
): Promise<Probed> {
  const side = sideOf(protocol, config);
  const login = loginOf(protocol);
  // A token may have to be asked for: not for a server that cannot be the right one.
  const isSecretMissing = config.auth !== 'oauth' && !(await login.take()).ok;
  const ca = side.caFile === null ? undefined : await readFile(side.caFile, 'utf8').catch(() => null);
  const early = isSecretMissing ? secretFault(side) : ca === undefined ? null : caFileFault(side, ca);
  if (early) return failed(early);
  const seen = await look({ net, protocol, server: side.server, ca: ca ?? undefined, ms: Math.min(ms / 3, LOOK_MS) });
  const certain = faultBeforeLogin(side, seen);
  if (certain) return failed(certain);
  const taken = await login.take();
  if (!taken.ok) return failed(taken.fault, taken.until);
  const tried = await within(ms, tryIt, seen);
  if (!tried.ok) return failed(faultOf({ side, seen, said: tried.said }, 'folder' in config ? config.folder : ''));
  if (tried.fault) return failed(tried.fault);
  return { ok: true, kind: null, message: tried.message, code: null, cure: null, warnings: tried.warnings };
}

/** Then somebody should make room before mail is turned away. */
const NEARLY_FULL = 0.9;

async function loginImap(imap: ImapConfig, options: Options & { readonly filesSent: boolean }): Promise<Tried> {
  const { loginOf, keepsDrafts, filesSent } = options;
  const result = await probeMailbox(imap, { login: loginOf('imap'), keepsDrafts, filesSent });
  if (!result.ok) return { ok: false, said: { stage: result.stage, ...result.response } };
  const { idle, drafts, sent, messages, used, missingTarget } = result;
  const side = sideOf('imap', imap);
  const inDrafts = keepsDrafts && drafts !== null ? `, drafts in ${drafts}` : '';
  const message = `${messages} messages in ${imap.folder}, ${idle ? 'IDLE' : idleFault().cause}${inDrafts}`;
  const fault = missingTarget !== null ? moveTargetFault(missingTarget) : (used ?? 0) >= 1 ? quotaFault(side) : null;
  const warnings = [
    ...(idle ? [] : [idleFault()]),
    ...(filesSent && sent === null ? [sentFault()] : []),
    ...(used !== null && used >= NEARLY_FULL ? [quotaNearFault(side, used)] : []),
  ];
  return { ok: true, message, fault: keepsDrafts && drafts === null ? draftsFault() : fault, warnings };
}

async function loginSmtp(smtp: SmtpConfig, { loginOf, helo, ms }: Options): Promise<Tried> {
  const timeouts = { connectMs: ms, greetingMs: ms, silenceMs: ms, deadlineMs: ms };
  const transport = createSmtpTransport({ smtp, login: loginOf('smtp'), helo, log: silentLog, timeouts });
  try {
    const result = await transport.verify();
    if (result.ok) return { ok: true, message: 'logged in', fault: null, warnings: [] };
    return { ok: false, said: { stage: 'login', code: null, text: result.smtp } };
  } finally {
    await transport.close();
  }
}

async function within(ms: number, login: () => Promise<Tried>, { greeting }: Seen): Promise<Tried> {
  try {
    return await withDeadline(login, { ms, code: 'timeout', what: 'logging in' });
  } catch {
    const text = greeting === null ? 'it says nothing' : `the login was not answered within ${ms} ms`;
    return { ok: false, said: { stage: 'login', code: greeting === null ? null : 'TIMEOUT', text } };
  }
}

const OF_FOLDERS: readonly Fault['code'][] = [
  'folder_missing',
  'folder_forbidden',
  'folder_refused',
  'move_target_missing',
  'no_drafts',
];
const OF_ACCOUNTS: readonly Fault['code'][] = [
  ...(['secret_missing', 'wrong_password', 'app_password_needed', 'web_login_needed', 'oauth_needed'] as const),
  ...([
    'oauth_not_offered',
    'token_refused',
    'password_expired',
    'imap_off',
    'smtp_auth_off',
    'account_locked',
  ] as const),
];

function failed({ code, cause, cure }: Fault, until: 'person' | 'time' | null = null): Probed {
  const isOfAccount = until === 'person' || OF_ACCOUNTS.includes(code);
  const kind = OF_FOLDERS.includes(code) ? 'folder' : isOfAccount ? 'auth' : 'network';
  return { ok: false, kind, message: cause, code, cure, warnings: [] };
}
