import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What a browser is asked, as far as a device reads it. */
interface Asked {
  readonly challenge: string;
  readonly user?: { readonly id: string };
}

/** What of an answer is not as it should be. */
export interface Wrong {
  readonly type?: string;
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  /** User present, user verified. */
  readonly isPresent?: boolean;
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string | null;
  /** Goes into the attestation. */
  readonly format?: string;
  readonly statement?: Readonly<Record<string, Uint8Array | readonly Uint8Array[]>>;
  /** COSE number that the key says of itself. */
  readonly algorithm?: number;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

const base64url = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

/** CBOR (RFC 8949), as far as attestations have it. */
type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor> | readonly Cbor[];
function cbor(value: Cbor): Buffer {
  const head = (major: number, count: number): Buffer =>
    count < 24
      ? Buffer.from([(major << 5) | count])
      : count < 256
        ? Buffer.from([(major << 5) | 24, count])
        : Buffer.from([(major << 5) | 25, count >> 8, count & 0xff]);
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const parts = [...value].flatMap(([key, one]) => [cbor(key), cbor(one)]);
    return Buffer.concat([head(5, value.size), ...parts]);
  }
  const list = value as readonly Cbor[];
  return Buffer.concat([head(4, list.length), ...list.map(cbor)]);
}

/** A device with one passkey (Web Authentication, level 3), and the browser before it: ES256, attestation "none". */
export function makeAuthenticator({ origin, rpId }: { readonly origin: string; readonly rpId: string }) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const coordinate = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');
  const credentialId = randomBytes(32);
  let handle = '';
  let counter = 0;

  const clientData = (type: string, challenge: string, wrong: Wrong): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: wrong.type ?? type,
        challenge: wrong.challenge ?? challenge,
        origin: wrong.origin ?? origin,
        crossOrigin: wrong.crossOrigin ?? false,
        ...(wrong.topOrigin === undefined ? {} : { topOrigin: wrong.topOrigin }),
      }),
    );
  const authenticatorData = (wrong: Wrong, attested: Buffer | null): Buffer => {
    const flags =
      ((wrong.isPresent ?? true) ? PRESENT : 0) |
      ((wrong.isVerified ?? true) ? VERIFIED : 0) |
      (attested === null ? 0 : ATTESTED);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(wrong.counter ?? counter);
    return Buffer.concat([sha256(wrong.rpId ?? rpId), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)]);
  };
  const said = (response: object): string =>
    JSON.stringify({ id: base64url(credentialId), rawId: base64url(credentialId), type: 'public-key', response });

  return {
    credentialId: base64url(credentialId),
    /** Makes its passkey; what the browser hands back, as our script sends it. */
    create({ challenge, user }: Asked, wrong: Wrong = {}): string {
      handle = user?.id ?? '';
      const key = new Map<number, Cbor>([
        [1, 2],
        [3, wrong.algorithm ?? -7],
        [-1, 1],
        [-2, coordinate(jwk.x)],
        [-3, coordinate(jwk.y)],
      ]);
      const length = Buffer.from([0, credentialId.length]);
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, cbor(key)]);
      const object = new Map<string, Cbor>([
        ['fmt', wrong.format ?? 'none'],
        ['attStmt', new Map<string, Cbor>(Object.entries(wrong.statement ?? {}))],
        ['authData', authenticatorData(wrong, attested)],
      ]);
      return said({
        clientDataJSON: base64url(clientData('webauthn.create', challenge, wrong)),
        attestationObject: base64url(cbor(object)),
      });
    },
    /** Answers with its passkey. */
    get({ challenge }: Asked, wrong: Wrong = {}): string {
      counter += 1;
      const client = clientData('webauthn.get', challenge, wrong);
      const data = authenticatorData(wrong, null);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      const own = wrong.userHandle === undefined ? handle : wrong.userHandle;
      return said({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        ...(own === null ? {} : { userHandle: own }),
      });
    },
  };
}

export type Authenticator = ReturnType<typeof makeAuthenticator>;
