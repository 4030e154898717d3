import { EngineError, type FilesCapability, TABLE_FILES, type TablesCapability } from '#contract';
import type { DocumentKind } from '../../documents/types.ts';
import { sha256 } from '../../lib/ids.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredAttachment, Viewer } from '../../storage/types/mail.ts';
import { answerTable } from '../../tables/answer-table.ts';
import type { TableSource } from '../../tables/source/tables-in.ts';
import { type Library, type LibraryEntry, openDocument } from '../documents/library.ts';
import { isReplaced, noAttachment } from './mail.ts';
import type { OpensFiles } from './outgoing-files.ts';
import { type Aside, putAside } from './outgoing-files.ts';

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

  /** `part`: the file within it that is asked about; empty: the attachment itself. */
  async function sourceOfAttachment(row: StoredAttachment, part: string): Promise<TableSource> {
    const name = part === '' ? row.name : part;
    const entry = await library.open({ ...row, part });
    if (!entry.ok) throw new EngineError('tool_failed', `${name} cannot be read: ${entry.refusal.message}`);
    const { kind, totals, tables_cut: isCut } = entry.facts;
    // Text that is longer than what is kept of it is read as a whole: a sum over a part of it is wrong.
    if (part === '' && AS_IT_STANDS.has(kind) && (isCut || totals.tables === 0)) {
      const { type, charset, sha256: hash } = row;
      return { name, type, charset, bytes: await artifacts.get(hash) };
    }
    return { name, type: 'text/markdown', bytes: Buffer.from(''), ...(await readTables(name, entry)) };
  }

  async function sourceOf(
    name: string,
  ): Promise<{ readonly source: TableSource; readonly source_sha256?: string; readonly said?: readonly string[] }> {
    if (name.trim().toLowerCase() === THIS_MAIL) {
      const text = (await store.messageById(message))?.text ?? '';
      return { source: { name: 'the mail', type: 'text/markdown', bytes: Buffer.from(text) } };
    }
    const [id = '', ...within] = name.split('/');
    const row = maySee('mail:read') ? await store.findAttachment(id, viewer) : undefined;
    if (row) {
      if (row.unreadable !== null)
        throw new EngineError('tool_failed', `${row.name} cannot be read: ${row.unreadable}`);
      return { source: await sourceOfAttachment(row, within.join('/')), said: isReplaced(row) };
    }
    if (!maySee('files:read')) throw noAttachment(name);
    const { bytes, isText } = await files.open(name);
    if (isText) return ofText(name, await files.read(name));
    const entry = await openDocument(library, { name, bytes });
    const found = ofText(name, await entry.text());
    return { ...found, source: { ...found.source, ...(await readTables(name, entry)) } };
  }

  return {
    async query(name, query) {
      const { source, said = [], ...about } = await sourceOf(name);
      const { answer } = await answerTable({ source, query, file: null }, signal);
      return { ...answer, ...about, notes: [...said, ...answer.notes] };
    },
    async attach(name, query, path) {
      if (!mayAttach)
        throw new EngineError('unsupported_runtime_action', 'nothing may be attached to the answer to this mail');
      const format = TABLE_FILES.find((one) => path.toLowerCase().endsWith(`.${one}`));
      if (format === undefined) throw new EngineError('invalid_arguments', 'the file has to be called .xlsx or .csv');
      const { source, said = [], ...about } = await sourceOf(name);
      const { answer, file } = await answerTable({ source, query, file: format }, signal);
      const { bytes, rows } = file ?? { bytes: new Uint8Array(), rows: 0 };
      if (bytes.length > MAX_BYTES)
        throw new EngineError(
          'invalid_arguments',
          `the file would have ${bytes.length} bytes; ${MAX_BYTES} at most fit`,
        );
      const notes = [...said, ...answer.notes];
      return {
        ...answer,
        ...about,
        notes,
        attached: { ...putAside(aside, { path, bytes, isText: format === 'csv' }), rows },
      };
    },
  };
}

/** The tables of a document, or its text where it has none. Throws `tool_failed` where it has more than were read. */
async function readTables(name: string, entry: LibraryEntry & { readonly ok: true }): Promise<Partial<TableSource>> {
  const { kind, totals, tables_cut: isCut, note } = entry.facts;
  if (isCut) throw new EngineError('tool_failed', `${name} has more than can be worked out: ${note ?? ''}`);
  if (totals.tables === 0) return { bytes: Buffer.from(await entry.text()) };
  const tables = await entry.tables();
  // What is one table goes by the name of its file.
  return { tables: kind === 'csv' ? tables.map((table) => ({ ...table, name })) : tables };
}

/** Its rows are those of its tables, where it has any, and else what its text has. */
function ofText(name: string, text: string) {
  const bytes = Buffer.from(text);
  return { source: { name, type: '', bytes }, source_sha256: sha256(bytes) };
}
