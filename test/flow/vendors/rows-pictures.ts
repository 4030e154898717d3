import { deflateSync } from 'node:zlib';
import type { HttpAnswer } from '../../fakes/http-server.ts';
import { picturesTrue } from './checks.ts';
import type { Picture, Row } from './row.ts';
import { type Asked, picturesOf, refuses, says, type Wire } from './wire.ts';

const chunk = (type: string, data: Buffer): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data, Buffer.alloc(4)]);
};

export function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc(Math.min(width * height, 100_000) + height));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

export function jpeg(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  const scan = Buffer.from([
    0xff,
    0xda,
    0,
    12,
    3,
    1,
    0,
    2,
    0x11,
    3,
    0x11,
    0,
    63,
    0,
    ...Array.from({ length: 40 }, () => 7),
  ]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0x4a, 0x46]),
    frame,
    scan,
    Buffer.from([0xff, 0xd9]),
  ]);
}

const gif = (width: number, height: number): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    size,
    Buffer.from([0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 1, 0, 0, 0x3b]),
  ]);
};

const webp = (width: number, height: number): Buffer => {
  const body = Buffer.alloc(22);
  body.write('WEBPVP8X', 0, 'latin1');
  body.writeUInt32LE(10, 8);
  body.writeUIntLE(width - 1, 16, 3);
  body.writeUIntLE(height - 1, 19, 3);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
};

const heic = Buffer.concat([
  Buffer.from('000000186674797068656963', 'hex'),
  Buffer.from('0000000068656963mif1'),
  Buffer.alloc(300),
]);
const bmp = Buffer.concat([Buffer.from('BM'), Buffer.alloc(200)]);
const tiff = Buffer.concat([Buffer.from('49492a0008000000', 'hex'), Buffer.alloc(200)]);
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
const page = Buffer.from('<!doctype html><title>404</title>');

/** A vendor that looks at the bytes. */
const looks =
  (types: readonly string[] | undefined, seen: number, most = 8000) =>
  ({ wire, body }: Asked): HttpAnswer => {
    const there = picturesOf(body);
    if (!picturesTrue(wire, body, types === undefined ? undefined : [...types]))
      return refuses(wire, 400, 'Image does not match the provided media type');
    if (there.some(({ bytes }) => bytes.length < 60 || sideOf(bytes) > most || sideOf(bytes) === 0))
      return refuses(wire, 400, 'Could not process image');
    return there.length === seen ? says(wire) : says(wire, `I see ${there.length}.`);
  };

const sideOf = (bytes: Buffer): number =>
  bytes.subarray(1, 4).toString('latin1') === 'PNG' ? Math.max(bytes.readUInt32BE(16), bytes.readUInt32BE(20)) : 50;

const one = (name: string, type: string, bytes: Buffer): readonly Picture[] => [{ name, type, bytes }];

const FALSE: Readonly<Record<string, readonly [readonly Picture[], number]>> = {
  'jpeg-as-png': [one('a.png', 'image/png', jpeg(50, 50)), 1],
  'png-as-jpeg': [one('a.jpg', 'image/jpeg', png(50, 50)), 1],
  'webp-as-jpeg': [one('a.jpg', 'image/jpeg', Buffer.concat([webp(50, 50), Buffer.alloc(60)])), 1],
  'image-jpg': [one('a.jpg', 'image/jpg', jpeg(50, 50)), 1],
  'x-png': [one('a.png', 'image/x-png', png(50, 50)), 1],
  pjpeg: [one('a.jpg', 'image/pjpeg', jpeg(50, 50)), 1],
  heic: [one('a.heic', 'image/heic', heic), 0],
  'heic-as-jpeg': [one('a.jpg', 'image/jpeg', heic), 0],
  'page-as-png': [one('a.png', 'image/png', page), 0],
  empty: [one('a.png', 'image/png', Buffer.alloc(0)), 0],
  'cut-png': [one('a.png', 'image/png', png(50, 50).subarray(0, 40)), 0],
  'only-magic': [one('a.jpg', 'image/jpeg', Buffer.from('ffd8ffe0', 'hex')), 0],
  'no-pixels': [one('a.png', 'image/png', png(0, 0)), 0],
  'too-wide': [one('a.png', 'image/png', png(12_000, 4)), 0],
  bmp: [one('a.bmp', 'image/bmp', bmp), 0],
  tiff: [one('a.tif', 'image/tiff', tiff), 0],
  'svg-as-png': [one('a.png', 'image/png', svg), 0],
};

const heard = (all: readonly Asked[], wire: Wire, what: RegExp): void => {
  const last = all.at(-1);
  if (last === undefined || !what.test(last.text)) throw new Error(`${wire} was not told what is missing`);
};

export const PICTURE_ROWS: readonly Row[] = [
  ...Object.entries(FALSE).flatMap(([name, [pictures, seen]]) =>
    (['chat', 'anthropic', 'ollama'] as const).map(
      (wire): Row => ({
        id: `picture-${name}-${wire}`,
        wire,
        ends: seen === 0 ? 'left_out' : 'answered',
        pictures,
        answer: looks(undefined, seen),
        heard: (all) => (seen === 0 ? heard(all, wire, /left out|not shown/) : undefined),
      }),
    ),
  ),
  {
    id: 'picture-one-of-two-gemini',
    wire: 'gemini',
    ends: 'left_out',
    pictures: [...one('a.png', 'image/png', page), ...one('b.png', 'image/png', png(20, 20))],
    answer: looks(undefined, 1),
  },
  {
    id: 'picture-gif-gemini',
    wire: 'gemini',
    ends: 'left_out',
    pictures: one('a.gif', 'image/gif', Buffer.concat([gif(20, 20), Buffer.alloc(60)])),
    answer: looks(['image/png', 'image/jpeg', 'image/webp'], 0),
  },
  {
    id: 'picture-responses',
    wire: 'responses',
    ends: 'answered',
    pictures: one('a.png', 'image/png', jpeg(20, 20)),
    answer: looks(undefined, 1),
  },
  // A rule that nobody has written down.
  ...(['chat', 'anthropic', 'gemini', 'responses', 'ollama'] as const).map(
    (wire): Row => ({
      id: `picture-never-taken-${wire}`,
      wire,
      ends: 'left_out',
      pictures: one('a.png', 'image/png', png(60, 60)),
      answer: ({ wire: spoken, body }) =>
        picturesOf(body).length > 0
          ? refuses(spoken, wire === 'responses' ? 415 : 400, 'Bild nicht lesbar')
          : says(spoken),
    }),
  ),
  {
    id: 'picture-no-endpoint',
    wire: 'chat',
    ends: 'left_out',
    pictures: one('a.png', 'image/png', png(60, 60)),
    answer: ({ wire, body }) =>
      picturesOf(body).length > 0
        ? refuses(wire, 404, 'No endpoints found that support image input', { code: 404 })
        : says(wire),
  },
];
