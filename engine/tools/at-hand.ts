import { existsSync, opendirSync } from 'node:fs';
import type { AtHand } from '#contract';
import type { Store } from '../storage/ports/store.ts';
import type { StoredMessage } from '../storage/types/mail.ts';
import type { Knowledge } from './knowledge/knowledge.ts';

/** A row of a Markdown table, or two lines with tabs. */
const ROWS = /^[ \t]{0,8}\|[^\n|]{0,500}\|/m;
const TABBED = /\t[^\t\n]{0,500}\n[^\t\n]{0,500}\t/;
const NUMBER = /\d[\d.,:/-]*/g;

/** What may be read of this is another question: a persona that reads no files has none. */
export interface Hand {
  readonly rows: boolean;
  readonly files: boolean;
  readonly numbers: boolean;
  readonly knowledge: boolean;
}

/** What a run may do with files. */
interface FileGrants {
  readonly readsFiles: boolean;
  readonly makesFiles: boolean;
}

/** Whether a tool that needs this has it. */
export function has(hand: Hand, what: AtHand, { readsFiles, makesFiles }: FileGrants): boolean {
  if (what === 'knowledge') return hand.knowledge;
  if (what === 'files') return readsFiles && (hand.files || makesFiles);
  return hand.rows || (readsFiles && hand.files) || (what === 'numbers' && hand.numbers);
}

/**
 * What a run has to work on. Rows that were there once stay, so that the tools of one run after the other are the same and
 * a vendor's prompt cache hits.
 */
export async function atHand(
  { text }: Pick<StoredMessage, 'text'>,
  {
    store,
    filesRoot,
    knowledge,
  }: {
    readonly store: Pick<Store, 'hasAttachments'>;
    readonly filesRoot: string;
    readonly knowledge: Pick<Knowledge, 'isLarge'>;
  },
): Promise<Hand> {
  return {
    rows: ROWS.test(text) || TABBED.test(text) || (await store.hasAttachments()),
    files: hasFiles(filesRoot),
    numbers: hasTwoNumbers(text),
    knowledge: await knowledge.isLarge(),
  };
}

function hasTwoNumbers(text: string): boolean {
  const numbers = text.matchAll(NUMBER);
  return numbers.next().done !== true && numbers.next().done !== true;
}

/**
 * Before the first write there is no folder at all. Synchronous inside: a look takes some microseconds, and each way
 * through the thread pool fifty.
 */
function hasFiles(root: string): boolean {
  if (!existsSync(root)) return false;
  try {
    const folder = opendirSync(root, { bufferSize: 1 });
    const first = folder.readSync();
    folder.closeSync();
    return first !== null;
  } catch {
    return false;
  }
}
