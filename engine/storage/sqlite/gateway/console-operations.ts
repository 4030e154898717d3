import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import { derivedId } from '../../../lib/ids.ts';
import { parseJson } from '../../../lib/json.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/time.ts';
import type {
  ConsoleCode,
  ConsoleLogIn,
  ConsolePasskey,
  ConsoleSession,
  GatewayAudit,
  NewConsolePasskey,
  NewConsoleSession,
} from '../../types/gateway.ts';
import type { RowPage } from '../../types/mail.ts';
import type { Transact } from '../database/transactions.ts';
import type { GatewayTables } from './tables.ts';

/** So long a session that is over can still be seen. */
const KEPT_MS = 30 * DAY_MS;

/** Whoever asked and was not looked up yet; more than these are not kept. */
const MOST_ASKED = 100;
/** So long a request is known after it was made: for as long as mails of an hour are counted, and more. */
const ASKED_FOR_MS = 2 * HOUR_MS;
/** Passkeys of one address, and of all. */
const MOST_PASSKEYS = 20;
const MOST_OF_ALL = 1000;
/** Of sessions that are over; those that are left are taken the next time. */
const MOST_AT_ONCE = 100;

const detail = z.looseObject({ address: z.string().nullable() });

const insert = (trx: Transaction<GatewayTables>, { detail, ...row }: GatewayAudit) =>
  trx
    .insertInto('gateway_audit')
    .values({ ...row, detail_json: JSON.stringify(detail) })
    .execute();

const keep = (trx: Transaction<GatewayTables>, row: Omit<GatewayAudit, 'id'>, seed: string) =>
  insert(trx, { id: derivedId(row.at, `${row.event} ${seed}`), ...row });

const SESSION_ENDED = 'console_session_ended';

const keepEnd = (
  trx: Transaction<GatewayTables>,
  { id, address }: Pick<ConsoleSession, 'id' | 'address'>,
  { by, now, event = SESSION_ENDED }: { readonly by: string; readonly now: number; readonly event?: string },
) => keep(trx, { at: now, actor: by, event, decision: null, detail: { address, session: id } }, id);

/** A session of whoever has proven to be somebody, on record with it. */
async function beginSession(
  trx: Transaction<GatewayTables>,
  session: NewConsoleSession,
  { address, role, came_by }: Pick<ConsoleSession, 'address' | 'role' | 'came_by'>,
  now: number,
): Promise<void> {
  const open = { made_at: now, seen_at: now, ended_at: null, ended_by: null };
  await trx
    .insertInto('console_sessions')
    .values({ ...session, address, role, ...open, came_by })
    .execute();
  const came = { at: now, actor: address, event: 'console_log_in', decision: role } as const;
  await keep(trx, { ...came, detail: { address, role, by: came_by, session: session.id } }, session.id);
}

