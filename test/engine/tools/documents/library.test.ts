import { expect, it } from 'vitest';
import type { Packed } from '../../../../engine/documents/packed.ts';
import { sha256 } from '../../../../engine/lib/ids.ts';
import type { DocumentKey, StoredDocument } from '../../../../engine/storage/types/mail.ts';
import { createLibrary } from '../../../../engine/tools/documents/library.ts';

const HOUR = 3_600_000;
const FILE = { sha256: sha256('bytes'), name: 'a.pdf', type: 'application/pdf', charset: null };
const FACTS = {
  kind: 'pdf' as const,
  title: null,
  note: null,
  pages: [0],
  tables: [],
  parts: [],
  tables_cut: false,
  totals: { pages: 1, characters: 5, tables: 0, rows: 0, parts: 0 },
};
const READ: Packed = { ok: true, facts: FACTS, text: new Uint8Array(Buffer.from('Hello')), tables: null };

function world(answer: Packed) {
  const rows = new Map<string, StoredDocument>();
  const blobs = new Map<string, Uint8Array>([[FILE.sha256, Buffer.from('bytes')]]);
  const key = ({ sha256: hash, part, hint }: DocumentKey) => `${hash} ${part} ${hint}`;
  const asked: string[] = [];
  let now = 0;
  const library = createLibrary({
    store: {
      findDocument: async (wanted) => rows.get(key(wanted)),
      keepDocument: async (document) => void rows.set(key(document), document),
    },
    artifacts: {
      get: async (hash: string) => blobs.get(hash) ?? new Uint8Array(),
      put(bytes: Uint8Array) {
        blobs.set(sha256(bytes), bytes);
        return sha256(bytes);
      },
    } as never,
    reader: {
      ask: async () => ({ kind: 'unreadable', why: 'it is none' }),
      async read({ part }) {
        asked.push(part ?? '');
        return answer;
      },
    },
    account: 'ada mia@x.test',
    now: () => now,
  });
  return {
    library,
    asked,
    rows,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

it('reads a document once, whatever it is called, and each file within it once', async () => {
  const { library, asked } = world(READ);
  const first = await library.open(FILE);
  const again = await library.open({ ...FILE, name: 'b.pdf' });
  expect(first.ok && (await first.text())).toBe('Hello');
  expect(again.ok && (await again.text())).toBe('Hello');
  await library.open({ ...FILE, part: 'inner.csv' });
  await library.open({ ...FILE, part: 'inner.csv' });
  expect(asked).toEqual(['', 'inner.csv']);
});

it('reads anew what another edition of the reader has read', async () => {
  const { library, asked, rows } = world(READ);
  await library.open(FILE);
  for (const [key, row] of rows) rows.set(key, { ...row, reader: 0 });
  await library.open(FILE);
  expect(asked).toHaveLength(2);
});

it('remembers why a document cannot be read, and tries one that was too slow again after an hour', async () => {
  const locked = world({ ok: false, refusal: { code: 'encrypted', message: 'encrypted' } });
  await locked.library.open(FILE);
  locked.wait(2 * HOUR);
  expect(await locked.library.open(FILE)).toMatchObject({ ok: false, refusal: { code: 'encrypted' } });
  expect(locked.asked).toHaveLength(1);

  const slow = world({ ok: false, refusal: { code: 'timeout', message: 'too slow' } });
  await slow.library.open(FILE);
  slow.wait(HOUR);
  await slow.library.open(FILE);
  expect(slow.asked).toHaveLength(1);
  slow.wait(1);
  await slow.library.open(FILE);
  expect(slow.asked).toHaveLength(2);
});
