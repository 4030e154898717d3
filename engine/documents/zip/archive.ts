import type { Readable } from 'node:stream';
import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import type { Reading } from '../reading.ts';
import { Refused } from '../refused.ts';

interface ArchiveEntry {
  /** As it stands in the archive, with `/`; never used as a path of this machine. */
  readonly name: string;
  /** As the archive says; checked when it is unpacked. */
  readonly bytes: number;
  readonly isEncrypted: boolean;
}

export interface Archive {
  /** Without folders. */
  readonly entries: readonly ArchiveEntry[];
  has(name: string): boolean;
  /** Unpacked piece by piece, so that a reader can stop. Throws `Refused`. */
  stream(name: string): AsyncIterable<Uint8Array>;
  bytes(name: string): Promise<Uint8Array>;
}

/** A ZIP file; names and sizes are checked by yauzl, what is unpacked is counted. Throws `Refused`. */
export async function openArchive(bytes: Uint8Array, reading: Reading): Promise<Archive> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await fromBufferPromise(buffer, { lazyEntries: true, decodeStrings: false }).catch(asBroken);
  if (zip.entryCount > reading.limits.maxEntries) {
    throw new Refused('bomb', `its archive holds ${zip.entryCount} files, ${reading.limits.maxEntries} are read`);
  }
  const found = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      // Of two entries of one name programs disagree on which counts; here the first does.
      if (name !== '' && !name.endsWith('/') && !found.has(name)) found.set(name, entry);
    }
  } catch (error) {
    if (found.size === 0) asBroken(error);
    reading.note('Its archive is damaged; only the files before the damage could be read.');
  }

  async function* stream(name: string): AsyncGenerator<Uint8Array> {
    const entry = found.get(name);
    if (!entry) throw new Refused('broken', 'a part of it is missing');
    if (entry.isEncrypted()) throw new Refused('encrypted', 'it opens with a password');
    // Up to the limit, it would take most of the time that a document may take.
    if (isBomb(entry, reading.limits.maxUnpackedBytes)) reading.unpacked(entry.uncompressedSize);
    const source = await open(zip, entry);
    try {
      for await (const chunk of source) {
        const piece: Uint8Array = chunk;
        reading.unpacked(piece.byteLength);
        yield piece;
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
      throw new Refused('broken', 'a part of it is damaged');
    } finally {
      source.destroy();
    }
  }

  return {
    entries: [...found].map(([name, entry]) => ({
      name,
      bytes: entry.uncompressedSize,
      isEncrypted: entry.isEncrypted(),
    })),
    has: (name) => found.has(name),
    stream,
    async bytes(name) {
      const pieces: Uint8Array[] = [];
      let bytes = 0;
      for await (const piece of stream(name)) {
        bytes += piece.byteLength;
        // What lies in memory whole is no larger than a document may be.
        if (bytes > reading.limits.maxBytes)
          throw new Refused('bomb', 'a file in it unpacks to more than is read of one');
        pieces.push(piece);
      }
      return new Uint8Array(Buffer.concat(pieces));
    },
  };
}

/** What people write is packed into a twentieth at most. */
const MOST_PACKED = 200;
const isBomb = ({ uncompressedSize, compressedSize }: Entry, most: number): boolean =>
  uncompressedSize > most && uncompressedSize > MOST_PACKED * compressedSize;

const UTF8_NAMES = 0x800;

/** Without steps out of the archive. In UTF-8 where the bytes are that, as programs write it without saying so. */
function nameOf({ generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields }: Entry): string {
  const isUtf8 = !new TextDecoder().decode(raw).includes('\ufffd');
  const name = getFileNameLowLevel(isUtf8 ? flags | UTF8_NAMES : flags, raw, extraFields, true);
  const steps = name.replaceAll('\\', '/').split('/');
  return steps
    .filter((step, at) => step !== '..' && step !== '.' && (step !== '' || at === steps.length - 1))
    .join('/');
}

async function open(zip: ZipFile, entry: Entry): Promise<Readable> {
  try {
    return await zip.openReadStreamPromise(entry);
  } catch {
    throw new Refused('broken', 'a part of it cannot be unpacked');
  }
}

function asBroken(error: unknown): never {
  if (error instanceof Refused) throw error;
  throw new Refused('broken', 'its archive is damaged or incomplete');
}