const passkeyOf = (db: Kysely<GatewayTables>, credentialId: string): Promise<ConsolePasskey | undefined> =>
  db.selectFrom('console_passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();

async function forgetOver(trx: Transaction<GatewayTables>, now: number): Promise<void> {
  await trx
    .deleteFrom('console_codes')
    .where('until', '<', now - DAY_MS)
    .execute();
  // Of one whose end is not on record yet that comes first.
  await trx
    .deleteFrom('console_sessions')
    .where('until', '<', now - KEPT_MS)
    .where('ended_at', 'is not', null)
    .execute();
}

const logInAt = (trx: Transaction<GatewayTables>, id: string): Promise<ConsoleLogIn | undefined> =>
  trx.selectFrom('console_log_ins').selectAll().where('id', '=', id).executeTakeFirst();

async function forgetLogIn(trx: Transaction<GatewayTables>, id: string): Promise<void> {
  await trx.deleteFrom('console_log_ins').where('id', '=', id).execute();
}

/** Once in that time, whoever asks how often. */
async function noteTooManyMails(
  trx: Transaction<GatewayTables>,
  address: string,
  { now, withinMs }: { readonly now: number; readonly withinMs: number },
): Promise<void> {
  const event = 'console_log_in_refused';
  const noted = await trx
    .selectFrom('gateway_audit')
    .select('id')
    .where('event', '=', event)
    .where('at', '>', now - withinMs)
    .where('decision', '=', 'too_many_mails')
    .where('detail_json', '=', JSON.stringify({ address }))
    .executeTakeFirst();
  if (noted) return;
  await keep(trx, { at: now, actor: 'unproven', event, decision: 'too_many_mails', detail: { address } }, address);
}

/** The part of the gateway's store that has to do with who looks at the console. */
export function consoleOperations(db: Kysely<GatewayTables>, transact: Transact<GatewayTables>) {
  return {
    addConsoleCode: (code: Omit<ConsoleCode, 'used_at' | 'came_by'>): Promise<void> =>
      transact(async (trx) => {
        await forgetOver(trx, code.made_at);
        await trx
          .insertInto('console_codes')
          .values({ ...code, used_at: null, came_by: 'link' })
          .execute();
      }),

    askForLogIn: (asked: Omit<ConsoleLogIn, 'code_sha256' | 'mailed_at'>): Promise<void> =>
      transact(async (trx) => {
        await trx
          .deleteFrom('console_log_ins')
          .where('asked_at', '<', asked.asked_at - ASKED_FOR_MS)
          .execute();
        const open = trx.selectFrom('console_log_ins').select('id').where('mailed_at', 'is', null);
        const waiting = await open.where('until', '>', asked.asked_at).limit(MOST_ASKED).execute();
        if (waiting.length >= MOST_ASKED) return;
        await trx
          .insertInto('console_log_ins')
          .values({ ...asked, code_sha256: null, mailed_at: null })
          .execute();
      }),

    openLogIns: (now: number, limit: number): Promise<ConsoleLogIn[]> =>
      db
        .selectFrom('console_log_ins')
        .selectAll()
        .where('mailed_at', 'is', null)
        .where('until', '>', now)
        .orderBy('id')
        .limit(limit)
        .execute(),

    mailLogIn: (
      id: string,
      mailed: {
        readonly codeSha256: string;
        readonly role: string;
        readonly now: number;
        readonly most: number;
        readonly withinMs: number;
      },
    ): Promise<'begun' | 'too_many' | 'gone'> =>
      transact(async (trx) => {
        const { codeSha256, role, now, most, withinMs } = mailed;
        const asked = await logInAt(trx, id);
        if (!asked || asked.mailed_at !== null) return 'gone';
        const { address, until } = asked;
        const ofAddress = trx.selectFrom('console_log_ins').select('id').where('address', '=', address);
        const lately = await ofAddress
          .where('mailed_at', '>', now - withinMs)
          .limit(most)
          .execute();
        if (lately.length >= most) {
          await forgetLogIn(trx, id);
          await noteTooManyMails(trx, address, { now, withinMs });
          return 'too_many';
        }
        await forgetOver(trx, now);
        await trx
          .updateTable('console_log_ins')
          .set({ code_sha256: codeSha256, mailed_at: now })
          .where('id', '=', id)
          .execute();
        const code = {
          code_sha256: codeSha256,
          address,
          role,
          made_at: now,
          until,
          used_at: null,
          came_by: 'mail',
        } as const;
        await trx.insertInto('console_codes').values(code).execute();
        return 'begun';
      }),

    settleLogIn: (id: string, became: 'mailed' | 'failed' | 'again' | 'nobody', now: number): Promise<void> =>
      transact(async (trx) => {
        const asked = await logInAt(trx, id);
        if (!asked) return;
        const { address, code_sha256: code } = asked;
        if (became === 'mailed') {
          const row = { at: now, actor: 'engine', event: 'console_log_in_mailed', decision: null } as const;
          await keep(trx, { ...row, detail: { address } }, id);
          return;
        }
        if (code !== null) await trx.deleteFrom('console_codes').where('code_sha256', '=', code).execute();
        const rows = { code_sha256: null, ...(became === 'again' ? { mailed_at: null } : {}) };
        if (became === 'nobody') await forgetLogIn(trx, id);
        else await trx.updateTable('console_log_ins').set(rows).where('id', '=', id).execute();
      }),

    useConsoleCode: (
      codeSha256: string,
      session: NewConsoleSession,
      now: number,
    ): Promise<'begun' | 'used' | 'late' | 'unknown'> =>
      transact(async (trx) => {
        const code = await trx
          .selectFrom('console_codes')
          .selectAll()
          .where('code_sha256', '=', codeSha256)
          .executeTakeFirst();
        if (!code) return 'unknown';
        if (code.used_at !== null) return 'used';
        if (now >= code.until) return 'late';
        await trx.updateTable('console_codes').set({ used_at: now }).where('code_sha256', '=', codeSha256).execute();
        await beginSession(trx, session, code, now);
        return 'begun';
      }),

    beginProvenSession: (
      who: Pick<ConsoleSession, 'address' | 'role' | 'came_by'>,
      session: NewConsoleSession,
      now: number,
    ): Promise<'begun'> =>
      transact(async (trx) => {
        await beginSession(trx, session, who, now);
        return 'begun' as const;
      }),

    addPasskey: (passkey: NewConsolePasskey): Promise<'added' | 'known' | 'too_many'> =>
      transact(async (trx) => {
        const { id, address, role, name, made_at: at } = passkey;
        const known = await trx.selectFrom('console_passkeys').select(['address', 'credential_id']).execute();
        if (known.some((one) => one.credential_id === passkey.credential_id)) return 'known';
        const own = known.filter((one) => one.address === address);
        if (own.length >= MOST_PASSKEYS || known.length >= MOST_OF_ALL) return 'too_many';
        await trx
          .insertInto('console_passkeys')
          .values({ ...passkey, used_at: null })
          .execute();
        const row = { at, actor: address, event: 'console_passkey_added', decision: role } as const;
        await keep(trx, { ...row, detail: { address, name, passkey: id } }, id);
        return 'added';
      }),

    listPasskeys: (): Promise<ConsolePasskey[]> =>
      db.selectFrom('console_passkeys').selectAll().orderBy('id').limit(MOST_OF_ALL).execute(),

    passkeyOf: (credentialId: string): Promise<ConsolePasskey | undefined> => passkeyOf(db, credentialId),

    usePasskey: (
      credentialId: string,
      counter: number,
      session: NewConsoleSession,
      now: number,
    ): Promise<'begun' | 'unknown'> =>
      transact(async (trx) => {
        const passkey = await passkeyOf(trx, credentialId);
        if (!passkey) return 'unknown';
        const counts = counter > 0 || passkey.counter > 0;
        if (counts && counter <= passkey.counter) return 'unknown';
        await trx.updateTable('console_passkeys').set({ counter, used_at: now }).where('id', '=', passkey.id).execute();
        await beginSession(trx, session, { ...passkey, came_by: 'passkey' }, now);
        return 'begun';
      }),

    removePasskey: (
      id: string,
      { by, now, keep: kept }: { readonly by: string; readonly now: number; readonly keep: string | null },
    ): Promise<ConsolePasskey | undefined> =>
      transact(async (trx) => {
        const [passkey] = await trx.deleteFrom('console_passkeys').where('id', '=', id).returningAll().execute();
        if (!passkey) return undefined;
        const { address, name } = passkey;
        const row = { at: now, actor: by, event: 'console_passkey_removed', decision: null } as const;
        await keep(trx, { ...row, detail: { address, name, passkey: id } }, id);
        const begun = await trx
          .updateTable('console_sessions')
          .set({ ended_at: now, ended_by: by })
          .where('ended_at', 'is', null)
          .where('until', '>', now)
          .where('address', '=', address)
          .where('came_by', '=', 'passkey')
          .where('token_sha256', '!=', kept ?? '')
          .returning('id')
          .execute();
        for (const session of begun) await keepEnd(trx, { id: session.id, address }, { by, now });
        return passkey;
      }),

    consoleSession: (tokenSha256: string): Promise<ConsoleSession | undefined> =>
      db.selectFrom('console_sessions').selectAll().where('token_sha256', '=', tokenSha256).executeTakeFirst(),

    consoleSessionSeen: (tokenSha256: string, now: number): Promise<void> =>
      transact(async (trx) => {
        await trx
          .updateTable('console_sessions')
          .set({ seen_at: now })
          .where('token_sha256', '=', tokenSha256)
          .where('ended_at', 'is', null)
          .execute();
      }, 'normal'),

    listConsoleSessions: (limit: number): Promise<ConsoleSession[]> =>
      db.selectFrom('console_sessions').selectAll().orderBy('id', 'desc').limit(limit).execute(),

    endConsoleSessions: (
      which: { readonly tokenSha256?: string; readonly address?: string },
      { by, now, isLogOut = false }: { readonly by: string; readonly now: number; readonly isLogOut?: boolean },
    ): Promise<number> =>
      transact(async (trx) => {
        const { tokenSha256, address } = which;
        const ended = await trx
          .updateTable('console_sessions')
          .set({ ended_at: now, ended_by: by })
          .where('ended_at', 'is', null)
          .where('until', '>', now)
          .$if(tokenSha256 !== undefined, (rows) => rows.where('token_sha256', '=', tokenSha256 ?? ''))
          .$if(address !== undefined, (rows) => rows.where('address', '=', address ?? ''))
          .returning(['id', 'address'])
          .execute();
        const event = isLogOut ? 'console_log_out' : SESSION_ENDED;
        for (const session of ended) await keepEnd(trx, session, { by, now, event });
        if (tokenSha256 === undefined) {
          // A link that nobody has opened yet would be a way back in.
          await trx
            .updateTable('console_codes')
            .set({ used_at: now })
            .where('used_at', 'is', null)
            .$if(address !== undefined, (rows) => rows.where('address', '=', address ?? ''))
            .execute();
          await trx
            .deleteFrom('console_log_ins')
            .where('mailed_at', 'is', null)
            .$if(address !== undefined, (rows) => rows.where('address', '=', address ?? ''))
            .execute();
        }
        return ended.length;
      }),

    endOverdueConsoleSessions: ({ now, idleMs }: { readonly now: number; readonly idleMs: number }): Promise<void> =>
      transact(async (trx) => {
        const over = await trx
          .selectFrom('console_sessions')
          .select(['token_sha256', 'id', 'address', 'until', 'seen_at'])
          .where('ended_at', 'is', null)
          .where(({ eb, or }) => or([eb('until', '<=', now), eb('seen_at', '<=', now - idleMs)]))
          .limit(MOST_AT_ONCE)
          .execute();
        for (const { token_sha256: token, id, address, until, seen_at: seenAt } of over) {
          const at = Math.min(until, seenAt + idleMs);
          await trx
            .updateTable('console_sessions')
            .set({ ended_at: at, ended_by: 'timer' })
            .where('token_sha256', '=', token)
            .execute();
          await keepEnd(trx, { id, address }, { by: 'timer', now: at });
        }
      }),

    noteRefusedLogIns: (peer: string, now: number): Promise<void> =>
      transact(async (trx) => {
        const event = 'console_log_in_refused';
        await trx
          .deleteFrom('gateway_audit')
          .where('event', '=', event)
          .where('at', '<', now - KEPT_MS)
          .execute();
        const lately = trx
          .selectFrom('gateway_audit')
          .select('id')
          .where('event', '=', event)
          .where('decision', '=', 'too_many');
        if ((await lately.where('at', '>', now - MINUTE_MS).executeTakeFirst()) !== undefined) return;
        const row = { at: now, actor: 'unproven', event, decision: 'too_many' } as const;
        await keep(trx, { ...row, detail: { address: null, peer } }, peer);
      }),

    addGatewayAudit: (row: GatewayAudit): Promise<void> =>
      transact(async (trx) => {
        await insert(trx, row);
      }),

    listGatewayAudit: async ({ after, limit, event }: RowPage & { readonly event?: string }): Promise<GatewayAudit[]> =>
      (
        await db
          .selectFrom('gateway_audit')
          .selectAll()
          .$if(after !== undefined, (rows) => rows.where('id', '<', after ?? ''))
          .$if(event !== undefined, (rows) => rows.where('event', '=', event ?? ''))
          .orderBy('id', 'desc')
          .limit(limit)
          .execute()
      ).map(({ detail_json: json, ...row }) => ({ ...row, detail: parseJson(detail, json) })),
  };
}
