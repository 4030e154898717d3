import type { HttpAnswer } from '../../fakes/http-server.ts';
import type { Asked, Wire } from './wire.ts';

/**
 * How a row ends. `answered`: with a good reply. `refused`: the mail ends as a refusal. `setup`: two mails wait for their
 * owner, who has heard once. `waits`: the mail waits for the vendor. `shortened`: answered, after it was made shorter
 * once. `left_out`: answered, without something, and the reason is on record and was told to the model.
 */
export type End = 'answered' | 'refused' | 'setup' | 'waits' | 'shortened' | 'left_out';

export interface Picture {
  readonly name: string;
  /** As the mail declares it. */
  readonly type: string;
  readonly bytes: Buffer;
}

export interface Row {
  readonly id: string;
  readonly wire: Wire;
  readonly ends: End;
  readonly answer: (asked: Asked) => HttpAnswer;
  /** What Ollama says besides: of the model, of what it has loaded, of itself; it answers as Ollama does where it is not given. */
  readonly besides?: { readonly [path in '/api/show' | '/api/ps' | '/api/version']?: (before: number) => HttpAnswer };
  /** Tools of an MCP server that the persona has beside the bundled ones. */
  readonly tools?: readonly string[];
  /** A tool of the workspace, by its name. */
  readonly toolName?: string;
  readonly pictures?: readonly Picture[];
  /** Of the adapter. */
  readonly config?: object;
  /** Of the manifest. */
  readonly manifest?: object;
  /** A first mail of the thread, answered whatever it is asked, so that there is something to leave out. */
  readonly history?: true;
  /** What else has to be true of all that was asked of this row. */
  readonly heard?: (all: readonly Asked[]) => void;
  /** Part of the text of the reply. */
  readonly reply?: string;
}

/** Bounded by what the text of the first mail of a thread says. */
export const OLDER = 'Older words of this thread.';
