import type { Refusal, RefusalCode } from './types.ts';

const WORDS: Readonly<Record<RefusalCode, string>> = {
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
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: Refusal;
  constructor(code: RefusalCode, why: string) {
    super(why);
    this.refusal = { code, message: WORDS[code] + why };
  }
}
