import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { messageOf } from '../../lib/error-message.ts';
import { sha256 } from '../../lib/ids.ts';
import { fault } from '../faults/fault.ts';
import type { Login, Taken } from '../login/login.ts';
import { type Credentials, provenBy, type TokenAnswer } from './ask.ts';
import type { OAuthClient } from './client.ts';
import { type AskedFor, type JudgedRefusal, judgeRefusal, loginNeeded, type TokenRefusal } from './refusal.ts';
import { type TryLock, withLock } from './tokens/lock.ts';
import type { TokenFile } from './tokens/token-file.ts';
import { grantedSchema, isRenewedForRefusal, renewed, stepOf, type Tokens } from './tokens/tokens.ts';

interface AccountDeps {
  readonly client: OAuthClient;
  /** A mailbox that logs in with this account, for the command that mends it; null: it is that of an MCP server. */
  readonly mailbox: string | null;
  readonly file: TokenFile;
  /** Of the client; undefined: it has none, or it is not set. */
  clientSecret(): string | undefined;
  readonly tryLock: TryLock;
  ask(url: string, form: Readonly<Record<string, string>>, credentials?: Credentials): Promise<TokenAnswer>;
  readonly clock: Clock;
  readonly pass: PassCrashPoint;
  /** Told each time that only a person can help. */
  onNeedsPerson(judged: JudgedRefusal, tokens: Tokens): void;
}

type Failed = Extract<Taken, { ok: false }>;

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * The login of an account. One renewal at a time, over all processes: where a provider replaces the refresh token, the
 * second of two would use one that is no more. A new token is on disk before anybody gets it; a renewal whose answer was
 * lost is asked for again with the refresh token of before, which providers take for some time yet.
 */
