import type { Content, Reading } from '../reading.ts';
import type { Archive } from '../zip/archive.ts';
import type { Attributes } from '../zip/xml.ts';
import { createFlow } from './flow.ts';
import { type Numbering, readNumbering } from './numbering.ts';
import { attribute, type Related, readPart, relatedOf, titleOf } from './package.ts';
import { readWordStyles, type WordStyle } from './word-styles.ts';

/** What Word keeps beside the text that it shows: what was deleted or moved away, and the same drawing once more. */
const UNSEEN = ['del', 'moveFrom', 'Fallback', 'pPrChange', 'rPrChange', 'tcPrChange', 'instrText', 'tabs'];
/** Parts whose notes are told at the end, with the element of each. */
const NOTES: readonly (readonly [part: string, element: string])[] = [
  ['word/footnotes.xml', 'footnote'],
  ['word/endnotes.xml', 'endnote'],
  ['word/comments.xml', 'comment'],
];
const MAX_MARGINS = 20;

/** A Word document in the order of reading: headings, lists and tables as Markdown, notes at its end. */
export async function readDocx(archive: Archive, reading: Reading): Promise<Content> {
  const styles = await readWordStyles(archive, reading);
  const numbering = await readNumbering(archive, reading);
  const story = (name: string) => readStory(archive, name, { styles, numbering, reading });
  const related = [...(await relatedOf(archive, 'word/document.xml', reading)).values()];
  const margin = async (type: string) => {
    const texts = new Set<string>();
    for (const { target } of related.filter((each) => each.type === type).slice(0, MAX_MARGINS)) {
      texts.add((await story(target)).text);
    }
    return [...texts].filter((text) => text !== '').join('\n');
  };
  const header = await margin('header');
  const body = await story('word/document.xml');
  const notes: string[] = [];
  for (const [part, element] of NOTES) notes.push(...(await readNotes(archive, part, element, reading)));
  return {
    kind: 'docx',
    ...(await titleOf(archive, reading)),
    text: [header, body.text, notes.join('\n'), await margin('footer')].filter((text) => text !== '').join('\n\n'),
    tables: body.tables,
  };
}

interface StoryContext {
  readonly styles: ReadonlyMap<string, WordStyle>;
  readonly numbering: Numbering;
  readonly reading: Reading;
}

interface Paragraph {
  style: string;
  list: string | null;
  level: number | null;
  outline: number;
}

async function readStory(archive: Archive, name: string, { styles, numbering, reading }: StoryContext) {
  const flow = createFlow(reading);
  const links = await relatedOf(archive, name, reading);
  const paragraphs: Paragraph[] = [];
  const targets: string[] = [];
  let isText = false;
  let isHidden = false;
  let cell: { columns: number; isCovered: boolean } | null = null;

  /** A cell is opened by its first content, when its properties are known. */
  const enterCell = () => {
    if (cell) flow.openCell(cell);
    cell = null;
  };
  const ofParagraph = (take: (paragraph: Paragraph, value: string) => void) => (attributes: Attributes) => {
    const paragraph = paragraphs.at(-1);
    if (paragraph) take(paragraph, attribute(attributes, 'val') ?? '');
  };
  const noteMark = (letter: string) => (attributes: Attributes) =>
    flow.text(`[^${letter}${attribute(attributes, 'id') ?? ''}]`);
  const breakLine = () => flow.text('\n');

  function prefixOf({ style, list, level, outline }: Paragraph): string {
    const { heading = 0, list: own = null } = styles.get(style) ?? {};
    const depth = outline || heading;
    const id = list ?? own?.id ?? '0';
    const mark = id === '0' ? '' : numbering.markOf(id, level ?? own?.level ?? 0);
    return depth > 0 ? `${'#'.repeat(Math.min(depth, 6))} ${mark.trimStart()}` : mark;
  }

  await readPart(archive, name, reading, {
    skip: UNSEEN,
    isDone: flow.isFull,
    open: {
      tbl() {
        enterCell();
        flow.openTable();
      },
      tr: flow.openRow,
      tc() {
        cell = { columns: 1, isCovered: false };
      },
      gridSpan(attributes) {
        if (cell) cell.columns = Math.max(1, Number(attribute(attributes, 'val')) || 1);
      },
      vMerge(attributes) {
        if (cell) cell.isCovered = attribute(attributes, 'val') !== 'restart';
      },
      p() {
        enterCell();
        // A text box stands within a paragraph and has paragraphs of its own.
        if (paragraphs.length > 0) flow.endParagraph();
        paragraphs.push({ style: '', list: null, level: null, outline: 0 });
      },
      pStyle: ofParagraph((paragraph, value) => {
        paragraph.style = value;
      }),
      numId: ofParagraph((paragraph, value) => {
        paragraph.list = value;
      }),
      ilvl: ofParagraph((paragraph, value) => {
        paragraph.level = Number(value) || 0;
      }),
      outlineLvl: ofParagraph((paragraph, value) => {
        paragraph.outline = Number(value) < 9 ? Number(value) + 1 : 0;
      }),
      r() {
        isHidden = false;
      },
      vanish(attributes) {
        isHidden = !['0', 'false'].includes(attribute(attributes, 'val') ?? '');
      },
      t() {
        isText = !isHidden;
      },
      tab: () => flow.text('\t'),
      br: breakLine,
      cr: breakLine,
      noBreakHyphen: () => flow.text('-'),
      footnoteReference: noteMark(''),
      endnoteReference: noteMark('e'),
      hyperlink: (attributes) => void targets.push(targetOf(links.get(attribute(attributes, 'id') ?? ''))),
    },
    close: {
      t() {
        isText = false;
      },
      p() {
        const paragraph = paragraphs.pop();
        flow.endParagraph(paragraph && prefixOf(paragraph));
      },
      tc() {
        enterCell();
        flow.closeCell();
      },
      tbl: flow.closeTable,
      hyperlink: () => flow.text(targets.pop() ?? ''),
    },
    text(text) {
      if (isText) flow.text(text);
    },
  });
  return flow.finish();
}

/** ` [https://…]`, as links in HTML are read; empty for one within the document. */
const targetOf = (link: Related | undefined): string =>
  link?.isExternal && /^(?:https?|mailto):/i.test(link.target) ? ` [${link.target.replace(/^mailto:/i, '')}]` : '';

/** Footnotes, endnotes or comments, each on a line of its own. */
async function readNotes(
  archive: Archive,
  part: string,
  element: string,
  reading: Reading,
): Promise<readonly string[]> {
  const notes: string[] = [];
  let mark: string | null = null;
  let text = '';
  let isText = false;
  await readPart(archive, part, reading, {
    skip: UNSEEN,
    open: {
      [element](attributes) {
        text = '';
        // Word keeps its separator lines as notes of a type.
        mark = attribute(attributes, 'type') === undefined ? markOf(element, attributes) : null;
      },
      t() {
        isText = true;
      },
      p() {
        text += ' ';
      },
    },
    close: {
      t() {
        isText = false;
      },
      [element]() {
        if (mark !== null && text.trim() !== '') notes.push(`${mark} ${text.trim()}`);
      },
    },
    text(piece) {
      if (isText) text += piece;
    },
  });
  return notes;
}

function markOf(element: string, attributes: Attributes): string {
  if (element === 'comment') return `[comment of ${attribute(attributes, 'author') ?? 'somebody'}]`;
  return `[^${element === 'endnote' ? 'e' : ''}${attribute(attributes, 'id') ?? ''}]:`;
}
