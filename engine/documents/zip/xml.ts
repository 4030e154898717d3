import { Parser } from 'htmlparser2';
import type { Reading } from '../reading.ts';
import { Refused } from '../refused.ts';

export type Attributes = Readonly<Record<string, string>>;

/** What of XML a reader hears; names are without their prefix (`p` of `w:p`), attributes keep theirs. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
  /** Asked after each piece: nothing more is read. */
  isDone?(): boolean;
}

/**
 * Reads XML piece by piece. Declares no entities and loads nothing: a document type is refused, since none of the
 * formats has one and what it declares can grow without end.
 */
export async function walkXml(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  handler: XmlHandler,
  reading: Reading,
): Promise<void> {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > reading.limits.maxXmlDepth) throw new Refused('bomb', 'its XML is nested too deeply');
        handler.open?.(bare(name), attributes);
      },
      onclosetag(name) {
        depth -= 1;
        handler.close?.(bare(name));
      },
      ontext: (text) => handler.text?.(text),
      onprocessinginstruction(name) {
        if (name.toLowerCase() === '!doctype') throw new Refused('bomb', 'its XML declares entities of its own');
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
