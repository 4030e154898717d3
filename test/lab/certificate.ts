import { join } from 'node:path';
import { run } from './processes.ts';

export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Self-signed for 127.0.0.1, localhost and these names, so the certificate is its own CA file. */
export async function makeCertificate(folder: string, names: readonly string[] = []): Promise<Certificate> {
  const subjects = ['localhost', ...names].map((name) => `DNS:${name}`);
  const certificate = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'],
    ...['-subj', '/CN=localhost', '-addext', `subjectAltName=${subjects.join(',')},IP:127.0.0.1`],
    ...['-keyout', certificate.keyFile, '-out', certificate.certFile],
  ]);
  return certificate;
}
