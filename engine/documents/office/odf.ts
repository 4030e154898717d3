import type { Content, NamedText, Reading } from '../reading.ts';
import { Refused } from '../refused.ts';
import type { Table } from '../types.ts';
import type { Archive } from '../zip/archive.ts';
import { createFlow, type TextFlow } from './flow.ts';
import { attribute, readPart, titleOf } from './package.ts';

/** Changes that were made and may be taken back, comments' drawings, and what a sheet keeps for itself. */
const UNSEEN = [
  'tracked-changes',
  'forms',
  'variable-decls',
  'sequence-decls',
  'annotation',
  'note-citation',
  'title',
  'desc',
];
const MAX_REPEATED_COLUMNS = 64;

/** An OpenDocument text in the order of reading, with the lines at the head and the foot of its pages. */
export async function readOdt(archive: Archive, reading: Reading): Promise<Content> {
  await refuseEncrypted(archive, reading);
  const body = createFlow(reading);
  const { notes } = await readStory(archive, 'content.xml', 'text', body, reading);
  const header = createFlow(reading);
  await readStory(archive, 'styles.xml', 'header', header, reading);
  const footer = createFlow(reading);
  await readStory(archive, 'styles.xml', 'footer', footer, reading);
  const { text, tables } = body.finish();
  const texts = [header.finish().text, text, notes.join('\n'), footer.finish().text];
  return {
    kind: 'odt',
    ...(await titleOf(archive, reading, 'meta.xml')),
    text: texts.filter((each) => each !== '').join('\n\n'),
    tables,
  };
}

/** The slides of an OpenDocument presentation, each with its notes. */
export async function readOdp(archive: Archive, reading: Reading): Promise<Content> {
  await refuseEncrypted(archive, reading);
  const pages: NamedText[] = [];
  const tables: Table[] = [];
  const all: TextFlow[] = [];
  await readStory(archive, 'content.xml', 'presentation', createFlow(reading), reading, () => {
    const flow = createFlow(reading);
    all.push(flow);
    return flow;
  });
  for (const flow of all.slice(0, reading.limits.maxPages)) {
    const page = flow.finish();
    pages.push({ text: page.text });
    tables.push(...page.tables.map(({ rows }, index) => ({ name: `table ${tables.length + index + 1}`, rows })));
  }
  return {
    kind: 'odp',
    ...(await titleOf(archive, reading, 'meta.xml')),
    paged: { word: 'slide', pages },
    tables,
  };
}

/** A document that opens with a password keeps its parts under their names, and none of them is XML. */
export async function refuseEncrypted(archive: Archive, reading: Reading): Promise<void> {
  await readPart(archive, 'META-INF/manifest.xml', reading, {
    open: {
      'encryption-data'() {
        throw new Refused('encrypted', 'it opens with a password');
      },
    },
  });
}

/** Reads what lies in the element `root` into `flow`; each slide into one of its own. */
async function readStory(
  archive: Archive,
  part: string,
  root: string,
  start: TextFlow,
  reading: Reading,
  nextPage?: () => TextFlow,
): Promise<{ readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const paragraphs: string[] = [];
  const lists: { isNew: boolean }[] = [];
  const links: string[] = [];
  let flow = start;
  let inside = 0;
  let note: { mark: string; text: string } | null = null;
  let isTitle = false;
  const write = (text: string) => {
    if (note) note.text += text;
    else flow.text(text);
  };
  const begin = (prefix: string) => {
    if (note) return;
    // A frame with text stands within a paragraph and has paragraphs of its own.
    if (paragraphs.length > 0) flow.endParagraph();
    paragraphs.push(prefix);
  };
  const end = () => {
    if (note) note.text += ' ';
    else flow.endParagraph(paragraphs.pop());
  };

  function itemMark(): string {
    const list = lists.at(-1);
    if (!list?.isNew) return '';
    list.isNew = false;
    return `${'  '.repeat(lists.length - 1)}- `;
  }

  await readPart(archive, part, reading, {
    skip: UNSEEN,
    isDone: () => flow.isFull(),
    open: {
      [root]() {
        inside += 1;
      },
      page() {
        if (nextPage) flow = nextPage();
      },
      notes: () => flow.endParagraph(),
      frame(attributes) {
        isTitle = attribute(attributes, 'class') === 'title';
      },
      h: (attributes) => begin(`${'#'.repeat(Math.min(6, Number(attribute(attributes, 'outline-level')) || 1))} `),
      p: () => begin(isTitle ? '# ' : itemMark()),
      list: () => void lists.push({ isNew: false }),
      'list-item'() {
        const list = lists.at(-1);
        if (list) list.isNew = true;
      },
      s: (attributes) => write(' '.repeat(Math.min(100, Number(attribute(attributes, 'c')) || 1))),
      tab: () => write('\t'),
      'line-break': () => write('\n'),
      a: (attributes) => void links.push(attribute(attributes, 'href') ?? ''),
      note(attributes) {
        const mark = `[^${attribute(attributes, 'id')?.replace(/^\D+/, '') ?? notes.length + 1}]`;
        flow.text(mark);
        note = { mark, text: '' };
      },
      table: () => flow.openTable(),
      'table-row': () => flow.openRow(),
      'table-cell': () => flow.openCell(),
      'covered-table-cell'(attributes) {
        const times = Number(attribute(attributes, 'number-columns-repeated')) || 1;
        for (let cell = 0; cell < Math.min(times, MAX_REPEATED_COLUMNS); cell += 1) {
          flow.openCell({ isCovered: true });
          flow.closeCell();
        }
      },
    },
    close: {
      [root]() {
        inside -= 1;
      },
      frame() {
        isTitle = false;
      },
      h: end,
      p: end,
      list: () => void lists.pop(),
      a() {
        const target = links.pop() ?? '';
        if (/^(?:https?|mailto):/i.test(target)) write(` [${target.replace(/^mailto:/i, '')}]`);
      },
      note() {
        if (note) notes.push(`${note.mark}: ${note.text.trim()}`);
        note = null;
      },
      table: () => flow.closeTable(),
      'table-cell': () => flow.closeCell(),
    },
    text(text) {
      if (inside > 0 && (note || paragraphs.length > 0)) write(text.replace(/[\t\n\r ]+/g, ' '));
    },
  });
  return { notes };
}
