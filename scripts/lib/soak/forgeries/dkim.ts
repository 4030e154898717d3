import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Zone } from '../../../../test/fakes/dns-server.ts';
import { bodyOfField, type Mail, nameOf, onTop } from './mail.ts';

/** How a domain signs. Written from RFC 6376 alone, so that no mistake of the gateway's verifier is made here too. */
export interface Manner {
  readonly algorithm: 'rsa-sha256' | 'ed25519-sha256';
  readonly canonical: { readonly header: Canon; readonly body: Canon };
  /** As written into `h=`; more often than the mail has a name, so that nobody can add one. */
  readonly names: readonly string[];
  /** Tags beside the usual ones, such as `t`, `x`, `z` or `i`. */
  readonly tags?: Readonly<Record<string, string>>;
  /** `l=`: how many bytes of the body are covered. */
  readonly bodyBytes?: number;
}

type Canon = 'simple' | 'relaxed';

export type Signer = ReturnType<typeof createKeys>;

/** Keys of some domains, and the zone that publishes them. */
export function createKeys(domains: readonly string[]) {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const edwards = generateKeyPairSync('ed25519');
  const published = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
  const zone: Zone = Object.fromEntries(
    domains.flatMap((domain) => [
      [`r._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${published(rsa.publicKey).toString('base64')}`],
      // RFC 8463: the 32 bytes of the key alone, which stand at the end of its DER.
      [
        `e._domainkey.${domain}`,
        `v=DKIM1; k=ed25519; p=${published(edwards.publicKey).subarray(-32).toString('base64')}`,
      ],
      [`_dmarc.${domain}`, 'v=DMARC1; p=reject; adkim=s; aspf=s'],
    ]),
  );
  return {
    zone,
    /** The mail with one more signature on top. */
    sign(mail: Mail, domain: string, manner: Manner): Mail {
      const isRsa = manner.algorithm === 'rsa-sha256';
      const unsigned = signatureField(mail, domain, isRsa ? 'r' : 'e', manner);
      const data = Buffer.from(signedBytes(mail, unsigned, manner), 'latin1');
      const signature = isRsa
        ? sign('sha256', data, rsa.privateKey)
        : sign(null, createHash('sha256').update(data).digest(), edwards.privateKey);
      const folded = signature.toString('base64').replace(/.{70}(?=.)/g, '$&\r\n\t ');
      return onTop(mail, unsigned + folded);
    },
  };
}

function signatureField(mail: Mail, domain: string, selector: string, manner: Manner): string {
  const { canonical, names, tags = {}, bodyBytes } = manner;
  const body = canonical.body === 'relaxed' ? relaxedBody(mail.body) : simpleBody(mail.body);
  const hash = createHash('sha256').update(Buffer.from(body, 'latin1').subarray(0, bodyBytes)).digest('base64');
  const more = Object.entries(tags).map(([name, value]) => ` ${name}=${value};`);
  return [
    `DKIM-Signature: v=1; a=${manner.algorithm}; c=${canonical.header}/${canonical.body};`,
    `\td=${domain}; s=${selector};${more.join('')}${bodyBytes === undefined ? '' : ` l=${bodyBytes};`}`,
    `\th=${names.join(':').replace(/.{60}[^:]*:(?=.)/g, '$&\r\n\t ')};`,
    `\tbh=${hash};`,
    '\tb=',
  ].join('\r\n');
}

/** RFC 6376 section 3.7: each name takes the lowest field that none has taken, or nothing. */
function signedBytes(mail: Mail, signature: string, { canonical, names }: Manner): string {
  const rest = [...mail.fields];
  const taken = names.flatMap((name) => {
    const at = rest.findLastIndex((field) => nameOf(field) === name.toLowerCase());
    return at < 0 ? [] : rest.splice(at, 1);
  });
  const canon = canonical.header === 'relaxed' ? relaxedField : (field: string) => field;
  return [...taken, signature].map(canon).join('\r\n');
}

const relaxedField = (field: string): string =>
  `${nameOf(field)}:${bodyOfField(field)
    .replaceAll('\r\n', '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim()}`;

const simpleBody = (body: string): string => `${body.replace(/(\r\n)+$/, '')}\r\n`;

function relaxedBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replaceAll(/[ \t]+/g, ' ').replace(/ $/, ''));
  const text = lines.join('\r\n').replace(/(\r\n)+$/, '');
  return text === '' ? '' : `${text}\r\n`;
}