export function createAccount(deps: AccountDeps): Login {
  const { client, file, clock } = deps;
  const state: {
    renewing: Promise<Taken> | null;
    /** Received, and not yet on disk: the refresh token of before may be no more. */
    unstored: Tokens | null;
    /** A provider that did not answer is left alone for a moment. */
    pause: { readonly until: number; readonly ms: number; readonly failed: Failed } | null;
  } = { renewing: null, unstored: null, pause: null };

  const asked = (tokens: Tokens): AskedFor => ({
    // What was refused means the same for ever, however long ago it is.
    client,
    mailbox: deps.mailbox,
    during: 'renewal' as const,
    now: tokens.refused?.at ?? clock.now(),
    grantedAt: tokens.granted_at,
    endsAt: tokens.refresh_ends_at,
  });
  const { clientSecret } = deps;
  /** Another one when somebody has corrected the client: then what was refused may be given. */
  const clientMark = () => sha256(JSON.stringify([client, clientSecret() ?? null])).slice(0, 16);
  const failed = (judged: JudgedRefusal): Failed => ({ ok: false, ...judged });
  const needsPerson = (judged: JudgedRefusal, tokens: Tokens): Failed => {
    deps.onNeedsPerson(judged, tokens);
    return failed(judged);
  };

  /** What a renewal makes of what is on disk; null: a token has to be asked for. */
  const settled = (tokens: Tokens | null, refused: string | null): Taken | null => {
    if (tokens === null) return failed(loginNeeded(client, deps.mailbox));
    if (tokens.refused?.client_mark === clientMark())
      return needsPerson(judgeRefusal(tokens.refused, asked(tokens)), tokens);
    const isDue = stepOf(tokens, clock.now()).do !== 'use';
    const isOther = refused === null ? !isDue : tokens.access_token !== refused;
    return isOther ? { ok: true, secret: tokens.access_token } : null;
  };

  const store = (tokens: Tokens): Taken => {
    state.unstored = tokens;
    deps.pass('login.renewed');
    try {
      file.write(tokens);
    } catch (error) {
      const cause = `the new token of ${client.user} could not be written (${messageOf(error)})`;
      return failed({
        fault: fault(
          'token_not_stored',
          cause,
          'make room on the disk of the workspace, and let this user write there',
        ),
        until: 'time',
      });
    }
    deps.pass('login.kept');
    state.unstored = null;
    return { ok: true, secret: tokens.access_token };
  };

  const onRefusal = (refusal: TokenRefusal, retryAfterMs: number, tokens: Tokens): Failed => {
    const judged = judgeRefusal(refusal, asked(tokens));
    if (judged.until === 'person') {
      const now = clock.now();
      // Once: whoever asks again and again with a login that has ended is taken for an attacker.
      const { status, error, description } = refusal;
      const what = { status, error, description: description.slice(0, 500), at: now, client_mark: clientMark() };
      file.write({ ...tokens, refused: what });
      return needsPerson(judged, tokens);
    }
    const ms = Math.max(retryAfterMs, Math.min((state.pause?.ms ?? FIRST_PAUSE_MS / 2) * 2, LONGEST_PAUSE_MS));
    state.pause = { until: clock.now() + ms, ms, failed: failed(judged) };
    return state.pause.failed;
  };

  const renewLocked = async (refused: string | null): Promise<Taken> => {
    if (state.unstored) return store(state.unstored);
    const tokens = file.read();
    const known = settled(tokens, refused);
    if (known || tokens === null) return known ?? failed(loginNeeded(client, deps.mailbox));
    if (tokens.refresh_token === null)
      return onRefusal({ status: 400, error: 'invalid_grant', description: '' }, 0, tokens);
    const proof = provenBy({ client, clientSecret: clientSecret() });
    const askedAt = clock.now();
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...proof.form };
    const answer = await deps.ask(tokens.token_endpoint, form, proof.credentials);
    if (!answer.ok) return onRefusal(answer.refusal, answer.retryAfterMs, tokens);
    const granted = grantedSchema.safeParse(answer.body).data;
    if (!granted) return onRefusal({ status: 200, error: null, description: '' }, 0, tokens);
    state.pause = null;
    const afterRefusal = refused !== null && askedAt < tokens.expires_at;
    return store(renewed(tokens, granted, { now: clock.now(), afterRefusal }));
  };

  const renew = async (refused: string | null): Promise<Taken> => {
    if (state.pause && clock.now() < state.pause.until) return state.pause.failed;
    return withLock(deps, file.lockPath, () => renewLocked(refused));
  };

  const renewOnce = (refused: string | null): Promise<Taken> => {
    state.renewing ??= renew(refused)
      .catch((error: unknown): Taken => {
        const cause = `the token of ${client.user} could not be renewed (${messageOf(error)})`;
        return failed({ fault: fault('token_not_stored', cause, 'look at the disk of the workspace'), until: 'time' });
      })
      .finally(() => {
        state.renewing = null;
      });
    return state.renewing;
  };

  return {
    async take() {
      const tokens = state.unstored === null ? file.read() : null;
      const known = state.unstored === null ? settled(tokens, null) : null;
      if (known) return known;
      const taken = await renewOnce(null);
      if (taken.ok || taken.until === 'person') return taken;
      const step = tokens && stepOf(tokens, clock.now());
      // A provider that is away does not matter before the end of what it gave.
      return tokens && step?.do === 'renew' && step.holds ? { ok: true, secret: tokens.access_token } : taken;
    },
    async refused(secret) {
      const tokens = file.read();
      if (tokens === null || tokens.refused?.client_mark === clientMark()) return false;
      if (tokens.access_token !== secret) return true;
      // One that was over on its way to the server says nothing of the next.
      if (clock.now() < tokens.expires_at && !isRenewedForRefusal(tokens, clock.now())) return false;
      const taken = await renewOnce(secret);
      return taken.ok && taken.secret !== secret;
    },
    // Renewals change nothing for whoever was refused; a login or another client does.
    mark: () => `${file.read()?.granted_at ?? 'none'} ${clientMark()}`,
  };
}
