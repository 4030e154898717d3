import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectWire } from '../../../fakes/smtp-wire.ts';
import { makeCertificate } from '../../../lab/certificate.ts';
import { LOGIN, listenerRig } from './listener-rig.ts';

const MAIL = 'From: a@x.test\r\n\r\nHello\r\n';
const ADA = 'ada@agents.localhost';
const AUTH = `AUTH PLAIN ${Buffer.from(`\0${LOGIN.user}\0${LOGIN.password}`).toString('base64')}`;

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!hasOpenssl)('a listener on all addresses, with a certificate', () => {
  let rig: Awaited<ReturnType<typeof listenerRig>>;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'epistle-tls-'));
    const { certFile, keyFile } = await makeCertificate(folder);
    rig = await listenerRig({ listener: { host: '0.0.0.0', tls: { cert_file: certFile, key_file: keyFile } } });
  });
  afterAll(async () => {
    await rig?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes no secret in the clear', async () => {
    const wire = await connectWire(rig.port);
    const { text } = await wire.hello();
    expect(text).toContain('STARTTLS');
    expect(text).not.toContain('AUTH');
    expect((await wire.say(AUTH)).code).toBeGreaterThanOrEqual(500);
    await wire.envelope('a@x.test', [ADA]);
    await wire.data(MAIL);
    expect(rig.got.at(-1)?.arrival.door).toBe('stranger');
    wire.close();
  });

  it('takes it once encrypted, and forgets what was said before', async () => {
    const wire = await connectWire(rig.port);
    await wire.hello();
    await wire.say('MAIL FROM:<early@x.test>');
    // The second line lies in the clear behind the first: it must not be run as if it had been encrypted.
    wire.write('STARTTLS\r\nMAIL FROM:<injected@x.test>\r\n');
    expect((await wire.reply()).code).toBe(220);
    wire.socket.removeAllListeners('data');
    const secure = connect({ socket: wire.socket, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    let heard = '';
    secure.setEncoding('latin1').on('data', (chunk: string) => {
      heard += chunk;
    });
    const say = async (line: string, until: RegExp) => {
      heard = '';
      secure.write(`${line}\r\n`);
      while (!until.test(heard)) await once(secure, 'data');
      return heard;
    };
    expect(await say(`MAIL FROM:<a@x.test>`, /\r\n$/)).toMatch(/^503/);
    expect(await say('EHLO client.test', /250 .*\r\n$/)).toContain('AUTH');
    expect(await say(AUTH, /\r\n$/)).toMatch(/^235/);
    expect(await say('MAIL FROM:<a@x.test>', /\r\n$/)).toMatch(/^250/);
    expect(await say(`RCPT TO:<${ADA}>`, /\r\n$/)).toMatch(/^250/);
    expect(await say('DATA', /\r\n$/)).toMatch(/^354/);
    expect(await say(`${MAIL}.`, /\r\n$/)).toMatch(/^250/);
    expect(rig.got.at(-1)).toMatchObject({ arrival: { door: 'submission' }, envelope: { returnPath: 'a@x.test' } });
    secure.destroy();
  });
});
