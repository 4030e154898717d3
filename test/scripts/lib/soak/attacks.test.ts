import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openAnswers } from '../../../../scripts/lib/soak/attacks/answers.ts';
import { keptIn, keptSince } from '../../../../scripts/lib/soak/attacks/kept.ts';
import { SHAPES } from '../../../../scripts/lib/soak/attacks/shapes/all.ts';
import { standstillSince, startControl } from '../../../../scripts/lib/soak/attacks/standstill.ts';
import { p95 } from '../../../../scripts/lib/soak/flood/flood-run.ts';
import { KINDS, LARGE, SILENT } from '../../../../scripts/lib/soak/flood/kinds.ts';
import { seededRandom } from '../../../../scripts/lib/soak/random.ts';
import { eventually } from '../../../flow/eventually.ts';

const folder = mkdtempSync(join(tmpdir(), 'epistle-soak-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the shapes of hostile mail', () => {
  const BYTES = 200_000;

  it('are more than sixty, no two alike', () => {
    const mails = Object.values(SHAPES).map((shape) => `${shape.admitted}${shape.make(BYTES)}`);
    expect(mails.length).toBeGreaterThan(60);
    expect(new Set(mails).size).toBe(mails.length);
  });

  it('come as near to the size that is asked for as they can, and never far above it', () => {
    const small = ['signatures-silent', 'css-comments', 'css-braces', 'css-media', 'css-strings', 'css-escapes'];
    for (const [name, shape] of Object.entries(SHAPES)) {
      const { length } = shape.make(BYTES);
      expect([name, length < BYTES + 4096]).toEqual([name, true]);
      if (!small.includes(name)) expect([name, length > 0.7 * BYTES]).toEqual([name, true]);
    }
  });

  it('are mails of a stranger to a persona, as bytes', () => {
    for (const [name, shape] of Object.entries(SHAPES)) {
      const text = shape.make(BYTES);
      expect([name, /evil\.test/.test(text), /[^\0-\xff]/.test(text)]).toEqual([name, true, false]);
    }
  });
});

describe('the kinds of a flood', () => {
  it('are mails of their own each time', () => {
    const random = seededRandom(1);
    for (const [name, kind] of Object.entries({ ...KINDS, ...SILENT, ...LARGE })) {
      const [first, second] = [kind(random, 1), kind(random, 2)];
      expect([name, first.raw.equals(second.raw)]).toEqual([name, false]);
    }
  });
});

describe('watching an event loop', () => {
  it('tells the longest standstill of its time, and what of it was its own doing', () => {
    const file = join(folder, 'told');
    writeFileSync(file, `${Date.now()} 250.0 240.0 5.0\n${Date.now()} 900.0 20.0 700.0\n1 5000.0 5000.0 0.0\n`);
    expect(standstillSince(file, Date.now() - 60_000)).toEqual({ late_ms: 900, cpu_ms: 240, own_ms: 245 });
  });

  it('sees a loop that has not turned for a while, and one that turns', async () => {
    const file = join(folder, 'loop');
    const beat = (at: number) => writeFileSync(`${file}.beat`, Buffer.from(new Float64Array([at]).buffer));
    beat(Date.now() - 60_000);
    expect(standstillSince(file, Date.now()).late_ms).toBeGreaterThan(59_000);
    const control = startControl(file);
    try {
      await eventually(
        () => standstillSince(file, Date.now() + 1000),
        ({ late_ms }) => late_ms === 0,
      );
    } finally {
      await control.stop();
    }
  });
});

describe('looking at what was kept', () => {
  it('names new files and leaves out databases and small ones', () => {
    const data = join(folder, 'kept');
    const before = keptIn(data);
    expect(before.bytes).toBe(0);
    const answers = mkdtempSync(join(folder, 'data-'));
    writeFileSync(join(answers, 'a.eml'), 'a'.repeat(1000));
    writeFileSync(join(answers, 'b.db'), 'a'.repeat(1000));
    writeFileSync(join(answers, 'b.db-wal'), 'a'.repeat(9000));
    writeFileSync(join(answers, 'c.eml'), 'a');
    expect(keptSince(before, keptIn(answers), 100)).toEqual(['a.eml']);
    expect(keptIn(answers).bytes).toBe(2001);
  });

  it('finds the answer to a mail, and counts notices', () => {
    const outgoing = mkdtempSync(join(folder, 'outgoing-'));
    writeFileSync(join(outgoing, '1.eml'), 'X-Envelope-From: a\r\nX-Envelope-To: b\r\nIn-Reply-To: <a@b>\r\n\r\nHi');
    writeFileSync(join(outgoing, '2.eml'), 'X-Epistle-Kind: notice\r\nSubject: Full\r\n\r\nHi');
    const answers = openAnswers(outgoing);
    expect([answers.has('<a@b>'), answers.has('<x@b>'), answers.notices()]).toEqual([true, false, ['Full']]);
  });

  it('knows the time that nineteen of twenty stay below', () => {
    expect(p95(Array.from({ length: 100 }, (_, n) => n))).toBe(95);
    expect(p95([])).toBe(0);
  });
});
