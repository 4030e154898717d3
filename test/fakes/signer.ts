import { generateKeyPairSync } from 'node:crypto';
import { dkimSign } from 'mailauth';
import type { Zone } from './dns-server.ts';

export interface SignOptions {
  /** `h=`; by default what a careful signer covers. */
  readonly covers?: string;
  /** `t=`, ms; default: now. */
  readonly at?: number;
  /** `s=`; only `k` is in the zone. */
  readonly selector?: string;
  /** `i=`; default: none. */
  readonly identity?: string;
  /** `l=`: how much of the body is signed; default: all. */
  readonly bodyLength?: number;
  /** `c=`; default: relaxed for both. */
  readonly canonicalization?: string;
}

/** One key for all domains of a test, with DMARC that rejects what it did not sign. */
export function createSigner(domains: readonly string[]) {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const zone: Zone = Object.fromEntries(
    domains.flatMap((domain) => [
      [`k._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${keys.publicKey.toString('base64')}`],
      [`_dmarc.${domain}`, 'v=DMARC1; p=reject'],
    ]),
  );
  return {
    zone,
    async sign(raw: Buffer, domain: string, options: SignOptions = {}): Promise<Buffer> {
      const { covers, at, selector = 'k', identity, bodyLength, canonicalization } = options;
      const signature = {
        signingDomain: domain,
        selector,
        privateKey: keys.privateKey,
        ...(identity === undefined ? {} : { identity }),
        ...(bodyLength === undefined ? {} : { maxBodyLength: bodyLength }),
        ...(canonicalization === undefined ? {} : { canonicalization }),
      };
      const { signatures } = await dkimSign(raw, {
        ...signature,
        ...(covers ? { headerList: covers.split(':') } : {}),
        ...(at === undefined ? {} : { signTime: new Date(at) }),
        signatureData: [signature],
      });
      return Buffer.concat([Buffer.from(signatures), raw]);
    },
  };
}
