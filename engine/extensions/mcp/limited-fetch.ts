/** `fetch` whose answers fail as soon as they are longer than `maxBytes`: an endless line would fill the memory. */
export const limitedFetch =
  (maxBytes: number) =>
  async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    let bytes = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) controller.error(new Error(`the answer is longer than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    });
    return new Response(body.pipeThrough(counted), { status, statusText, headers });
  };
