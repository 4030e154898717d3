import { fieldOf } from './whose.ts';

/** Codes of our own, beside those of OpenSSL. */
export const NOT_OF_CA_FILE = 'NOT_OF_CA_FILE';
export const CA_FILE_UNREADABLE = 'CA_FILE_UNREADABLE';
export const CA_FILE_UNUSABLE = 'CA_FILE_UNUSABLE';

const SELF_SIGNED = 'DEPTH_ZERO_SELF_SIGNED_CERT';
const UNKNOWN: ReadonlySet<string> = new Set([
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'CERT_UNTRUSTED'],
]);

/** Whether nobody is known who vouches for a server's certificate. */
export const isUnknownAuthority = (code: string): boolean => code === SELF_SIGNED || UNKNOWN.has(code);

export interface CertificateFault {
  readonly cause: string;
  readonly cure: string;
  /** Whether whoever set the server up can mend it; else whoever runs the server. */
  readonly isOurs: boolean;
}

/** What a code says of a server's certificate, in words; undefined for any other. `key`: where its authority is named. */
export function certificateFault(
  code: string | undefined,
  key = '`ca_file` in the config of this provider in extensions/extensions.json',
): CertificateFault | undefined {
  if (code === undefined) return undefined;
  const ours = (cause: string, cure: string) => ({ cause, cure, isOurs: true });
  if (code === SELF_SIGNED)
    return ours(
      'its certificate is signed by nobody but itself',
      `get it from whoever runs the server, as a PEM file, and name that file in ${key}`,
    );
  if (UNKNOWN.has(code))
    return ours(
      'its certificate is signed by an authority that is not known here',
      `get that authority's certificate from whoever runs the server, as a PEM file, and name that file in ${key}`,
    );
  if (code === NOT_OF_CA_FILE)
    return ours(
      `its certificate is not signed by the authority that ${key} names`,
      'put the right authority, with what lies between, into that file',
    );
  if (code === CA_FILE_UNREADABLE)
    return ours(`the file that ${key} names cannot be read`, 'correct its path, which is relative to the workspace');
  if (code === CA_FILE_UNUSABLE)
    return ours(
      `the file that ${key} names holds no certificate`,
      'put the authority into it, as PEM (-----BEGIN CERTIFICATE-----)',
    );
  if (code === 'CERT_HAS_EXPIRED')
    return {
      cause: 'its certificate has ended',
      cure: 'whoever runs the server has to renew it; if it has not, check the clock of this machine',
      isOurs: false,
    };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      cause: 'its certificate is for another name than that of its address',
      cure: 'correct the address, or have whoever runs the server put its name into the certificate',
      isOurs: false,
    };
  return undefined;
}

const MAX_CAUSES = 6;

/** The codes of an error and of its causes, outermost first. */
export function causeCodes(error: unknown): readonly unknown[] {
  const chain = [error];
  for (const item of chain) {
    const cause = fieldOf(item, 'cause');
    if (cause !== undefined && chain.length < MAX_CAUSES) chain.push(cause);
  }
  return chain.map((item) => fieldOf(item, 'code'));
}

/** The code of the innermost cause of an error that has one; undefined: none has. */
export const innermostCode = (error: unknown): string | undefined =>
  causeCodes(error).findLast((code) => typeof code === 'string');
