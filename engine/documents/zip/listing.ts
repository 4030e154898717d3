import type { Content, OpenPart } from '../reading.ts';
import { Refused } from '../refused.ts';
import type { Archive } from './archive.ts';

/** An archive as the list of its files, which can be read each by its name. Throws `Refused` when all are locked. */
export function listArchive(archive: Archive): Content {
  const { entries } = archive;
  if (entries.length === 0) return { kind: 'zip', text: 'The archive is empty.' };
  if (entries.every(({ isEncrypted }) => isEncrypted)) throw new Refused('encrypted', 'it opens with a password');
  const parts = entries.map(
    ({ name, bytes }): OpenPart => ({ name, type: '', bytes, open: () => archive.bytes(name) }),
  );
  const lines = entries.map(
    ({ name, bytes, isEncrypted }) => `${name}, ${bytes} bytes${isEncrypted ? ', encrypted' : ''}`,
  );
  return { kind: 'zip', text: lines.join('\n'), parts };
}
