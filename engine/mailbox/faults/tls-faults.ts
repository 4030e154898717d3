import type { SeenTls } from '../peer/dial.ts';
import type { Seen } from '../peer/look.ts';
import { type Fault, fault, keyOf, placeOf, type Side, USUAL } from './fault.ts';

const UNKNOWN_CA = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_UNTRUSTED',
]);

/** Pure. Why nothing secret may be sent over this connection; null when it may be. */
export function tlsFault(side: Side, seen: Seen): Fault | null {
  const { tls, startTls, speaksFirst, capabilities } = seen;
  const place = placeOf(side);
  if (side.server.tls === 'none') return null;
  if (side.server.tls === 'starttls' && tls === null && speaksFirst === 'clear') {
    if (startTls !== null) {
      return fault(
        'starttls_refused',
        `${place} offers STARTTLS and refuses it: ${startTls || 'no answer'}`,
        `use port ${USUAL[side.protocol].implicit} with "tls": "implicit"`,
      );
    }
    const cure = `use port ${USUAL[side.protocol].implicit} with "tls": "implicit"; if it was offered before, somebody on the way takes it out`;
    return capabilities.includes('STARTTLS')
      ? null
      : fault('starttls_missing', `${place} does not offer STARTTLS`, cure);
  }
  if (tls === null) return null;
  return tls.ok ? certificateFault(side, tls) : handshakeFault(side, tls);
}

function handshakeFault(side: Side, { code, text }: SeenTls): Fault | null {
  const place = placeOf(side);
  const said = `${code ?? ''} ${text}`.toLowerCase();
  if (
    /unsupported_protocol|unsupported protocol|protocol_version|protocol version|tlsv1_alert|no_protocols/.test(said)
  ) {
    return fault(
      'tls_too_old',
      `${place} speaks only a TLS older than 1.2`,
      'ask whoever runs it to switch TLS 1.2 on; older ones are not safe',
    );
  }
  if (/certificate.required|certificate_required/.test(said)) {
    return fault(
      'client_certificate_wanted',
      `${place} wants a certificate of the client`,
      'use a port or a server that takes a password',
    );
  }
  if (/wrong_version_number|wrong version number|packet length too long|record layer/.test(said)) {
    return fault(
      'tls_not_spoken',
      `${place} does not speak TLS at once`,
      `set ${keyOf(side, 'tls')} to "starttls", or ${keyOf(side, 'port')} to ${USUAL[side.protocol].implicit}`,
    );
  }
  // Nothing said, or hung up: that is about the server rather than its TLS.
  if (code === 'ETIMEDOUT' || code === 'ECONNRESET') return null;
  return fault(
    'tls_failed',
    `TLS with ${place} does not come about (${code ?? text})`,
    'ask whoever runs the server; its TLS or its certificate is broken',
  );
}

function certificateFault(
  side: Side,
  { code, names, issuer, isSelfSigned, validFrom, validTo }: SeenTls,
): Fault | null {
  const place = placeOf(side);
  const key = keyOf(side, 'tls_ca_file');
  const { host } = side.server;
  if (code === null) return null;
  if (code === 'CERT_HAS_EXPIRED') {
    return fault(
      'certificate_expired',
      `the certificate of ${place} ended on ${dayOf(validTo)}`,
      'whoever runs the server has to renew it; if the day is right, check the clock of this machine',
    );
  }
  if (code === 'CERT_NOT_YET_VALID') {
    return fault(
      'certificate_not_yet_valid',
      `the certificate of ${place} begins only on ${dayOf(validFrom)}`,
      'check the clock of this machine',
    );
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const plain = names.find((name) => !name.includes('*') && name !== host);
    const cure = plain
      ? `if that is your provider, set ${keyOf(side, 'host')} to ${plain}`
      : `correct ${keyOf(side, 'host')}`;
    return fault(
      'certificate_other_name',
      `the certificate of ${place} is for ${names.slice(0, 3).join(', ')}, not for ${host}`,
      cure,
    );
  }
  if (isSelfSigned || UNKNOWN_CA.has(code)) {
    if (side.caFile !== null) {
      return fault(
        'certificate_not_of_ca_file',
        `the certificate of ${place} is not signed by the authority in ${side.caFile}`,
        `put the right authority, with what lies between, into the file that ${key} names`,
      );
    }
    const cure = `get its certificate authority from whoever runs it, as a PEM file, and name that in ${key}`;
    return isSelfSigned
      ? fault(
          'certificate_self_signed',
          `the certificate of ${place} is signed by nobody but itself`,
          `get it from whoever runs the server, as a PEM file, and name that in ${key}`,
        )
      : fault(
          'certificate_unknown_ca',
          `the certificate of ${place} is signed by ${issuer ?? 'an authority'}, which is not known here`,
          cure,
        );
  }
  return fault(
    'certificate_invalid',
    `the certificate of ${place} is not valid (${code})`,
    'whoever runs the server has to mend it',
  );
}

const dayOf = (written: string | null): string => {
  const at = Date.parse(written ?? '');
  return Number.isNaN(at) ? 'an unknown day' : new Date(at).toISOString().slice(0, 10);
};

/** Pure. What is wrong with the file of a certificate authority; `text`: what it holds, null when it cannot be read. */
export function caFileFault(side: Side, text: string | null): Fault | null {
  if (side.caFile === null) return null;
  const key = keyOf(side, 'tls_ca_file');
  if (text === null)
    return fault(
      'ca_file_missing',
      `${side.caFile} cannot be read`,
      `correct ${key}; its path is relative to the workspace`,
    );
  if (text.includes('-----BEGIN CERTIFICATE-----')) return null;
  return fault(
    'ca_file_unusable',
    `${side.caFile} holds no certificate`,
    `put the authority into the file that ${key} names, as PEM (-----BEGIN CERTIFICATE-----)`,
  );
}
