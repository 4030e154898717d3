import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { type Ids, sha256 } from '../../lib/ids.ts';
import { ROLES, type Role } from '../../queries/viewer.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { ConsoleSession, NewConsoleSession } from '../../storage/types/gateway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long a link can be opened. */
const CODE_MS = 5 * MINUTE_MS;
/** How long a link can be opened that was asked for by mail. */
export const ASKED_MS = 10 * MINUTE_MS;
const IDLE_MS = 12 * HOUR_MS;
const MOST_MS = 7 * 24 * HOUR_MS;
/** How long after it was begun a session may do what takes something away. */
const FRESH_MS = 5 * MINUTE_MS;
const FRESH_BY: readonly ConsoleSession['came_by'][] = ['link', 'passkey'];
/** It is written down no more often that somebody is there. */
const SEEN_EVERY_MS = MINUTE_MS;

/** So many wrong codes of one address of the network, and then none is looked at until the time is over. */
const MOST_WRONG = 10;
const WRONG_MS = MINUTE_MS;
const MOST_PEERS = 1000;
/** So many mails are asked for of one address of the network in that time. */
const MOST_ASKED = 10;
const MAX_ADDRESS = 254;

/** No letter that is taken for a digit, so that a person can type it. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const CODE_LENGTH = 26;

type Sessions = Pick<
  GatewayStore,
  | 'addConsoleCode'
  | 'askForLogIn'
  | 'useConsoleCode'
  | 'consoleSession'
  | 'consoleSessionSeen'
  | 'endConsoleSessions'
  | 'endOverdueConsoleSessions'
  | 'noteRefusedLogIns'
>;

/** A secret of 128 bits as 26 letters, in groups for whoever types it. */
export function newCode(ids: Pick<Ids, 'random'>): string {
  let left = BigInt(`0x${ids.random(16)}`);
  let code = '';
  for (let place = 0; place < CODE_LENGTH; place += 1) {
    code = `${LETTERS[Number(left % 32n)]}${code}`;
    left /= 32n;
  }
  return (code.match(/.{1,6}/g) ?? []).join('-');
}

/** As it was made, whatever somebody typed between its letters. */
const plainCode = (typed: string): string => typed.toLowerCase().replace(/[\s-]/g, '');
const hashOfCode = (code: string): string => sha256(`code ${plainCode(code)}`);
const hashOfBrowser = (token: string): string => sha256(`asked ${token}`);
/** Of a code that was mailed: without the cookie of the browser in which it was asked for, it is another code. */
export const hashOfMailed = (code: string, browserSha256: string): string =>
  sha256(`mailed ${plainCode(code)} ${browserSha256}`);
const hashOfToken = (token: string): string => sha256(`session ${token}`);

/** A link that lets somebody in, once; kept as a hash. */
export async function makeCode(
  { gateway, ids, clock }: { readonly gateway: Sessions; readonly ids: Ids; readonly clock: Clock },
  { address, role }: { readonly address: string; readonly role: Role },
): Promise<{ readonly code: string; readonly until: number }> {
  const code = newCode(ids);
  const made_at = clock.now();
  const until = made_at + CODE_MS;
  await gateway.addConsoleCode({
    code_sha256: hashOfCode(code),
    address: address.toLowerCase(),
    role,
    made_at,
    until,
  });
  return { code, until };
}

/** A session that is not over. */
export interface OpenSession {
  readonly id: string;
  readonly address: string;
  readonly role: Role;
  readonly token: string;
  /** As its row is known. */
  readonly tokenSha256: string;
  /** Which every form of a page carries: no page of somebody else can know it. */
  readonly formToken: string;
  /** Until when it may do what takes something away. */
  readonly freshUntil: number;
}

export type LogInOutcome =
  | { readonly ok: true; readonly token: string; readonly maxAgeS: number }
  | { readonly ok: false; readonly why: 'unknown' | 'used' | 'late' | 'too_many' };

/** What one browser has for the mail that it asked for; null: too many were asked for from there. */
type Asking = { readonly token: string; readonly maxAgeS: number } | null;

const isToken = (token: string | null): token is string => token !== null && /^[0-9a-f]{64}$/.test(token);

/** By a link of `epistle console`; or by one that was mailed, with what the browser has from asking. */
type LogInWay = 'link' | { readonly asked: string | null };

/** Null: it can be none. */
function hashOfGiven(code: string, by: LogInWay): string | null {
  if (plainCode(code).length !== CODE_LENGTH) return null;
  if (by === 'link') return hashOfCode(code);
  return isToken(by.asked) ? hashOfMailed(code, hashOfBrowser(by.asked)) : null;
}

/** Begins a session of whoever has proven to be somebody; why not, where nobody has. */
export type Begin = (
  session: NewConsoleSession,
  now: number,
) => Promise<'begun' | Extract<LogInOutcome, { ok: false }>['why']>;

