import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standstillOver, watched } from '../../scripts/lib/soak/attacks/standstill.ts';
import { ADA, BOSS, type LaunchedAdmission, launchAdmission } from './admission-rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'epistle-loop-'));
const file = join(folder, 'loop');
const STRANGER = { peer: '127.0.0.2', mailFrom: 'bounces@stranger.test' };
let rig: LaunchedAdmission;
/** 200 ms, or what this machine needs today for an ordinary mail of the same size. */
let boundMs = 200;

beforeAll(async () => {
  rig = await launchAdmission({}, {}, watched(file));
  // The threads start, and the first mail of a persona opens its database.
  await rig.mail({ from: BOSS, id: '<first@owner.test>' });
  await rig.mail({ from: 'x@stranger.test', id: '<first@stranger.test>', signedBy: null }, [ADA], STRANGER);
  const since = Date.now();
  await rig.send(Buffer.from(`${SIGNED}${head}\r\n${`${'QUJD'.repeat(19)}\r\n`.repeat(300_000)}`), [ADA], STRANGER);
  boundMs = Math.max(boundMs, 3 * (await standstillMs(since)));
});
afterAll(async () => {
  await rig.stop();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * The longest that the gateway's event loop computed at a stretch. What else it waited for (the disk, most of all) is the
 * machine's doing, unless it lasts.
 */
async function standstillMs(since: number): Promise<number> {
  const { own_ms, cpu_ms } = await standstillOver(file, since);
  return Math.max(cpu_ms, own_ms > LASTING_MS ? own_ms : 0);
}
const LASTING_MS = 5000;

/** The most memory that the gateway has held so far. */
function peakMb(): number {
  const status = readFileSync(`/proc/${rig.gateway.process.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

const signature = (tags: string) => `DKIM-Signature: v=1; a=rsa-sha256; d=stranger.test; s=k; bh=x; b=x; ${tags}\r\n`;
const SIGNED = signature('h=from; c=relaxed/relaxed');
const head = `From: x@stranger.test\r\nTo: ${ADA}\r\nDate: Mon, 02 Mar 2026 10:00:00 +0100\r\n`;
const MB = 1024 * 1024;

describe('H2: a stranger’s mail', () => {
  it.each<readonly [string, () => string]>([
    [
      'of 200 kB of folds',
      () => `${SIGNED}${head}Message-ID: <folds@stranger.test>\r\n${' \r\n'.repeat(66_000)}\r\nHi\r\n`,
    ],
    ['of folds behind a line of dashes', () => `${SIGNED}${head}--x\r\n${' \r\n'.repeat(66_000)}`],
    [
      'with 1000 signatures of different lengths',
      () =>
        `${Array.from({ length: 1000 }, (_, n) => signature(`h=from; l=${n}`)).join('')}${head}\r\n${'a\r\n'.repeat(33_000)}`,
    ],
    [
      'with 25,000 signed names',
      () => `${signature(`h=${'x:'.repeat(25_000)}`)}${'x: y\r\n'.repeat(12_500)}${head}\r\nHi\r\n`,
    ],
    ['of 100 kB of bare line feeds', () => `${SIGNED}${head}\r\n${'\n'.repeat(100_000)}.\r\n`],
    ['with a header of 2 MB', () => `${SIGNED}${'X: y\r\n'.repeat(350_000)}${head}\r\nHi\r\n`],
    ['of 24 MB of short lines', () => `${SIGNED}${head}\r\n${'a \r\n'.repeat(6 * MB)}`],
    [
      'of 24 MB of escapes',
      () => `${SIGNED}${head}Content-Transfer-Encoding: quoted-printable\r\n\r\n${'=41'.repeat(8 * MB)}\r\n`,
    ],
  ])('%s leaves the gateway alive, small and quick', async (_what, make) => {
    const bytes = Buffer.from(make(), 'latin1');
    const since = Date.now();
    const reply = await rig.send(bytes, [ADA], STRANGER);
    expect([250, 550]).toContain(reply.code);
    expect(await standstillMs(since)).toBeLessThan(boundMs);
    expect(peakMb()).toBeLessThan(600);
  });
});

describe('M1: four slow mails of a stranger', () => {
  it('do not keep the owner’s mail waiting', async () => {
    const declarations = Array.from({ length: 5000 }, (_, n) => `p${n}:1`).join(';');
    const styles = `<style>*{${declarations}}</style>${'<b>x</b>'.repeat(12_500)}`;
    const slow = (n: number) =>
      `${head}Message-ID: <slow${n}@stranger.test>\r\nContent-Type: text/html\r\n\r\n${styles}\r\n`;
    const answered: number[] = [];
    const strangers = [1, 2, 3, 4].map((n) =>
      rig.send(Buffer.from(slow(n)), [ADA], STRANGER).finally(() => answered.push(n)),
    );
    const begun = performance.now();
    const owner = await rig.mail({ from: BOSS, id: '<beside@owner.test>' });
    expect(owner.code).toBe(250);
    // A second where nothing else runs; on a busy machine at least not after all of them.
    if (performance.now() - begun > 5000) expect(answered.length).toBeLessThan(4);
    expect((await Promise.all(strangers)).map(({ code }) => code)).not.toContain(250);
  });
});

describe('H4: three mails of a domain whose name servers are silent', () => {
  it('cost one of them the wait, and the others are put off at once', async () => {
    rig.dns.fallSilent('silent.test');
    const send = async (n: number) => {
      const headers = [`DKIM-Signature: v=1; a=rsa-sha256; d=silent.test; s=k${n}; h=from; bh=x; b=x`];
      const raw = await rig.write({ from: 'x@silent.test', id: `<${n}@silent.test>`, signedBy: null, headers });
      const begun = performance.now();
      const { code } = await rig.send(raw, [ADA], { mailFrom: 'bounces@silent.test' });
      return { code, ms: performance.now() - begun };
    };
    const timesAsked = () => rig.dns.asked.filter((name) => name === 'silent.test').length;
    const first = await send(1);
    const before = timesAsked();
    const [second, third] = [await send(2), await send(3)];
    expect([first.code, second.code, third.code]).toEqual([451, 451, 451]);
    expect(before).toBeGreaterThan(0);
    expect(timesAsked()).toBe(before);
    expect(second.ms + third.ms).toBeLessThan(first.ms);
  });
});
