import { fetchStaying, fetchTrusting } from '#contract/http';

const LINE_END = 10;

/**
 * `fetch` whose answers fail as soon as they are longer than `maxBytes`: an endless line would fill the memory. Of a stream
 * of events, which has no end, it is the longest line. No redirect leads it to another server, which would get the headers.
 */
export const limitedFetch =
  (
    maxBytes: number,
    /** The only authority that is believed, as a PEM file; with `alsoKnown` beside those that Node knows. */
    caFile?: string,
    trust: { readonly alsoKnown?: boolean } = {},
  ) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await (caFile === undefined ? fetchStaying(url, init) : fetchTrusting(caFile, trust)(url, init));
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    let bytes = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const lastEnd = isStream ? chunk.lastIndexOf(LINE_END) : -1;
        bytes = lastEnd === -1 ? bytes + chunk.byteLength : chunk.byteLength - lastEnd - 1;
        if (bytes > maxBytes) controller.error(new Error(`the answer is longer than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(counted), { status, statusText, headers });
  };