export interface SessionDesk {
  /**
   * Somebody asks for a mail that lets them in. Nothing here knows whether the address is an owner's, so nothing can tell.
   * `asked`: what the browser has from asking before; mails that are on their way stay good in it.
   */
  ask(address: string, peer: string, asked: string | null): Promise<Asking>;
  /** By a code. `peer` and `before` as below. */
  logIn(code: string, peer: string, before: string | null, by?: LogInWay): Promise<LogInOutcome>;
  /**
   * By what `begin` proves and puts on record. `peer`: the address of the network that asks, for which wrong tries are counted; `before`:
   * the cookie that the browser has, which is over then.
   */
  letIn(peer: string, before: string | null, begin: Begin): Promise<LogInOutcome>;
  /** Null where there is none, or it is over. `isUsed`: somebody sits there, and it does not end of itself. */
  find(token: string | null, isUsed?: boolean): Promise<OpenSession | null>;
  logOut(session: OpenSession): Promise<void>;
}

export function createSessions({
  gateway,
  ids,
  clock,
}: {
  readonly gateway: Sessions;
  readonly ids: Ids;
  readonly clock: Clock;
}): SessionDesk {
  const wrong = createLimit(clock, MOST_WRONG);
  const asking = createLimit(clock, MOST_ASKED);
  const desk: SessionDesk = {
    async ask(address, peer, asked) {
      if (asking.isReached(peer)) return null;
      if (asking.count(peer)) await gateway.noteRefusedLogIns(peer, clock.now());
      const token = isToken(asked) ? asked : ids.random(32);
      const now = clock.now();
      await gateway.askForLogIn({
        id: ids.next(),
        address: address.trim().toLowerCase().slice(0, MAX_ADDRESS),
        browser_sha256: hashOfBrowser(token),
        asked_at: now,
        until: now + ASKED_MS,
      });
      return { token, maxAgeS: ASKED_MS / 1000 };
    },

    logIn(code, peer, before, by = 'link') {
      const hash = hashOfGiven(code, by);
      return desk.letIn(peer, before, async (session, now) =>
        hash === null ? 'unknown' : gateway.useConsoleCode(hash, session, now),
      );
    },

    async letIn(peer, before, begin) {
      if (wrong.isReached(peer)) return { ok: false, why: 'too_many' };
      const token = ids.random(32);
      const now = clock.now();
      const session = { token_sha256: hashOfToken(token), id: ids.next(), until: now + MOST_MS };
      const came = await begin(session, now);
      if (came !== 'begun') {
        if (wrong.count(peer)) await gateway.noteRefusedLogIns(peer, now);
        return { ok: false, why: came };
      }
      await gateway.endOverdueConsoleSessions({ now, idleMs: IDLE_MS });
      const old = before === null ? undefined : await gateway.consoleSession(hashOfToken(before));
      if (old && old.ended_at === null) {
        await gateway.endConsoleSessions({ tokenSha256: old.token_sha256 }, { by: old.address, now });
      }
      return { ok: true, token, maxAgeS: MOST_MS / 1000 };
    },

    async find(token, isUsed = true) {
      if (!isToken(token)) return null;
      const row = await gateway.consoleSession(hashOfToken(token));
      const now = clock.now();
      if (row && isOver(row, now) && row.ended_at === null)
        await gateway.endOverdueConsoleSessions({ now, idleMs: IDLE_MS });
      if (!row || isOver(row, now)) return null;
      const role = ROLES.find((one) => one === row.role);
      if (role === undefined) return null;
      if (isUsed && now - row.seen_at >= SEEN_EVERY_MS) await gateway.consoleSessionSeen(row.token_sha256, now);
      return {
        id: row.id,
        address: row.address,
        role,
        token,
        formToken: createHmac('sha256', token).update('form').digest('hex').slice(0, 32),
        // Whoever reads somebody's mail, or has their account elsewhere, is no more than let in.
        freshUntil: FRESH_BY.includes(row.came_by) ? row.made_at + FRESH_MS : 0,
        tokenSha256: row.token_sha256,
      };
    },

    async logOut({ token, address }) {
      await gateway.endConsoleSessions(
        { tokenSha256: hashOfToken(token) },
        { by: address, now: clock.now(), isLogOut: true },
      );
    },
  };
  return desk;
}

/** Pure. */
export const isOver = (row: Pick<ConsoleSession, 'ended_at' | 'until' | 'seen_at'>, now: number): boolean =>
  row.ended_at !== null || now >= row.until || now >= row.seen_at + IDLE_MS;

/** Pure. In a time that does not tell how much of it was right. */
export const isFormOf = ({ formToken }: Pick<OpenSession, 'formToken'>, given: unknown): boolean =>
  typeof given === 'string' &&
  /^[0-9a-f]{32}$/.test(given) &&
  timingSafeEqual(Buffer.from(given), Buffer.from(formToken));

/** Tries by whoever makes them. A right code cannot be guessed; this keeps trying from costing the gateway its time. */
function createLimit(clock: Clock, most: number) {
  const tries = new Map<string, { count: number; until: number }>();
  const current = (peer: string) => {
    const known = tries.get(peer);
    return known && clock.now() < known.until ? known : undefined;
  };
  return {
    isReached: (peer: string): boolean => (current(peer)?.count ?? 0) >= most,
    /** True where it is reached by this one. */
    count(peer: string): boolean {
      const known = current(peer);
      if (!known) {
        if (tries.size >= MOST_PEERS) tries.clear();
        tries.set(peer, { count: 1, until: clock.now() + WRONG_MS });
        return false;
      }
      known.count += 1;
      return known.count === most;
    },
  };
}
