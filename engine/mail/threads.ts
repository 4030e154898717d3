import type { GatewayConfig } from '../config/types.ts';
import { createSlowPeers } from '../lib/workers/pool.ts';
import { createSenderChecks, type SenderChecks } from './identity/sender-checks.ts';
import { createMailParser, type MailParserPool } from './reading/parse.ts';

/** The threads in which mail of others is read and checked. Who was slow in one queue is behind others in both. */
interface MailThreads {
  readonly parser: MailParserPool;
  readonly checks: SenderChecks;
  close(): Promise<void>;
}

/** `limits` is asked for each mail. */
export function createMailThreads(limits: () => GatewayConfig['limits']): MailThreads {
  const slowPeers = createSlowPeers();
  const checks = createSenderChecks({ slowPeers });
  const parser = createMailParser({
    get limits() {
      return limits();
    },
    slowPeers,
  });
  return {
    parser,
    checks,
    async close() {
      await Promise.all([parser.close(), checks.close()]);
    },
  };
}
