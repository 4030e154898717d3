import { mayStayOpen } from './elements.ts';
import type { OpenElement } from './foreign.ts';

/** A tag in what is read as text: a reader with other rules would open or close an element there. */
const TAG = /<\/?[a-z]/i;

/**
 * The quotations that are open, and whether their ends can be believed. Programs put the HTML of others into theirs, and it may be
 * such that readers divide it in different ways. The end of a quotation ends nothing where an element inside of it was left
 * open, or where it holds what one reader takes for text and another for tags: words would come out of it.
 */
export function createOpenQuotes() {
  /** Where they stand among the open elements. */
  const open: number[] = [];
  /** Of so many of the outermost ones nobody can say where they end. */
  let doubted = 0;

  const doubt = (): void => {
    doubted = open.length;
  };

  return {
    begin: (index: number): void => {
      open.push(index);
    },
    /** Whether the innermost one surely ends here. */
    end(): boolean {
      const isSure = open.length > doubted;
      open.pop();
      doubted = Math.min(doubted, open.length);
      return isSure;
    },
    isWithin: (index: number): boolean => (open.at(-1) ?? -1) > index,
    /** An element ends for another reason than its own end tag. */
    endWithout(element: OpenElement, isQuote: boolean): void {
      if (isQuote || !mayStayOpen(element)) doubt();
    },
    /** An element begins: HTML within a picture or a formula, and what is text where scripts run. */
    take(element: OpenElement, around: OpenElement | undefined): void {
      const isWithin = element.space === 'html' && around !== undefined && around.space !== 'html';
      if (isWithin || element.name === 'noscript') doubt();
    },
    read(name: string, text: string, inSelect: boolean): void {
      if (inSelect || TAG.test(text) || (name === 'script' && text.includes('<!--'))) doubt();
    },
  };
}
