import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { startSmtpPeer } from '../../../../test/fakes/smtp-peer.ts';

export interface Page {
  readonly type?: string;
  readonly body?: string;
  readonly to?: string;
}

/** A web server on one of the machine's own addresses; keeps what it was asked for. */
export async function startSite(host: string, pageOf: (path: string) => Page | undefined) {
  const asked: { url: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const { url = '' } = request;
    asked.push({ url, body: (await buffer(request)).toString() });
    const { type = 'text/plain', body = 'A page.', to } = pageOf(url) ?? {};
    if (to === undefined) response.writeHead(200, { 'content-type': type }).end(body);
    else response.writeHead(302, { location: to }).end();
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    base: `http://${host}:${port}`,
    asked,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export const startSink = () => startSmtpPeer();

export type Site = Awaited<ReturnType<typeof startSite>>;
export type Sink = Awaited<ReturnType<typeof startSink>>;
