import { Parser } from 'htmlparser2';
import type { Reading } from '../reading.ts';
import { Refused } from '../refused.ts';

export type Attributes = Readonly<Record<string, string>>;

/** What of XML a reader hears, by names without their prefix (`p` of `w:p`); attributes keep theirs. */
export interface XmlHandler {
  readonly open?: Readonly<Record<string, (attributes: Attributes) => void>>;
  readonly close?: Readonly<Record<string, () => void>>;
  text?(text: string): void;
  /** Elements that are left out with all that is in them. */
  readonly skip?: readonly string[];
  /** Asked after each piece: nothing more is read. */
  isDone?(): boolean;
}

/**
 * Reads XML piece by piece. Declares no entities and loads nothing: none of the formats has a document type, and what
 * one declares can grow without end.
 */
export async function walkXml(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  handler: XmlHandler,
  reading: Reading,
): Promise<void> {
  // As maps: an element may be called `constructor`.
  const open = new Map(Object.entries(handler.open ?? {}));
  const close = new Map(Object.entries(handler.close ?? {}));
  const skip = new Set(handler.skip);
  let depth = 0;
  let skipped = 0;
  const parser = new Parser(
    {
      onopentag(fullName, attributes) {
        depth += 1;
        if (depth > reading.limits.maxXmlDepth) throw new Refused('bomb', 'its XML is nested too deeply');
        const name = bare(fullName);
        if (skipped > 0 || skip.has(name)) skipped += 1;
        else open.get(name)?.(attributes);
      },
      onclosetag(name) {
        depth -= 1;
        if (skipped > 0) skipped -= 1;
        else close.get(bare(name))?.();
      },
      ontext(text) {
        if (skipped === 0) handler.text?.(text);
      },
      onprocessinginstruction(name) {
        if (name.toLowerCase() === '!doctype') reading.note('Entities that its XML declares stand as they were named.');
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  let decode: ((piece?: Uint8Array) => string) | null = null;
  for await (const piece of pieces) {
    decode ??= decoderFor(piece);
    parser.write(decode(piece));
    if (handler.isDone?.()) return;
  }
  parser.end(decode?.());
}

const bare = (name: string): string => name.slice(name.indexOf(':') + 1);

function decoderFor(head: Uint8Array): (piece?: Uint8Array) => string {
  const isWide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const decoder = new TextDecoder(isWide ? (head[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8');
  return (piece) => decoder.decode(piece, { stream: piece !== undefined });
}
