import type { DocumentRefusal, DocumentRefusalCode } from './types.ts';

const WORDS: Readonly<Record<DocumentRefusalCode, string>> = {
  encrypted: 'encrypted: ',
  broken: 'broken: ',
  too_large: 'too large: ',
  scanned: 'scanned: ',
  bomb: 'too much is packed into it: ',
  timeout: 'too slow: ',
  unsupported: '',
};

/**
 * Thrown by readers on purpose, caught where a document's reading begins. What is said stands among the facts of a
 * mail, so it holds nothing that stands in the document.
 */
/** Where a library met bytes that it did not expect. */
export const DAMAGED = 'it is damaged, or not what it says it is';

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: DocumentRefusal;
  constructor(code: DocumentRefusalCode, why: string) {
    super(why);
    this.refusal = { code, message: WORDS[code] + why };
  }
}
