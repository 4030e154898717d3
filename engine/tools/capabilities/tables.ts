import { EngineError, type FilesCapability, TABLE_FILES, type TablesCapability } from '#contract';
import type { DocumentKind } from '../../documents/types.ts';
import { sha256 } from '../../lib/ids.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredAttachment, Viewer } from '../../storage/types/mail.ts';
import { answerTable } from '../../tables/answer-table.ts';
import type { Source } from '../../tables/source/tables-in.ts';
import { type Library, openDocument } from '../documents/library.ts';
import { type Aside, putAside } from './attach.ts';
import type { OpensFiles } from './outgoing-files.ts';

const AS_IT_STANDS: ReadonlySet<DocumentKind> = new Set(['csv', 'html', 'markdown', 'text']);
/** As much as a file of the persona that is attached. */
const MAX_BYTES = 10 * 1024 * 1024;
/** The mail that is answered, as a source. */
const THIS_MAIL = 'mail';

/** Tables of what the sender of the current mail may see: one tool over mail and files sees no more of either than theirs do. */
export function createTables(options: {
  readonly store: Pick<Store, 'findAttachment' | 'messageById'>;
  readonly artifacts: Pick<Blobs, 'get'>;
  readonly library: Library;
  readonly files: Pick<FilesCapability, 'read'> & OpensFiles;
  readonly viewer: Viewer;
  /** The id of the mail that is answered. */
  readonly message: string;
  maySee(scope: 'mail:read' | 'files:read'): boolean;
  /** Whether the answer to this mail may carry files. */
  readonly mayAttach: boolean;
  readonly aside: Aside;
  readonly signal: AbortSignal;
}): TablesCapability {
  const { store, artifacts, library, files, viewer, message, maySee, mayAttach, aside, signal } = options;

  async function sourceOfAttachment(row: StoredAttachment): Promise<Source> {
    const { name, type, sha256: hash } = row;
    const entry = await library.open(row);
    if (!entry.ok) throw new EngineError('tool_failed', `${name} cannot be read: ${entry.refusal.message}`);
    // Rows are read from the bytes: the text of a long file is cut, and a sum over a part of it is wrong.
    if (AS_IT_STANDS.has(entry.facts.kind)) return { name, type, bytes: await artifacts.get(hash) };
    const tables = entry.facts.totals.tables > 0 ? await entry.tables() : [];
    return { name, type: 'text/markdown', bytes: Buffer.from(tables.length > 0 ? '' : await entry.text()), tables };
  }

  async function sourceOf(name: string): Promise<{ readonly source: Source; readonly source_sha256?: string }> {
    if (name.trim().toLowerCase() === THIS_MAIL) {
      const text = (await store.messageById(message))?.text ?? '';
      return { source: { name: 'the mail', type: 'text/markdown', bytes: Buffer.from(text) } };
    }
    const row = maySee('mail:read') ? await store.findAttachment(name, viewer) : undefined;
    if (row) {
      if (row.unreadable !== null)
        throw new EngineError('tool_failed', `${row.name} cannot be read: ${row.unreadable}`);
      return { source: await sourceOfAttachment(row) };
    }
    if (!maySee('files:read')) throw notFound(name);
    const { bytes, isText } = await files.open(name);
    if (isText) return ofText(name, await files.read(name));
    const entry = await openDocument(library, { name, bytes });
    const tables = await entry.tables();
    const found = ofText(name, await entry.text());
    return tables.length === 0 ? found : { ...found, source: { ...found.source, tables } };
  }

  return {
    async query(name, query) {
      const { source, ...about } = await sourceOf(name);
      const { answer } = await answerTable({ source, query, file: null }, signal);
      return { ...answer, ...about };
    },
    async attach(name, query, path) {
      if (!mayAttach)
        throw new EngineError('unsupported_runtime_action', 'nothing may be attached to the answer to this mail');
      const format = TABLE_FILES.find((one) => path.toLowerCase().endsWith(`.${one}`));
      if (format === undefined) throw new EngineError('invalid_arguments', 'the file has to be called .xlsx or .csv');
      const { source, ...about } = await sourceOf(name);
      const { answer, file } = await answerTable({ source, query, file: format }, signal);
      const { bytes, rows } = file ?? { bytes: new Uint8Array(), rows: 0 };
      if (bytes.length > MAX_BYTES)
        throw new EngineError(
          'invalid_arguments',
          `the file would have ${bytes.length} bytes; ${MAX_BYTES} at most fit`,
        );
      return { ...answer, ...about, attached: { ...putAside(aside, { path, bytes, isText: format === 'csv' }), rows } };
    },
  };
}

/** Its rows are those of its tables, where it has any, and else what its text has. */
function ofText(name: string, text: string) {
  const bytes = Buffer.from(text);
  return { source: { name, type: '', bytes }, source_sha256: sha256(bytes) };
}

const notFound = (name: string): EngineError =>
  new EngineError('not_found', `there is no attachment ${name.slice(0, 100)} in the mail that this sender may see`);
