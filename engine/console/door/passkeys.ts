import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { Log } from '#contract';
import type { Clock } from '../../lib/clock.ts';
import { type Ids, sha256 } from '../../lib/ids.ts';
import { readJson } from '../../lib/json.ts';
import { ROLES } from '../../queries/viewer.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { ConsolePasskey } from '../../storage/types/gateway.ts';
import type { PasskeyPlace } from './allowed.ts';
import { ANSWER_MS, createQuestions } from './questions.ts';
import type { Begin, OpenSession } from './sessions.ts';

/** EdDSA, ES256, RS256: what devices have (RFC 9053, RFC 8812). */
const ALGORITHMS = [-8, -7, -257];
/** What it is asked for; of a session that makes one, with its id. */
const LOG_IN = 'log in';
const MAX_TEXT = 16_000;
const MAX_ID = 1400;

const base64url = (most: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .max(most);
const credential = { id: base64url(MAX_ID), rawId: base64url(MAX_ID), type: z.literal('public-key') };
const Made = z.object({
  ...credential,
  response: z.object({ clientDataJSON: base64url(4000), attestationObject: base64url(8000) }),
});
const Asserted = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(4000),
    authenticatorData: base64url(2000),
    signature: base64url(2000),
    userHandle: base64url(100),
  }),
});
/** What the browser says of the page that asked (Web Authentication, 5.8.1). */
const ClientData = z.looseObject({
  type: z.enum(['webauthn.create', 'webauthn.get']),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.literal(false).optional(),
  topOrigin: z.undefined().optional(),
});

/** What a device has made, as it is kept. */
export type Device = Pick<ConsolePasskey, 'credential_id' | 'public_key' | 'counter'>;

export interface PasskeyDoor {
  /** What a browser is asked that wants to be let in, and what it keeps as a cookie until it answers. */
  ask(): { readonly cookie: string; readonly maxAgeS: number; readonly options: PublicKeyCredentialRequestOptionsJSON };
  /** Begins a session by an answer of a browser with that cookie. `unknown` whatever is wrong with it. */
  begin(answer: string, cookie: string | null): Begin;
  /** What the browser of a session is asked that is to make a passkey, and by what its answer is known. */
  askToMake(
    session: Pick<OpenSession, 'id' | 'address'>,
  ): Promise<{ readonly asked: string; readonly options: PublicKeyCredentialCreationOptionsJSON }>;
  /** Null where it is no answer to that question of that session. */
  made(answer: string, asked: string, session: Pick<OpenSession, 'id' | 'address'>): Promise<Device | null>;
}

/** A name of somebody for devices, which say it back: one that tells nothing. */
const handleOf = (address: string): string =>
  Buffer.from(sha256(`passkeys of ${address}`), 'hex').toString('base64url');

/**
 * Passkeys (Web Authentication, level 3) of whoever is an owner by the files at that moment. A question is bound to the browser by a
 * cookie, or to the session; it is answered once, within five minutes, on our own page.
 */
