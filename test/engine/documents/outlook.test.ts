import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unpackedRtf } from '../../../engine/documents/mail/msg.ts';
import { readDocument } from '../../../engine/documents/read.ts';

const bytesOf = (file: string) => new Uint8Array(readFileSync(new URL(`files/${file}`, import.meta.url)));

/** `outlook.py` writes these files by the specification, in a compound file of another program. */
async function read(part: string): Promise<string> {
  const outcome = await readDocument({ bytes: bytesOf('outlook-nested.msg'), name: 'a.msg', type: '', part });
  return outcome.ok ? outcome.document.text : outcome.refusal.message;
}

describe('a mail of Outlook', () => {
  it('opens into the mail within it and the files of both', async () => {
    const inner = await read('The original.msg');
    expect(inner).toContain('From: Nina Holt <nina@holt.example>');
    expect(inner).toContain('Forty-two sails were ordered.');
    expect(await read('The original.msg/sails größe.csv')).toContain('Genoa');
    expect((await read('note for Ada.txt')).match(/seventeen/g)).toHaveLength(400);
  });

  it('is read as far as it goes, or refused, wherever it is cut or altered', async () => {
    const whole = bytesOf('outlook-rtf-html.msg');
    for (let at = 0; at < whole.length; at += 97) {
      const altered = whole.slice();
      altered[at] = (altered[at] ?? 0) ^ 0x5a;
      for (const bytes of [altered, whole.slice(0, at)]) {
        const outcome = await readDocument({ bytes, name: 'a.msg', type: '' });
        expect(typeof outcome.ok).toBe('boolean');
      }
    }
  });
});

describe('packed text of a mail', () => {
  const packed = (size: number, body: readonly number[]) => {
    const head = Buffer.alloc(16);
    head.writeUInt32LE(body.length + 12, 0);
    head.writeUInt32LE(size, 4);
    head.write('LZFu', 8, 'latin1');
    return new Uint8Array([...head, ...body]);
  };

  it('takes no more room than it can fill', () => {
    expect(() => unpackedRtf(packed(2 ** 31, [0, 65]), () => {})).toThrow('cannot be unpacked');
    expect(() => unpackedRtf(new Uint8Array(4), () => {})).toThrow('cannot be unpacked');
  });

  it('counts what comes out, and ends where it is cut', () => {
    const counted: number[] = [];
    // `{\rtf1` from the window, then a letter, then nothing.
    const text = unpackedRtf(packed(40, [1, 0x00, 0x04, 0x41]), (bytes) => counted.push(bytes));
    expect(Buffer.from(text).toString('latin1')).toBe('{\\rtf1A');
    expect(counted).toEqual([40]);
  });
});
