import { readFile } from 'node:fs/promises';
import type { ImapFlowOptions } from 'imapflow';
import type { ImapConfig } from '../../../config/types.ts';
import type { Tuning } from '../tuning.ts';

/**
 * imapflow's options for one connection. Its own auto-IDLE (15 s late by default) is off: the watcher enters
 * IDLE itself the moment its work is done. Certificates are always verified, STARTTLS is never optional.
 */
export async function imapOptions(options: {
  imap: ImapConfig;
  secret: string | undefined;
  maxMessageBytes: number;
  tuning: Tuning;
}): Promise<ImapFlowOptions> {
  const { imap, secret, tuning } = options;
  const ca = imap.tls_ca_file === null ? undefined : await readFile(imap.tls_ca_file, 'utf8');
  return {
    host: imap.host,
    port: imap.port,
    secure: imap.tls === 'implicit',
    ...(imap.tls === 'implicit' ? {} : { doSTARTTLS: imap.tls === 'starttls' }),
    tls: { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
    ...(imap.auth === 'none' ? {} : { auth: login(imap, secret ?? '') }),
    clientInfo: { name: 'Epistle' },
    // May hold credentials and mail; what matters is logged by the watcher in its own words.
    logger: false,
    disableAutoIdle: true,
    maxIdleTime: 4 * 60_000,
    connectionTimeout: tuning.connectMs,
    greetingTimeout: Math.min(tuning.connectMs, 16_000),
    socketTimeout: tuning.reconcileMs + tuning.commandMs,
    maxLockHoldTime: false,
    // A server that announces more than we ever ask for is broken or hostile.
    maxLiteralSize: options.maxMessageBytes + 1024 * 1024,
    maxLineLength: 64 * 1024 * 1024,
    maxResponseSize: options.maxMessageBytes + 128 * 1024 * 1024,
  };
}

function login(imap: ImapConfig, secret: string) {
  const isToken = imap.auth === 'oauth' || imap.auth === 'xoauth2';
  return isToken ? { user: imap.user, accessToken: secret } : { user: imap.user, pass: secret };
}
