import type { ModelMessage } from '#contract';
import type { ShownPiece } from './values/shown.ts';
/** The prompt of this run besides its own turns. */
export interface Prompt {
  readonly history: readonly ModelMessage[];
  readonly userBlock: ModelMessage;
  readonly inputText: string;
  /** The same piece by piece, with where each came from. */
  readonly shown: readonly ShownPiece[];
}
