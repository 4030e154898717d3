import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EngineError } from '#contract';

export interface Body {
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/** Reads and decodes at most `maxBytes`, then hangs up: neither an endless page nor a bomb is read to its end. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const decoder = decoderOf(response.headers['content-encoding'] ?? '');
  // The encoded side has the same limit: a stream of empty gzip blocks decodes to nothing for ever.
  const limit = { cut: false };
  const encoded = firstBytes(response, maxBytes, limit);
  const source = decoder ? pipeline(encoded, decoder, () => {}) : encoded;
  const chunks: Uint8Array[] = [];
  for await (const chunk of firstBytes(source, maxBytes, limit)) chunks.push(chunk);
  return { body: new Uint8Array(Buffer.concat(chunks)), truncated: limit.cut };
}

async function* firstBytes(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  limit: { cut: boolean },
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of source) {
    const room = maxBytes - total;
    total += chunk.length;
    if (chunk.length > room) {
      limit.cut = true;
      yield chunk.subarray(0, room);
      return;
    }
    yield chunk;
  }
}

/** Flushing at the end gives what there is of a cut stream, where the default is an error. */
function decoderOf(encoding: string): Transform | null {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
    case 'deflate':
      return createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      throw new EngineError('tool_failed', 'the page is compressed in a way that was not asked for');
  }
}
