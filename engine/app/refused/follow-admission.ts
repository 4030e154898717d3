import { takeUpRefused } from '../../actions/mail/retry-mail.ts';
import type { LiveConfig } from '../../config/live/live.ts';
import { sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import type { Worker } from '../worker.ts';
import { incomingOf } from './kept-mail.ts';

/** Edits come in rows, and whoever makes them may try one mail by hand. */
const QUIET_MS = 10_000;

/** The settings by which kept mail was last looked at. */
const LOOKED_AT = 'refused_looked_at';

/**
 * Takes refused mail up again once the settings that decide about mail have been others for a while: whoever wrote
 * before something was mended need not write again. Refused once more, a mail stays kept.
 */
export function followAdmission({ workspace, receive }: Pick<Worker, 'workspace' | 'receive'>): {
  stop(): Promise<void>;
} {
  const { gateway, live, log } = workspace;
  const stopping = new AbortController();
  const pending: { timer?: NodeJS.Timeout | undefined; look: Promise<void> } = { look: Promise.resolve() };
  const takeIn = (kept: Parameters<typeof incomingOf>[0], again: readonly string[]) =>
    receive({ ...incomingOf(kept, live.current().gateway.mailboxes), fate: { again } });

  const look = async (): Promise<void> => {
    if (stopping.signal.aborted || (await gateway.keptRefusals()).length === 0) return;
    const settings = admissionSettings(live);
    if ((await gateway.setting(LOOKED_AT, () => '')) === settings) return;
    await takeUpRefused({ gateway, takeIn }, stopping.signal);
    // What a stop left out is looked at after the next start.
    if (!stopping.signal.aborted) await gateway.changeSetting(LOOKED_AT, settings);
  };
  const soon = (): void => {
    clearTimeout(pending.timer);
    pending.timer = setTimeout(() => {
      pending.look = pending.look.then(look).catch((error: unknown) => {
        log.error({ error: String(error) }, 'refused mail could not be looked at again');
      });
    }, QUIET_MS).unref();
  };
  const unlisten = live.onChange(({ configs, personas }) => {
    if (configs || personas.size > 0) soon();
  });
  soon();
  return {
    async stop() {
      stopping.abort();
      unlisten();
      clearTimeout(pending.timer);
      await pending.look;
    },
  };
}

/** All that decides whose mail is taken in, for whom, as one short text. */
function admissionSettings(live: Pick<LiveConfig, 'current' | 'personas'>): string {
  const { gateway, security } = live.current();
  const personas = [...live.personas().all()].flatMap((one) => {
    if (one.state !== 'ready') return [];
    const { id, address, aliases, owners, access } = one.persona;
    return [{ id, address, aliases, owners, access }];
  });
  const mailboxes = gateway.mailboxes.map(({ id, imap }) => [id, imap?.user ?? null, imap?.authserv_id ?? null]);
  const { gateway_auth, gateway_access } = security;
  return sha256(canonicalJson({ personas, mailboxes, gateway_auth, gateway_access }));
}