export function createPasskeys({
  gateway,
  isOwner,
  ids,
  clock,
  log,
  place: { origin, rpId },
}: {
  readonly gateway: Pick<GatewayStore, 'listPasskeys' | 'passkeyOf' | 'usePasskey'>;
  /** By the files as they are now. */
  isOwner(address: string): boolean;
  readonly ids: Ids;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly place: PasskeyPlace;
}): PasskeyDoor {
  const questions = createQuestions({ ids, clock });

  /** The question that it answers, where that was asked and our own page asked it; from then on it is answered. */
  function takes(
    clientDataJSON: string,
    type: 'webauthn.create' | 'webauthn.get',
    purpose: string,
    asked: string,
  ): string | null {
    const said = readJson(ClientData, Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    if (said?.type !== type || said.origin !== origin) return null;
    return questions.take(purpose, asked, said.challenge) ? said.challenge : null;
  }

  async function verified(answer: string, cookie: string | null) {
    const given = answer.length > MAX_TEXT ? undefined : readJson(Asserted, answer);
    if (!given || cookie === null) return null;
    const expectedChallenge = takes(given.response.clientDataJSON, 'webauthn.get', LOG_IN, cookie);
    if (expectedChallenge === null) return null;
    const kept = await gateway.passkeyOf(given.id);
    if (!kept || !ROLES.some((one) => one === kept.role) || kept.rp_id !== rpId) return null;
    if (given.response.userHandle !== handleOf(kept.address)) return null;
    if (!isOwner(kept.address)) return null;
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    const response: AuthenticationResponseJSON = { ...given, clientExtensionResults: {} };
    const found = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: kept.credential_id,
        publicKey: new Uint8Array(Buffer.from(kept.public_key, 'base64url')),
        counter: kept.counter,
      },
    }).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'what a passkey has signed could not be verified');
      return null;
    });
    return found?.verified ? { id: kept.credential_id, counter: found.authenticationInfo.newCounter } : null;
  }

  return {
    ask() {
      const cookie = questions.ask();
      const challenge = questions.tokenOf(LOG_IN, cookie);
      // No list of passkeys: whoever asks is not known yet, and is told of nobody's.
      const options = { challenge, rpId, timeout: ANSWER_MS, allowCredentials: [] };
      return { cookie, maxAgeS: ANSWER_MS / 1000, options: { ...options, userVerification: 'required' } };
    },

    begin: (answer, cookie) => async (session, now) => {
      const found = await verified(answer, cookie);
      return found === null ? 'unknown' : gateway.usePasskey(found.id, found.counter, session, now);
    },

    async askToMake({ id, address }) {
      const asked = questions.ask();
      const own = (await gateway.listPasskeys()).filter((one) => one.address === address);
      return {
        asked,
        options: {
          challenge: questions.tokenOf(`make ${id}`, asked),
          rp: { id: rpId, name: 'Epistle' },
          user: { id: handleOf(address), name: address, displayName: address },
          pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
          timeout: ANSWER_MS,
          attestation: 'none',
          excludeCredentials: own.map((one) => ({ type: 'public-key', id: one.credential_id })),
          authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        },
      };
    },

    async made(answer, asked, { id }) {
      const given = answer.length > MAX_TEXT ? undefined : readJson(Made, answer);
      if (!given) return null;
      const expectedChallenge = takes(given.response.clientDataJSON, 'webauthn.create', `make ${id}`, asked);
      if (expectedChallenge === null) return null;
      const [{ verifyRegistrationResponse }, { decodeAttestationObject, isoBase64URL }] = await Promise.all([
        import('@simplewebauthn/server'),
        import('@simplewebauthn/server/helpers'),
      ]);
      const response: RegistrationResponseJSON = { ...given, clientExtensionResults: {} };
      try {
        const attested = decodeAttestationObject(isoBase64URL.toBuffer(given.response.attestationObject));
        // Who made the device is not asked. A certificate may name servers that would be asked whether it still holds.
        const isPlain = attested.get('fmt') === 'none' || attested.get('fmt') === 'packed';
        if (!isPlain || attested.get('attStmt').get('x5c') !== undefined) return null;
        const found = await verifyRegistrationResponse({
          response,
          expectedChallenge,
          expectedOrigin: origin,
          expectedRPID: rpId,
          requireUserVerification: true,
          supportedAlgorithmIDs: ALGORITHMS,
        });
        if (!found.verified || found.registrationInfo.credential.id !== given.id) return null;
        const { publicKey, counter } = found.registrationInfo.credential;
        return { credential_id: given.id, public_key: Buffer.from(publicKey).toString('base64url'), counter };
      } catch (error) {
        log.warn({ error: String(error) }, 'a passkey that a device has made could not be verified');
        return null;
      }
    },
  };
}
