import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Collected, createCollector } from '../../../../engine/gateway/smtp/listener.ts';
import { createBatchedFsync } from '../../../../engine/storage/batched-fsync.ts';
import { scriptedClock } from '../../../fakes/scripted-clock.ts';

const MIB = 1024 * 1024;
const ROOM = { maxHeldBytes: 64 * MIB, forSmallBytes: 0, reservedBytes: 0, maxHeldBytesPerAddress: 64 * MIB };
const BOUNDS = { ...ROOM, graceMs: 10_000, maxBytes: 8 * MIB, dataMs: 60_000, bytesPerSecond: 1e12 };
const SENDER = { id: 'one', address: '192.0.2.1', isTrusted: true };

function collectorWith() {
  return createCollector(BOUNDS, { clock: scriptedClock(), cut: () => {} });
}

function* pieces(mail: Buffer, size: number) {
  for (let at = 0; at < mail.length; at += size) yield mail.subarray(at, at + size);
}
const arriving = (mail: Buffer, size = 40_009) => Readable.from(pieces(mail, size), { objectMode: false });

describe('a mail that was collected', () => {
  it.each([0, 1, 16 * 1024, MIB - 1, MIB, MIB + 1, 3 * MIB + 7, 8 * MIB])('is whole: %i bytes', async (length) => {
    const mail = randomBytes(length);
    const whole = await collectorWith().collect(arriving(mail), SENDER, async (raw) => mail.equals(raw));
    expect(whole).toEqual({ ok: true, result: true });
  });

  it('is whole until whoever uses it is done, however long that takes', async () => {
    const mail = randomBytes(3 * MIB);
    const { collect, heldBytes } = collectorWith();
    const looked = await collect(arriving(mail), SENDER, async (raw) => {
      await collect(arriving(randomBytes(3 * MIB)), SENDER, async () => {});
      return { isWhole: mail.equals(raw), isCounted: heldBytes() >= mail.length };
    });
    expect(looked).toEqual({ ok: true, result: { isWhole: true, isCounted: true } });
  });

  it('is whole on the disk', async () => {
    const mail = randomBytes(3 * MIB);
    const folder = mkdtempSync(join(tmpdir(), 'epistle-collect-'));
    const path = join(folder, 'mail');
    await collectorWith().collect(arriving(mail), SENDER, (raw) => createBatchedFsync()(folder, path, raw));
    const isWhole = mail.equals(readFileSync(path));
    rmSync(folder, { recursive: true });
    expect(isWhole).toBe(true);
  });

  it.each([100, 3 * MIB])('leaves no memory behind: %i bytes', async (length) => {
    const { collect, heldBytes } = collectorWith();
    const given = await collect(arriving(randomBytes(length)), SENDER, async (raw) => raw);
    expect(given).toMatchObject({ ok: true });
    expect(bytesOf(given)).toMatchObject({ length: 0, buffer: { detached: true } });
    expect(heldBytes()).toBe(0);
  });

  it('leaves no memory behind when it could not be used', async () => {
    const seen: Uint8Array[] = [];
    const failed = collectorWith().collect(arriving(randomBytes(3 * MIB)), SENDER, async (raw) => {
      seen.push(raw);
      throw new Error('the disk is full');
    });
    await expect(failed).rejects.toThrow('the disk is full');
    expect(seen[0]).toHaveLength(0);
  });
});

const bytesOf = (collected: Collected<Uint8Array>) => (collected.ok ? collected.result : null);
