import { carriesLogIns } from '../../config/mailboxes/other-ids.ts';
import { type DoorPlace, mailedOrigin } from '../../console/door/allowed.ts';
import { ASKED_MS, hashOfMailed, newCode } from '../../console/door/sessions.ts';
import { writeLogInMail } from '../../delivery/notices/log-in-mail.ts';
import type { OutboundRoute } from '../../delivery/outbound-routes.ts';
import { languageOfOwner } from '../../languages/owner-language.ts';
import { logInMessageId } from '../../lib/ids.ts';
import { viewerOf } from '../../queries/viewer.ts';
import type { ConsoleLogIn } from '../../storage/types/gateway.ts';
import type { Worker } from '../worker.ts';
import { recursionSecretOf } from '../worker-parts.ts';

const MINUTE_MS = 60_000;
/** So many mails that let in one address, within so long. */
const MOST = 3;
const WITHIN_MS = 60 * MINUTE_MS;
/** How long until a server that took nothing is tried again. */
const AGAIN_MS = 30_000;
/** Mails that are handed over at the same time. */
const MOST_AT_ONCE = 16;
/** Personas that are looked through for one that can send. */
const MOST_LOOKED_AT = 50;
/** What is under way has so long to end when the console closes. */
const CLOSING_MS = 1000;

export interface LogInMails {
  /** Somebody has asked. */
  wake(): void;
  close(): Promise<void>;
}

/**
 * Mails a link to whoever asked at the console to be let in and is an owner. The page that takes the request does the same for
 * every address and does not know which it is: whose it is, is looked up here, later. The code is made at the moment at which
 * its mail leaves and is nowhere on disk. Before the mail is handed over it is on record that it will be: a process that
 * dies in between sends none a second time, and whoever waits in vain asks once more.
 */
export function keepLogInMails({ workspace, routes }: Worker, place: DoorPlace): LogInMails {
  const { gateway, live, stores, clock, ids, log, pass } = workspace;
  const ending = new AbortController();
  const { signal } = ending;
  const under = new Map<string, Promise<void>>();
  const origin = mailedOrigin(place);

  /** The first persona of these that can send by a server that leaves our Message-IDs as they are; null where none can. */
  const wayOf = (personas: Iterable<string>) => {
    const fit = new Set(live.current().gateway.mailboxes.flatMap((one) => (carriesLogIns(one) ? [one.id] : [])));
    for (const id of [...personas].sort().slice(0, MOST_LOOKED_AT)) {
      const entry = live.personas().get(id);
      if (entry?.state !== 'ready') continue;
      const route = routes.to(entry.persona.mailbox, id);
      if (route && fit.has(route.id)) return { persona: entry.persona, route };
    }
    return null;
  };

  const mailFor = async (
    { address }: ConsoleLogIn,
    { persona }: { persona: Parameters<typeof writeLogInMail>[0]['persona'] },
    code: string,
  ) => {
    const language = stores.exists(persona.id)
      ? await stores.use(persona.id, (store) => languageOfOwner(store, persona, address))
      : (persona.ownerLanguages?.[address] ?? persona.language);
    const { domain } = live.current().gateway;
    const messageId = logInMessageId({ id: ids.next(), domain, secret: await recursionSecretOf(workspace) });
    return writeLogInMail({
      persona,
      to: address,
      language,
      page: `${origin}/session/mail`,
      code,
      minutes: ASKED_MS / MINUTE_MS,
      messageId,
      now: clock.now(),
    });
  };

  const handOver = async (
    asked: ConsoleLogIn,
    { persona, route }: { persona: { address: string }; route: OutboundRoute },
    raw: Uint8Array,
  ) => {
    const { kind, smtp } = await route.transport.send({ from: persona.address, to: [asked.address], raw });
    pass('log_in.handed_over');
    // What nobody knows of may have arrived, and a second one would be one too many.
    const became = kind === 'delivered' || kind === 'unknown' ? 'mailed' : kind === 'failed' ? 'failed' : 'again';
    if (became !== 'mailed')
      log.warn({ mailbox: route.id, smtp }, 'a mail that lets somebody into the console was not taken');
    await gateway.settleLogIn(asked.id, became, clock.now());
    pass('log_in.settled');
    return became === 'again' ? 'again' : 'over';
  };

  const attempt = async (asked: ConsoleLogIn): Promise<'over' | 'again'> => {
    const { personas } = viewerOf(live, asked.address, 'owner');
    const way = origin === null ? null : wayOf(personas);
    if (personas.size > 0 && way === null)
      log.error(
        {},
        'an owner asked for a link to the console, and none of their personas has a mailbox that can send it: one with SMTP whose server keeps our Message-IDs',
      );
    if (way === null) {
      await gateway.settleLogIn(asked.id, 'nobody', clock.now());
      return 'over';
    }
    const code = newCode(ids);
    const raw = await mailFor(asked, way, code);
    const began = await gateway.mailLogIn(asked.id, {
      codeSha256: hashOfMailed(code, asked.browser_sha256),
      role: 'owner',
      now: clock.now(),
      most: MOST,
      withinMs: WITHIN_MS,
    });
    if (began !== 'begun') return 'over';
    pass('log_in.recorded');
    return handOver(asked, way, raw);
  };

  const work = async (asked: ConsoleLogIn): Promise<void> => {
    while (!signal.aborted && clock.now() < asked.until) {
      const became = await attempt(asked).catch((error: unknown) => {
        if (!signal.aborted) log.error({ error: String(error) }, 'a mail that lets somebody into the console failed');
        return 'again' as const;
      });
      if (became === 'over') return;
      await clock.sleep(AGAIN_MS, signal).catch(() => {});
    }
  };

  const take = async (): Promise<void> => {
    for (const asked of await gateway.openLogIns(clock.now(), MOST_AT_ONCE)) {
      if (signal.aborted || under.has(asked.id) || under.size >= MOST_AT_ONCE) continue;
      const done = work(asked).finally(() => {
        const wasFull = under.size >= MOST_AT_ONCE;
        under.delete(asked.id);
        if (wasFull) wake();
      });
      under.set(asked.id, done);
    }
  };
  const wake = (): void => {
    if (signal.aborted) return;
    take().catch((error: unknown) => {
      if (!signal.aborted) log.error({ error: String(error) }, 'who asked to be let in by mail could not be looked up');
    });
  };

  // Whoever asked before the gateway was stopped or killed.
  wake();
  return {
    wake,
    async close() {
      ending.abort();
      await Promise.race([Promise.all(under.values()), clock.sleep(CLOSING_MS).catch(() => {})]);
    },
  };
}
