/** What the bytes of a picture are, whatever their name and declared type say. */
export interface PictureFacts {
  /** Null: no picture that is known. */
  readonly type: string | null;
  /** In pixels; null where it cannot be read. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** It has an end, as its format marks one. */
  readonly isWhole: boolean;
}

const NONE: PictureFacts = { type: null, size: null, isWhole: false };

/** Reads what a picture says of itself: first bytes, size and end. Of hostile bytes it reads no more than there are. */
export function readPicture(bytes: Buffer): PictureFacts {
  const ascii = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (bytes.length < 12) return NONE;
  if (ascii(0, 8) === '\x89PNG\r\n\x1a\n') return pngFacts(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return jpegFacts(bytes);
  if (ascii(0, 6) === 'GIF87a' || ascii(0, 6) === 'GIF89a') {
    return {
      type: 'image/gif',
      size: sizeOf(bytes.readUInt16LE(6), bytes.readUInt16LE(8)),
      isWhole: bytes.length > 13,
    };
  }
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return webpFacts(bytes);
  if (ascii(4, 8) === 'ftyp') return { type: boxType(ascii(8, 12)), size: null, isWhole: true };
  if (ascii(0, 2) === 'BM') return { type: 'image/bmp', size: null, isWhole: true };
  if (ascii(0, 4) === 'II*\0' || ascii(0, 4) === 'MM\0*') return { type: 'image/tiff', size: null, isWhole: true };
  return NONE;
}

const sizeOf = (width: number, height: number) => ({ width, height });

const boxType = (brand: string): string | null => {
  if (brand === 'avif' || brand === 'avis') return 'image/avif';
  return /^(hei[cxms]|hev[cx]|mif1|msf1)$/.test(brand) ? 'image/heic' : null;
};

function pngFacts(bytes: Buffer): PictureFacts {
  const type = 'image/png';
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return { type, size: null, isWhole: false };
  const size = sizeOf(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  return { type, size, isWhole: bytes.lastIndexOf('IEND', undefined, 'latin1') > 32 };
}

/** Segment by segment, up to the frame that has the size. */
function jpegFacts(bytes: Buffer): PictureFacts {
  const isWhole = bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > 2;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) break;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { type: 'image/jpeg', size: sizeOf(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)), isWhole };
    }
    if (marker === 0xda) break;
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return { type: 'image/jpeg', size: null, isWhole: false };
}

function webpFacts(bytes: Buffer): PictureFacts {
  const type = 'image/webp';
  const isWhole = bytes.readUInt32LE(4) + 8 <= bytes.length;
  const kind = bytes.toString('latin1', 12, 16);
  if (bytes.length < 30) return { type, size: null, isWhole: false };
  if (kind === 'VP8X') return { type, size: sizeOf(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1), isWhole };
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21);
    return { type, size: sizeOf((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1), isWhole };
  }
  return { type, size: sizeOf(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff), isWhole };
}
