import { isDeepStrictEqual } from 'node:util';
import type { GatewayConfig } from '../config/types.ts';
import { type SmtpListener, startSmtpListener } from '../gateway/smtp/listener.ts';
import { sparseLog } from '../lib/log/log.ts';
import { submissionSecret } from '../workspace.ts';
import type { Worker } from './worker.ts';

export interface LiveListener {
  /** Null while it is switched off. */
  current(): SmtpListener | null;
  /** Follows `gateway.json`; resolves with true when another listener is in its place. */
  refresh(): Promise<boolean>;
  close(): Promise<void>;
}

/** The SMTP listener as it is configured now. Throws `port_in_use` when the first one cannot be bound. */
export async function keepListening({ workspace, receive }: Worker): Promise<LiveListener> {
  const { live, dataDir, ids, clock } = workspace;
  // Anybody may connect and hang up, as often as he likes.
  const log = sparseLog(workspace.log, clock.now);
  const bind = async (config: GatewayConfig): Promise<SmtpListener | null> => {
    if (!config.smtp_listener.enabled) return null;
    const secret = submissionSecret(dataDir, ids);
    const findByAddress = (address: string) => live.personas().byAddress(address);
    return startSmtpListener({ config, submissionSecret: secret, receive, findByAddress, clock, log });
  };
  let config = live.current().gateway;
  let tried = config;
  let listener = await bind(config);
  const closing = new Set<Promise<void>>();
  let following: Promise<boolean> = Promise.resolve(false);

  const letGo = (old: SmtpListener | null): void => {
    if (!old) return;
    const closed = old.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };

  const follow = async (): Promise<boolean> => {
    const wanted = live.current().gateway;
    if (isDeepStrictEqual(doorOf(wanted), doorOf(tried))) return false;
    tried = wanted;
    // The port may be the same one, and it is free as soon as the old listener lets go of it.
    letGo(listener);
    listener = null;
    try {
      listener = await bind(wanted);
      config = wanted;
    } catch (error) {
      log.error({ error: String(error) }, 'the SMTP listener could not follow configs/gateway.json; the old one stays');
      listener = await bind(config).catch((again: unknown) => {
        log.error({ error: String(again) }, 'no SMTP listener: the old one could not be bound again either');
        return null;
      });
    }
    return true;
  };

  return {
    current: () => listener,
    refresh() {
      following = following.then(follow);
      return following;
    },
    async close() {
      await following;
      letGo(listener);
      await Promise.all(closing);
    },
  };
}

/** What of the configuration a listener has taken for its whole life. */
const doorOf = ({ domain, smtp_listener, limits }: GatewayConfig) => ({ domain, smtp_listener, limits });
