import { createFlow, type TextFlow } from '../office/flow.ts';
import type { Reading } from '../reading.ts';

/** What else ends a paragraph or a cell. */
const ALSO: Readonly<Record<string, string>> = { sect: 'par', page: 'par', nestcell: 'cell', column: 'par' };

export interface RtfPage extends Pick<TextFlow, 'isFull' | 'text' | 'finish'> {
  /** A control word that ends or begins something of the page. */
  mark(word: string): void;
}

/** Paragraphs and tables. A row of RTF says only at its end that it is one, so cells are kept until then. */
export function createPage(reading: Reading): RtfPage {
  const flow = createFlow(reading);
  let isInTable = false;
  let isOpen = false;

  const enter = () => {
    if (isInTable && !isOpen) flow.openTable();
    if (!isInTable && isOpen) flow.closeTable();
    isOpen = isInTable;
  };
  let row: string[] = [];
  let cell = '';
  const marks: Readonly<Record<string, () => void>> = {
    pard() {
      isInTable = false;
    },
    intbl() {
      isInTable = true;
    },
    par() {
      if (isInTable) cell += '\n';
      else {
        enter();
        flow.endParagraph();
      }
    },
    cell() {
      row.push(cell.trim());
      cell = '';
    },
    row() {
      isInTable = true;
      enter();
      flow.openRow();
      for (const text of row) {
        flow.openCell();
        flow.text(text);
        flow.closeCell();
      }
      row = [];
    },
  };
  return {
    isFull: flow.isFull,
    text(text: string) {
      if (isInTable) {
        cell += text;
      } else {
        enter();
        flow.text(text);
      }
    },
    mark(word: string) {
      const name = Object.hasOwn(ALSO, word) ? (ALSO[word] ?? '') : word;
      if (Object.hasOwn(marks, name)) marks[name]?.();
    },
    finish() {
      isInTable = false;
      enter();
      flow.text([...row, cell].join(' '));
      return flow.finish();
    },
  };
}
