import type { ImapConfig, SmtpConfig } from '../../config/types.ts';
import type { Protocol } from '../peer/net.ts';
import type { Side } from './fault.ts';

/** One side of a mailbox of configs/gateway.json, as faults are told of it. */
export const sideOf = (protocol: Protocol, config: ImapConfig | SmtpConfig): Side => ({
  protocol,
  server: { host: config.host, port: config.port, tls: config.tls },
  user: config.user,
  auth: config.auth,
  secretEnv: config.secret_env,
  caFile: config.tls_ca_file,
});
