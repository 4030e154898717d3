import { resolve } from 'node:path';
import type { ExtensionsConfig, GatewayConfig } from './types.ts';

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

/** The same for the authorities of providers and of MCP servers. */
export function withAuthorities(extensions: ExtensionsConfig, workspace: string): ExtensionsConfig {
  return {
    ...extensions,
    providers: extensions.providers.map((one) =>
      typeof one === 'string' ? one : { ...one, config: withAuthority(one.config, workspace) },
    ),
    mcp: extensions.mcp.map((server) =>
      server.ca_file === undefined ? server : { ...server, ca_file: resolve(workspace, server.ca_file) },
    ),
  };
}

/** The same for the config of one provider, as a manifest or a listing has it. */
export const withAuthority = <Config extends Readonly<Record<string, unknown>>>(
  config: Config,
  workspace: string,
): Config => (typeof config.ca_file === 'string' ? { ...config, ca_file: resolve(workspace, config.ca_file) } : config);
