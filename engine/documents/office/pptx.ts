import type { Content, NamedText, Reading } from '../reading.ts';
import type { Table } from '../types.ts';
import type { Archive } from '../zip/archive.ts';
import { createFlow } from './flow.ts';
import { attribute, readPart, relatedOf, titleOf } from './package.ts';

/** Placeholders that repeat what the page says anyway: its number, its date. */
const REPEATED = new Set(['sldNum', 'dt', 'hdr', 'sldImg']);

/** The slides of a PowerPoint presentation in their order, each with its notes. */
export async function readPptx(archive: Archive, reading: Reading): Promise<Content> {
  const related = await relatedOf(archive, 'ppt/presentation.xml', reading);
  const parts: string[] = [];
  await readPart(archive, 'ppt/presentation.xml', reading, {
    open: {
      sldId(attributes) {
        // `id` is a number, and the one with a prefix names the part.
        const found = Object.entries(attributes).find(([key]) => key.endsWith(':id'));
        const slide = related.get(found?.[1] ?? '');
        if (slide) parts.push(slide.target);
      },
    },
  });
  if (parts.length > reading.limits.maxPages)
    reading.note(`It has ${parts.length} slides; the first ${reading.limits.maxPages} were read.`);
  const pages: NamedText[] = [];
  const tables: Table[] = [];
  for (const part of parts.slice(0, reading.limits.maxPages)) {
    const slide = await readShapes(archive, part, reading);
    const more = [...(await relatedOf(archive, part, reading)).values()];
    const texts = [slide.text];
    for (const { target } of more.filter(({ type }) => type === 'diagramData')) {
      texts.push((await readShapes(archive, target, reading)).text);
    }
    for (const { target } of more.filter(({ type }) => type === 'notesSlide')) {
      const { text } = await readShapes(archive, target, reading);
      if (text !== '') texts.push(`Notes: ${text}`);
    }
    tables.push(...slide.tables.map(({ rows }, index) => ({ name: `table ${tables.length + index + 1}`, rows })));
    pages.push({ text: texts.filter((text) => text !== '').join('\n\n') });
  }
  return { kind: 'pptx', ...(await titleOf(archive, reading)), paged: { word: 'slide', pages }, tables };
}

/** The text of a slide's shapes, in their order; its title is a heading. */
async function readShapes(archive: Archive, part: string, reading: Reading) {
  const flow = createFlow(reading);
  let placeholder = '';
  let level = 0;
  let isText = false;
  const isTold = () => !REPEATED.has(placeholder);
  const prefixOf = () => {
    if (placeholder === 'title' || placeholder === 'ctrTitle') return '# ';
    return level > 0 ? `${'  '.repeat(level)}- ` : '';
  };
  await readPart(archive, part, reading, {
    skip: ['Fallback'],
    isDone: flow.isFull,
    open: {
      sp() {
        placeholder = '';
      },
      ph(attributes) {
        placeholder = attribute(attributes, 'type') ?? '';
      },
      p() {
        level = 0;
      },
      pPr({ lvl }) {
        level = Math.min(8, Number(lvl) || 0);
      },
      t() {
        isText = true;
      },
      br: () => flow.text('\n'),
      tbl: flow.openTable,
      tr: flow.openRow,
      // Cells that are covered by another are there, and empty.
      tc({ vMerge, hMerge }) {
        flow.openCell({ isCovered: vMerge === '1' || hMerge === '1' });
      },
    },
    close: {
      t() {
        isText = false;
      },
      p: () => flow.endParagraph(prefixOf()),
      sp() {
        placeholder = '';
      },
      tc: flow.closeCell,
      tbl: flow.closeTable,
    },
    text(text) {
      if (isText && isTold()) flow.text(text);
    },
  });
  return flow.finish();
}
