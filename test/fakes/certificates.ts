import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Issued {
  readonly cert: string;
  readonly key: string;
}

const YEAR_MS = 365 * 86_400_000;
const stamp = (ms: number) => new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14).concat('Z');

/** A certificate authority of its own, made by openssl in a temporary folder: any name, any dates. */
export function makeAuthority() {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-ca-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-days',
    '9000',
    '-subj',
    '/O=Lab/CN=Lab CA',
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
  );
  mkdirSync(join(folder, 'new'));
  writeFileSync(join(folder, 'index.txt'), '');
  writeFileSync(
    join(folder, 'ca.cnf'),
    [
      '[ca]\ndefault_ca=a',
      '[a]\ndatabase=index.txt\nnew_certs_dir=new\nrand_serial=yes\ndefault_md=sha256\npolicy=p\nunique_subject=no\ncopy_extensions=copy',
      '[p]\ncommonName=supplied\n',
    ].join('\n'),
  );
  return {
    ca: readFileSync(join(folder, 'ca.pem'), 'utf8'),
    caFile: join(folder, 'ca.pem'),
    /** Valid from a year ago until in a year, unless said otherwise (ms). */
    issue(names: readonly string[], { from = Date.now() - YEAR_MS, to = Date.now() + YEAR_MS } = {}): Issued {
      const alt = names.map((name) => (/^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(',');
      openssl(
        ...['req', ...newKey, '-subj', `/CN=${names[0]?.slice(0, 60)}`, '-addext', `subjectAltName=${alt}`],
        ...['-keyout', 'one.key', '-out', 'one.csr'],
      );
      openssl(
        ...['ca', '-batch', '-config', 'ca.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key', '-in', 'one.csr'],
        ...['-out', 'one.pem', '-startdate', stamp(from), '-enddate', stamp(to), '-notext'],
      );
      const read = (name: string) => readFileSync(join(folder, name), 'utf8');
      return { cert: read('one.pem'), key: read('one.key') };
    },
    /** Signed by nobody but itself. */
    selfSigned(name: string): Issued {
      openssl(
        ...[
          'req',
          '-x509',
          ...newKey,
          '-days',
          '30',
          '-subj',
          `/CN=${name}`,
          '-addext',
          `subjectAltName=DNS:${name},IP:127.0.0.1`,
        ],
        ...['-keyout', 'self.key', '-out', 'self.pem'],
      );
      return {
        cert: readFileSync(join(folder, 'self.pem'), 'utf8'),
        key: readFileSync(join(folder, 'self.key'), 'utf8'),
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
