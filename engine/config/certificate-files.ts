import { resolve } from 'node:path';
import type { GatewayConfig } from './types.ts';

/**
 * The same with every certificate path absolute. In a workspace they are written relative to it; a service is
 * often started from `/`, where such a path would name nothing.
 */
export function withCertificateFiles(gateway: GatewayConfig, workspace: string): GatewayConfig {
  const absolute = (path: string) => resolve(workspace, path);
  const trust = <Side extends { tls_ca_file: string | null }>(side: Side): Side => ({
    ...side,
    tls_ca_file: side.tls_ca_file === null ? null : absolute(side.tls_ca_file),
  });
  const { smtp_listener: listener } = gateway;
  return {
    ...gateway,
    mailboxes: gateway.mailboxes.map(({ imap, smtp, ...mailbox }) => ({
      ...mailbox,
      ...(imap ? { imap: trust(imap) } : {}),
      ...(smtp ? { smtp: trust(smtp) } : {}),
    })),
    smtp_listener: listener.tls
      ? { ...listener, tls: { cert_file: absolute(listener.tls.cert_file), key_file: absolute(listener.tls.key_file) } }
      : listener,
  };
}
