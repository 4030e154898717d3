import type { ShellResult } from '#contract';
import type { Used } from '../files/usage.ts';

/** To the thread that runs one command. */
export interface ShellRequest {
  /** The real path of `files/`. */
  readonly files: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly maxFilesBytes: number;
}

/** From it, when nothing of the command is left. `used`: what there is in `files/` by then. */
export type ShellAnswer =
  | { readonly kind: 'ended'; readonly result: ShellResult; readonly used: Used }
  | { readonly kind: 'full'; readonly used: Used }
  | { readonly kind: 'failed'; readonly message: string };
